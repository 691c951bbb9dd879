//! Effects of changed CAA records on the authorities that may issue certificates (RFC 8659, RFC
//! 8657).

use std::collections::BTreeSet;

use strsim::damerau_levenshtein;

use super::direction::Direction;
use super::dns::{Answer, End};
use super::effect::{Effect, Topic, at_most_five};
use super::zone_view::View;
use crate::model::{Danger, Fqdn, Rdata, RecordType, ZoneName};

/// Identifiers of authorities.
///
/// # Sources
/// The identifiers that authorities publish in their statements of practice (RFC 8659 section 4.2;
/// collected by the CCADB), as known in 2026-11. The list is not complete: an unlisted identifier
/// gets a warning only if it is very similar to one of these.
const AUTHORITIES: &[&str] = &[
    "accv.es",
    "actalis.it",
    "affirmtrust.com",
    "amazon.com",
    "amazonaws.com",
    "amazontrust.com",
    "anf.es",
    "apple.com",
    "atos.net",
    "awstrust.com",
    "buypass.com",
    "buypass.no",
    "camerfirma.com",
    "certigna.fr",
    "certsign.ro",
    "certum.eu",
    "certum.pl",
    "cfca.com.cn",
    "comodo.com",
    "comodoca.com",
    "comsign.co.il",
    "cybertrust.ne.jp",
    "d-trust.de",
    "d-trust.net",
    "dfn.de",
    "dhimyotis.com",
    "digicert.com",
    "digicert.ne.jp",
    "disig.sk",
    "dtrust.de",
    "e-szigno.hu",
    "e-tugra.com",
    "elektronicznypodpis.pl",
    "emsign.com",
    "entrust.net",
    "firmaprofesional.com",
    "fnmt.es",
    "gdca.com.cn",
    "geotrust.com",
    "globalsign.com",
    "globaltrust.eu",
    "godaddy.com",
    "harica.gr",
    "hightrusted.com",
    "identrust.com",
    "izenpe.com",
    "izenpe.eus",
    "kamusm.gov.tr",
    "letsencrypt.org",
    "luxtrust.lu",
    "microsoft.com",
    "naver.com",
    "netlock.hu",
    "pki.apple.com",
    "pki.dfn.de",
    "pki.goog",
    "pki.hinet.net",
    "postsignum.cz",
    "quovadisglobal.com",
    "rapidssl.com",
    "secomtrust.net",
    "sectigo.com",
    "securetrust.com",
    "sheca.com",
    "ssl.com",
    "starfieldtech.com",
    "swisssign.com",
    "symantec.com",
    "telesec.de",
    "thawte.com",
    "trust-provider.com",
    "trustasia.com",
    "trustwave.com",
    "twca.com.tw",
    "usertrust.com",
    "visa.com",
    "volusion.com",
    "wisekey.com",
    "www.digicert.com",
    "zerossl.com",
];

/// The authorities that Cloudflare uses, and adds to CAA records automatically.
///
/// # Sources
/// developers.cloudflare.com/ssl/edge-certificates/caa-records, read 2026-11: with Universal SSL or
/// an advanced certificate, Cloudflare adds its own authorities as soon as the zone has any CAA
/// record.
pub(super) const OF_CLOUDFLARE: &[&str] =
    &["comodoca.com", "digicert.com", "letsencrypt.org", "pki.goog", "sectigo.com", "ssl.com"];
/// Describes these additions.
const ADDED: &str = "while Universal SSL is on, Cloudflare adds its own authorities to the answer";

/// The authorities that may issue one kind of certificate; `None` if any authority may.
pub(super) type Issuers = Option<BTreeSet<String>>;

/// The methods by which an authority can validate the control of a name (RFC 8657 section 4).
///
/// # Sources
/// The IANA registry "ACME Validation Methods", as known in 2026-11. The list is not complete: an
/// unlisted method gets a warning only if it is very similar to one of these.
const METHODS: &[&str] =
    &["dns-01", "dns-account-01", "dns-persist-01", "http-01", "onion-csr-01", "tls-alpn-01"];

