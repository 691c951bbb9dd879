//! Text that someone made to deceive a reader or to drive a program, all the way through the binary.
//!
//! `answers` has it in what Cloudflare answers, `files` in files and arguments, `reach` is about what must not be reached: other
//! hosts, other files, other users. `memory` is about answers and files that are made to fill the memory, `repositories` about git,
//! `written` about the places that files are written to. What must hold of any output is in `shown`.

mod files;
#[cfg(target_os = "linux")]
mod memory;
mod reach;
#[cfg(unix)]
mod repositories;
mod responses;
mod shown;
#[cfg(target_os = "linux")]
mod written;
