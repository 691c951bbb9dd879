//! Valid parts of a section that are probably mistakes.

use super::section::Section;
use crate::diagnostic::Place;
use crate::diagnostic::findings;
use crate::model::expression::Expression;
use crate::model::facts::owasp::{ANOMALY_NUMBER, ANOMALY_RULE, PARANOIA_TAGS};
use crate::model::managed::{Managed, Overrides, RuleName};
use crate::model::ruleset::SkipTarget;

/// The description of the anomaly rule, in lower case.
const ANOMALY_TITLE: &str = "inbound anomaly score exceeded";

/// The lowest threshold that is unlikely to be meant as a paranoia level.
const LOWEST_LIKELY_THRESHOLD: u32 = 5;

/// Returns true if a name means the rule that acts on the score.
fn is_anomaly(name: &RuleName) -> bool {
    let text = name.as_str().to_lowercase();
    name.number() == Some(ANOMALY_NUMBER)
        || (name.is_id() && ANOMALY_RULE.starts_with(&text))
        || text.ends_with(ANOMALY_TITLE)
}

impl Section<'_> {
    /// Warns if a rule that is switched off or skipped is the one that acts on the score.
    pub(super) fn doubt_anomaly(&mut self, name: &RuleName, place: Place, instead: &str) {
        if is_anomaly(name) {
            self.reader.diagnostics.push(
                findings::ANOMALY_OFF
                    .at(
                        place,
                        "without the rule that acts on the score, all the others have no effect",
                    )
                    .help(format!(
                        "name the rules that add to the score instead, or write {instead}"
                    )),
            );
        }
    }

    /// Warns of a threshold that is probably meant as a paranoia level.
    pub(super) fn doubt_threshold(&mut self, number: u32, place: Place) {
        if number < LOWEST_LIKELY_THRESHOLD {
            self.reader.diagnostics.push(
                findings::THRESHOLD_LOW
                    .at(place, format!("a request is acted on from a score of {number}"))
                    .help(format!(
                        "write `paranoia: {number}` if the level is meant, and a \
                        threshold of 5 or more"
                    )),
            );
        }
    }

    /// Warns of paranoia levels in a ruleset that has none.
    pub(super) fn doubt_level(&mut self, tag: &str, ruleset: Managed, place: Place) {
        if ruleset != Managed::Owasp && PARANOIA_TAGS.contains(&tag) {
            self.reader.diagnostics.push(
                findings::PARANOIA_TAG
                    .at(place, format!("`{tag}` is a tag of the OWASP ruleset"))
                    .help("write `owasp: { paranoia: … }` instead"),
            );
        }
    }

    /// Warns of an exception that skips too much.
    pub(super) fn doubt_exception(
        &mut self,
        when: Option<(&Expression, Place)>,
        targets: &[SkipTarget],
        place: Place,
    ) {
        for target in targets {
            if let SkipTarget::Rules(Managed::Owasp, names) = target {
                for (name, place) in names {
                    self.doubt_anomaly(name, *place, "`skip: { ruleset: owasp }` if that is meant");
                }
            }
        }
        let Some((_, at)) = when.filter(|(when, _)| when.is_always_true()) else { return };
        let whole_ruleset = targets.iter().find_map(|target| match target {
            SkipTarget::Everything => Some("all managed rules below it".to_owned()),
            SkipTarget::Ruleset(managed) => Some(format!("the whole ruleset `{}`", managed.key())),
            SkipTarget::RulesetId(id) => Some(format!("the whole ruleset `{id}`")),
            SkipTarget::Rules(..) | SkipTarget::Phase(_) | SkipTarget::Product(_) => None,
        });
        let (detail, help) = match whole_ruleset {
            Some(whole_ruleset) => (
                format!("every request bypasses {whole_ruleset}"),
                "narrow `when`, or write `off` at the ruleset so that it can be seen",
            ),
            None => (
                "every request bypasses these rules".to_owned(),
                "narrow `when`, or switch the rules off under `disable`",
            ),
        };
        self.reader
            .diagnostics
            .push(findings::ALWAYS.at(at, detail).and_at(place, "in this exception").help(help));
    }

    /// Warns of doubtful overrides of the OWASP ruleset in Cloudflare's form.
    pub(super) fn doubt_overrides(&mut self, overrides: &Overrides, has_level: bool, place: Place) {
        if overrides.action.is_some() {
            self.reader.diagnostics.push(
                findings::SCORE_ACTION.at(place, "`action` of the whole ruleset is set here").help(
                    "write `action:` beside `raw:`, which reaches the rule that acts on the score",
                ),
            );
        }
        let state =
            |tag: &str| overrides.tags.iter().find(|t| t.tag == tag).and_then(|t| t.enabled);
        let states = PARANOIA_TAGS.map(state);
        let is_off = |n: usize| states[n] == Some(false);
        // The intended level: the highest one switched on, else the highest that is not off.
        let meant_level = (0..4)
            .rev()
            .find(|n| states[*n] == Some(true))
            .or_else(|| (0..4).rev().find(|n| !is_off(*n)));
        let below: Vec<String> = (0..meant_level.unwrap_or(4))
            .filter(|n| is_off(*n))
            .map(|n| (n + 1).to_string())
            .collect();
        if has_level || below.is_empty() {
            return;
        }
        let (detail, help) = match meant_level {
            Some(meant_level) => (
                format!("level {} is on and {} below it off", meant_level + 1, below.join(", ")),
                format!(
                    "write `paranoia: {}` instead of the categories, if that is meant",
                    meant_level + 1
                ),
            ),
            None => {
                ("all levels are off".to_owned(), "write `owasp: off`, if that is meant".to_owned())
            }
        };
        self.reader.diagnostics.push(findings::LEVELS.at(place, detail).help(help));
    }
}
