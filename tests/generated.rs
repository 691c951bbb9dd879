//! Committed files that are generated are up to date. `UPDATE_GENERATED=1 cargo test --test generated` writes them anew.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use zonewright::lint;

/// Compares a committed file with what it should be, or writes it.
fn up_to_date(path: &str, expected: &str) {
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(path, expected).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert!(committed == expected, "{path} is out of date: run UPDATE_GENERATED=1 cargo test --test generated");
}

#[test]
fn the_page_about_lints() {
    up_to_date("docs/lints.md", &lint::documentation());
}
