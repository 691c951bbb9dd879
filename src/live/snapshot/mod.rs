//! The state of some zones at one moment, kept so that a plan can be made later, elsewhere and
//! without credentials.
//!
//! | step | file |
//! |---|---|
//! | reading everything that a later plan may need | `take` |
//! | what is held | `contents` |
//! | writing down what Cloudflare answered | `recorder` |
//! | bytes that can be told from damaged, edited and foreign ones | `file` |
//! | the form of the lines | `line` |
//! | many items in little memory | `packed_texts` |
//! | what a spec needs and the snapshot does not have | `coverage` |
//! | answering the same requests again | `replay` |
//!
//! What is kept are Cloudflare's answers by path, not our reading of them: a plan made from a
//! snapshot goes through the same code as one made from Cloudflare. Of zones only what is read of
//! them is kept, because the rest names people.
//!
//! Nothing here touches files, clocks or the network: bytes, times and readers come in as values.

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
pub use coverage::{Lack, Part};
pub use file::SnapshotError;
pub use line::SnapshotLine;
pub use take::{Taken, take};
