//! Detects mistyped names: hosts outside the zone, hosts in the zone, and labels with a standard
//! meaning.
//!
//! | a new | looks mistyped if |
//! |---|---|
//! | host outside the zone, or a domain in a text | its registered domain is very similar to one that the zone, or another record of the same set, uses ([`nearly_known`]) |
//! | name server | it differs from one that the zone uses only by its public suffix |
//! | host outside the zone | no top-level domain has its last label |
//! | host in the zone | it has no records, and is very similar to a name with records, or ends with the name of the zone twice, or with another domain and the zone |
//! | name with an underscore | one of its labels is very similar to a label of a standard |
//!
//! A verification token with a space in it is reported as well.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use strsim::damerau_levenshtein;

use super::direction::Direction;
use super::dns::{Entry, RecordEdit, ZoneIndex};
use super::effect::{Caused, Effect, Topic};
use super::mail::dmarc::{Dmarc, is_dmarc};
use super::mail::mta_sts_tls_reporting::{Announcement, tls_reporting};
use super::mail::spf;
use super::other_zones::OtherZones;
use super::providers::{LONG, Provider};
use crate::model::{Danger, Fqdn, PublicSuffix, Rdata, RecordType};

/// Labels with a standard meaning that are long enough to be distinguished.
///
/// # Sources
/// RFC 6376 section 3.6.2.1, RFC 9989 section 4.6, RFC 8461 section 3.1, RFC 8555 section 8.4.
const LABELS: &[&str] = &["_acme-challenge", "_dmarc", "_domainkey", "_mta-sts"];

/// Last labels that belong to no registry but are used.
///
/// # Sources
/// The IANA registry of special-use domain names (RFC 6761), and ICANN's resolution 2024.07.29.06
/// about `internal`; read 2026-11.
const SPECIAL: &[&str] =
    &["alt", "example", "internal", "invalid", "local", "localhost", "onion", "test"];

/// Maximum length of a part of a label that names a region or a stage.
const VARIANT: usize = 3;

/// Number of accounts below one domain of a provider from which similar names are coincidence: a
/// zone that assigns names to strangers has thousands.
const MANY_ACCOUNTS: usize = 50;

/// Minimum length of a compared name. Most shorter names are one character away from another name.
///
/// # Units
/// Characters.
const SHORTEST: usize = 4;

/// The names that a zone, and the other zones of the spec, already use.
struct KnownNames<'a> {
    /// Registered domains of the zone and of the hosts outside the zone.
    domains: Domains<'a>,
    /// Name servers.
    servers: BTreeSet<&'a Fqdn>,
    /// Last labels.
    last: BTreeSet<&'a str>,
}

impl<'a> KnownNames<'a> {
    fn of(zone: &ZoneIndex<'a>, others: OtherZones<'a>) -> Self {
        let apex = zone.name().as_fqdn();
        let mut servers: BTreeSet<&'a Fqdn> = others.servers(zone.name()).collect();
        let mut hosts: BTreeSet<&'a Fqdn> = BTreeSet::from([apex]);
        for entry in zone.entries() {
            if let Some(target) = entry.data.target().filter(|target| !target.is_within(apex)) {
                hosts.insert(target);
                if entry.is(RecordType::Ns) {
                    servers.insert(target);
                }
            }
        }
        let in_use = hosts
            .iter()
            .filter_map(|host| host.registrable())
            .chain(others.domains_in_use(zone.name()));
        let domains = Domains::new(in_use.collect(), others.domains_planned(zone.name()).collect());
        Self { domains, servers, last: hosts.iter().map(|host| last(host)).collect() }
    }
}

fn last(name: &Fqdn) -> &str {
    name.as_str().rsplit('.').next().unwrap_or_default()
}

