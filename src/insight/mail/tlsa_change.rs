//! What changes of TLSA records mean: the certificates that clients accept of a server (RFC 6698,
//! RFC 7672).

use std::collections::BTreeSet;

use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic};
use crate::insight::zone_view::View;
use crate::model::{Fqdn, Rdata, RecordType};

/// What it means that every certificate that a name announces (RFC 6698, RFC 7672) is another one.
/// Senders that check it deliver only to these.
pub(in crate::insight) fn compare(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let own = |view: View<'_, '_>| {
        view.of_type(name, RecordType::Tlsa).iter().map(|r| r.data.clone()).collect()
    };
    let (old, new): (BTreeSet<Rdata>, BTreeSet<Rdata>) = (own(before), own(after));
    if old.is_empty() || new.is_empty() || !old.is_disjoint(&new) {
        return Vec::new();
    }
    let line = format!(
        "{name}: every TLSA record is replaced: clients that check it refuse the server until it has the new certificate"
    );
    vec![Effect::shown(Topic::MailAuthentication, name, Direction::Unclassified, line)]
}
