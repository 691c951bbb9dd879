//! Checks that only the expected authorities may issue certificates, based on the actual answers.
//! # Sources RFC 8659 section 3 (aliases are followed, then the next name above counts).
//! developers.cloudflare.com/ssl/edge-certificates/caa-records and
//! /ssl/edge-certificates/troubleshooting/caa-records, read 2026-11: with Universal SSL or an
//! advanced certificate, Cloudflare adds the authorities that it uses to the answer, as soon as the
//! zone has any CAA record.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::outcome::ExpectationOutcome;
use crate::insight::effect::at_most_five;
use crate::insight::issuance::{Applicable, CaaPolicy, OF_CLOUDFLARE, applicable};
use crate::model::{ExpectedIssuance, Fqdn, Gather};

/// Checks it.
pub(super) fn check_certificates(
    evidence: Evidence<'_, '_>,
    expected: &ExpectedIssuance,
) -> ExpectationOutcome {
    let ExpectedIssuance { name, only, universal_ssl } = expected;
    let Some(zone) = evidence.zones.zone_of(name) else {
        return ExpectationOutcome::Unknown(format!("{name} is in no known zone"));
    };
    let answer = |name: &Fqdn, kind| evidence.zones.answer(name, kind);
    let policy = match applicable(answer, zone.name(), name) {
        Applicable::Policy(policy) => policy,
        Applicable::Missing => {
            let why = format!("{name} has no CAA record that applies: every authority may issue");
            return ExpectationOutcome::failed_if(evidence.knows_all, why);
        }
        Applicable::Unknown(why) => return ExpectationOutcome::Unknown(why),
    };
    let CaaPolicy { names, wildcards, .. } = &*policy;
    for (kind, issuers) in [("certificates", names), ("wildcard certificates", wildcards)] {
        let Some(issuers) = issuers else {
            return ExpectationOutcome::Failed(format!(
                "{kind} for {name}: every authority may issue, because no record limits them"
            ));
        };
        let other_issuers: Vec<_> = issuers.difference(only).collect();
        if !other_issuers.is_empty() {
            return ExpectationOutcome::Failed(format!(
                "{kind} for {name}: {} may issue as well",
                at_most_five(other_issuers)
            ));
        }
    }
    let added: BTreeSet<&str> =
        OF_CLOUDFLARE.iter().copied().filter(|added| !only.contains(*added)).gather();
    match universal_ssl {
        _ if added.is_empty() => ExpectationOutcome::Passed,
        Some(false) => ExpectationOutcome::Passed,
        Some(true) => ExpectationOutcome::Failed(format!(
            "certificates for {name}: Universal SSL is on, so Cloudflare adds its own authorities \
            to the answer: {}",
            at_most_five(added)
        )),
        None => ExpectationOutcome::Unknown(format!(
            "the records of {name} allow only these, but while Universal SSL is on, Cloudflare \
            adds its own authorities to the \
             answer: {}; add them to `only`, or say `universal_ssl: false` if it is off",
            at_most_five(added)
        )),
    }
}
