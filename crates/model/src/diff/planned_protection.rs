//! Computes the protection of a zone after all changes. Pure.

use super::rule_moves::Member;
use super::rulesets::{PhaseChanges, RuleChangeKind, WafChanges};
use crate::ruleset::{EntryPoint, LiveRule, LiveRuleset, LiveWaf, RuleId, RulesetId};

/// Id of a ruleset or rule that Cloudflare has not created yet.
const NEW: &str = "new";

/// Returns the protection after the changes. Unchanged rules are copied; new rules have invented
/// ids.
#[must_use]
pub fn planned(live: &LiveWaf, changes: &WafChanges) -> LiveWaf {
    let mut planned_waf = live.clone();
    for phase in &changes.phases {
        let rules: Vec<LiveRule> =
            phase.order.iter().filter_map(|member| planned_rule(phase, *member)).collect();
        let entry_point = match phase.live {
            EntryPoint::Absent if rules.is_empty() => EntryPoint::Absent,
            EntryPoint::Absent => EntryPoint::Present(LiveRuleset {
                id: RulesetId(NEW.to_owned()),
                version: None,
                last_updated: None,
                rules,
            }),
            EntryPoint::Present(ruleset) => {
                EntryPoint::Present(LiveRuleset { rules, ..ruleset.clone() })
            }
        };
        planned_waf.entry_points.insert(phase.phase, entry_point);
    }
    planned_waf
}

fn planned_rule(phase: &PhaseChanges, member: Member) -> Option<LiveRule> {
    match member {
        Member::Live(n) => {
            let live = phase.live.rules().get(n)?;
            let body = phase.changes.iter().find_map(|change| match &change.kind {
                RuleChangeKind::Update(before) if before.id == live.id => {
                    Some(change.after.clone())
                }
                RuleChangeKind::Update(_)
                | RuleChangeKind::Create
                | RuleChangeKind::Move(_)
                | RuleChangeKind::Delete(..) => None,
            });
            Some(LiveRule { body: body.unwrap_or_else(|| live.body.clone()), ..live.clone() })
        }
        Member::New(n) => {
            let change = phase.changes.iter().find(|change| change.placed == Some(member))?;
            let id = RuleId(format!("{NEW}-{}-{n}", phase.phase.as_str()));
            Some(LiveRule { id, last_updated: None, body: change.after.clone() })
        }
    }
}
