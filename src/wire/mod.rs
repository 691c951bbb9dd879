//! The service's JSON: requests as data, the envelope of answers, and conversion to and from the model. Pure.
//!
//! A [`Request`] is complete: method, path, query and body exactly as they will be sent, so a dry run that prints it cannot
//! differ from the real thing. Unknown fields of answers are tolerated, unknown fields are never sent.

pub mod around;
pub mod budget;
mod envelope;
pub mod record;
mod request;
pub mod ruleset;
pub mod zone;

pub use envelope::{ApiMessage, Envelope, EnvelopeError, PageInfo};
pub use request::{Method, Request};
