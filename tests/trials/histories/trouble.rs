//! The faults of histories, their names in the counts, and their effect on a response.

use fastrand::Rng;
use serde_json::{Value as Json, json};
use zonewright::sandbox::{Fault, Gzip, What, When};

use super::draw::{chance, one};

/// Returns a fault.
pub(super) fn fault(rng: &mut Rng) -> Fault {
    let what = what(rng);
    // A false success of a write cannot be detected at once by any client; a client must survive a
    // false success of a read.
    let when = if is_lie(&what) {
        matching(rng, &[("GET", "/dns_records"), ("GET", "/zones")])
    } else {
        match rng.u8(..5) {
            0 => When::Request(rng.u64(1..20)),
            1 => by_chance(rng),
            // Faults of writes are the most interesting, and writes are few.
            _ => matching(rng, KINDS),
        }
    };
    let times = match rng.u8(..10) {
        _ if matches!(when, When::Chance { .. }) => rng.u64(2..20),
        0..=5 => 1,
        6 | 7 => rng.u64(2..5),
        // Longer than the timeout of a client.
        8 => rng.u64(6..14),
        _ => 40,
    };
    Fault { when, what, times }
}

/// Methods and ends of paths of requests that matter.
const KINDS: &[(&str, &str)] = &[
    ("POST", "/dns_records/batch"),
    ("POST", "/dns_records"),
    ("PATCH", ""),
    ("DELETE", ""),
    ("POST", ""),
    ("PUT", ""),
    ("GET", "/dns_records"),
    ("GET", ""),
];

/// Returns one of the first requests of a kind.
fn matching(rng: &mut Rng, kinds: &[(&str, &str)]) -> When {
    let (method, path_suffix) = *one(rng, kinds);
    When::Matching {
        method: Some(method.to_owned()),
        path_suffix: path_suffix.to_owned(),
        nth: rng.u64(1..4),
    }
}

/// Returns some of the requests of a kind.
fn by_chance(rng: &mut Rng) -> When {
    let (method, path_suffix) = *one(rng, KINDS);
    When::Chance {
        seed: rng.u64(..),
        per_mille: rng.u16(50..600),
        method: chance(rng, 70).then(|| method.to_owned()),
        path_suffix: path_suffix.to_owned(),
    }
}

/// Returns what happens.
fn what(rng: &mut Rng) -> What {
    match rng.u8(..10) {
        0 | 1 => refusal(rng),
        2 | 3 => lost_before(rng),
        4..=6 => lost_after(rng),
        7 => odd(rng),
        8 => garbled(rng),
        _ => outdated(rng),
    }
}

/// Returns a response that refuses.
fn refusal(rng: &mut Rng) -> What {
    let code = *one(rng, &[500, 502, 503, 504, 520, 522, 524, 530]);
    match rng.u8(..6) {
        0 | 1 => What::Status {
            code: 429,
            html: rng.bool(),
            retry_after: chance(rng, 60).then(|| rng.u64(..120)),
        },
        2 | 3 => What::Status {
            code,
            html: rng.bool(),
            retry_after: chance(rng, 20).then(|| rng.u64(..30)),
        },
        4 => {
            let (status, code) = *one(rng, &[(403, 9109), (401, 1000), (403, 10000)]);
            What::TokenRefused { status, code }
        }
        _ => {
            let (code, number, message) = *one(
                rng,
                &[
                    (400, 9003, "Invalid request"),
                    (403, 10000, "Authentication error"),
                    (400, 81058, "An identical record already exists."),
                    (404, 81044, "Record does not exist."),
                    (400, 81053, "An A, AAAA, or CNAME record with that host already exists."),
                ],
            );
            let errors = json!([{ "code": number, "message": message }]);
            What::Answer {
                code,
                body: json!({ "result": null, "success": false, "errors": errors, "messages": [] }),
            }
        }
    }
}

/// Returns no valid response, and no effect.
fn lost_before(rng: &mut Rng) -> What {
    match rng.u8(..6) {
        // Until the script is taken away.
        0 => What::ConnectionRefused { milliseconds: 3_600_000 },
        1 => What::ResetBeforeEffect,
        2 => What::CloseBeforeEffect,
        3 => What::NotJson200,
        4 => What::SuccessFalse200,
        _ => What::Redirect {
            code: *one(rng, &[301, 302, 307]),
            to: "http://192.0.2.1/client/v4/zones".to_owned(),
        },
    }
}

