//! Runs `tests/clients/run.sh`, which needs package registries, where the environment asks for it.

use std::path::Path;
use std::process::Command;

/// Set to 1 to run the test.
const SWITCH: &str = "ZONEWRIGHT_CLIENT_TESTS";

#[test]
fn other_clients_get_along_with_the_sandbox() {
    if std::env::var_os(SWITCH).is_none_or(|value| value != "1") {
        eprintln!(
            "SKIPPED: other people's clients against the sandbox; set {SWITCH}=1 to run them"
        );
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/run.sh");
    let status = Command::new(script).arg(env!("CARGO_BIN_EXE_zonewright")).status().unwrap();
    assert!(status.success(), "{status}");
}
