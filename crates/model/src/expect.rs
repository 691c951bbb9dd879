//! Expectations: statements that must be true of a zone after every plan.
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

/// An expectation, with the name that its author chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Unique in the spec.
    pub name: String,
    /// Part of the spec to point at.
    pub place: Place,
    /// The statement that must be true.
    pub what: Expected,
}

/// The statement of an expectation.
///
/// Each kind has its own file in `spec/expect` (its syntax) and in `insight/expect` (its
/// judgement).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// The name has this answer.
    Answer {
        /// Queried name.
        name: Fqdn,
        /// The queried type.
        record_type: RecordType,
        /// Answer that name servers must give.
        answer: ExpectedAnswer,
    },
    /// The domain receives and sends mail in this way.
    Mail(ExpectedMail),
    /// Only these authorities may issue certificates for the name.
    Certificates(ExpectedIssuance),
    /// Addresses in these networks are not published.
    Hidden(Vec<IpNet>),
    /// The request gets this verdict.
    Request(Box<ExpectedRequest>),
}

/// A request and its expected verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRequest {
    /// The text in the spec.
    pub text: RequestText,
    /// Parsed form of the text.
    pub request: Request,
    /// The rate of the request.
    pub rate: Rate,
    /// The verdict on the last request.
    pub verdict: VerdictExpected,
    /// The name of the rule that must act.
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

/// An expected answer.
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

/// Maximum number of values that a description of an expected answer lists.
const MOST_VALUES: usize = 5;

/// The expected mail configuration of a domain. A part that is `None` or empty is not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedMail {
    /// Domain after the `@` of addresses.
    pub domain: Fqdn,
    /// Its mail servers in the order of preference; an empty list if the domain accepts no mail.
    pub by: Option<Vec<Fqdn>>,
    /// Addresses of hosts that SPF must allow to send.
    pub spf_pass: Vec<IpAddr>,
    /// The treatment of mail that fails authentication.
    pub dmarc: Option<ExpectedPolicy>,
    /// Selectors of DKIM keys that receivers can use.
    pub dkim: Vec<String>,
}

/// The expected policy for mail that fails authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedPolicy {
    /// Least strict policy that is accepted if `at_least` is true.
    pub policy: MailPolicy,
    /// True if a stricter policy is accepted as well.
    pub at_least: bool,
}

impl std::fmt::Display for ExpectedPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.at_least { "at least " } else { "" }, self.policy.as_str())
    }
}

crate::closed_set! {
    /// The policy for mail that fails authentication (RFC 9989 section 4.7); the weakest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum MailPolicy {
        /// Receivers do nothing.
        None = "none",
        /// Receivers treat the mail as suspicious.
        Quarantine = "quarantine",
        /// Receivers refuse the mail.
        Reject = "reject",
    }
}

/// The authorities that may issue certificates for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedIssuance {
    /// The name of the certificates.
    pub name: Fqdn,
    /// The only authorities that may issue them, wildcards included.
    pub only: BTreeSet<String>,
    /// The state of Universal SSL, if the author of the spec states it.
    pub universal_ssl: Option<bool>,
}

impl Expected {
    /// Returns true if the expectation is about this name. Returns false if it expects that the
    /// name has no such record, because it then agrees with the deletion of the name.
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
    /// Writes the subject of the expectation.
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
