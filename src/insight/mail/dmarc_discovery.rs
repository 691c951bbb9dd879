//! The DMARC policy that receivers apply to a domain: its own, that of its organizational domain,
//! or that of a public suffix (RFC 9989 section 4.10).

use super::dmarc::{Action, Dmarc, is_dmarc};
use crate::insight::dns::{Answer, End, Entry};
use crate::model::{Fqdn, PublicSuffix, RecordType};

/// The label before the domain (RFC 9989 section 4.6).
pub(super) const LABEL: &str = "_dmarc.";

/// Maximum number of labels of the second name in a walk (RFC 9989 section 4.10, step 5).
const MOST_LABELS: usize = 7;

/// The content of one name, as receivers see it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Published {
    Nothing,
    /// No valid record, with the reason.
    Void(String),
    /// An alias to a name that the known zones do not have.
    Elsewhere(Fqdn),
    /// The known zones do not answer for the name.
    Unknown,
    Record(Box<Dmarc>),
}

/// The policy for mail in the name of a domain, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::insight) enum Policy {
    Missing,
    /// The policy depends on this name, about which the known zones have no data.
    Unknown(Fqdn),
    /// The action, and the domain whose record says so.
    Applies(Action, Fqdn),
}

impl Policy {
    /// Returns the action; `None` if there is no policy or if it is unknown.
    pub(super) fn action(&self) -> Option<Action> {
        match self {
            Self::Applies(action, _) => Some(*action),
            Self::Missing | Self::Unknown(_) => None,
        }
    }
}

/// Access to name servers, with which policies are found.
#[derive(Clone, Copy)]
pub(in crate::insight) struct Discovery<'q, 'a> {
    pub(in crate::insight) answer: &'q dyn Fn(&Fqdn, RecordType) -> Answer<'a>,
}

impl Discovery<'_, '_> {
    /// Returns the content of a domain's name for policies.
    pub(super) fn published(self, domain: &Fqdn) -> Published {
        self.published_at(&Fqdn::reported(&format!("{LABEL}{domain}")))
    }

    /// Returns the content of a name.
    pub(super) fn published_at(self, name: &Fqdn) -> Published {
        let answer = (self.answer)(name, RecordType::Txt);
        let set = match &answer.end {
            End::Records(set) => set,
            End::NoData(_) | End::NoName | End::Loop | End::Edge(_) => return Published::Nothing,
            End::Elsewhere | End::Referral(_) if !answer.aliases.is_empty() => {
                return Published::Elsewhere(answer.name);
            }
            End::Elsewhere | End::Referral(_) | End::Cloudflare(..) | End::Unknown(_) => {
                return Published::Unknown;
            }
        };
        let texts: Vec<&[u8]> =
            set.iter().filter_map(Entry::text).filter(|text| is_dmarc(text)).collect();
        match texts[..] {
            [] => Published::Void("it does not begin with `v=DMARC1;`".to_owned()),
            [text] => Dmarc::parse(text)
                .map_or_else(Published::Void, |record| Published::Record(Box::new(record))),
            _ => Published::Void(format!("{} DMARC records at one name", texts.len())),
        }
    }

    /// Returns the policy for mail in the name of a domain.
    pub(in crate::insight) fn policy(self, domain: &Fqdn) -> Policy {
        let answer = (self.answer)(domain, RecordType::A);
        let exists = match answer.end {
            _ if !answer.aliases.is_empty() => Some(true),
            // RFC 9989 section 3.2.13: the domain, and all names below it, do not exist.
            End::NoName => Some(false),
            End::Elsewhere => None,
            End::Referral(referral) => (referral.cut == domain.as_str()).then_some(true),
            _ => Some(true),
        };
        self.policy_if(domain, exists)
    }

    /// Returns the policy for a subdomain of a domain that has no record of its own.
    pub(super) fn policy_below(self, domain: &Fqdn, exists: bool) -> Policy {
        // No name of a zone has this label.
        self.policy_if(&Fqdn::reported(&format!(" .{domain}")), Some(exists))
    }

    /// Returns the policy for a domain. `exists` is `None` if the existence of the domain is
    /// unknown.
    fn policy_if(self, domain: &Fqdn, exists: Option<bool>) -> Policy {
        let own_policy = self.published(domain);
        match &own_policy {
            Published::Record(record) => return Policy::Applies(record.domain(), domain.clone()),
            Published::Elsewhere(target) => return Policy::Unknown(target.clone()),
            Published::Unknown => return Policy::Unknown(domain.clone()),
            Published::Nothing | Published::Void(_) => {}
        }
        let mut last: Option<(Box<Dmarc>, Fqdn)> = None;
        let mut below = domain.clone();
        for target in targets(domain) {
            let record = match self.published(&target) {
                Published::Record(record) => record,
                Published::Nothing | Published::Void(_) => {
                    below = target;
                    continue;
                }
                Published::Elsewhere(target) => return Policy::Unknown(target),
                Published::Unknown if is_above_registered(&target, domain) => break,
                Published::Unknown => return Policy::Unknown(target),
            };
            match record.public_suffix {
                Some(false) => {
                    last = Some((record, target));
                    break;
                }
                // The organizational domain is one label below a public suffix, if it has a record.
                Some(true) => {
                    let organizational = last.filter(|(_, name)| *name == below);
                    last = organizational.or(Some((record, target)));
                    break;
                }
                None => {
                    below.clone_from(&target);
                    last = Some((record, target));
                }
            }
        }
        let Some((record, from)) = last else { return Policy::Missing };
        let (subdomains, missing) = (record.subdomains(), record.missing());
        match exists {
            Some(true) => Policy::Applies(subdomains, from),
            Some(false) => Policy::Applies(missing, from),
            None if subdomains == missing => Policy::Applies(subdomains, from),
            None => Policy::Unknown(domain.clone()),
        }
    }
}

/// Returns the domains of a walk above a domain, in order.
fn targets(domain: &Fqdn) -> impl Iterator<Item = Fqdn> {
    let labels: Vec<&str> = domain.as_str().split('.').collect();
    let first = labels.len().saturating_sub(MOST_LABELS).max(1);
    let names: Vec<Fqdn> =
        (first..labels.len()).map(|skip| Fqdn::reported(&labels[skip..].join("."))).collect();
    names.into_iter()
}

/// Returns true if a domain is above the registered domain of another one. No registry is known to
/// have a policy that applies to more than a public suffix and that would change the result.
fn is_above_registered(target: &Fqdn, domain: &Fqdn) -> bool {
    let suffix = PublicSuffix::of(domain.as_str()).filter(|suffix| !suffix.is_of_company());
    let registered = suffix.and_then(PublicSuffix::registrable);
    registered.is_some_and(|registered| target.as_str().len() < registered.len())
}