/// The CAA policy of a name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CaaPolicy {
    /// The authorities for names.
    pub(super) names: Issuers,
    /// The authorities for wildcards.
    pub(super) wildcards: Issuers,
    /// Parameters that require an account or a method (RFC 8657), as written.
    parameters: BTreeSet<String>,
    /// The methods that the parameters require.
    methods: BTreeSet<String>,
    /// Malformed properties, which allow no authority (RFC 8659 section 4.2).
    malformed: BTreeSet<String>,
    /// Critical and unknown properties, which forbid all issuance (RFC 8659 section 4.1).
    unknown: BTreeSet<String>,
    /// Report addresses that cannot be used, because they are neither mail nor web addresses (RFC
    /// 8659 section 4.4).
    unreachable: BTreeSet<String>,
}

/// The policy that applies to a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Applicable {
    /// No record limits the authorities.
    Missing,
    /// The known zones do not have the answer, for this reason.
    Unknown(String),
    Policy(Box<CaaPolicy>),
}

impl Applicable {
    /// Returns the policy, which is empty if there is none; `None` if it is unknown.
    fn known(self) -> Option<CaaPolicy> {
        match self {
            Self::Missing => Some(CaaPolicy::default()),
            Self::Policy(policy) => Some(*policy),
            Self::Unknown(_) => None,
        }
    }
}

/// Finds the policy that applies to a name of a zone: aliases are followed, then the next name
/// above counts (RFC 8659 section 3).
pub(super) fn applicable<'a>(
    answer: impl Fn(&Fqdn, RecordType) -> Answer<'a>,
    zone: &ZoneName,
    name: &Fqdn,
) -> Applicable {
    let mut climbed_name = name.as_str();
    loop {
        let owner = Fqdn::reported(climbed_name);
        if !owner.is_within(zone.as_fqdn()) {
            return Applicable::Missing;
        }
        let caa_answer = answer(&owner, RecordType::Caa);
        match &caa_answer.end {
            End::Records(set) => {
                return Applicable::Policy(Box::new(read_policy(
                    set.iter().map(|entry| entry.data),
                )));
            }
            End::NoData(_) | End::NoName | End::Edge(_) => {}
            End::Elsewhere
            | End::Referral(_)
            | End::Loop
            | End::Cloudflare(..)
            | End::Unknown(_) => {
                let words = caa_answer.words(RecordType::Caa);
                return Applicable::Unknown(format!("{owner} CAA: {words}"));
            }
        }
        let Some((_, above)) = climbed_name.split_once('.') else { return Applicable::Missing };
        climbed_name = above;
    }
}

fn read_policy<'r>(records: impl Iterator<Item = &'r Rdata>) -> CaaPolicy {
    let mut policy = CaaPolicy::default();
    let (mut issue, mut issue_wild): (Issuers, Issuers) = (None, None);
    for record in records {
        let fields = record.fields();
        let text = |name: &str| fields.get(name).map(|v| v.to_string()).unwrap_or_default();
        let (flags, tag, value) = (text("flags"), text("tag"), text("value"));
        let (issuer, parameters) = value.split_once(';').unwrap_or((&value, ""));
        let issuer = issuer.trim().to_ascii_lowercase();
        let list = match tag.as_str() {
            "issue" => &mut issue,
            "issuewild" => &mut issue_wild,
            "iodef" => {
                let address = value.to_ascii_lowercase();
                let is_mail_or_web = ["mailto:", "http://", "https://"]
                    .iter()
                    .any(|scheme| address.starts_with(scheme));
                policy.unreachable.extend((!is_mail_or_web).then_some(value));
                continue;
            }
            "issuemail" | "issuevmc" | "contactemail" | "contactphone" => continue,
            _ => {
                if flags.parse::<u8>().is_ok_and(|flags| flags & 128 != 0) {
                    policy.unknown.insert(tag);
                }
                continue;
            }
        };
        let list = list.get_or_insert_default();
        if !is_well_formed(&issuer, parameters) {
            policy.malformed.insert(value);
            continue;
        }
        if issuer.is_empty() {
            continue;
        }
        let binding: Vec<(&str, &str)> = parameters.split(';').filter_map(binding).collect();
        if !binding.is_empty() {
            policy.parameters.insert(format!("{issuer}; {}", parameters.trim()));
        }
        let methods = binding.iter().filter(|(tag, _)| *tag == "validationmethods");
        policy.methods.extend(
            methods.flat_map(|(_, list)| list.split(',')).map(|method| method.trim().to_owned()),
        );
        list.insert(issuer);
    }
    policy.wildcards = issue_wild.or_else(|| issue.clone());
    policy.names = issue;
    if !policy.unknown.is_empty() {
        (policy.names, policy.wildcards) = (Some(BTreeSet::new()), Some(BTreeSet::new()));
    }
    policy
}

