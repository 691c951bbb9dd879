//! What holds for every parser of foreign bytes, whatever the bytes are.
//!
//! One function for each fuzz target; it panics where a property does not hold. `tests/pure/fuzz_corpus.rs` includes this file and
//! replays all corpora and regressions with the stable compiler, so what fuzzing found stays found.
//!
//! | target | bytes | properties beside "no panic" |
//! |---|---|---|
//! | `spec` | a spec on the standard input | a spec or an error, never neither; places lie in the text; what is printed reads back as the same; messages hold nothing hidden and are not longer than they may be |
//! | `record` | one byte for the type, then presentation text | reading, printing and the way over Cloudflare's JSON are inverse; the place of a mistake lies in the text |
//! | `txt` | the content of a TXT record | as `record`; what Cloudflare reports is never refused |
//! | `name` | two names, one a line | the canonical form is a fixed point; relative names come back; the order agrees with equality |
//! | `expression` | one byte for the phase, then an expression | the canonical form is a fixed point and means the same; places lie on characters' bounds |
//! | `answer` | one byte for the status, then a body | what is read can be written again and reads as the same; what is imported plans as nothing |
//! | `exchange` | answers, one a line, to a plan and its apply | it ends; each operation has an outcome; the journal can be read and undone |
//! | `plan` | a saved plan, or any JSON to be sealed | what was sealed opens as it was; edits are refused |
//! | `journal` | a journal | places lie in its outline; a journal cut anywhere behind a line can be read; the undo can be planned |
//! | `snapshot` | a packed snapshot, or the lines of one | there and back; it answers without a panic |
//! | `lock` | `waf.lock` | printing and reading are inverse |
//! | `policy` | a policy file | what was read is complete |
//! | `spf` | an SPF record | blanks and unknown modifiers mean nothing; unknown mechanisms are errors; nothing is reached behind `all` |
//! | `dkim` | the text at a selector | unknown tags mean nothing; a key is not longer than its text |
//! | `dmarc` | a DMARC record | unknown tags mean nothing; test mode is never stricter |
//! | `transport` | the texts at `_mta-sts` and `_smtp._tls`, one a line | their order means nothing; two records are void |
//! | `caa` | CAA records before and after | the same records change nothing; their order means nothing |
//! | `headers` | headers, one a line | nothing is believed beyond a year |
//! | `archive` | an HTTP archive | paths are printable and begin with a slash; nothing follows a fatal error |
//! | `recorded_lines` | JSON lines, rows of Logpush | as `archive`; blank lines mean nothing |
//! | `access_log` | lines of an access log | as `archive` |
//! | `wire_request` | a request as on the wire | as `archive` |
#![allow(dead_code, unreachable_pub, reason = "a library for the fuzz targets, a module for the test")]

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

/// What runs over one input.
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

/// Bytes as text; what is no text is replaced, since texts reach the parsers only as such.
fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// One of several by the first byte, and the rest.
fn choose<'a, T: Copy>(of: &[T], data: &'a [u8]) -> Option<(T, &'a [u8])> {
    let (first, rest) = data.split_first()?;
    Some((of[usize::from(*first) % of.len()], rest))
}
