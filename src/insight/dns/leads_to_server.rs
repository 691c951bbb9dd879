//! Decides if the answers for a name lead a client to a server.

use super::answer::{End, Referral};
use super::entry::Entry;
use super::zones::Zones;
use crate::model::{Fqdn, RecordType};

/// Maximum number of targets of HTTPS and SVCB records that are followed. Clients follow fewer (RFC
/// 9460 section 3.1).
const MOST_BINDINGS: usize = 8;

impl Zones<'_> {
    /// Returns true if the answers for a name lead a client to a server: addresses, Cloudflare's
    /// edge, an alias or a binding that ends at one of these, or one that leaves the known zones.
    /// `None` if other name servers decide, or if the answer is not documented.
    #[must_use]
    pub fn leads_to_server(&self, name: &Fqdn) -> Option<bool> {
        self.leads(name, MOST_BINDINGS)
    }

    /// Does the same as [`Zones::leads_to_server`], with a maximum number of bindings.
    fn leads(&self, name: &Fqdn, bindings: usize) -> Option<bool> {
        let addresses = [RecordType::A, RecordType::Aaaa].map(|kind| self.has_address(name, kind));
        if addresses.contains(&Some(true)) {
            return Some(true);
        }
        let bound = [RecordType::Https, RecordType::Svcb].map(|kind| {
            let answer = self.answer(name, kind);
            let End::Records(records) = &answer.end else { return Some(false) };
            any(records
                .iter()
                .map(|record| self.is_binding_to_server(&answer.name, record, bindings)))
        });
        any(addresses.into_iter().chain(bound))
    }

    /// Returns true if the answer of one type has an address, or leaves the known zones.
    fn has_address(&self, name: &Fqdn, kind: RecordType) -> Option<bool> {
        let answer = self.answer(name, kind);
        match &answer.end {
            End::Records(_) | End::Edge(_) => Some(true),
            End::NoData(_) | End::NoName | End::Loop | End::Cloudflare(..) => Some(false),
            // An alias that leads out of the known zones.
            End::Elsewhere => (!answer.aliases.is_empty()).then_some(true),
            End::Referral(referral) => glue(referral, &answer.name, kind),
            End::Unknown(_) => None,
        }
    }

    /// Returns true if an HTTPS or SVCB record of `owner` leads to a server.
    fn is_binding_to_server(&self, owner: &Fqdn, record: &Entry<'_>, left: usize) -> Option<bool> {
        let text = record.data.presentation();
        if text.contains("ipv4hint=") || text.contains("ipv6hint=") {
            return Some(true);
        }
        // The root means the owner itself, whose addresses are queried in any case.
        let Some(target) =
            record.data.target().filter(|target| !target.is_root() && *target != owner)
        else {
            return Some(false);
        };
        match (self.zone_of(target), left.checked_sub(1)) {
            (None, _) => Some(true),
            (Some(_), Some(left)) => self.leads(target, left),
            (Some(_), None) => None,
        }
    }
}

/// Returns true if a referral carries an address of a name that is one of its servers; `None` for
/// all other names, which the other servers answer for.
fn glue(referral: &Referral<'_>, name: &Fqdn, kind: RecordType) -> Option<bool> {
    let is_server = referral.servers.iter().any(|server| server.data.target() == Some(name));
    is_server.then(|| referral.glue.iter().any(|address| address.name == name && address.is(kind)))
}

/// Returns true if one of several is true, false if all are false, else `None`.
fn any(several: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut are_known = true;
    for one in several {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => are_known = false,
        }
    }
    are_known.then_some(false)
}
