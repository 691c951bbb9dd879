//! octoDNS itself, from PyPI, in an environment below `target/`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The versions whose behaviour the import follows.
const PACKAGES: &[&str] = &["octodns==1.22.0", "octodns-cloudflare==1.2.0"];

/// Returns a Python that has octoDNS. Says loudly if there is none, and why the caller skips its
/// test.
pub(crate) fn python_with_octodns() -> Option<PathBuf> {
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/octodns");
    let python = std::env::var_os("OCTODNS_PYTHON")
        .map_or_else(|| environment.join("bin/python"), PathBuf::from);
    if has_octodns(&python) {
        return Some(python);
    }
    // Tests run at the same time: each makes an environment of its own, and the first one that is
    // ready takes the place.
    let own = environment.with_file_name(format!("octodns.{}", std::process::id()));
    let make = run("python3", &["-m", "venv", &own.display().to_string()]);
    let install = make.is_some().then(|| {
        let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        let arguments: Vec<&str> = options.iter().chain(PACKAGES).copied().collect();
        run(own.join("bin/python").to_str()?, &arguments)
    });
    if install.flatten().is_some() {
        let _ = std::fs::rename(&own, &environment);
    }
    let _ = std::fs::remove_dir_all(&own);
    if has_octodns(&python) {
        return Some(python);
    }
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: octoDNS cannot be installed here (python3 with venv, and PyPI; OCTODNS_PYTHON names a Python that has {})",
        PACKAGES.join(" and ")
    );
    None
}

/// Returns true if a Python has octoDNS.
fn has_octodns(python: &Path) -> bool {
    run(python.to_str().unwrap_or_default(), &["-c", "import octodns, octodns_cloudflare"])
        .is_some()
}

/// Runs a command; `None` if it fails.
fn run(program: &str, arguments: &[&str]) -> Option<()> {
    let mut command = Command::new(program);
    let status = command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then_some(())
}
