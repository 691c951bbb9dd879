//! Profiles of all files, and the zones that use them.
//!
//! | what is combined | values by name | records |
//! |---|---|---|
//! | profiles that a zone uses | must agree, unless the zone decides | the records of a name and type must agree, unless the zone decides |
//! | the zone over its profiles | the zone's wins, key by key | the zone's records of a name and type replace those of the profile |
//!
//! A profile is read for each zone that uses it, because names are relative to the zone and
//! `${ZONE}` is its name. Only a `waf` section without `${ZONE}` is read once. `waf::layers` has the
//! rules for protection.

use std::collections::{BTreeMap, HashSet};

use super::attributes::{Defaults, Facet, Reader};
use super::deserialize::{Deferred, Spanned, Text};
use super::expect::expectation;
use super::expiry::Day;
use super::inherited_defaults::FileIn;
use super::limits::MOST_PROFILE_WEIGHT;
use super::named_values::{merge, placed};
use super::profile_values::{SharedValues, complete_zone};
use super::records::Target;
use super::suggest::hint;
use super::syntax::{ProfileSyntax, SwitchSyntax};
use super::variables::{SAMPLE_ZONE, fill_in_zone};
use super::waf::{Fragment, Join, Kind, Layer, Section};
use super::{file_weight, settings};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Source, Sources};
use crate::model::{Desired, DesiredZone, EvaluationBudget, ZoneName, sort_by};

/// A profile of a file.
#[derive(Debug)]
struct Profile {
    /// The place of its name.
    place: Place,
    /// The number of its file.
    file: usize,
    content: Deferred<Spanned<ProfileSyntax>>,
    /// Its protection; `None` if it depends on the zone.
    layer: Option<Layer>,
    /// The memory of a copy of its content, in bytes.
    weight: usize,
    /// True if any zone uses it.
    is_used: bool,
}

/// The profiles and the protection that a zone declares.
#[derive(Debug, Default)]
pub(super) struct Used {
    /// The names under `use`, with the names of their files.
    pub(super) names: Vec<(String, Facet<String>)>,
    /// `waf` sections.
    pub(super) fragments: Vec<Fragment>,
}

/// The files of a spec, and what applies to all of them.
pub(super) struct Input<'a> {
    pub(super) files: &'a mut [FileIn],
    /// The defaults that apply in each file.
    pub(super) defaults: &'a [Defaults],
    /// The day on which expiry is decided.
    pub(super) today: Option<Day>,
    pub(super) sources: &'a Sources,
}

/// All profiles by name.
#[derive(Debug)]
pub(super) struct Profiles {
    all: BTreeMap<String, Profile>,
    /// The memory of the copies that zones have.
    copies: EvaluationBudget,
    /// Whether there was too much of it.
    is_too_large: bool,
    /// Pairs of places that were reported already, so that they are not reported again for each
    /// zone.
    said: HashSet<(Place, Place)>,
    /// Codes and places of findings about values of profiles that were reported already.
    reported: HashSet<(&'static str, Option<Place>)>,
}

impl Default for Profiles {
    fn default() -> Self {
        Self {
            all: BTreeMap::new(),
            copies: EvaluationBudget::of_bytes(MOST_PROFILE_WEIGHT),
            is_too_large: false,
            said: HashSet::new(),
            reported: HashSet::new(),
        }
    }
}

impl Profiles {
    /// Adds a profile of a file.
    pub(super) fn add(
        &mut self,
        name: &Spanned<Text>,
        content: Deferred<Spanned<ProfileSyntax>>,
        number: usize,
        input: &Input<'_>,
        diagnostics: &mut Diagnostics,
    ) {
        let file = &input.files[number];
        let Some(tree) = &file.tree else { return };
        let name = Reader { source: file.source, diagnostics }.facet(name, name.value.0.clone());
        if let Some(first) = self.all.get(&name.value) {
            diagnostics.push(
                findings::PROFILE_TWICE
                    .at(name.place, format!("`{}` is defined here again", super::clip(&name.value)))
                    .and_at(first.place, "it is defined here first")
                    .help("merge the two, or give one of them another name"),
            );
            return;
        }
        let syntax = match content.read(tree) {
            Ok(syntax) => syntax.value,
            Err(error) => return diagnostics.push(error.diagnostic(tree)),
        };
        let depends_on_zone = file.of_zone.contains_key(&content.node());
        let layer = (!depends_on_zone).then(|| layer(&syntax, file, input, diagnostics));
        let weight = file_weight::of_profile(tree, content.node());
        let weight = weight + layer.as_ref().map_or(0, Layer::weight);
        let (place, is_used) = (name.place, false);
        let profile = Profile { place, file: number, content, layer, weight, is_used };
        self.all.insert(name.value, profile);
    }

