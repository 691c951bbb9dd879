//! Checks the expectations of a spec: passed, failed, or unknown with the reason.  | expectation |
//! judged by | |---|---| | an answer | `answer` | | how a domain receives and sends mail | `mail` |
//! | who may issue certificates | `certificates` | | addresses that are not published | `hidden` |
//! | the treatment of a request | `request` |  A new kind is a variant of [`Expected`], a file
//! here, and a line in [`check_expectation`]. Any input beside the answers of name servers is a
//! member of [`Evidence`].

mod answer;
mod certificates;
mod evidence;
mod hidden;
mod mail;
mod outcome;
mod request;

pub use evidence::{Evidence, Rigor};
pub use outcome::ExpectationOutcome;

use crate::model::{Expectation, Expected};

/// The suffix of the name of an expectation that only the previous spec has.
pub const DROPPED: &str = " (of the previous spec; this change drops it)";

/// Returns the expectations of the previous spec that the spec no longer has.
pub fn dropped_expectations<'o>(
    own: &[Expectation],
    old: &'o [Expectation],
) -> impl Iterator<Item = &'o Expectation> {
    old.iter().filter(|old| own.iter().all(|new| new.what != old.what))
}

/// Checks an expectation.
#[must_use]
pub fn check_expectation(evidence: Evidence<'_, '_>, expected: &Expected) -> ExpectationOutcome {
    match expected {
        Expected::Answer { name, record_type, answer } => {
            answer::check_answer(evidence, name, *record_type, answer)
        }
        Expected::Mail(mail) => mail::check_mail(evidence, mail),
        Expected::Certificates(issuance) => certificates::check_certificates(evidence, issuance),
        Expected::Request(request) => request::check_request(evidence, request),
        Expected::Hidden(networks) => hidden::check_hidden(evidence, networks),
    }
}