/// Returns true if a property has valid syntax: an optional domain, and optional parameters (RFC
/// 8659 section 4.2).
fn is_well_formed(issuer: &str, parameters: &str) -> bool {
    let is_word = |text: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        text.starts_with(is_letter)
            && text.ends_with(is_letter)
            && text.chars().all(|c| is_letter(c) || c == '-')
    };
    let is_parameter = |text: &str| {
        text.split_once('=').is_some_and(|(tag, value)| {
            is_word(tag.trim_end()) && value.trim().chars().all(|c| c.is_ascii_graphic())
        })
    };
    let is_domain = issuer.is_empty() || issuer.split('.').all(is_word);
    is_domain
        && (parameters.trim().is_empty()
            || parameters.split(';').all(|text| is_parameter(text.trim())))
}

/// Returns a parameter that requires an account or a method; `None` for parameters that only the
/// authority knows.
fn binding(parameter: &str) -> Option<(&str, &str)> {
    let (tag, value) = parameter.split_once('=')?;
    let tag = ["accounturi", "validationmethods"]
        .into_iter()
        .find(|known| tag.trim().eq_ignore_ascii_case(known))?;
    Some((tag, value.trim()))
}

/// Returns the known method that an unknown one is very similar to; `None` for known methods and
/// for dissimilar ones. Methods that begin with `ca-` are defined by an authority.
fn nearest_method(method: &str) -> Option<&'static str> {
    if METHODS.contains(&method) || method.starts_with("ca-") {
        return None;
    }
    let plain = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
    METHODS
        .iter()
        .copied()
        .find(|known| plain(known) == plain(method) || damerau_levenshtein(known, method) == 1)
}

/// Returns the known identifier that an unknown one is very similar to; `None` for known
/// identifiers and for dissimilar ones.
fn nearest_issuer(issuer: &str) -> Option<&'static str> {
    if !is_well_formed(issuer, "") {
        let parts =
            || issuer.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
        return AUTHORITIES.iter().copied().find(|known| parts().any(|part| part == *known));
    }
    if AUTHORITIES.contains(&issuer)
        || AUTHORITIES.iter().any(|a| issuer.ends_with(&format!(".{a}")))
    {
        return None;
    }
    let label = |domain: &'_ str| domain.split('.').next().unwrap_or_default().to_owned();
    let plain = |text: &str| text.replace('-', "");
    let distance = |known: &&'static str| match *known {
        known if label(known).len() >= 5 && plain(&label(known)) == plain(&label(issuer)) => 1,
        known => damerau_levenshtein(known, issuer),
    };
    let near = AUTHORITIES.iter().copied().min_by_key(|known| distance(known))?;
    (distance(&near) <= if near.len() >= 8 { 2 } else { 1 }).then_some(near)
}