/// Returns the effects of new names that look mistyped.
pub(super) fn mistyped<'a>(
    before: &ZoneIndex<'a>,
    after: &ZoneIndex<'a>,
    edits: &[RecordEdit<'a>],
    others: OtherZones<'_>,
) -> Vec<Caused> {
    let mut known_names: Option<KnownNames<'_>> = None;
    let mut caused = Vec::new();
    let sets = sets(edits);
    let mut removed_records: HashMap<&Fqdn, Vec<Entry<'a>>> = HashMap::new();
    for record in edits.iter().filter_map(|edit| edit.before) {
        removed_records.entry(record.name).or_default().push(record);
    }
    for (n, edit) in edits.iter().enumerate() {
        let Some(record) = edit.after else { continue };
        caused.extend(label(&record, before).map(|effect| (Rc::from([n]), effect)));
        if edit.before.is_none_or(|before| before.data != record.data) {
            caused.extend(
                spaced(&record, removed_records.get(record.name))
                    .map(|effect| (Rc::from([n]), effect)),
            );
        }
        let names = named_hosts(&record);
        if names.is_empty() {
            continue;
        }
        let removed_here = removed_records.get(record.name).map_or(&[][..], Vec::as_slice);
        // A host that is already known is not new; a text may be a new spelling of an old one.
        let previous_hosts: BTreeSet<Fqdn> = match record.data.target() {
            Some(_) => edit.before.iter().flat_map(named_hosts).collect(),
            None => removed_here.iter().flat_map(named_hosts).collect(),
        };
        let set = sets.get(&(record.name, record.record_type())).map_or(&[][..], Vec::as_slice);
        for target in
            names.into_iter().filter(|target| !target.is_root() && !previous_hosts.contains(target))
        {
            let near = if target.is_within(before.name().as_fqdn()) {
                let mut is_known = |domain: &str| {
                    known_names
                        .get_or_insert_with(|| KnownNames::of(before, others))
                        .domains
                        .contain(domain)
                };
                completed(&target, after, &mut is_known).or_else(|| inside(&target, &record, after))
            } else {
                let known_domains =
                    known_names.get_or_insert_with(|| KnownNames::of(before, others));
                outside(&target, &record, edit, known_domains, removed_here, set)
            };
            let Some(why) = near else { continue };
            let (name, kind) = (record.name, record.data.type_name());
            let line = format!("{name} {kind}: {target} {why}");
            caused.push((
                Rc::from([n]),
                Effect::needing(Danger::LooksMistyped, topic(&record), name, line),
            ));
        }
    }
    caused
}

/// Returns the effect of a verification token with a space: services compare the token as a whole.
fn spaced(record: &Entry<'_>, gone: Option<&Vec<Entry<'_>>>) -> Option<Effect> {
    let text = std::str::from_utf8(record.text()?).ok()?;
    let (key, value) = text.split_once('=')?;
    let is_key =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let is_replaced = |old: &Entry<'_>| {
        let old_text = old.text().and_then(|text| std::str::from_utf8(text).ok());
        old_text.is_some_and(|old| old != text && bare(old) == bare(text))
    };
    // Policies, such as `v=spf1 -all`, and sentences contain spaces; verification tokens are one
    // word.
    let is_token =
        key.to_ascii_lowercase().contains("verif") || gone.into_iter().flatten().any(is_replaced);
    let is_spaced = is_key && key != "v" && is_token && value.contains(char::is_whitespace);
    let line = || {
        format!(
            "{} TXT: the token has a space: `{text}`; whoever looks for it may not find it",
            record.name
        )
    };
    is_spaced.then(|| Effect::shown(Topic::Hosting, record.name, Direction::Neutral, line()))
}

/// Returns the topic of effects for this type of record.
fn topic(record: &Entry<'_>) -> Topic {
    match record.record_type() {
        Some(RecordType::Ns) => Topic::NameServers,
        Some(RecordType::Mx) => Topic::Mail,
        Some(RecordType::Caa) => Topic::Issuance,
        Some(RecordType::Txt) => Topic::MailAuthentication,
        _ => Topic::Addresses,
    }
}

/// The new hosts of each name and type, one for each edit that names a host.
type Sets<'a> = BTreeMap<(&'a Fqdn, Option<RecordType>), Vec<&'a Fqdn>>;

fn sets<'a>(edits: &[RecordEdit<'a>]) -> Sets<'a> {
    let mut sets = Sets::new();
    for record in edits.iter().filter_map(|edit| edit.after) {
        if let Some(target) = record.data.target() {
            sets.entry((record.name, record.record_type())).or_default().push(target);
        }
    }
    sets
}

