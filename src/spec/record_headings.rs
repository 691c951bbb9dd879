//! The headings above groups of records in the files of `import`.

use crate::model::facts::{MAIL_LABELS, MAIL_TEXTS};
use crate::model::{DesiredRecord, ZoneName};

/// The purpose of a record, in the order in which people write records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Apex,
    Mail,
    Delegations,
    Hosts,
    Verification,
    Other,
}

impl Group {
    /// Returns the heading above a group.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Apex => "Apex",
            Self::Mail => "Mail",
            Self::Delegations => "Delegations",
            Self::Hosts => "Hosts",
            Self::Verification => "Verification",
            Self::Other => "Other",
        }
    }

    /// Returns the group of a record, by its name, its type and the beginning of a text.
    pub(super) fn of(zone: &ZoneName, record: &DesiredRecord) -> Self {
        const MAIL_HOSTS: &[&str] = &["mta-sts", "autodiscover", "autoconfig"];
        const MAIL_SERVICES: &[&str] = &[
            "_autodiscover",
            "_imap",
            "_imaps",
            "_pop3",
            "_pop3s",
            "_sieve",
            "_submission",
            "_submissions",
            "_25",
        ];
        let name = zone.relative(&record.name);
        let labels: Vec<&str> = name.split('.').collect();
        let has = |known: &[&str]| labels.iter().any(|label| known.contains(label));
        let is_apex = name == "@";
        let text = || record.data.presentation().trim_start_matches('"').to_ascii_lowercase();
        match record.data.type_name() {
            "MX" => Self::Mail,
            "NS" | "DS" if !is_apex => Self::Delegations,
            "TXT" | "CNAME" | "A" | "AAAA" | "NS" if has(MAIL_LABELS) || has(MAIL_HOSTS) => {
                Self::Mail
            }
            "SRV" | "TLSA" if has(MAIL_SERVICES) => Self::Mail,
            "TXT" if MAIL_TEXTS.iter().any(|start| text().starts_with(start)) => Self::Mail,
            "TXT" if is_apex || name.contains("challenge") || name.contains("verif") => {
                Self::Verification
            }
            "CNAME" if labels[0].starts_with('_') => Self::Verification,
            _ if is_apex => Self::Apex,
            "A" | "AAAA" | "CNAME" | "HTTPS" | "SVCB" | "PTR" if !name.starts_with('_') => {
                Self::Hosts
            }
            _ => Self::Other,
        }
    }
}
