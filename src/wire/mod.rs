//! Cloudflare's JSON: requests as data, the envelope of responses, and conversion to and from the
//! model. Pure.
//!
//! A [`Request`] is complete: it has the method, path, query and body exactly as they will be sent,
//! so the output of a dry run cannot differ from the real requests. Unknown fields in responses are
//! tolerated, and never sent.

pub mod account;
pub mod bounded_json;

mod envelope;
pub mod json;
pub mod json_digest;
pub mod keyword;
pub mod pages;
mod received_record;
pub mod record;
mod request;
pub mod resource;
mod response_body;
pub mod ruleset;
pub mod settings;
pub mod zone;

pub use envelope::{ApiMessage, Envelope, EnvelopeError, PageInfo, reasons};
pub use request::{Method, Request};
pub use response_body::{Intake, List, TooMuch, Unusable, Whole};
