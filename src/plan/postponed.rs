//! Weakenings that last longer than the previous spec said. Nothing at Cloudflare changes, so no operation shows it.

use crate::diagnostic::{Diagnostics, Place, findings};
use crate::model::DesiredZone;
use crate::model::ruleset::{DesiredWaf, Note, Switch, TuningTarget};

/// Entries of the spec whose last day is later than in the previous spec, or gone.
pub(super) fn check(desired: &DesiredZone, base: &DesiredZone) -> Diagnostics {
    let mut found = Diagnostics::default();
    let (Some(own), Some(old)) = (&desired.waf, &base.waf) else { return found };
    let before = entries(old);
    for (what, note, place) in entries(own) {
        let Some((_, was, _)) = before.iter().find(|(other, ..)| *other == what) else { continue };
        let Some(day) = was.expires.as_deref().filter(|_| !was.is_expired) else { continue };
        let detail = match note.expires.as_deref() {
            Some(later) if later > day => format!("{what} lasts until {later}, and no longer until {day}"),
            Some(_) => continue,
            None => format!("{what} no longer ends on {day}"),
        };
        found.push(findings::LASTS_LONGER.at(place, detail).about(desired.name.to_string()));
    }
    found
}

/// What weakens the protection and can have a last day.
fn entries(waf: &DesiredWaf) -> Vec<(String, &Note, Place)> {
    let mut entries = Vec::new();
    for rule in waf.exceptions().filter(|rule| !rule.is_absent) {
        entries.push((format!("the exception {}", rule.name), &rule.note, rule.place));
    }
    for deployment in waf.deployments.iter().filter(|deployment| deployment.switch == Switch::On) {
        let key = deployment.ruleset.key();
        for tuning in deployment.rules.iter().filter(|tuning| tuning.enabled == Some(false) || tuning.action.is_some())
        {
            let name = match &tuning.target {
                TuningTarget::Rule(name) => format!("rule {name}"),
                TuningTarget::Tag(tag) => format!("tag {tag}"),
            };
            entries.push((format!("the override of {key}, {name},"), &tuning.note, tuning.place));
        }
    }
    entries
}
