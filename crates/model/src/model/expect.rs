//! What must hold of a zone, whatever is planned.
//!
//! A new kind of expectation is a variant of [`Expected`]; the compiler then names every place that
//! has to judge or print it.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;

use super::name::Fqdn;
use super::rdata::{Rdata, RecordType};
use super::request::{Rate, Request, VerdictExpected};
use crate::diagnostic::{Place, first_of};

/// Something that must hold, with the name that its author gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Its name.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// What must hold.
    pub what: Expected,
}

/// What must hold.
///
/// Each kind has its own file in `spec/expect` (how it is written) and in `insight/expect` (how it
/// is judged).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A name has this answer.
    Answer {
        /// The name.
        name: Fqdn,
        /// The type that is asked.
        record_type: RecordType,
        /// The answer.
        answer: ExpectedAnswer,
    },
    /// A domain receives and sends mail so.
    Mail(ExpectedMail),
    /// Who may issue certificates for a name.
    Certificates(ExpectedIssuance),
    /// Addresses in these networks are not published.
    Hidden(Vec<IpNet>),
    /// A request meets this verdict.
    Request(Box<ExpectedRequest>),
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRequest {
    /// As its author wrote it.
    pub text: RequestText,
    /// The request.
    pub request: Request,
    /// How often it is made.
    pub rate: Rate,
    /// The verdict on the last one.
    pub verdict: VerdictExpected,
    /// The rule that must act, by its name.
    pub by: Option<String>,
}

/// The text of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestText {
    /// A method and an address.
    Send(String),
    /// A `curl` command.
    Curl(String),
}

/// An answer that must be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedAnswer {
    /// No record of the type, or no such name.
    Nothing,
    /// Cloudflare's edge: the name is proxied.
    Edge,
    /// Exactly these values, in any order.
    Is(BTreeSet<Rdata>),
    /// Addresses that are all in these networks, at least one.
    Within(Vec<IpNet>),
}

impl std::fmt::Display for ExpectedAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("no record of this type"),
            Self::Edge => f.write_str("Cloudflare's edge"),
            Self::Is(values) => {
                f.write_str(&first_of(values.iter().map(Rdata::presentation), MOST_VALUES))
            }
            Self::Within(networks) => {
                f.write_str("addresses in ")?;
                f.write_str(&first_of(networks, MOST_VALUES))
            }
        }
    }
}

/// So many values of an expected answer are named.
const MOST_VALUES: usize = 5;

/// How a domain receives and sends mail. What is `None` or empty is not demanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedMail {
    /// The domain.
    pub domain: Fqdn,
    /// Its mail servers, those that are tried first at the beginning; none if it takes no mail.
    pub by: Option<Vec<Fqdn>>,
    /// Addresses of hosts that may send.
    pub spf_pass: Vec<IpAddr>,
    /// What receivers do with mail that fails.
    pub dmarc: Option<ExpectedPolicy>,
    /// Selectors of DKIM keys that receivers can use.
    pub dkim: Vec<String>,
}

/// A policy for mail that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedPolicy {
    /// The policy.
    pub policy: MailPolicy,
    /// Whether a stricter one holds as well.
    pub at_least: bool,
}

impl std::fmt::Display for ExpectedPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.at_least { "at least " } else { "" }, self.policy.as_str())
    }
}

crate::closed_set! {
    /// What receivers are asked to do with mail that fails (RFC 9989 section 4.7); the weakest
    /// first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum MailPolicy {
        /// Nothing.
        None = "none",
        /// They treat it as suspicious.
        Quarantine = "quarantine",
        /// They refuse it.
        Reject = "reject",
    }
}

/// Who may issue certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedIssuance {
    /// The name of the certificates.
    pub name: Fqdn,
    /// The only authorities that may issue them, wildcards included.
    pub only: BTreeSet<String>,
    /// Whether Universal SSL is on, if the author of the spec says so.
    pub universal_ssl: Option<bool>,
}

impl Expected {
    /// Returns true if it is about this name. An expectation that the name has no such record is
    /// not: it agrees with the end of the name.
    #[must_use]
    pub fn names(&self, wanted: &Fqdn) -> bool {
        match self {
            Self::Answer { name, answer, .. } => {
                name == wanted && *answer != ExpectedAnswer::Nothing
            }
            Self::Mail(mail) => {
                mail.domain == *wanted || mail.by.iter().flatten().any(|host| host == wanted)
            }
            Self::Certificates(issuance) => issuance.name == *wanted,
            Self::Hidden(_) => false,
            Self::Request(expected) => expected.request.host == wanted.as_str(),
        }
    }
}

impl std::fmt::Display for Expected {
    /// What it is about.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Answer { name, record_type, .. } => write!(f, "{name} {record_type}"),
            Self::Mail(mail) => write!(f, "mail for {}", mail.domain),
            Self::Certificates(issuance) => write!(f, "certificates for {}", issuance.name),
            Self::Hidden(_) => f.write_str("hidden addresses"),
            Self::Request(expected) => write!(f, "{}", expected.request),
        }
    }
}