/// Returns an effect, and no valid response.
fn lost_after(rng: &mut Rng) -> What {
    match rng.u8(..11) {
        0 => What::StatusAfterEffect { code: *one(rng, &[500, 502, 504, 524]) },
        1 | 2 => What::ResetAfterEffect,
        3 => What::CloseAfterEffect,
        4 => What::ResetMidBody,
        5 => What::TruncateBody,
        6 => What::InvalidJson,
        7 => What::EmptyBody,
        8 => What::Stall { milliseconds: 1 },
        9 => What::WrongLength { by: *one(rng, &[-20, -1, 1, 20]) },
        _ => What::Gzip(*one(rng, &[Gzip::Truncated, Gzip::Corrupt, Gzip::Plain])),
    }
}

/// Returns a valid response.
fn odd(rng: &mut Rng) -> What {
    match rng.u8(..6) {
        0 => What::Delay { milliseconds: 1 },
        1 => What::Gzip(Gzip::Correct),
        2 => What::Extra,
        3 => What::Deep { levels: *one(rng, &[3, 30]) },
        4 => What::Padded { bytes: rng.u64(..20_000) },
        _ => What::Drip { milliseconds: 0 },
    }
}

/// Returns an answer of another shape.
fn garbled(rng: &mut Rng) -> What {
    let member = |name: &&str| (*name).to_owned();
    match rng.u8(..4) {
        0 => {
            What::Without { member: member(one(rng, &["success", "result", "id", "type", "name"])) }
        }
        1 => What::LongText { member: "message".to_owned(), bytes: 100_000 },
        _ => {
            let values: [(&str, Json); 7] = [
                ("success", json!("yes")),
                ("result", json!(17)),
                ("result", json!("none")),
                ("id", json!(5)),
                ("ttl", json!("soon")),
                ("type", json!(null)),
                ("total_count", json!(1_000_000)),
            ];
            let (name, value) = one(rng, &values);
            What::Replace { member: member(name), value: value.clone() }
        }
    }
}

/// Returns a response that is false or outdated.
fn outdated(rng: &mut Rng) -> What {
    match rng.u8(..3) {
        0 | 1 => What::StaleRead,
        _ => What::Answer {
            code: 200,
            body: json!({ "result": [], "success": true, "errors": [], "messages": [] }),
        },
    }
}

/// Returns true if a client gets a well-formed response that is false.
pub(super) fn is_lie(what: &What) -> bool {
    matches!(what, What::Answer { code: 200, .. })
}

/// Returns true if a response is complete and correct, although a fault hit its request.
pub(super) fn is_readable(what: &What) -> bool {
    match what {
        What::Delay { .. }
        | What::Gzip(Gzip::Correct)
        | What::Extra
        | What::Deep { .. }
        | What::Padded { .. }
        | What::Drip { .. }
        | What::AnotherWriter { .. }
        | What::AnotherWriterAfter { .. }
        | What::StaleRead => true,
        other => is_lie(other),
    }
}

/// Returns what a fault is called, as in the files of `sandbox serve --faults`.
pub(crate) fn name(what: &What) -> String {
    match what {
        What::Status { code: 429, .. } => "`status` 429".to_owned(),
        What::Status { html: true, .. } => "`status` 5xx, a page".to_owned(),
        What::Status { html: false, .. } => "`status` 5xx, an envelope".to_owned(),
        What::Answer { code: 200, .. } => "`answer` 200, an empty list".to_owned(),
        What::Answer { .. } => "`answer` 4xx with a code of Cloudflare".to_owned(),
        What::NotJson200 => "`not_json200`".to_owned(),
        What::SuccessFalse200 => "`success_false200`".to_owned(),
        What::Gzip(how) => format!("`gzip` {}", format!("{how:?}").to_lowercase()),
        other => {
            let words = format!("{other:?}");
            let name = words.split([' ', '{', '(']).next().unwrap_or_default();
            let snake = name.char_indices().flat_map(|(at, letter)| {
                let gap = (at > 0 && letter.is_uppercase()).then_some('_');
                gap.into_iter().chain(letter.to_lowercase())
            });
            format!("`{}`", snake.collect::<String>())
        }
    }
}