/// Returns the reason why a host outside the zone looks mistyped. `gone` has the deleted or changed
/// records of the same name.
fn outside(
    target: &Fqdn,
    record: &Entry<'_>,
    edit: &RecordEdit<'_>,
    known: &KnownNames<'_>,
    gone: &[Entry<'_>],
    set: &[&Fqdn],
) -> Option<String> {
    let stays = |old: &Fqdn| set.contains(&old);
    let replaced: Vec<Fqdn> = match record.record_type() {
        Some(RecordType::Txt | RecordType::Caa) => edit
            .before
            .iter()
            .flat_map(named_hosts)
            .filter(|old| !named_hosts(record).contains(old))
            .collect(),
        kind => {
            let removed_of_kind = gone.iter().filter(|b| b.record_type() == kind);
            removed_of_kind
                .filter_map(|b| b.data.target())
                .filter(|old| !stays(old))
                .cloned()
                .collect()
        }
    };
    let replaced: Vec<&Fqdn> = replaced.iter().collect();
    if let Some(near) = nearly_known(target, &replaced, &known.domains) {
        return Some(format!("looks like a typo of {near}"));
    }
    // Only aliases are compared: the SPF records and mail servers of many providers are at the
    // provider's own domain.
    let replaced_alias = || replaced.iter().filter(|_| record.is(RecordType::Cname));
    if let Some(old) = replaced_alias().find(|old| Provider::loses_account(old, target)) {
        return Some(format!(
            "is the provider itself, and {old} was replaced: the label of the account is missing"
        ));
    }
    let differs_by_end =
        |old: &&&Fqdn| Provider::differs_by_end(old, target) && !is_of_several_domains(target);
    let is_it = |old: &&&Fqdn| differs_by_end(old) || is_near_account(target, old);
    if let Some(old) = replaced_alias().find(is_it) {
        return Some(format!("looks like a typo of {old}"));
    }
    if let Some(end) =
        target.registrable().and_then(|domain| target.doubled_end(&Fqdn::reported(domain)))
    {
        return Some(format!("ends with {end} twice"));
    }
    if record.is(RecordType::Txt)
        && let Some(near) = replaced.iter().find(|old| is_slip(target, old))
    {
        return Some(format!("looks like a typo of {near}"));
    }
    if record.is(RecordType::Ns) || record.is(RecordType::Mx) {
        if let Some(other) = odd_one_out(target, set) {
            return Some(format!(
                "and {other}, beside it, are nearly the same domain: one of them looks mistyped"
            ));
        }
        if let Some(near) = known.servers.iter().find(|server| differs_by_suffix(target, server)) {
            return Some(format!("looks like a typo of {near}"));
        }
    }
    let end = last(target);
    let is_known = PublicSuffix::of(target.as_str()).is_some_and(PublicSuffix::is_listed);
    // Texts may contain any names, and private networks use private top-level domains.
    let is_strange = record.data.target().is_some()
        && !is_known
        && !SPECIAL.contains(&end)
        && !known.last.contains(end);
    is_strange.then(|| format!("ends with .{end}, which is not a top-level domain"))
}

/// Returns the reason why a host of the zone looks like a whole name that was read as a relative
/// one: neither this host nor its parent has records.
fn completed(
    target: &Fqdn,
    after: &ZoneIndex<'_>,
    is_known: &mut dyn FnMut(&str) -> bool,
) -> Option<String> {
    let location =
        after.locate(target.as_str()).filter(|l| l.exact.is_none() && l.cut.is_none())?;
    let zone = after.name().as_fqdn();
    let unended_name =
        Fqdn::reported(target.as_str().strip_suffix(zone.as_str())?.strip_suffix('.')?);
    if let Some(end) = target.doubled_end(zone) {
        let is_there = Fqdn::reported(location.encloser.name()).doubled_end(zone).is_some();
        return (!is_there).then(|| format!("does not exist, and ends with {end} twice"));
    }
    let domain =
        unended_name.registrable().filter(|_| location.encloser.name() == zone.as_str())?;
    let is_elsewhere = Provider::of(&unended_name).is_some() || is_known(domain);
    is_elsewhere.then(|| {
        format!("does not exist, and is {unended_name} with the name of the zone at its end")
    })
}

/// Returns the reason why a host of the zone looks mistyped: it has no records, and a very similar
/// name exists.
fn inside(target: &Fqdn, record: &Entry<'_>, after: &ZoneIndex<'_>) -> Option<String> {
    let location =
        after.locate(target.as_str()).filter(|l| l.exact.is_none() && l.cut.is_none())?;
    let (above, is_answered) = (location.encloser, location.wildcard.is_some());
    if record.data.target().is_none() || target == record.name {
        return None;
    }
    // The first missing label below the closest existing name, and the labels before it.
    let missing = target.as_str().strip_suffix(above.name())?.strip_suffix('.')?;
    let (rest, own) = missing.rsplit_once('.').map_or(("", missing), |(rest, own)| (rest, own));
    let matches_sibling = |sibling: &str| {
        let label = sibling.split_once('.').map_or(sibling, |(label, _)| label);
        let name = if rest.is_empty() { sibling.to_owned() } else { format!("{rest}.{sibling}") };
        // A name that a wildcard answers can be intended: an additional region or stage.
        let is_meant = is_answered && is_variant(own, label);
        let is_it = is_near_label(own, label)
            && !is_meant
            && after.node(&name).is_some_and(|node| node.has_records());
        is_it.then_some(name)
    };
    let near = above.children().find_map(|sibling| matches_sibling(sibling.name()))?;
    let what = if is_answered { "has no records of its own" } else { "does not exist" };
    Some(format!("{what}, and looks like a typo of {near}"))
}

/// Returns true if two labels are very similar, and are not numbered.
fn is_near_label(a: &str, b: &str) -> bool {
    a.len().min(b.len()) >= SHORTEST
        && a.len().abs_diff(b.len()) <= 1
        && damerau_levenshtein(a, b) == 1
        && !is_renumbered(a, b)
}

/// Returns the effect of a mistyped label in the name of a new record.
fn label(record: &Entry<'_>, before: &ZoneIndex<'_>) -> Option<Effect> {
    let is_text = record.is(RecordType::Txt) || record.is(RecordType::Cname);
    let is_service = record.is(RecordType::Srv) || record.is(RecordType::Tlsa);
    if !(is_text || is_service) || before.node(record.name.as_str()).is_some() {
        return None;
    }
    let is_policy = record.text().is_some_and(is_dmarc);
    if is_service {
        let label =
            record.name.as_str().split('.').nth(1).filter(|label| label.starts_with('_'))?;
        let near =
            ["_tcp", "_udp"].into_iter().find(|known| damerau_levenshtein(known, label) == 1)?;
        let line = format!("{}: `{label}` looks like a typo of `{near}`", record.name);
        return Some(Effect::needing(Danger::LooksMistyped, Topic::Addresses, record.name, line));
    }
    let near = |label: &str| {
        let counts = label.starts_with('_') || (is_policy && label.contains("dmarc"));
        let near = |known: &&&str| damerau_levenshtein(known, label) == 1;
        LABELS.iter().filter(|_| counts && !LABELS.contains(&label)).find(near)
    };
    let (label, near) =
        record.name.as_str().split('.').find_map(|label| Some((label, near(label)?)))?;
    let line = format!("{}: `{label}` looks like a typo of `{near}`", record.name);
    Some(Effect::needing(Danger::LooksMistyped, Topic::MailAuthentication, record.name, line))
}

/// Returns the hosts that a record names: its target, the domains that an SPF record includes, and
/// the destinations of reports.
pub(super) fn named_hosts(record: &Entry<'_>) -> Vec<Fqdn> {
    if let Some(target) = record.data.target() {
        return vec![target.clone()];
    }
    let texts: Vec<String> = match record.data {
        Rdata::Caa(_) => {
            record.data.fields().get("value").map(ToString::to_string).into_iter().collect()
        }
        _ => match record.text() {
            Some(text) if spf::is_spf(text) => return record.included(),
            Some(text) if is_dmarc(text) => Dmarc::parse(text)
                .map(|policy| [policy.reports, policy.failures].concat())
                .unwrap_or_default(),
            Some(text) => reports(text),
            None => Vec::new(),
        },
    };
    texts.iter().filter_map(|uri| mail_domain(uri)).collect()
}

/// Returns the destinations of a record for TLS reporting (RFC 8460 section 3).
fn reports(text: &[u8]) -> Vec<String> {
    match tls_reporting(&[text]) {
        Announcement::Valid(list) => list.split(',').map(str::to_owned).collect(),
        Announcement::Missing | Announcement::Void(_) => Vec::new(),
    }
}

/// Returns the domain of `mailto:someone@domain`, with or without a size (RFC 9989 section 4.7).
fn mail_domain(uri: &str) -> Option<Fqdn> {
    let address = uri.trim().strip_prefix("mailto:")?;
    let (_, domain) = address.split(['?', '!']).next()?.rsplit_once('@')?;
    Fqdn::parse(domain).ok()
}

/// Returns the label of a registrable domain before its public suffix.
fn first_label(domain: &str) -> &str {
    domain.split_once('.').map_or(domain, |(label, _)| label)
}

/// Registered domains with which a new one is compared.
#[derive(Debug, Default)]
struct Domains<'k> {
    /// Domains that are in use already, and so are right, even if they are similar to another one.
    in_use: BTreeSet<&'k str>,
    /// Domains of which another one can be a misspelling.
    compared: Vec<&'k str>,
    /// Domains that may be mistyped themselves.
    planned: BTreeSet<&'k str>,
}

