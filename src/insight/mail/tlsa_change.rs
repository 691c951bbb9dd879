//! Effects of changed TLSA records: the certificates that clients accept from a server (RFC 6698,
//! RFC 7672).

use std::collections::BTreeSet;

use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic};
use crate::insight::zone_view::View;
use crate::model::{Fqdn, Rdata, RecordType};

/// Returns the effect of replacing every certificate that a name announces (RFC 6698, RFC 7672).
/// Senders that check it deliver only to servers with these certificates.
pub(in crate::insight) fn compare_tlsa(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let records_of = |view: View<'_, '_>| {
        view.of_type(name, RecordType::Tlsa).iter().map(|r| r.data.clone()).collect()
    };
    let (old, new): (BTreeSet<Rdata>, BTreeSet<Rdata>) = (records_of(before), records_of(after));
    if old.is_empty() || new.is_empty() || !old.is_disjoint(&new) {
        return Vec::new();
    }
    let line = format!(
        "{name}: every TLSA record is replaced: clients that check it refuse the server until it \
        has the new certificate"
    );
    vec![Effect::shown(Topic::MailAuthentication, name, Direction::Unclassified, line)]
}
