//! Profiles of all files, and the zones that use them.

use std::collections::{BTreeMap, HashSet};

use super::super::attributes::Facet;
use super::super::limits::MOST_PROFILE_WEIGHT;
use super::super::suggest::hint;
use super::layers::{Fragment, Join, Kind, Layer};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place};
use crate::model::ruleset::DesiredWaf;
use crate::model::{EvaluationBudget, sort_by};

#[derive(Debug)]
struct Profile {
    /// The place of its name.
    place: Place,
    /// Its content.
    layer: Layer,
    /// The memory of a copy of its content, in bytes.
    weight: usize,
    /// True if any zone uses it.
    is_used: bool,
}

/// The protection that a zone declares.
#[derive(Debug, Default)]
pub(in crate::spec) struct Used {
    /// The names under `use`, with the names of their files.
    pub(in crate::spec) names: Vec<(String, Facet<String>)>,
    pub(in crate::spec) fragments: Vec<Fragment>,
}

/// All profiles by name.
#[derive(Debug)]
pub(in crate::spec) struct Profiles {
    all: BTreeMap<String, Profile>,
    /// The memory of the copies that zones have.
    copies: EvaluationBudget,
    /// Whether there was too much of it.
    is_too_large: bool,
    /// Pairs of places that were reported already, so that they are not reported again for each
    /// zone.
    said: HashSet<(Place, Place)>,
}

impl Default for Profiles {
    fn default() -> Self {
        Self {
            all: BTreeMap::new(),
            copies: EvaluationBudget::of_bytes(MOST_PROFILE_WEIGHT),
            is_too_large: false,
            said: HashSet::new(),
        }
    }
}

impl Profiles {
    /// Adds a profile.
    pub(in crate::spec) fn add(
        &mut self,
        name: Facet<String>,
        layer: Layer,
        diagnostics: &mut Diagnostics,
    ) {
        if let Some(first) = self.all.get(&name.value) {
            diagnostics.push(
                findings::PROFILE_TWICE
                    .at(
                        name.place,
                        format!("`{}` is defined here again", super::super::clip(&name.value)),
                    )
                    .and_at(first.place, "it is defined here first")
                    .help("merge the two, or give one of them another name"),
            );
            return;
        }
        let weight = layer.weight();
        self.all.insert(name.value, Profile { place: name.place, layer, weight, is_used: false });
    }

    /// Returns the protection that a zone wants; `None` if the zone declares none.
    pub(in crate::spec) fn apply(
        &mut self,
        zone: Used,
        diagnostics: &mut Diagnostics,
    ) -> Option<DesiredWaf> {
        let Used { mut names, mut fragments } = zone;
        // The result must not depend on the order in which files are read.
        sort_by(&mut names, |a, b| (&a.0, a.1.place).cmp(&(&b.0, b.1.place)));
        sort_by(&mut fragments, |a, b| (&a.file, a.layer.place).cmp(&(&b.file, b.layer.place)));
        let mut join =
            Join { kind: Kind::Fragments, decided: None, diagnostics: &mut *diagnostics };
        let own_layer = fragments
            .into_iter()
            .map(|f| f.layer)
            .reduce(|a, b| join.join(a, b))
            .unwrap_or_default();
        let mut base: Option<(Layer, HashSet<String>)> = None;
        for (_, name) in &names {
            let Some(profile) = self.all.get_mut(&name.value) else {
                let names_known = self.all.keys().map(String::as_str);
                diagnostics.push(
                    findings::UNKNOWN_PROFILE
                        .at(
                            name.place,
                            format!("no profile is called `{}`", super::super::clip(&name.value)),
                        )
                        .help(hint(&name.value, names_known, "profiles")),
                );
                continue;
            };
            profile.is_used = true;
            if self.is_too_large || !self.copies.hold(profile.weight) {
                if !std::mem::replace(&mut self.is_too_large, true) {
                    let limit = MOST_PROFILE_WEIGHT >> 20;
                    let label =
                        format!("the profiles of the zones up to here take more than {limit} MiB");
                    diagnostics.push(findings::TOO_LARGE.at(name.place, label).help(
                        "use large profiles in fewer zones of a run, or move rules that all zones \
                         have to rulesets of the account",
                    ));
                }
                continue;
            }
            let layer = profile.layer.clone();
            base = Some(match base {
                Some((first, seen)) if seen.contains(&name.value) => (first, seen),
                Some((first, mut seen)) => {
                    let kind = Kind::Profiles(name.place);
                    seen.insert(name.value.clone());
                    (
                        Join { kind, decided: Some(&own_layer), diagnostics: &mut *diagnostics }
                            .join(first, layer),
                        seen,
                    )
                }
                None => (layer, HashSet::from([name.value.clone()])),
            });
        }
        let layer = own_layer.clone().over(base.map(|(layer, _)| layer).unwrap_or_default());
        // A zone without a section of its own has `use`.
        let place = own_layer.place.or(names.first().map(|(_, name)| name.place));
        let (place, true) = (place?, layer.place.is_some()) else { return None };
        let layer = Layer { place: Some(place), ..layer };
        Some(layer.desired(place, &mut self.said, diagnostics))
    }

    /// Reports profiles that no zone uses.
    pub(in crate::spec) fn finish(self, diagnostics: &mut Diagnostics) {
        for (name, profile) in self.all.into_iter().filter(|(_, p)| !p.is_used) {
            diagnostics.push(
                findings::PROFILE_UNUSED
                    .at(profile.place, format!("`{}` has no effect", super::super::clip(&name)))
                    .help(format!(
                        "write `use: [{}]` in a zone, or remove the profile",
                        super::super::clip(&name)
                    )),
            );
        }
    }
}
