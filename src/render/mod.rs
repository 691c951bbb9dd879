//! Renders results and findings: text for people, JSON for programs, and the formats of pull
//! requests, code scanning and test reports. It writes to the given writers and prints nothing
//! itself.
//!
//! | file | content |
//! |---|---|
//! | `document` | the interface of formats that are documents of their own: `markdown`, `html`, `github`, `sarif`, `junit`, `patch` |
//! | `text` | plans and results on a terminal |
//! | `markdown` | a plan or findings as a comment on a pull request |
//! | `html` | a plan or findings as one self-contained page |
//! | `github` | findings and dangers as annotations of GitHub Actions |
//! | `sarif`, `junit` | findings for code scanning and for test reports |
//! | `expectations` | the results of expectations |
//! | `dns_answer` | authoritative answers with the records that they are made of |
//! | `waf_trace` | the rules that a request meets |
//! | `waf_tune` | the setting of the OWASP ruleset with the least damage |
//! | `waf_explain` | the reasons why a request is stopped, and the ways to let it through |
//! | `waf_rehearsal` | the outcomes of recorded requests |
//! | `snapshot` | the time of the snapshot that a plan was made against |
//! | `diagnostics` | findings in the style of a compiler |
//! | `drift` | changes and their authors, shared by the outputs of `text`, `json` and `markdown` |
//! | `openmetrics` | drift as metrics for a monitoring system |
//! | `patch` | changed files as a unified diff |
//! | `operation_view` | any operation in one neutral form, shared by the outputs for reviewers |
//! | `entries` | the plan of a zone for reviewers: entries by importance, related operations as one entry |
//! | `same_in_zones` | changes that are the same in several zones |
//! | `display_order` | the importance of operations, and the order of the entries |
//! | `record_in_words` | the value and the attributes of a record in words |
//! | `overwritten_value` | attributes of a live object that is overwritten or deleted |
//! | `names_in_words` | internationalised names in both forms, and many names in few words |
//! | `textdiff` | marked differences between two texts |
//! | `findings` | findings and their regions, shared by the outputs about specs |
//! | `wrapped_lines` | wraps lines that are wider than the terminal |
//! | `safe`, `escape` | escape foreign text |

mod changed_file;
pub mod diagnostics;
mod display_order;
pub mod dns_answer;
mod document;
mod drift;
mod entries;
mod escape;
pub mod expectations;
mod findings;
mod names_in_words;
pub mod openmetrics;
mod operation_view;
mod overwritten_value;
mod record_in_words;
pub mod safe;
mod same_in_zones;
pub mod snapshot;
pub mod text;
mod textdiff;
pub mod waf_explain;
pub mod waf_rehearsal;
pub mod waf_trace;
pub mod waf_tune;
pub(crate) mod wrapped_lines;

pub use changed_file::ChangedFile;
pub use document::{Document, Options};
pub use drift::DriftView;
pub use findings::{Findings, known_findings};
pub use operation_view::Review;
pub use patch::{patch, shown};

/// Declares the modules of formats, and the list of the formats.
macro_rules! documents {
    ($($(#[$about:meta])* $module:ident,)+) => {
        $($(#[$about])* pub mod $module;)+

        /// The formats that are documents of their own, in the order of the help.
        pub static DOCUMENTS: &[Document] = &[$($module::DOCUMENT,)+];
    };
}

documents! {
    markdown,
    github,
    sarif,
    junit,
    html,
    patch,
}