impl<'k> Domains<'k> {
    /// Combines the domains in use with the domains that other zones of the planned spec name,
    /// because several zones can have the same mistake.
    fn new(in_use: BTreeSet<&'k str>, planned: BTreeSet<&'k str>) -> Self {
        let all_domains = || in_use.union(&planned).copied();
        let mut accounts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, parent) in all_domains().filter_map(|domain| domain.split_once('.')) {
            *accounts.entry(parent).or_default() += 1;
        }
        // Domains directly below a registry stay, because registering one costs money.
        accounts.retain(|parent, _| PublicSuffix::of(parent).is_some_and(PublicSuffix::is_company));
        let is_telling = |domain: &&str| {
            let Some((label, parent)) = domain.split_once('.') else { return true };
            accounts.get(parent).is_none_or(|count| *count < MANY_ACCOUNTS && label.len() >= LONG)
        };
        Self { compared: all_domains().filter(is_telling).collect(), in_use, planned }
    }

    /// Returns true if a zone names a host of this domain.
    fn contain(&self, domain: &str) -> bool {
        self.in_use.contains(domain) || self.planned.contains(domain)
    }
}

/// Returns the known domain of which the domain of a new host looks like a misspelling, if there is
/// one.
///
/// The registered domains differ by one character (missing, doubled, changed, or two swapped) or by
/// characters that look alike; or a replaced host differs only by its public suffix. A changed
/// digit is no misspelling, because servers are numbered. A domain that is in use already, or that
/// belongs to a known provider, is right.
fn nearly_known<'k>(new: &Fqdn, replaced: &[&'k Fqdn], known: &Domains<'k>) -> Option<&'k str> {
    let own_domain = new.registrable()?;
    let replaced_domains = || replaced.iter().filter_map(|host| host.registrable());
    if known.in_use.contains(own_domain)
        || replaced_domains().any(|other| other == own_domain)
        || Provider::has(own_domain)
    {
        return None;
    }
    let of_replaced = replaced_domains().find(|other| is_near(own_domain, other));
    let is_near = |other: &&str| is_near(own_domain, other) && begins_like(own_domain, other);
    let of_known = || {
        known
            .compared
            .iter()
            .copied()
            .find(|other| is_near(other) && !is_variant(own_domain, other))
    };
    let suffix = || {
        replaced
            .iter()
            .find(|host| differs_by_suffix(new, host))
            .and_then(|host| host.registrable())
    };
    let of_provider = || {
        Provider::domains()
            .find(|other| is_near(other) && !is_plural(first_label(own_domain), first_label(other)))
    };
    let is_near_label = |other: &&str| {
        is_near_family(first_label(own_domain), other) && begins_like(own_domain, other)
    };
    let of_label = || Provider::labels().find(is_near_label);
    of_replaced.or_else(of_known).or_else(suffix).or_else(of_provider).or_else(of_label)
}