    /// Returns the name and the whole place of each profile.
    pub(super) fn places(&self, files: &[FileIn]) -> Vec<(Place, String)> {
        let place = |profile: &Profile| {
            let tree = files[profile.file].tree.as_ref()?;
            Some(tree.place(profile.content.node()))
        };
        self.all.iter().filter_map(|(name, p)| Some((place(p)?, name.clone()))).collect()
    }

    /// Completes a zone from the profiles that it uses, and combines its protection with theirs.
    pub(super) fn complete(
        &mut self,
        zone: &mut DesiredZone,
        used: Used,
        own_defaults: &Defaults,
        input: &mut Input<'_>,
        diagnostics: &mut Diagnostics,
    ) {
        let Used { mut names, mut fragments } = used;
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
        let mut base_layer: Option<Layer> = None;
        let mut shared_values = SharedValues::default();
        let mut joined_names = HashSet::new();
        for (_, name) in &names {
            let Some(profile) = self.all.get_mut(&name.value) else {
                let known_names = self.all.keys().map(String::as_str);
                diagnostics.push(
                    findings::UNKNOWN_PROFILE
                        .at(
                            name.place,
                            format!("no profile is called `{}`", super::clip(&name.value)),
                        )
                        .help(hint(&name.value, known_names, "profiles")),
                );
                continue;
            };
            profile.is_used = true;
            let is_new = joined_names.insert(name.value.as_str());
            if self.is_too_large || !self.copies.hold(profile.weight) {
                if !std::mem::replace(&mut self.is_too_large, true) {
                    diagnostics.push(too_large(name.place));
                }
                continue;
            }
            if !is_new {
                continue;
            }
            let mut own_findings = Diagnostics::default();
            let (values, layer) = profile.read(&zone.name, own_defaults, input, &mut own_findings);
            shared_values.join(values, zone, name.place, &mut own_findings);
            self.report(own_findings, &zone.name, name.place, diagnostics);
            base_layer = Some(match base_layer {
                Some(first) => {
                    let kind = Kind::Profiles(name.place);
                    Join { kind, decided: Some(&own_layer), diagnostics: &mut *diagnostics }
                        .join(first, layer)
                }
                None => layer,
            });
        }
        complete_zone(zone, shared_values);
        let mut layer = own_layer.clone().over(base_layer.unwrap_or_default());
        // A zone without a section of its own has `use`.
        let place = own_layer.place.or(names.first().map(|(_, name)| name.place));
        let (Some(place), true) = (place, layer.place.is_some()) else { return };
        layer.place = Some(place);
        zone.waf = Some(Box::new(layer.desired(place, &mut self.said, diagnostics)));
    }

    /// Reports findings about a profile for a zone, each once for all zones.
    pub(super) fn report(
        &mut self,
        own_findings: Diagnostics,
        zone: &ZoneName,
        used: Place,
        diagnostics: &mut Diagnostics,
    ) {
        for finding in own_findings {
            let place = finding.primary.as_ref().map(|label| label.place);
            let names_use = finding.related.iter().any(|label| label.place == used);
            if self.reported.insert((finding.code(), place)) && !super::is_enough(diagnostics) {
                let text = format!("{zone} uses the profile here");
                diagnostics.push(if names_use { finding } else { finding.and_at(used, text) });
            }
        }
    }

    /// Reports contradictions between the records of a zone: those with records of profiles once for
    /// all zones.
    pub(super) fn report_conflicts(
        &mut self,
        conflicts: Diagnostics,
        desired: &Desired,
        zone: &ZoneName,
        used: Place,
        diagnostics: &mut Diagnostics,
    ) {
        let is_of_profile = |conflict: &Diagnostic| {
            let places = conflict.primary.iter().chain(&conflict.related);
            places.into_iter().any(|label| desired.profile_at(label.place).is_some())
        };
        let (shared, own): (Vec<_>, Vec<_>) = conflicts.into_iter().partition(is_of_profile);
        diagnostics.append(own.into_iter().collect());
        self.report(shared.into_iter().collect(), zone, used, diagnostics);
    }

