//! Plans, findings and drift as comments on a pull request.
//!
//! The size of comments is limited, so the text consists of pieces that are never cut: a piece is
//! included, or counted as omitted. Foreign text appears only in code spans and code blocks, see
//! `render/escape.rs`.

mod budget;
mod comment;
mod drift;
mod findings;
mod mermaid;
mod plan;
mod zone;

pub use budget::{LIMIT, SMALLEST_LIMIT};
pub use comment::is_marker;
pub use drift::drift;
pub use findings::report;
pub use plan::plan;

use super::document::Document;

pub use super::document::Comment;

/// Comments on pull requests.
pub(super) const DOCUMENT: Document = Document {
    name: "markdown",
    findings: |out, found, options| out.write_all(report(found, options.comment).as_bytes()),
    is_for_validate: true,
    plan: Some(|out, review, options| out.write_all(plan(review, options.comment).as_bytes())),
    drift: Some(|out, view, options| out.write_all(drift(view, options.comment).as_bytes())),
    expectations: None,
    patch: None,
    requests: Some(|out, report| out.write_all(super::waf_rehearsal::markdown(report).as_bytes())),
};
