//! Renders results and findings: text for people, JSON for programs, and the formats of pull
//! requests, code scanning and test reports. It writes to the given writers and prints nothing
//! itself.
//!
//! | file | what |
//! |---|---|
//! | `document` | what a format is that is a document of its own: `markdown`, `html`, `github`, `sarif`, `junit`, `patch` |
//! | `text` | plans and results on a terminal |
//! | `markdown` | a plan or findings as a comment on a pull request |
//! | `html` | a plan or findings as one self-contained page |
//! | `github` | findings and dangers as annotations of GitHub Actions |
//! | `sarif`, `junit` | findings for code scanning and for test reports |
//! | `expectations` | what must hold, and whether it does |
//! | `dns_answer` | authoritative answers with the records that make them |
//! | `waf_trace` | the rules that a request meets |
//! | `waf_tune` | the setting of the OWASP ruleset with the least damage |
//! | `waf_explain` | why a request is stopped, and the ways to let it through |
//! | `waf_rehearsal` | what becomes of recorded requests |
//! | `snapshot` | the time of the snapshot that a plan was made against |
//! | `spec_diff_json` | the differences between two specs, as JSON |
//! | `diagnostics` | findings in the style of a compiler |
//! | `drift` | what changed and who changed it, shared by the outputs of `text`, `json` and `markdown` |
//! | `openmetrics` | the same as numbers for a monitoring system |
//! | `patch` | changed files as a unified diff |
//! | `operation_view` | any operation in one neutral form, shared by the outputs for reviewers |
//! | `entries` | the plan of a zone as a reader takes it in: by weight, and what belongs together as one |
//! | `display_order` | how much an operation matters: the order of the entries |
//! | `record_in_words` | the value and the attributes of a record in words |
//! | `overwritten_value` | what is known of something live that is overwritten or deleted |
//! | `names_in_words` | internationalised names in both forms, and many names in few words |
//! | `textdiff` | what differs between two texts |
//! | `findings` | what was found, and where, shared by the outputs about specs |
//! | `place` | a place in a spec, as JSON has it |
//! | `wrapped_lines` | lines that are wider than the terminal |
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
mod place;
mod record_in_words;
pub mod safe;
pub mod snapshot;
pub mod spec_diff_json;
pub mod text;
mod textdiff;
pub mod waf_explain;
pub mod waf_json;
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

/// Declares formats: their modules, and the list of them.
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
