//! The `zonewright` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    zonewright::cli::main().into()
}
