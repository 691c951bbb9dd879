//! Whether the expectations of a spec hold: passed, failed, or unknown with the reason.
//!
//! | expectation | judged by |
//! |---|---|
//! | an answer | `answer` |
//! | how a domain receives and sends mail | `mail` |
//! | who may issue certificates | `certificates` |
//! | addresses that are not published | `hidden` |
//! | what becomes of a request | `request` |
//!
//! A new kind is a variant of [`Expected`], a file here, and a line in [`hold`]. What it needs to know beside the answers of name
//! servers is a member of [`World`].

mod answer;
mod certificates;
mod hidden;
mod judged_on;
mod mail;
mod outcome;
mod request;

pub use judged_on::{Rigor, World};
pub use outcome::Outcome;

use crate::model::{Expectation, Expected};

/// What follows the name of an expectation that only the previous spec has.
pub const DROPPED: &str = " (of the previous spec; this change drops it)";

/// The expectations of the previous spec that the spec no longer has.
pub fn dropped<'o>(own: &[Expectation], old: &'o [Expectation]) -> impl Iterator<Item = &'o Expectation> {
    old.iter().filter(|old| own.iter().all(|new| new.what != old.what))
}

/// Checks an expectation.
#[must_use]
pub fn hold(world: World<'_, '_>, expected: &Expected) -> Outcome {
    match expected {
        Expected::Answer { name, record_type, answer } => answer::hold(world, name, *record_type, answer),
        Expected::Mail(mail) => mail::hold(world, mail),
        Expected::Certificates(issuance) => certificates::hold(world, issuance),
        Expected::Request(request) => request::hold(world, request),
        Expected::Hidden(networks) => hidden::hold(world, networks),
    }
}
