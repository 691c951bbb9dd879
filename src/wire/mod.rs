//! Cloudflare's JSON: requests as data, the envelope of responses, and conversion to and from the model. Pure.
//!
//! A [`Request`] is complete: it has the method, path, query and body exactly as they will be sent, so the output of a
//! dry run cannot differ from the real requests. Unknown fields in responses are tolerated, and never sent.

pub mod account;
pub mod bounded;

mod envelope;
mod intake;
pub mod json;
pub mod keyword;
pub mod pages;
mod received_record;
pub mod record;
mod request;
pub mod ruleset;
pub mod settings;
pub mod sum;
pub mod zone;

pub use envelope::{ApiMessage, Envelope, EnvelopeError, PageInfo, reasons};
pub use intake::{Intake, List, TooMuch, Unusable, Whole};
pub use request::{Method, Request};
