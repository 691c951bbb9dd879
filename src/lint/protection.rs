//! What the rules about protection have in common: the expressions, and which hosts requests reach
//! through Cloudflare.

use std::collections::HashSet;

use super::zone_lookup::{ADDRESSES, Owner, ZoneLookup};
use crate::diagnostic::Place;
use crate::model::ruleset::{DesiredWaf, RuleForm, Switch};
use crate::model::{Expression, Fqdn, RecordType, Value};

/// Whether requests to a host go through Cloudflare, as far as the spec says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proxying {
    /// They do.
    On,
    /// They do not.
    Off,
    /// The spec does not say; a new record is not proxied.
    Unsaid,
}

/// Whether requests to a name go through Cloudflare; `None` if the name has no address.
pub(super) fn proxying(owner: &Owner<'_>) -> Option<Proxying> {
    let mut all =
        ADDRESSES.iter().flat_map(|t| owner.of_type(*t)).map(|r| r.facets.proxied).peekable();
    all.peek()?;
    let all: Vec<Option<bool>> = all.collect();
    Some(match () {
        () if all.contains(&Some(true)) => Proxying::On,
        () if all.iter().all(|p| *p == Some(false)) => Proxying::Off,
        () => Proxying::Unsaid,
    })
}

/// The expressions of a section with their places, including those in raw rules.
pub(super) fn expressions(waf: &DesiredWaf) -> Vec<(Expression, Place)> {
    let mut found: Vec<(Expression, Place)> =
        waf.deployments.iter().filter_map(|d| d.when.clone()).collect();
    for rule in waf.all_rules().filter(|rule| !rule.is_absent) {
        found.extend(rule.when.clone());
        match &rule.form {
            RuleForm::Rate(rate) => {
                found.extend(rate.count.clone().filter(|(count, _)| !count.text().is_empty()))
            }
            RuleForm::Raw(Value::Map(members)) => {
                if let Some(Value::Text(text)) = members.get("expression") {
                    found.push((Expression::reported(text), rule.place));
                }
            }
            RuleForm::Raw(_) | RuleForm::Skip(_) | RuleForm::Act { .. } => {}
        }
    }
    found
}

/// Whether a section protects against anything.
pub(super) fn is_protected(waf: &DesiredWaf) -> bool {
    let acts = |form: &RuleForm| match form {
        RuleForm::Act { .. } | RuleForm::Rate(_) | RuleForm::Raw(_) => true,
        RuleForm::Skip(_) => false,
    };
    let mut rules =
        waf.lists.iter().filter(|(phase, _)| !phase.deploys()).flat_map(|(_, rules)| rules);
    waf.deployments.iter().any(|d| d.switch == Switch::On)
        || rules.any(|r| r.enabled && !r.is_absent && acts(&r.form))
}

/// The names of mail servers, name servers and other services, which are not for websites.
pub(super) fn hosts_of_other_services<'a>(lookup: &ZoneLookup<'a>) -> HashSet<&'a Fqdn> {
    let is_other = |t: Option<RecordType>| {
        matches!(t, Some(RecordType::Mx | RecordType::Ns | RecordType::Srv))
    };
    lookup
        .records()
        .filter(|(_, r)| is_other(r.data.record_type()))
        .filter_map(|(_, r)| r.data.target())
        .collect()
}
