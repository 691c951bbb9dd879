//! Proxied aliases that hide what someone reads at their names: resolvers get addresses for a
//! proxied name, and neither its alias nor the other records of the target.

use super::direction::Direction;
use super::dns::End;
use super::effect::{Effect, Topic, at_most_five};
use super::providers::is_at_suffix;
use super::zone_view::View;
use crate::model::facts::proxied_aliases::{RETURN_PATHS, ReadAlias, VALIDATIONS};
use crate::model::{Danger, Fqdn, RecordType};

/// Fewest characters of a label that is a token of a certificate authority: a part of a hash.
const TOKEN_LENGTH: usize = 16;

/// A use of an alias other than visits, which a proxied alias prevents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenUse {
    /// The domain that it serves.
    domain: Fqdn,
    /// Describes the broken use, in words that follow the name.
    pub words: String,
    topic: Topic,
    danger: Danger,
    /// True if the records behind the alias are compared by themselves.
    is_compared: bool,
    /// True if the alias itself is read, and not records of its target.
    pub is_of_alias: bool,
}

impl HiddenUse {
    /// Marks a use whose records are compared by themselves.
    fn compared(self) -> Self {
        Self { is_compared: true, ..self }
    }

    /// Marks a use of the alias itself.
    fn of_alias(self) -> Self {
        Self { is_of_alias: true, ..self }
    }

    /// Finds the use of an alias by its name and its target; `None` for aliases that are visited,
    /// and for those of unknown use.
    #[must_use]
    pub fn of(name: &Fqdn, target: &Fqdn) -> Option<Self> {
        let mail = (Topic::MailAuthentication, Danger::BreaksMailAuthentication);
        let issuance = (Topic::Issuance, Danger::ChangesIssuance);
        let of = |domain: &str, words: String, (topic, danger)| {
            let domain = Fqdn::reported(domain);
            Some(Self { domain, words, topic, danger, is_compared: false, is_of_alias: false })
        };
        let (first, parent) = name.as_str().split_once('.')?;
        if let Some((selector, domain)) = name.as_str().split_once("._domainkey.") {
            let words = format!("receivers find no DKIM key {selector} of {domain}");
            return of(domain, words, mail).map(Self::compared);
        }
        if let Some((_, domain)) = name.as_str().split_once("._bimi.") {
            return of(domain, format!("receivers find no BIMI record of {domain}"), mail);
        }
        if let Some(domain) = name.as_str().strip_prefix("_smtp._tls.") {
            let words = format!("senders find no address for TLS reports of {domain}");
            return of(domain, words, mail);
        }
        match first {
            "_dmarc" => {
                let words = format!("receivers find no DMARC record of {parent}");
                return of(parent, words, mail).map(Self::compared);
            }
            "_mta-sts" => {
                return of(parent, format!("senders find no MTA-STS policy of {parent}"), mail);
            }
            "_acme-challenge" => {
                let words = format!("certificate authorities find no ACME challenge of {parent}");
                return of(parent, words, issuance);
            }
            _ => {}
        }
        let named = |list: &[ReadAlias]| {
            let alias = list.iter().find(|alias| is_at_suffix(target, alias.suffix));
            alias.map(|alias| alias.service)
        };
        if let Some(authority) = named(VALIDATIONS).filter(|_| first.starts_with('_')) {
            let words = format!("{authority} no longer sees who controls {parent}");
            return of(parent, words, issuance).map(Self::of_alias);
        }
        if let Some(service) = named(RETURN_PATHS) {
            let words =
                format!("receivers find no SPF and MX record of this return path of {service}");
            return of(name.as_str(), words, mail);
        }
        let is_token = |label: &str| {
            label.len() > TOKEN_LENGTH && label[1..].bytes().all(|b| b.is_ascii_hexdigit())
        };
        if first.starts_with('_') && is_token(first) {
            let words = format!("a certificate authority no longer sees who controls {parent}");
            return of(parent, words, issuance).map(Self::of_alias);
        }
        None
    }
}

/// Returns the effects of an alias that becomes a proxied or a flattened one. The effects on DKIM keys, DMARC
/// records, mail servers and CAA records are found with these records.
pub(super) fn compare_aliases(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    if before.flattens_alias(name) {
        return Vec::new();
    }
    let Some(target) = before.visible_alias(name) else { return Vec::new() };
    if after.flattens_alias(name) {
        return flattened_use(name, target).into_iter().collect();
    }
    if !after.hides_alias(name) {
        return Vec::new();
    }
    match HiddenUse::of(name, target) {
        Some(hidden) if hidden.is_compared => Vec::new(),
        Some(hidden) => {
            let line = format!("{name} is proxied, so its alias is hidden: {}", hidden.words);
            vec![Effect::needing(hidden.danger, hidden.topic, &hidden.domain, line)]
        }
        None => other_types(name, target, before).into_iter().collect(),
    }
}

/// Returns the effect of an alias that becomes a flattened one: resolvers no longer see it, and
/// Cloudflare does not document what it answers for other types than addresses.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/troubleshooting/cname-domain-verification, read
/// 2026-11-27: providers cannot verify a domain by an alias that is flattened.
fn flattened_use(name: &Fqdn, target: &Fqdn) -> Option<Effect> {
    let hidden = HiddenUse::of(name, target).filter(|hidden| !hidden.is_compared)?;
    if hidden.is_of_alias {
        let line = format!("{name} is flattened, so its alias is hidden: {}", hidden.words);
        return Some(Effect::needing(hidden.danger, hidden.topic, &hidden.domain, line));
    }
    let line = format!(
        "{name} is flattened, and Cloudflare documents only its addresses: it is unknown what is \
         answered for the records of {target}"
    );
    Some(Effect::shown(hidden.topic, &hidden.domain, Direction::Neutral, line))
}

/// Returns the effect for an alias of unknown use whose target has records of other types, and no
/// address that a visitor could want.
fn other_types(name: &Fqdn, target: &Fqdn, before: View<'_, '_>) -> Option<Effect> {
    let is_there = |kind: RecordType| {
        matches!(before.0.answer(target, kind).end, End::Records(_) | End::Edge(_))
    };
    if is_there(RecordType::A) || is_there(RecordType::Aaaa) {
        return None;
    }
    let kinds = RecordType::ALL.iter().copied();
    let is_compared =
        |kind| matches!(kind, RecordType::Mx | RecordType::Caa) || before.has_senders(target, kind);
    let hidden: Vec<RecordType> =
        kinds.filter(|kind| !is_compared(*kind) && is_there(*kind)).collect();
    if hidden.is_empty() {
        return None;
    }
    let line = format!(
        "{name} is proxied, so the {} records of {target} are hidden",
        at_most_five(&hidden)
    );
    Some(Effect::shown(Topic::Addresses, name, Direction::Neutral, line))
}
