//! Text that somebody made to deceive a reader or to drive a program, all the way through the binary.
//!
//! `answers` has it in what the service answers, `files` in files and arguments, `reach` is about what must not be reached: other
//! hosts, other files, other users. What must hold of any output is in `shown`.
#![cfg(feature = "sandbox")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "hostile/answers.rs"]
mod answers;
#[path = "hostile/files.rs"]
mod files;
#[path = "hostile/reach.rs"]
mod reach;
#[path = "hostile/shown.rs"]
mod shown;
mod support;
