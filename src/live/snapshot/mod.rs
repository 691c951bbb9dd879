//! Snapshots: the state of several zones at one time, stored for later plans elsewhere and without
//! credentials.
//!
//! | step | file |
//! |---|---|
//! | read everything that a later plan may need | `take` |
//! | hold the answers | `contents` |
//! | record Cloudflare's answers | `recorder` |
//! | read and write files, and detect damaged, edited and foreign ones | `file` |
//! | the format of the lines | `line` |
//! | hold many items in little memory | `packed_texts` |
//! | find the parts that a spec needs and the snapshot lacks | `coverage` |
//! | answer the same requests again | `replay` |
//!
//! A snapshot keeps Cloudflare's answers by path, not our interpretation: a plan from a snapshot
//! runs the same code as a plan from Cloudflare. Of a zone object only the needed members are kept,
//! because the others name people.
//!
//! Nothing here accesses files, clocks or the network: bytes, times and readers are arguments.

mod contents;
mod coverage;
mod file;
mod line;
mod packed_texts;
mod recorder;
mod replay;
mod take;

use contents::{RecordedResponse, ZONES};

pub use contents::{About, AsOf, SeenZone, Snapshot};
pub use coverage::{Lack, ZonePart};
pub use file::SnapshotError;
pub use line::SnapshotLine;
pub use take::{Taken, take};