/// Returns the effects of changed CAA records for a name and the names below it.
pub(super) fn compare_issuance(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let topic = Topic::Issuance;
    let changes = |line: String| Effect::needing(Danger::ChangesIssuance, topic, name, line);
    let shown = |direction, line: String| Effect::shown(topic, name, direction, line);
    let of = |name: &Fqdn| {
        [before, after]
            .map(|view| applicable(|name, kind| view.0.answer(name, kind), view.0.name(), name))
    };
    let policies = of(name);
    // A change that the name has from above is described there.
    let has_own =
        [before, after].iter().any(|view| !view.of_type(name, RecordType::Caa).is_empty());
    let above = || name.as_str().split_once('.').map(|(_, above)| of(&Fqdn::reported(above)));
    if policies[0] == policies[1] || (!has_own && above().as_ref() == Some(&policies)) {
        return Vec::new();
    }
    let [old, new] = policies;
    if let Applicable::Unknown(why) = &new {
        let records_of = |view: View<'_, '_>| -> Vec<Rdata> {
            let records = view.of_type(name, RecordType::Caa);
            records.iter().map(|entry| entry.data.clone()).collect()
        };
        if records_of(before) == records_of(after) {
            return Vec::new();
        }
        let line = format!("certificates for {name}: who may issue is not certain ({why})");
        return vec![shown(Direction::Unclassified, line)];
    }
    let (Some(old), Some(new)) = (old.known(), new.known()) else { return Vec::new() };
    let mut effects = Vec::new();
    let kinds = [
        ("certificates", &old.names, &new.names),
        ("wildcard certificates", &old.wildcards, &new.wildcards),
    ];
    let is_closed = new.names.as_ref().is_some_and(BTreeSet::is_empty);
    let is_same_for_both = old.names == old.wildcards && new.names == new.wildcards;
    // An unknown critical property affects all kinds, so it is reported once.
    let kinds = if new.unknown.is_empty() || new.unknown == old.unknown { &kinds[..] } else { &[] };
    for (kind, old, new) in
        kinds.iter().take(if is_same_for_both { 1 } else { 2 }).filter(|(_, old, new)| old != new)
    {
        let what = format!("{kind} for {name}");
        match (old, new) {
            // Many authors forbid wildcards from the start, beside a list of authorities for names.
            (None, Some(wild)) if wild.is_empty() && *kind != "certificates" && !is_closed => {
                effects.push(shown(
                    Direction::Strengthens,
                    format!("{what}: no authority may issue; {ADDED}"),
                ));
            }
            // Owners of unused domains forbid issuance like this; no certificate needs a renewal
            // there.
            (_, Some(new)) if new.is_empty() && !after.has_hosts(name) => {
                let line = format!(
                    "{what}: no authority may issue any longer; no record there leads to a server; \
                    {ADDED}"
                );
                effects.push(shown(Direction::Strengthens, line));
            }
            (_, Some(new)) if new.is_empty() => {
                effects
                    .push(changes(format!("{what}: no authority may issue any longer; {ADDED}")));
            }
            (Some(_), None) => {
                effects.push(changes(format!("{what}: every authority may issue from now on")))
            }
            (None, Some(new)) => {
                effects.push(shown(
                    Direction::Strengthens,
                    format!("{what}: only {} may issue; {ADDED}", at_most_five(new)),
                ));
            }
            (Some(old), Some(new)) => {
                let (gained, lost) = (new.difference(old), old.difference(new));
                let (gained, lost): (Vec<_>, Vec<_>) = (gained.collect(), lost.collect());
                if !lost.is_empty() {
                    let losses = format!(
                        "{} may no longer issue, so renewals by them fail; {} may",
                        at_most_five(&lost),
                        at_most_five(new)
                    );
                    effects.push(changes(format!("{what}: {losses}")));
                } else {
                    effects.push(shown(
                        Direction::Weakens,
                        format!("{what}: {} may issue as well", at_most_five(&gained)),
                    ));
                }
            }
            (None, None) => {}
        }
    }
    effects.extend(faults(name, &old, &new));
    // The parameters of a malformed value have no effect, and the value itself is already reported.
    if old.parameters != new.parameters && new.malformed.is_subset(&old.malformed) {
        let (direction, word) = match (old.parameters.is_empty(), new.parameters.is_empty()) {
            (false, true) => {
                (Direction::Weakens, "no longer bound to an account or a method".to_owned())
            }
            _ => (
                Direction::Unclassified,
                format!("bound by {}; {ADDED} without them", at_most_five(&new.parameters)),
            ),
        };
        effects.push(shown(direction, format!("certificates for {name}: issuance is {word}")));
    }
    effects
}

