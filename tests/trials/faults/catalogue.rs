//! All faults, each before a write takes effect and after that.

use serde_json::{Value as Json, json};
use zonewright::sandbox::{Gzip, TOKEN, What};

use super::stage::FOR_EVER;

/// A fault.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    /// Its name in the table.
    pub(crate) name: String,
    /// The fault for a write that then has no effect.
    pub(crate) before: Option<What>,
    /// The fault for a write that has its effect.
    pub(crate) after: Option<What>,
    /// The meaning for the program.
    pub(crate) kind: Kind,
}

/// The meaning of a fault for the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Trouble on the way.
    Failure,
    /// A well-formed response that is wrong.
    Lie,
    /// Someone else writes.
    Writer,
}

/// Returns a fault with both forms.
fn both(name: &str, before: What, after: What) -> Trouble {
    Trouble { name: name.to_owned(), before: Some(before), after: Some(after), kind: Kind::Failure }
}

/// Returns a fault under which nothing takes effect.
fn without_effect(name: impl Into<String>, what: What) -> Trouble {
    Trouble { name: name.into(), before: Some(what), after: None, kind: Kind::Failure }
}

/// Returns a fault of the answer alone.
fn with_effect(name: impl Into<String>, what: What) -> Trouble {
    Trouble { name: name.into(), before: None, after: Some(what), kind: Kind::Failure }
}

/// Returns a status.
fn status(code: u16, html: bool, retry_after: Option<u64>) -> What {
    What::Status { code, html, retry_after }
}

/// Gives every member with this name another value.
fn replaced(member: &str, value: Json) -> What {
    What::Replace { member: member.to_owned(), value }
}

/// Returns all faults, except those that depend on the written object, and whether each is shown.
pub(crate) fn all() -> Vec<(Trouble, bool)> {
    whole().into_iter().map(|trouble| (trouble, true)).collect()
}

/// Returns all faults, except those that depend on the written object.
fn whole() -> Vec<Trouble> {
    [refusals(), connections(), bodies(), wrong_members()].concat()
}

/// Ways to lose the response to a write.
pub(crate) fn losses() -> Vec<Trouble> {
    let after = |name: &str, what| with_effect(name, what);
    vec![
        without_effect("reset before the effect", What::ResetBeforeEffect),
        after("reset after the effect", What::ResetAfterEffect),
        after("502 after the effect", What::StatusAfterEffect { code: 502 }),
        after("half of the JSON", What::TruncateBody),
        after("`result: \"text\"`", replaced("result", json!("text"))),
        without_effect("200 with HTML", What::NotJson200),
    ]
}

/// Returns one of each group of faults that are the same to the program; with `FAULTS_WHOLE` in the
/// environment also the others, which are not shown.
pub(crate) fn some() -> Vec<(Trouble, bool)> {
    let of_a_family = |name: &str| {
        let others = ["500 as HTML", "502", "504", "520", "521", "523", "524", "525", "526", "530"];
        let bodies = [
            "gzip, ",
            "gzip only",
            "invalid",
            "200 with an",
            "lists",
            "1 MB",
            "without",
            "`Content",
            "`type",
            "`name",
        ];
        others.iter().chain(&bodies).any(|begin| name.starts_with(begin))
    };
    let is_whole = std::env::var_os("FAULTS_WHOLE").is_some();
    let all = whole().into_iter().map(|trouble| (!of_a_family(&trouble.name), trouble));
    all.filter(|(is_one, _)| *is_one || is_whole)
        .map(|(is_one, trouble)| (trouble, is_one))
        .collect()
}

/// Returns the sandbox refuses.
fn refusals() -> Vec<Trouble> {
    let pages = [500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530];
    let pages = pages.map(|code| {
        both(&format!("{code} as HTML"), status(code, true, None), What::StatusAfterEffect { code })
    });
    let secret = json!({ "success": false, "errors": [{ "code": 9021, "message": format!("Bearer {TOKEN} is no TTL") }] });
    let mut all = vec![
        without_effect("429 with `Retry-After`", status(429, false, Some(7))),
        without_effect("429 without `Retry-After`", status(429, false, None)),
        without_effect("429 as HTML, with and without `Retry-After`", status(429, true, Some(7))),
        without_effect("429 as HTML, with and without `Retry-After`", status(429, true, None)),
        without_effect("429 with `Retry-After` of an hour", status(429, false, Some(3600))),
        without_effect("500 as JSON", status(500, false, None)),
    ];
    all.extend(pages);
    all.extend([
        without_effect("503 as HTML with `Retry-After`", status(503, true, Some(30))),
        without_effect("503 as HTML with `Retry-After` of an hour", status(503, true, Some(3600))),
        without_effect(
            "token expired: 403 with 9109",
            What::TokenRefused { status: 403, code: 9109 },
        ),
        without_effect(
            "token expired: 401 with 1000",
            What::TokenRefused { status: 401, code: 1000 },
        ),
        without_effect(
            "400 whose text repeats the token",
            What::Answer { code: 400, body: secret },
        ),
        without_effect(
            "redirect (302)",
            What::Redirect { code: 302, to: "https://example.net/login".to_owned() },
        ),
    ]);
    all
}

