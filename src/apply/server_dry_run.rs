//! Asks Cloudflare whether it would accept the planned changes of rules, without changing anything.
//!
//! Cloudflare checks a write in full and stores nothing if it carries `dry_run=true`. A server that
//! does not know the parameter would execute the write. So the first request is one that can have
//! no effect: an empty rule, which is refused in any case. The real requests are sent only if the
//! refusal mentions `dry_run`.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rulesets-api/dry-run, read 2026-11-20: any value but
//! true and false is refused, and a success has no result.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::failed_writes::error_with_advice;
use crate::api::{ApiError, Checker};
use crate::model::ruleset::{Phase, RulesetId};
use crate::model::{Address, ZoneId};
use crate::plan::{ExpectRuleset, Plan, ZonePlan, lower_operation};
use crate::wire::ruleset::{dry_run, dry_run_probe};

/// Cloudflare's answer about one planned change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryRunResult {
    /// Cloudflare would accept the change.
    Accepted,
    /// Cloudflare would refuse the change.
    Refused(String),
    /// The change could not be checked.
    Unchecked(String),
}

/// Asks about every planned change of a zone's rules. Returns one answer for each, in order.
pub async fn server_dry_run<C: Checker>(checker: &C, zone: &ZonePlan) -> Vec<DryRunResult> {
    let mut supported: BTreeMap<Phase, Result<(), String>> = BTreeMap::new();
    let mut answers = Vec::new();
    let mut broken: Option<String> = None;
    for (_, operation, rule) in zone.rules() {
        if let Some(reason) = &broken {
            answers.push(DryRunResult::Unchecked(reason.clone()));
            continue;
        }
        if zone.is_new {
            answers.push(DryRunResult::Unchecked("the zone does not exist yet".to_owned()));
            continue;
        }
        if let Entry::Vacant(unknown) = supported.entry(rule.phase) {
            let ruleset = match &rule.expect {
                ExpectRuleset::Absent => None,
                ExpectRuleset::Version { id, .. } => Some(id),
            };
            unknown.insert(match dry_runs(checker, &zone.id, rule.phase, ruleset).await {
                DryRuns::Supported => Ok(()),
                DryRuns::Forbidden(why) => {
                    Err(format!("a dry run needs a token that may edit rules: {why}"))
                }
                DryRuns::Unknown(why) => Err(why),
            });
        }
        if let Some(Err(reason)) = supported.get(&rule.phase) {
            answers.push(DryRunResult::Unchecked(reason.clone()));
            continue;
        }
        let request = dry_run(lower_operation(zone, operation, None));
        answers.push(match checker.check(&request).await {
            Ok(answer) if answer.result.is_null() => DryRunResult::Accepted,
            Ok(_) => {
                let reason = "Cloudflare answered a dry run with a result, so it may have carried \
                    it out; \
                              no further dry run of this zone was sent. Check the zone's rules";
                broken = Some(reason.to_owned());
                DryRunResult::Unchecked(reason.to_owned())
            }
            Err(error) if speaks_of_dry_runs(&error) => {
                DryRunResult::Unchecked(error_with_advice(&error))
            }
            Err(error) if error.status().is_some() && !error.is_uncertain() => {
                DryRunResult::Refused(error_with_advice(&error))
            }
            Err(error) => DryRunResult::Unchecked(error_with_advice(&error)),
        });
    }
    answers
}

/// Adds Cloudflare's answers to the plan: a count, and each refusal.
pub fn note_server_check(plan: &mut Plan, answers: &[(Address, DryRunResult)]) {
    for zone in &mut plan.zones {
        let answers_of_zone: Vec<_> = answers
            .iter()
            .filter(|(address, _)| zone.rules().any(|(_, o, _)| o.address == *address))
            .collect();
        if answers_of_zone.is_empty() {
            continue;
        }
        let accepted =
            answers_of_zone.iter().filter(|(_, answer)| *answer == DryRunResult::Accepted).count();
        zone.notes.push(format!(
            "server check: {accepted} of {} changes of rules would be accepted (dry run)",
            answers_of_zone.len()
        ));
        for (address, answer) in answers_of_zone {
            match answer {
                DryRunResult::Accepted => {}
                DryRunResult::Refused(why) => {
                    zone.notes.push(format!("server check: {address} would be refused: {why}"))
                }
                DryRunResult::Unchecked(why) => {
                    zone.notes.push(format!("server check: {address} was not checked: {why}"))
                }
            }
        }
    }
}

/// Cloudflare's support of dry runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryRuns {
    /// Dry runs are supported.
    Supported,
    /// These credentials may not write rules, for this reason.
    Forbidden(String),
    /// Dry runs are unsupported, or it is unknown whether they are supported, for this reason.
    Unknown(String),
}

/// Asks whether Cloudflare supports `dry_run`, with a request that can have no effect.
pub async fn dry_runs<C: Checker>(
    checker: &C,
    zone: &ZoneId,
    phase: Phase,
    ruleset: Option<&RulesetId>,
) -> DryRuns {
    match checker.check(&dry_run_probe(zone, phase, ruleset)).await {
        // "Unknown parameter" means that dry runs are unsupported; "invalid value" means that they
        // are supported.
        Err(error)
            if error.status() == Some(400) && speaks_of_dry_runs(&error) && !is_unknown(&error) =>
        {
            DryRuns::Supported
        }
        Err(error) if matches!(error.status(), Some(401 | 403)) => {
            DryRuns::Forbidden(error_with_advice(&error))
        }
        Err(error) if error.status().is_none() => DryRuns::Unknown(error_with_advice(&error)),
        Err(_) => DryRuns::Unknown("Cloudflare does not seem to support dry runs".to_owned()),
        Ok(_) => DryRuns::Unknown(
            "Cloudflare accepted an empty rule, so it cannot be trusted with a dry run".to_owned(),
        ),
    }
}

/// Returns true if a refusal is about `dry_run`.
fn speaks_of_dry_runs(error: &ApiError) -> bool {
    error.messages().iter().any(|m| {
        let pointer = m.pointer.as_deref().unwrap_or_default();
        m.message.contains("dry_run") || pointer.contains("dry_run")
    })
}

/// Returns true if a refusal says that something is unknown.
fn is_unknown(error: &ApiError) -> bool {
    error.messages().iter().any(|m| m.message.to_lowercase().contains("unknown"))
}