/// Returns the effects of what authorities do not understand in a policy, and did not have to before.
fn faults(name: &Fqdn, old: &CaaPolicy, new: &CaaPolicy) -> Vec<Effect> {
    let topic = Topic::Issuance;
    let changes = |line: String| Effect::needing(Danger::ChangesIssuance, topic, name, line);
    let shown = |direction, line: String| Effect::shown(topic, name, direction, line);
    let mut effects = Vec::new();
    let issuers_of = |policy: &CaaPolicy| -> BTreeSet<String> {
        policy.names.iter().chain(&policy.wildcards).flatten().cloned().collect()
    };
    for value in new.malformed.difference(&old.malformed) {
        let line = format!(
            "certificates for {name}: `{value}` is not well-formed, so it allows no authority"
        );
        effects.push(match nearest_issuer(value) {
            _ if value.trim_end().ends_with(';') => {
                let line = format!("{line}; remove the `;` at its end");
                Effect::needing(Danger::LooksMistyped, topic, name, line)
            }
            Some(near) => Effect::needing(
                Danger::LooksMistyped,
                topic,
                name,
                format!("{line}; did you mean `{near}`?"),
            ),
            None => shown(Direction::Neutral, line),
        });
    }
    for (method, near) in new
        .methods
        .difference(&old.methods)
        .filter_map(|method| Some((method, nearest_method(method)?)))
    {
        let line = format!(
            "certificates for {name}: no authority knows the method `{method}`; did you mean \
            `{near}`?"
        );
        effects.push(Effect::needing(Danger::LooksMistyped, topic, name, line));
    }
    let known_issuers = issuers_of(old);
    for (issuer, near) in issuers_of(new)
        .difference(&known_issuers)
        .filter_map(|issuer| Some((issuer, nearest_issuer(issuer)?)))
    {
        let line = format!(
            "certificates for {name}: no known authority uses `{issuer}`; did you mean `{near}`?"
        );
        effects.push(Effect::needing(Danger::LooksMistyped, topic, name, line));
    }
    if !new.unknown.is_empty() && new.unknown != old.unknown {
        let line = format!(
            "certificates for {name}: no authority may issue: the critical property {} is unknown; \
            {ADDED}",
            at_most_five(&new.unknown)
        );
        effects.push(changes(line));
    }
    if new.unreachable.difference(&old.unreachable).next().is_some() {
        let line = format!(
            "certificates for {name}: violations cannot be reported to {}, which is no `mailto:` \
            or `https:` address",
            at_most_five(&new.unreachable)
        );
        effects.push(shown(Direction::Neutral, line));
    }
    effects
}