/// Returns true if a name begins like another one, or lost its first character, or has the first
/// two swapped. A name with another first letter is usually another name: `ncloud`, `pcloud` and
/// `icloud`. Only a comparison with the replaced host accepts it.
fn begins_like(own: &str, other: &str) -> bool {
    let first = |name: &str| looks_like(first_label(name)).chars().next();
    let (a, b) = (own.as_bytes(), other.as_bytes());
    let is_swapped = a.len() > 1 && b.len() > 1 && (a[0], a[1]) == (b[1], b[0]);
    first(own) == first(other)
        || is_swapped
        || other.get(1..).is_some_and(|rest| first_label(rest) == first_label(own))
}

/// Returns true if two hosts of one provider have very similar accounts.
fn is_near_account(new: &Fqdn, old: &Fqdn) -> bool {
    Provider::accounts(new, old)
        .is_some_and(|(a, b)| a.len().min(b.len()) >= SHORTEST && is_edit(a, b))
}

/// Returns true if two hosts differ only by their public suffix, and no provider has both.
fn differs_by_suffix(new: &Fqdn, other: &Fqdn) -> bool {
    let (Some(a), Some(b)) = (new.registrable(), other.registrable()) else { return false };
    a != b
        && first_label(a) == first_label(b)
        && new.as_str().strip_suffix(a) == other.as_str().strip_suffix(b)
        && !Provider::has(a)
        && !is_at_provider(a)
        && !is_at_provider(b)
}

