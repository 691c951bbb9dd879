//! Rehearsal: copies the live state into a fresh sandbox, applies the plan there, and asks the
//! sandbox's name server what the spec expects.
//!
//! ```text
//!  Cloudflare ──snapshot──▶ document ──copy──▶ sandbox ◀── apply (as for Cloudflare)
//!                                                 │
//!                                                 └─ questions ──▶ passed · failed · unknown
//! ```
//!
//! The copy is made from the API's answers in a snapshot, not from our interpretation of them.
//! Objects that the sandbox refuses are left out and listed. A rehearsal cannot write to
//! Cloudflare, because it knows only the snapshot.

mod copy;
mod questions;

pub use copy::dump_of_snapshot;
pub use questions::{QuestionError, Reply, ask, judge_reply};