/// Returns what authorities do not understand in the CAA records of a name, as sentences.
#[must_use]
pub fn caa_faults<'r>(name: &Fqdn, records: impl Iterator<Item = &'r Rdata>) -> Vec<String> {
    let effects = faults(name, &CaaPolicy::default(), &read_policy(records));
    effects.into_iter().map(|effect| effect.line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_that_nearly_are_known_are_found() {
        for (written, meant) in [
            ("letsencrypt.com", "letsencrypt.org"),
            ("lets-encrypt.org", "letsencrypt.org"),
            ("letsencypt.org", "letsencrypt.org"),
            ("digicert.org", "digicert.com"),
            ("sectigo.co", "sectigo.com"),
            ("pki.gogo", "pki.goog"),
        ] {
            assert_eq!(nearest_issuer(written), Some(meant), "{written}");
        }
        for other in
            ["letsencrypt.org", "ca.example.net", "internal-ca.example", "ssl.com", "pki.goog"]
        {
            assert_eq!(nearest_issuer(other), None, "{other}");
        }
    }

    #[test]
    fn authorities_of_cloudflare_are_known() {
        for authority in OF_CLOUDFLARE {
            assert!(AUTHORITIES.contains(authority), "{authority}");
        }
    }

    #[test]
    fn malformed_values_and_methods_are_told() {
        for (written, meant) in [
            ("https://letsencrypt.org", Some("letsencrypt.org")),
            ("letsencrypt.org accounturi=https://acme.example/1", Some("letsencrypt.org")),
            ("mailto:ca@ca.example", None),
        ] {
            assert!(!is_well_formed(written, ""));
            assert_eq!(nearest_issuer(written), meant, "{written}");
        }
        let methods =
            [("dns01", Some("dns-01")), ("dns_01", Some("dns-01")), ("http-1", Some("http-01"))];
        for (written, meant) in methods.into_iter().chain([
            ("dns-01", None),
            ("ca-own", None),
            ("email-reply-00", None),
        ]) {
            assert_eq!(nearest_method(written), meant, "{written}");
        }
    }

    #[test]
    fn the_examples_of_the_rfc_are_read() {
        // RFC 8659 sections 4.2 to 4.4.
        let caa = |text: &str| Rdata::from_text(crate::model::RecordType::Caa, text).unwrap();
        let issuers =
            |names: &[&str]| Some(names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>());
        let read = |texts: &[&str]| {
            let records: Vec<Rdata> = texts.iter().map(|t| caa(t)).collect();
            let policy = read_policy(records.iter());
            (policy.names, policy.wildcards)
        };
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net""#, r#"0 issue "ca2.example.org""#]).0,
            issuers(&["ca1.example.net", "ca2.example.org"])
        );
        assert_eq!(read(&[r#"0 issue ";""#]), (issuers(&[]), issuers(&[])));
        assert_eq!(
            read(&[r#"0 issuewild "ca1.example.net""#]),
            (None, issuers(&["ca1.example.net"]))
        );
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net; account=230123""#]).0,
            issuers(&["ca1.example.net"])
        );
        assert_eq!(read(&[r#"0 iodef "mailto:security@example.com""#]), (None, None));
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net""#, r#"128 tbs "Unknown""#]),
            (issuers(&[]), issuers(&[]))
        );
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net""#, r#"0 issuewild ";""#]),
            (issuers(&["ca1.example.net"]), issuers(&[]))
        );
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net""#, r#"0 issuewild "ca2.example.org""#]),
            (issuers(&["ca1.example.net"]), issuers(&["ca2.example.org"]))
        );
        assert_eq!(
            read(&[r#"0 issue "ca1.example.net""#]),
            (issuers(&["ca1.example.net"]), issuers(&["ca1.example.net"]))
        );
        // A malformed property allows no authority.
        for malformed in [
            "%%%%%",
            "ca1.example.net; account",
            "ca1 example.net",
            "-ca1.example.net",
            "ca1..example.net",
            "ca1.example.net; a=b c",
            "ca1.example.net; a=1;",
        ] {
            assert_eq!(read(&[&format!("0 issue \"{malformed}\"")]).0, issuers(&[]), "{malformed}");
        }
        for well_formed in [
            "ca1.example.net",
            " CA1.example.net ",
            "ca1.example.net;",
            "ca1.example.net ; a=1; b=2",
            "ca1.example.net;a=",
        ] {
            assert_eq!(
                read(&[&format!("0 issue \"{well_formed}\"")]).0,
                issuers(&["ca1.example.net"]),
                "{well_formed}"
            );
        }
    }
}
