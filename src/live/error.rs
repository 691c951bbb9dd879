//! Errors of reading zones.

use crate::api::ApiError;
use crate::model::{Fqdn, ZoneId, ZoneName};
use crate::wire::record::InvalidRecord;
use crate::wire::ruleset::InvalidRuleset;
use crate::wire::zone::InvalidZone;

/// Reasons why a zone could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// A request failed.
    #[error("failed to read {what}")]
    Api {
        /// Description of the read.
        what: String,
        /// Cause of the failure.
        #[source]
        source: ApiError,
    },
    /// A zone in a response cannot be used.
    #[error("failed to read zones")]
    Zone(#[from] InvalidZone),
    /// A record in a response cannot be used.
    #[error("failed to read the records of {zone}")]
    Record {
        /// Zone of the record.
        zone: ZoneName,
        /// Missing member.
        #[source]
        source: InvalidRecord,
    },
    /// A ruleset in a response cannot be used.
    #[error("failed to read {what}")]
    Ruleset {
        /// Description of the read.
        what: String,
        /// Missing member.
        #[source]
        source: InvalidRuleset,
    },
    /// A record in a listing does not belong to the zone, so the rest of the listing cannot be
    /// trusted.
    #[error(
        "failed to read the records of {zone}: the listing holds `{record}`, which is not in the \
        zone"
    )]
    OutsideZone {
        /// Zone of the listing.
        zone: ZoneName,
        /// Name of the record.
        record: Fqdn,
    },
    /// The result is not a list.
    #[error("failed to read {what}: the result is not a list")]
    NotAList {
        /// Description of the read.
        what: String,
    },
    /// The result contains no value.
    #[error("failed to read {what}: the response has no `value`")]
    NoValue {
        /// Description of the read.
        what: String,
    },
    /// The pinned id belongs to another zone.
    #[error("the zone with the id {id} is {found}, not {wanted}; correct `id` in the spec")]
    WrongZone {
        /// Pinned id.
        id: ZoneId,
        /// Name in the spec.
        wanted: ZoneName,
        /// Name at Cloudflare.
        found: ZoneName,
    },
    /// The pages of a list never end, and each has new items.
    #[error(
        "failed to read {what}: the list does not end after {pages} pages with {items} entries; \
        nothing was compared"
    )]
    Endless {
        /// Description of the read.
        what: String,
        /// Number of pages received.
        pages: u64,
        /// Number of different items.
        items: usize,
        /// True for a list of records, whose pages can be larger.
        is_of_records: bool,
    },
    /// Several zones have the name.
    #[error(
        "{count} zones are called {zone}; name the account (CLOUDFLARE_ACCOUNT_ID) or pin `id` in \
        the spec: {}",
        first(ids)
    )]
    Ambiguous {
        /// Name of the zones.
        zone: ZoneName,
        /// Number of zones.
        count: usize,
        /// Identifiers of the zones.
        ids: Vec<String>,
    },
    /// The number of records on the pages is not the number that Cloudflare reports.
    #[error(
        "the listing of {zone} holds {got} records where Cloudflare counts {total}; nothing was \
        compared. Try again"
    )]
    Incomplete {
        /// Zone of the listing.
        zone: ZoneName,
        /// Number of records received.
        got: usize,
        /// Number of records that Cloudflare counts.
        total: u64,
    },
}

/// Lists the first ids, and counts the others.
fn first(ids: &[String]) -> String {
    /// Maximum number of ids in a message.
    const NAMED: usize = 10;
    let first_ids = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => first_ids,
        more => format!("{first_ids} and {more} more"),
    }
}

impl FetchError {
    /// Returns the reason and the advice in one line.
    #[must_use]
    pub fn in_short(&self) -> String {
        let reason = match self {
            Self::Api { source, .. } => match (source.status(), source.reasons()) {
                (Some(status), Some(reasons)) => format!("HTTP {status}: {reasons}"),
                (_, _) => source.to_string(),
            },
            other => other.to_string(),
        };
        [Some(reason), self.advice()].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Returns advice for the error, if there is any.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Api { source, .. } => source.advice(),
            Self::Zone(_)
            | Self::Record { .. }
            | Self::Ruleset { .. }
            | Self::OutsideZone { .. }
            | Self::NotAList { .. }
            | Self::NoValue { .. } => Some(
                "the response is not what Cloudflare documents: run again; if it happens again, \
                check that the base URL leads to \
                 Cloudflare. If it is from a snapshot, take the snapshot again"
                    .to_owned(),
            ),
            Self::Endless { is_of_records: true, .. } => Some(
                "raise `--page-size`; if it has its default, check that the base URL leads to \
                Cloudflare"
                    .to_owned(),
            ),
            Self::Endless { is_of_records: false, .. } => Some(
                "check that the base URL leads to \
                Cloudflare"
                    .to_owned(),
            ),
            Self::WrongZone { .. } | Self::Ambiguous { .. } | Self::Incomplete { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A larger page makes a list of records shorter. Lists of zones and rulesets have no option
    /// for the page size.
    #[test]
    fn page_size_is_advised_for_records_alone() {
        for is_of_records in [true, false] {
            let endless = FetchError::Endless {
                what: "the list".to_owned(),
                pages: 9,
                items: 9,
                is_of_records,
            };
            let advice = endless.advice().expect("it has advice");
            assert_eq!(advice.contains("--page-size"), is_of_records, "{advice}");
            assert!(advice.contains("base URL"), "{advice}");
        }
    }

    #[test]
    fn responses_that_cannot_be_used_have_advice() {
        let what = || "the list".to_owned();
        for error in [FetchError::NotAList { what: what() }, FetchError::NoValue { what: what() }] {
            let advice = error.advice().expect("it has advice");
            assert!(advice.contains("run again") && advice.contains("snapshot"), "{advice}");
        }
    }
}
