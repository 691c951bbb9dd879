//! The `zonewright` program: everything is in the library.

use std::process::ExitCode;

// A zone is many small texts, and most of a plan is making and dropping them. See
// docs/internals/decisions.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    zonewright::cli::main().into()
}
