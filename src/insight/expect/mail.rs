//! Checks that a domain receives and sends mail as expected.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::evidence::Evidence;
use super::outcome::ExpectationOutcome;
use crate::insight::dns::{Answer, End, Entry};
use crate::insight::mail::Envelope;
use crate::insight::mail::dkim::{self, Selector};
use crate::insight::mail::dmarc_discovery::{Discovery, Policy};
use crate::insight::mail::mx_change::preference;
use crate::insight::mail::spf_check_host::{self as check, check_host};
use crate::insight::mail::spf_lookup::AnsweredNames;
use crate::insight::mail::spf_walk::{Lookup, LookupAnswer};
use crate::model::{ExpectedMail, ExpectedPolicy, Fqdn, Gather, RecordType};

/// Checks it.
pub(super) fn check_mail(
    evidence: Evidence<'_, '_>,
    expected: &ExpectedMail,
) -> ExpectationOutcome {
    let ExpectedMail { domain, by, spf_pass, dmarc, dkim } = expected;
    let servers = by.iter().map(|by| by_servers(evidence, domain, by));
    let senders = spf_pass.iter().map(|address| may_send(evidence, domain, *address));
    let policies = dmarc.iter().map(|policy| has_policy(evidence, domain, *policy));
    let keys = dkim.iter().map(|selector| has_key(evidence, domain, selector));
    ExpectationOutcome::of_all(servers.chain(senders).chain(policies).chain(keys))
}

/// Returns an answer that no record of the known zones gives, so that a question stays open.
fn unanswered(answer: &Answer<'_>, name: &Fqdn, kind: RecordType) -> ExpectationOutcome {
    ExpectationOutcome::Unknown(format!("{name} {kind}: {}", answer.words(kind)))
}

/// Checks that these servers receive mail, in this order.
fn by_servers(evidence: Evidence<'_, '_>, domain: &Fqdn, by: &[Fqdn]) -> ExpectationOutcome {
    let answer = evidence.zones.answer(domain, RecordType::Mx);
    let says = || format!("mail for {domain}: {}", answer.words(RecordType::Mx));
    let set = match &answer.end {
        End::Records(set) => set,
        // Without mail servers, senders try the address of the domain (RFC 5321 section 5.1).
        End::NoData(_) | End::NoName if by.is_empty() => {
            return match addresses(evidence, domain) {
                LookupAnswer::Values(found) if found.is_empty() && evidence.knows_all => {
                    ExpectationOutcome::Passed
                }
                LookupAnswer::Values(found) if found.is_empty() => {
                    ExpectationOutcome::failed_if(false, says())
                }
                _ => ExpectationOutcome::failed_if(
                    evidence.knows_all,
                    format!("{}; senders try its address", says()),
                ),
            };
        }
        End::NoData(_) | End::NoName => {
            return ExpectationOutcome::failed_if(evidence.knows_all, says());
        }
        End::Edge(_) | End::Loop => return ExpectationOutcome::Failed(says()),
        End::Referral(_) | End::Elsewhere | End::Cloudflare(..) | End::Unknown(_) => {
            return unanswered(&answer, domain, RecordType::Mx);
        }
    };
    let targets = || {
        set.iter()
            .filter_map(|entry| Some((preference(&entry.data.fields()), entry.data.target()?)))
    };
    let servers: BTreeSet<&Fqdn> =
        targets().map(|(_, target)| target).filter(|target| !target.is_root()).gather();
    let listed = by.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if servers != by.iter().collect() {
        return ExpectationOutcome::Failed(format!(
            "{}; expected {}",
            says(),
            if by.is_empty() { "no server" } else { &listed }
        ));
    }
    // The best place of each server.
    let place = |server: &Fqdn| {
        targets().filter(|(_, target)| *target == server).map(|(place, _)| place).min()
    };
    if !by.is_sorted_by_key(place) {
        return ExpectationOutcome::Failed(format!("{}: another order; expected {listed}", says()));
    }
    ExpectationOutcome::of_all(by.iter().map(|server| match addresses(evidence, server) {
        LookupAnswer::Values(found) if found.is_empty() => ExpectationOutcome::failed_if(
            evidence.knows_all,
            format!("its server {server} has no address"),
        ),
        // Hosts outside of the known zones are the responsibility of others.
        LookupAnswer::Values(_) | LookupAnswer::Edge | LookupAnswer::Unknown => {
            ExpectationOutcome::Passed
        }
    }))
}

