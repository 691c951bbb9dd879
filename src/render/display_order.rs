//! The order of the entries of a plan: by importance for a reviewer.

use std::cmp::Reverse;

use super::operation_view::Attention;
use crate::diff::{Field, ZoneSetting};
use crate::model::facts::{MAIL_LABELS, MAIL_TEXTS};
use crate::model::{Purpose, Rdata, RecordType, ZoneName};
use crate::plan::{Action, Operation, RecordSubject, Subject};

/// The importance of an entry.
///
/// # Order
/// The most important comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    Zone,
    /// A danger, accepted or not.
    Danger,
    /// A delegation.
    NameServers,
    /// The chain of trust.
    Dnssec,
    /// The authorities that may issue certificates.
    Issuance,
    /// Mail servers, and the authentication of mail.
    Mail,
    /// Other records at the apex of the zone.
    Apex,
    /// The addresses and targets of names.
    Addresses,
    /// Other records.
    Others,
    /// Rules and settings.
    Rules,
    /// Times to live.
    Lifetimes,
    /// Comments and tags.
    Notes,
}

impl Weight {
    /// Returns the importance of an operation. `is_dangerous` is true if one of its dangers needs
    /// attention.
    pub(super) fn of(operation: &Operation, is_dangerous: bool, zone: &ZoneName) -> Self {
        match &operation.subject {
            Subject::Zone => Self::Zone,
            _ if is_dangerous => Self::Danger,
            Subject::Setting(ZoneSetting::Dnssec { .. }) => Self::Dnssec,
            Subject::Setting(ZoneSetting::Setting { .. } | ZoneSetting::DnsSettings { .. })
            | Subject::Rule(_) => Self::Rules,
            Subject::Record(record) => weight_of_record(record, operation, zone),
        }
    }
}

/// Returns the sort key of an entry: its importance, the attention that it needs with the weight of
/// its dangers, its importance without its dangers (`kind`), and the number of its first operation.
///
/// In a zone without records (`is_new`), no change can break anything that works today. So its
/// entries are sorted like a zone file, except for dangers.
pub(super) fn sort_key(
    weight: Weight,
    kind: Weight,
    attention: (Reverse<Attention>, usize),
    is_new: bool,
    number: usize,
) -> impl Ord + use<> {
    let rank =
        |weight: Weight| if is_new && weight > Weight::Danger { Weight::Others } else { weight };
    let kind = if weight == Weight::Danger { kind } else { weight };
    (rank(weight), attention, rank(kind), number)
}

/// Returns the importance of an operation on a record without its dangers.
fn weight_of_record(record: &RecordSubject, operation: &Operation, zone: &ZoneName) -> Weight {
    let only = |wanted: &[Field]| {
        let fields = &operation.fields;
        operation.action() == Action::Update
            && !fields.is_empty()
            && fields.iter().all(|f| wanted.contains(&f.field))
    };
    if only(&[Field::Comment, Field::Tags]) {
        return Weight::Notes;
    }
    if only(&[Field::Ttl, Field::Comment, Field::Tags]) {
        return Weight::Lifetimes;
    }
    let form = record.form();
    match form.data.record_type() {
        Some(RecordType::Ns) => Weight::NameServers,
        Some(RecordType::Ds | RecordType::Dnskey) => Weight::Dnssec,
        Some(RecordType::Caa) => Weight::Issuance,
        Some(RecordType::Mx) => Weight::Mail,
        _ if is_about_mail(form.name.as_str(), &form.data) => Weight::Mail,
        _ if form.name == *zone.as_fqdn() => Weight::Apex,
        Some(
            RecordType::A
            | RecordType::Aaaa
            | RecordType::Cname
            | RecordType::Https
            | RecordType::Svcb,
        ) => Weight::Addresses,
        _ => Weight::Others,
    }
}

/// Returns true if a record authenticates or reports mail: SPF, DKIM, DMARC, MTA-STS, TLS-RPT,
/// BIMI, or an alias in their place.
fn is_about_mail(name: &str, data: &Rdata) -> bool {
    match data.purpose() {
        Purpose::Keyed(key)
            if data.record_type() == Some(RecordType::Txt)
                && MAIL_TEXTS.contains(&key.as_str()) =>
        {
            true
        }
        _ => name.split('.').any(|label| MAIL_LABELS.contains(&label)),
    }
}