/// Finds a host in a set of name servers or mail servers whose registered domain is very similar to
/// that of the given host. Returns `None` if more hosts of the set have the given host's domain, or
/// equally many and it comes first.
fn odd_one_out<'k>(host: &Fqdn, set: &[&'k Fqdn]) -> Option<&'k Fqdn> {
    let own_domain = host.registrable().filter(|own| !Provider::has(own))?;
    let count = |domain: &str| {
        set.iter().filter(|other| other.registrable().is_some_and(|d| is_family(d, domain))).count()
    };
    let is_near = |other: &&&Fqdn| {
        other.registrable().is_some_and(|other| {
            let near = is_near(own_domain, other)
                || is_near_family(first_label(own_domain), first_label(other));
            near && (count(own_domain), other) < (count(other), own_domain)
        })
    };
    set.iter().find(is_near).copied()
}

/// Returns true if two hosts of a provider differ by one missing, added or swapped character.
fn is_slip(new: &Fqdn, old: &Fqdn) -> bool {
    let (a, b) = (new.as_str(), old.as_str());
    let is_swap =
        a.len() == b.len() && a.chars().zip(b.chars()).filter(|(a, b)| a != b).count() == 2;
    new.registrable().is_some_and(|domain| old.registrable() == Some(domain))
        && (a.len() != b.len() || is_swap)
        && damerau_levenshtein(a, b) == 1
        && !is_renumbered(a, b)
}

/// Returns true if two labels with several parts differ only in a short part, such as a region or a
/// stage: `shop-eu` and `shop-us`.
fn is_variant(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (first_label(a).split('-').collect(), first_label(b).split('-').collect());
    let mut different = a.iter().zip(&b).filter(|(a, b)| a != b);
    a.len() == b.len()
        && a.len() > 1
        && different.next().is_some_and(|(a, b)| a.len().max(b.len()) <= VARIANT)
        && different.next().is_none()
}

/// Returns true if one word is the plural of the other: both are real names, and no typing error.
fn is_plural(a: &str, b: &str) -> bool {
    a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a)
}

/// Returns a label without the number at its end.
fn without_number(label: &str) -> &str {
    label.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
}

/// Returns true if two domains differ only by a number and the suffix: `awsdns-12.org` and
/// `awsdns-63.net`.
fn is_family(a: &str, b: &str) -> bool {
    without_number(first_label(a)) == without_number(first_label(b))
}

/// Returns true if two labels, with or without a number, are very similar.
fn is_near_family(own: &str, other: &str) -> bool {
    let (own, other) = (without_number(own), without_number(other));
    other.len() >= LONG && is_edit(own, other)
}

/// Returns true if two names differ by one missing, added or changed character, or by two swapped
/// ones, and by more than a number.
fn is_edit(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 1 && damerau_levenshtein(a, b) == 1 && !is_renumbered(a, b)
}

/// Returns true if a domain is registered below the domain of a provider, such as `name.pages.dev`:
/// people use one label at many providers.
fn is_at_provider(domain: &str) -> bool {
    PublicSuffix::of(domain).is_some_and(PublicSuffix::is_of_company)
}

/// Returns true if the provider of a host uses several domains with the same label.
fn is_of_several_domains(host: &Fqdn) -> bool {
    host.registrable().is_some_and(|domain| Provider::has_several(first_label(domain)))
}

/// Returns true if two domains with the same public suffix are very similar.
fn is_near(a: &str, b: &str) -> bool {
    let (Some((own, suffix)), Some((other, other_suffix))) = (a.split_once('.'), b.split_once('.'))
    else {
        return false;
    };
    suffix == other_suffix
        && own != other
        && own.len().min(other.len()) >= SHORTEST
        && (is_edit(own, other) || looks_like(own) == looks_like(other))
}

/// Replaces characters that look alike by one of them.
fn looks_like(label: &str) -> String {
    label
        .replace("rn", "m")
        .replace("vv", "w")
        .replace(['1', 'i'], "l")
        .replace('0', "o")
        .replace('5', "s")
}

/// Returns true if two labels differ only by numbers, or by letters in the place of numbers: `ns1`
/// and `ns2`, `dns9` and `dns10`, `shop-a` and `shop-b`.
fn is_renumbered(a: &str, b: &str) -> bool {
    let part = |part: &str| match part.len() {
        1 => String::new(),
        _ => part.chars().filter(|c| !c.is_ascii_digit()).collect(),
    };
    let without = |label: &str| label.split(['-', '.']).map(part).collect::<Vec<String>>();
    without(a) == without(b)
}

#[cfg(test)]
mod tests;
