//! The order of the entries of a plan: by how much they matter to a reviewer.

use std::cmp::Reverse;

use super::operation_view::Attention;
use crate::diff::{Field, ZoneSetting};
use crate::model::facts::{MAIL_LABELS, MAIL_TEXTS};
use crate::model::{Purpose, Rdata, RecordType, ZoneName};
use crate::plan::{Action, Operation, RecordSubject, Subject};

/// How much an entry matters.
///
/// # Order
/// What matters most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// The zone itself.
    Zone,
    /// A danger, accepted or not.
    Danger,
    /// Who answers for a name.
    NameServers,
    /// The chain of trust.
    Dnssec,
    /// Who may issue certificates.
    Issuance,
    /// Where mail goes, and whether it is genuine.
    Mail,
    /// Other records at the name of the zone.
    Apex,
    /// Where names lead.
    Addresses,
    /// Other records.
    Others,
    /// Rules and settings.
    Rules,
    /// How long answers are kept.
    Lifetimes,
    /// Comments and tags.
    Notes,
}

impl Weight {
    /// How much an operation matters, with its dangers if it has any that need attention.
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

/// What entries are sorted by: how much one matters, the attention that it needs, how much it would
/// matter without its dangers (`kind`), and the number of its first operation.
///
/// Nothing that works today can be broken in a zone without records (`is_new`): below its dangers
/// it reads like a zone file.
pub(super) fn sort_key(
    weight: Weight,
    kind: Weight,
    attention: Attention,
    is_new: bool,
    number: usize,
) -> impl Ord + use<> {
    let rank =
        |weight: Weight| if is_new && weight > Weight::Danger { Weight::Others } else { weight };
    let kind = if weight == Weight::Danger { kind } else { weight };
    (rank(weight), Reverse(attention), rank(kind), number)
}

/// How much an operation on a record matters without its dangers.
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

/// Whether a record says how mail is recognized or reported: SPF, DKIM, DMARC, MTA-STS, TLS-RPT,
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