    /// Checks the profiles that no zone uses, and reports them.
    pub(super) fn finish(self, input: &mut Input<'_>, diagnostics: &mut Diagnostics) {
        for (name, mut profile) in self.all.into_iter().filter(|(_, p)| !p.is_used) {
            if let Ok(zone) = ZoneName::parse(SAMPLE_ZONE) {
                profile.read(&zone, &Defaults::default(), input, diagnostics);
            }
            diagnostics.push(
                findings::PROFILE_UNUSED
                    .at(profile.place, format!("`{}` has no effect", super::clip(&name)))
                    .help(format!(
                        "write `use: [{}]` in a zone, or remove the profile",
                        super::clip(&name)
                    )),
            );
        }
    }
}

impl Profile {
    /// Reads the profile for a zone.
    fn read(
        &mut self,
        zone: &ZoneName,
        own_defaults: &Defaults,
        input: &mut Input<'_>,
        diagnostics: &mut Diagnostics,
    ) -> (SharedValues, Layer) {
        let file = &mut input.files[self.file];
        let parts = file.of_zone.get(&self.content.node());
        if let (Some(parts), Some(tree)) = (parts, &mut file.tree) {
            fill_in_zone(tree, parts, zone);
        }
        let (input, file) = (&*input, &input.files[self.file]);
        let Some(tree) = &file.tree else { return Default::default() };
        // A mistake of the form has been reported.
        let Ok(Spanned { value: mut syntax, .. }) = self.content.read(tree) else {
            return Default::default();
        };
        let layer = match &self.layer {
            Some(layer) => layer.clone(),
            None => layer(&syntax, file, input, diagnostics),
        };
        let mut values = DesiredZone::new(zone.clone(), self.place);
        let mut reader = Reader { source: file.source, diagnostics };
        let (mut all, mut dns) = (BTreeMap::new(), BTreeMap::new());
        merge(&mut all, syntax.settings.take(), settings::checked, &mut reader);
        merge(&mut dns, syntax.dns_settings.take(), |_, _, value, _| Some(value), &mut reader);
        values.settings.settings = placed(all);
        values.settings.dns_settings = placed(dns);
        let dnssec = syntax.dnssec.as_ref();
        values.settings.dnssec =
            dnssec.map(|dnssec| (dnssec.value == SwitchSyntax::On, reader.place(dnssec)));
        let expectations = syntax.expect.iter().flatten();
        values.expect = expectations.filter_map(|e| expectation(zone, e, &mut reader)).collect();
        let defaults = own_defaults.clone().or(&input.defaults[self.file]);
        let mut target = Target {
            zone,
            source: file.source,
            text: input.sources.get(file.source).map_or("", Source::text),
            reduced: &file.reduced,
            defaults: &defaults,
            today: input.today,
            records: &mut values.records,
            tombstones: &mut values.tombstones,
            diagnostics,
        };
        target.read_all(syntax.records.unwrap_or_default(), tree);
        (SharedValues::from(values), layer)
    }
}

/// Reads the protection of a profile.
fn layer(
    syntax: &ProfileSyntax,
    file: &FileIn,
    input: &Input<'_>,
    diagnostics: &mut Diagnostics,
) -> Layer {
    let (Some(waf), Some(tree)) = (&syntax.waf, &file.tree) else { return Layer::default() };
    match waf.read(tree) {
        Ok(waf) => section(file, input.today, input.sources, diagnostics).read(&waf),
        Err(error) => {
            diagnostics.push(error.diagnostic(tree));
            Layer::default()
        }
    }
}

/// Returns the reader of the `waf` sections of a file.
pub(super) fn section<'a>(
    file: &'a FileIn,
    today: Option<Day>,
    sources: &'a Sources,
    diagnostics: &'a mut Diagnostics,
) -> Section<'a> {
    let text = sources.get(file.source).map_or("", Source::text);
    let reader = Reader { source: file.source, diagnostics };
    Section { reader, text, reduced: &file.reduced, today }
}

/// Reports profiles that take too much memory in all zones together.
fn too_large(place: Place) -> Diagnostic {
    let limit = MOST_PROFILE_WEIGHT >> 20;
    let label = format!("the profiles of the zones up to here take more than {limit} MiB");
    findings::TOO_LARGE.at(place, label).help(
        "use large profiles in fewer zones of a run, or move rules that all zones have to rulesets \
         of the account",
    )
}
