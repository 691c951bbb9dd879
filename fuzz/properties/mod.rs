//! Properties of every parser of untrusted bytes, for any input.
//!
//! There is one function for each fuzz target; it panics if a property does not hold.
//! `tests/pure/fuzz_corpus.rs` includes this file and runs all corpora and regressions with the
//! stable compiler, so that bugs found by fuzzing do not return.
//!
//! | target | bytes | properties beside "no panic" |
//! |---|---|---|
//! | `spec` | a spec on standard input | the result is either a spec or errors; spans are inside the text; the printed spec reads back as the same spec; messages contain no hidden characters and are not longer than allowed |
//! | `record` | one byte for the type, then presentation text | printing and reading are inverse, directly and through Cloudflare's JSON; the span of a mistake is inside the text |
//! | `txt` | the content of a TXT record | as `record`; content that Cloudflare reports is never refused |
//! | `name` | two names, one per line | the canonical form is a fixed point; relative names read back as the same name; ordering agrees with equality |
//! | `expression` | one byte for the phase, then an expression | the canonical form is a fixed point and has the same meaning; spans are on character boundaries |
//! | `answer` | one byte for the status, then a body | what is read can be written and reads back as the same; a plan of an import is empty |
//! | `exchange` | responses to a plan and its apply, one per line | the run ends; each operation has an outcome; the journal can be read and undone |
//! | `plan` | a saved plan, or any JSON to be sealed | a sealed plan opens unchanged; an edited plan is refused |
//! | `journal` | a journal | spans are inside its outline; a journal cut after any line can be read; the undo can be planned |
//! | `snapshot` | a compressed snapshot, or its lines | packing and unpacking are inverse; queries of the snapshot do not panic |
//! | `lock` | `waf.lock` | printing and reading are inverse |
//! | `policy` | a policy file | what is read has all parts |
//! | `spf` | an SPF record | spaces and unknown modifiers change nothing; unknown mechanisms are errors; nothing after `all` is evaluated |
//! | `dkim` | the text at a selector | unknown tags change nothing; a key is not longer than its text |
//! | `dmarc` | a DMARC record | unknown tags change nothing; test mode is never stricter |
//! | `transport` | the texts at `_mta-sts` and `_smtp._tls`, one per line | their order changes nothing; two records are void |
//! | `caa` | CAA records before and after a change | equal records are no change; the order of records has no influence |
//! | `headers` | headers, one per line | no header is believed for more than a year |
//! | `archive` | an HTTP archive | paths are printable and begin with a slash; nothing is returned after a fatal error |
//! | `recorded_lines` | JSON lines, rows of Logpush | as `archive`; blank lines change nothing |
//! | `access_log` | lines of an access log | as `archive` |
//! | `wire_request` | a request in the HTTP/1.1 wire format | as `archive` |
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a library for the fuzz targets, a module for the test"
)]

mod mail;
mod recorded;
mod service;
mod texts;
mod written;

pub use mail::{caa, dkim, dmarc, spf, transport};
pub use recorded::{access_log, archive, recorded_lines, wire_request};
pub use service::{answer, exchange, headers};
pub use texts::{expression, name, record, txt};
pub use written::{journal, lock, plan, policy, snapshot, spec};

/// The function of a target, called with one input.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const ALL: &[(&str, Target)] = &[
    ("access_log", access_log),
    ("answer", answer),
    ("archive", archive),
    ("caa", caa),
    ("dkim", dkim),
    ("dmarc", dmarc),
    ("exchange", exchange),
    ("expression", expression),
    ("headers", headers),
    ("journal", journal),
    ("lock", lock),
    ("name", name),
    ("plan", plan),
    ("policy", policy),
    ("record", record),
    ("recorded_lines", recorded_lines),
    ("snapshot", snapshot),
    ("spec", spec),
    ("spf", spf),
    ("transport", transport),
    ("txt", txt),
    ("wire_request", wire_request),
];

/// Bytes as text, with replacement characters for invalid UTF-8: the parsers only receive text.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// Chooses one of several by the first byte, and returns it with the rest.
fn choose<'a, T: Copy>(of: &[T], data: &'a [u8]) -> Option<(T, &'a [u8])> {
    let (first, rest) = data.split_first()?;
    Some((of[usize::from(*first) % of.len()], rest))
}
