//! Instructions of a process, counted by valgrind's callgrind.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns true if valgrind is there.
pub(crate) fn is_there() -> bool {
    Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// Returns the number of instructions that a program executes with these arguments, within a
/// function.
///
/// # Errors
/// Fails with the output if the program fails, or if valgrind finds no such function or prints no
/// number.
pub(crate) fn instructions(
    program: &Path,
    arguments: &[&str],
    function: &str,
) -> Result<u64, String> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--error-exitcode=99"])
        .arg(format!("--toggle-collect=*{function}*"))
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        return Err(said.into_owned());
    }
    let count = said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    count.filter(|count| *count > 0).ok_or_else(|| said.into_owned())
}
