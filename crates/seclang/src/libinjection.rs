//! Detects SQL and HTML injection with the lexers of libinjection, in their port to Rust.
//!
//! The port has no unsafe code, but may index out of bounds; a panic counts as no result.

use super::limits::INJECTION_BYTES;

/// Returns the fingerprint of an SQL injection, if the text is one.
#[allow(clippy::option_option, reason = "no answer, no injection, an injection")]
pub(super) fn sql(text: &[u8]) -> Option<Option<String>> {
    let text = &text[..text.len().min(INJECTION_BYTES)];
    guarded(|| {
        let result = libinjectionrs::detect_sqli(text);
        result.is_injection().then(|| {
            result.fingerprint.map(|fingerprint| fingerprint.to_string()).unwrap_or_default()
        })
    })
}

/// Returns true if the text is an HTML injection.
pub(super) fn html(text: &[u8]) -> Option<bool> {
    let text = &text[..text.len().min(INJECTION_BYTES)];
    guarded(|| libinjectionrs::detect_xss(text).is_injection())
}

fn guarded<T>(run: impl FnOnce() -> T + std::panic::UnwindSafe) -> Option<T> {
    std::panic::catch_unwind(run).ok()
}
