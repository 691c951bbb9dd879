//! Results as text and JSON for people and machines. Takes a writer or gives a value back; prints nothing itself.

pub mod diagnostics;
