//! Shared parts of the rules about protection: the expressions, and the hosts whose requests go
//! through Cloudflare.

use std::collections::HashSet;

use super::context::{ADDRESSES, LintContext};
use crate::diagnostic::Place;
use crate::insight::dns::{Answer, End};
use crate::model::ruleset::{DesiredWaf, RuleForm, Switch};
use crate::model::{Expression, Fqdn, RecordType, Value};

/// The proxy status of a host, as far as the spec shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proxying {
    /// Requests go through Cloudflare.
    On,
    /// Requests do not go through Cloudflare.
    Off,
    /// The spec does not specify it. A new record is not proxied.
    Unsaid,
}

/// Returns the proxy status of a name, according to the answers for it; `None` if the name has no
/// address.
pub(super) fn proxying(context: &LintContext<'_>, name: &Fqdn) -> Option<Proxying> {
    let answers = [RecordType::A, RecordType::Aaaa].map(|kind| context.answers.answer(name, kind));
    // An alias may lead to an address that the spec does not have.
    let leads_to_server = |answer: &Answer<'_>| match answer.end {
        End::Records(_) | End::Edge(_) => true,
        End::NoData(_) | End::NoName | End::Elsewhere | End::Unknown(_) => {
            !answer.aliases.is_empty()
        }
        End::Referral(_) | End::Loop | End::Cloudflare(..) => false,
    };
    let leading: Vec<&Answer<'_>> = answers.iter().filter(|a| leads_to_server(a)).collect();
    if leading.is_empty() {
        return None;
    }
    let written: Vec<Option<bool>> = leading
        .iter()
        .flat_map(|answer| answer.records())
        .map(|entry| context.source(&entry).and_then(|(_, record)| record.facets.proxied))
        .collect();
    // A name that a wildcard covers may have a live record of its own.
    let may_have_own = |answer: &&Answer<'_>| {
        let zone = answer.zone.and_then(|zone| context.zone(zone));
        let by_wildcard = answer.wildcard.or(answer.aliases.iter().find_map(|a| a.wildcard));
        by_wildcard.is_some() && zone.is_none_or(|zone| !zone.knows_all(ADDRESSES))
    };
    let is_edge = leading.iter().any(|answer| matches!(answer.end, End::Edge(_)));
    Some(match () {
        () if is_edge || written.contains(&Some(true)) => Proxying::On,
        () if leading.iter().any(may_have_own) => Proxying::Unsaid,
        () if written.iter().all(|proxied| *proxied == Some(false)) => Proxying::Off,
        () => Proxying::Unsaid,
    })
}

/// Returns the expressions of a section with their places, including those in raw rules.
pub(super) fn expressions_of(waf: &DesiredWaf) -> Vec<(Expression, Place)> {
    let mut expressions: Vec<(Expression, Place)> =
        waf.deployments.iter().filter_map(|d| d.when.clone()).collect();
    for rule in waf.all_rules().filter(|rule| !rule.is_absent) {
        expressions.extend(rule.when.clone());
        match &rule.form {
            RuleForm::Rate(rate) => {
                expressions.extend(rate.count.clone().filter(|(count, _)| !count.text().is_empty()))
            }
            RuleForm::Raw(Value::Map(members)) => {
                if let Some(Value::Text(text)) = members.get("expression") {
                    expressions.push((Expression::reported(text), rule.place));
                }
            }
            RuleForm::Raw(_) | RuleForm::Skip(_) | RuleForm::Act { .. } => {}
        }
    }
    expressions
}

/// Returns true if a section protects against anything.
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

/// Returns the names of mail servers, name servers and other services, which are not for websites.
pub(super) fn hosts_of_other_services<'a>(context: &LintContext<'a>) -> HashSet<&'a Fqdn> {
    let is_other = |t: Option<RecordType>| {
        matches!(t, Some(RecordType::Mx | RecordType::Ns | RecordType::Srv))
    };
    context
        .records()
        .filter(|(_, r)| is_other(r.data.record_type()))
        .filter_map(|(_, r)| r.data.target())
        .collect()
}