/// Connections that end, or end incorrectly or never.
fn connections() -> Vec<Trouble> {
    vec![
        without_effect("connection refused", What::ConnectionRefused { milliseconds: 86_400_000 }),
        both("reset without a response", What::ResetBeforeEffect, What::ResetAfterEffect),
        both("closed without a response", What::CloseBeforeEffect, What::CloseAfterEffect),
        with_effect("reset in the middle of the body", What::ResetMidBody),
        both(
            "no response in time",
            What::Delay { milliseconds: FOR_EVER },
            What::Stall { milliseconds: FOR_EVER },
        ),
        with_effect("a late response", What::Delay { milliseconds: 20 }),
        with_effect("body byte by byte", What::Drip { milliseconds: 0 }),
        with_effect("body byte by byte, never complete", What::Drip { milliseconds: FOR_EVER }),
        with_effect("`Content-Length` too large", What::WrongLength { by: 5 }),
        with_effect("`Content-Length` too small", What::WrongLength { by: -5 }),
        with_effect("`Content-Length` of 300 MB", What::WrongLength { by: 300_000_000 }),
        with_effect("gzip", What::Gzip(Gzip::Correct)),
        with_effect("gzip, truncated", What::Gzip(Gzip::Truncated)),
        with_effect("gzip, with a wrong checksum", What::Gzip(Gzip::Corrupt)),
        with_effect("gzip only in the header", What::Gzip(Gzip::Plain)),
    ]
}

/// Bodies that are invalid as a whole.
fn bodies() -> Vec<Trouble> {
    vec![
        with_effect("half of the JSON", What::TruncateBody),
        with_effect("invalid JSON", What::InvalidJson),
        with_effect("200 with an empty body", What::EmptyBody),
        both("200 with HTML", What::NotJson200, What::StatusAfterEffect { code: 200 }),
        both("200 with `success: false`", What::SuccessFalse200, replaced("success", json!(false))),
        with_effect("lists nested 10,000 levels deep", What::Deep { levels: 10_000 }),
        with_effect("1 MB of blanks", What::Padded { bytes: 1_000_000 }),
        with_effect("unknown members in every object", What::Extra),
    ]
}

/// Members that are invalid.
fn wrong_members() -> Vec<Trouble> {
    let types = [
        ("result", json!("text")),
        ("success", json!("yes")),
        ("id", json!(7)),
        ("name", json!(null)),
        ("type", json!([])),
        ("result_info", json!("text")),
        ("errors", json!(7)),
    ];
    let mut all: Vec<Trouble> = types
        .into_iter()
        .map(|(name, value)| with_effect(format!("`{name}: {value}`"), replaced(name, value)))
        .collect();
    let missing = ["result", "success", "id", "name", "type", "result_info", "errors"];
    all.extend(missing.map(|name| {
        with_effect(format!("without `{name}`"), What::Without { member: name.to_owned() })
    }));
    for member in ["name", "id", "description"] {
        let what = What::LongText { member: member.to_owned(), bytes: 100_000 };
        all.push(Trouble { kind: Kind::Lie, ..with_effect(format!("`{member}` of 100 kB"), what) });
    }
    let counts = [
        ("total_count", json!(9999)),
        ("total_count", json!(0)),
        ("total_count", json!(-1)),
        ("total_pages", json!(1)),
        ("total_pages", json!(99_999)),
        ("count", json!(1)),
        ("per_page", json!(0)),
    ];
    all.extend(counts.into_iter().map(|(name, value)| Trouble {
        kind: Kind::Lie,
        ..with_effect(format!("`{name}: {value}`"), replaced(name, value))
    }));
    all.push(Trouble { kind: Kind::Lie, ..with_effect("a stale read", What::StaleRead) });
    all
}
