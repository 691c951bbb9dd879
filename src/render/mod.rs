//! Results and findings made visible: text for people, JSON for programs. Takes writers, prints nothing itself.

pub mod diagnostics;
pub mod json;
pub mod safe;
pub mod text;
mod textdiff;