/// Returns the addresses of a host, of both families. Those of proxied names are Cloudflare's.
fn addresses(evidence: Evidence<'_, '_>, host: &Fqdn) -> LookupAnswer<IpAddr> {
    let answer = |name: &Fqdn, kind| evidence.zones.answer(name, kind);
    let names = AnsweredNames { answer, knows_all: true };
    match (names.addresses(host, false), names.addresses(host, true)) {
        (LookupAnswer::Values(four), LookupAnswer::Values(six)) => {
            LookupAnswer::Values([four, six].concat())
        }
        (LookupAnswer::Unknown, _) | (_, LookupAnswer::Unknown) => LookupAnswer::Unknown,
        (LookupAnswer::Edge, _) | (_, LookupAnswer::Edge) => LookupAnswer::Edge,
    }
}

/// Checks that a host may send mail in the name of a domain.
fn may_send(evidence: Evidence<'_, '_>, domain: &Fqdn, address: IpAddr) -> ExpectationOutcome {
    let name = domain.as_str();
    let envelope = Envelope { address, local: None, domain: name, greeting: None };
    let answer = |name: &Fqdn, kind| evidence.zones.answer(name, kind);
    let names = AnsweredNames { answer, knows_all: evidence.knows_all };
    let failed =
        |what: &str| ExpectationOutcome::Failed(format!("SPF for {name}: {address} {what}"));
    match check_host(name, &envelope, &names) {
        check::SpfResult::Pass => ExpectationOutcome::Passed,
        check::SpfResult::Unknown => ExpectationOutcome::Unknown(format!(
            "SPF for {name}: the known zones do not tell whether {address} may send; an include or \
            another name decides"
        )),
        check::SpfResult::None => failed("may not send, because there is no SPF record"),
        check::SpfResult::Neutral => failed("is not named (neutral)"),
        check::SpfResult::Fail => failed("may not send (fail)"),
        check::SpfResult::SoftFail => failed("may probably not send (softfail)"),
        check::SpfResult::PermError => {
            failed("may not send, because receivers cannot use the record (permerror)")
        }
    }
}

/// Checks that receivers treat mail that fails as expected.
fn has_policy(
    evidence: Evidence<'_, '_>,
    domain: &Fqdn,
    expected: ExpectedPolicy,
) -> ExpectationOutcome {
    let answer = |name: &Fqdn, kind| evidence.zones.answer(name, kind);
    match (Discovery { answer: &answer }).policy(domain) {
        Policy::Missing => ExpectationOutcome::failed_if(
            evidence.knows_all,
            format!("DMARC for {domain}: no policy"),
        ),
        Policy::Unknown(name) => ExpectationOutcome::Unknown(format!(
            "DMARC for {domain}: {name} decides, which is in no known zone"
        )),
        Policy::Applies(found, _)
            if found == expected.policy || (expected.at_least && found > expected.policy) =>
        {
            ExpectationOutcome::Passed
        }
        Policy::Applies(found, from) => {
            let is_own = from == *domain;
            let by = if is_own { String::new() } else { format!(", from {from}") };
            // A record of the domain itself would decide, if there is one.
            ExpectationOutcome::failed_if(
                is_own || evidence.knows_all,
                format!("DMARC for {domain}: {}{by}; expected {expected}", found.as_str()),
            )
        }
    }
}

/// Checks that receivers can use the key of a selector.
fn has_key(evidence: Evidence<'_, '_>, domain: &Fqdn, label: &str) -> ExpectationOutcome {
    let name = Fqdn::reported(&format!("{label}._domainkey.{domain}"));
    let answer = evidence.zones.answer(&name, RecordType::Txt);
    let what = format!("DKIM key {label} of {domain}");
    let set = match &answer.end {
        End::Records(set) => set,
        End::NoData(_) | End::NoName => {
            return ExpectationOutcome::failed_if(
                evidence.knows_all,
                format!("{what}: there is none"),
            );
        }
        End::Edge(_) | End::Loop => {
            return ExpectationOutcome::Failed(format!(
                "{what}: {}",
                answer.words(RecordType::Txt)
            ));
        }
        End::Referral(_) | End::Elsewhere | End::Cloudflare(..) | End::Unknown(_) => {
            return unanswered(&answer, &name, RecordType::Txt);
        }
    };
    let texts: Vec<&[u8]> = set.iter().filter_map(Entry::text).collect();
    let selector = match texts[..] {
        [text] => dkim::parse_selector(text),
        [] => Selector::Missing,
        _ => Selector::Several,
    };
    let failed = |why: &str| ExpectationOutcome::Failed(format!("{what}: {why}"));
    match selector {
        Selector::Key(key) if key.is_testing => failed("it is in test mode (t=y)"),
        Selector::Key(_) => ExpectationOutcome::Passed,
        Selector::Missing => failed("there is none"),
        Selector::Several => failed("several texts at one selector; receivers may take either"),
        Selector::Broken(why) => failed(&why),
        Selector::Revoked => failed("it is revoked (`p=` is empty)"),
        Selector::Alias(target) => {
            ExpectationOutcome::Unknown(format!("{what} is an alias of {target}"))
        }
    }
}
