//! Random expressions and random requests, evaluated by our evaluator and by the public engine of
//! the language. Both must agree.
//!
//! The engine is a program that you provide in `EXPRESSION_ENGINE`, because the published packages
//! of github.com/cloudflare/wirefilter do not support the current language. It reads JSON lines:
//! first `{"fields": {NAME: TYPE}}` with the types `Bytes`, `Int`, `Bool`, `Ip`, `Array` (of bytes)
//! and `Map` (of arrays of bytes), all of them optional fields; then for each pair `{"expression":
//! …, "values": {NAME: VALUE}}`, where a field without a value is missing. It answers each pair
//! with a line: `true`, `false`, or what it cannot parse. `EXPRESSION_PAIRS` is the number of
//! pairs. A tenth of the expressions is from `tests/cases/good.txt`, or from a file of
//! that form named in `EXPRESSION_FILE`, as far as the engine knows their fields and functions.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};

use bumpalo::Bump;
use fastrand::Rng;
use serde_json::{Value as Json, json};
use zonewright_expression::{Expression, Sample, SampleValue, Truth};

const FIELDS: [(&str, &str); 21] = [
    ("http.host", "Bytes"),
    ("http.cookie", "Bytes"),
    ("http.referer", "Bytes"),
    ("http.request.full_uri", "Bytes"),
    ("http.request.uri", "Bytes"),
    ("ip.src.country", "Bytes"),
    ("cf.threat_score", "Int"),
    ("http.request.method", "Bytes"),
    ("http.request.uri.path", "Bytes"),
    ("http.request.uri.query", "Bytes"),
    ("http.user_agent", "Bytes"),
    ("cf.bot_management.score", "Int"),
    ("http.request.body.size", "Int"),
    ("ip.src.asnum", "Int"),
    ("ssl", "Bool"),
    ("cf.client.bot", "Bool"),
    ("ip.src", "Ip"),
    ("http.request.headers.names", "Array"),
    ("http.request.uri.args.values", "Array"),
    ("http.request.headers", "Map"),
    ("http.request.cookies", "Map"),
];
const TEXTS: [&str; 16] = [
    "", "a", "A", "ab", "aB", "b.c", "bxc", "/a", "/a/b", "é", "É", "a*b", "a\nb", "x\\y", "\"",
    "a b.c",
];
const PATTERNS: [&str; 16] = [
    "^a",
    "b$",
    "(?i)A",
    "[a-c]+",
    "b.c",
    "^$",
    "a|é",
    "\\d",
    "^.$",
    "b\\.c",
    "(?s)a.b",
    "a.b",
    "\\w+$",
    "(?-u:\\xc3)",
    "[^a]",
    "(?i)É",
];
const WILDCARDS: [&str; 10] =
    ["*", "a*", "*b*", "A*", "\\*", "a\\*b", "*.c", "É*", "a*c", "x\\\\y"];
const KEYS: [&str; 4] = ["a", "b", "A", "none"];
const ADDRESSES: [&str; 6] =
    ["192.0.2.1", "192.0.2.9", "10.0.0.1", "2001:db8::1", "::1", "::ffff:192.0.2.1"];
const SETS: [&str; 6] = [
    "192.0.2.0/24",
    "192.0.2.1..192.0.2.5",
    "2001:db8::/32",
    "10.0.0.1",
    "::/0",
    "::1..2001:db8::2",
];
const NUMBERS: [i64; 6] = [-5, 0, 1, 4, 30, 99];

/// One of them.
fn any<T: Copy>(random: &mut Rng, all: &[T]) -> T {
    all[random.usize(0..all.len())]
}

/// A text in quotes, or raw.
fn quoted(random: &mut Rng, text: &str) -> String {
    if random.u8(0..4) == 0 && !text.contains('"') {
        return format!("r\"{text}\"");
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A comparison of text.
fn of_text(random: &mut Rng, left: &str) -> String {
    let text = any(random, &TEXTS);
    match random.u8(0..12) {
        0 | 1 => format!("{left} matches {}", quoted_pattern(random)),
        2 => format!("{left} wildcard r\"{}\"", any(random, &WILDCARDS)),
        3 => format!("{left} strict wildcard r\"{}\"", any(random, &WILDCARDS)),
        4 => {
            let (one, other) = (any(random, &TEXTS), any(random, &TEXTS));
            format!("{left} in {{{} {}}}", quoted(random, one), quoted(random, other))
        }
        5 | 6 => format!("{left} contains {}", quoted(random, text)),
        _ => {
            format!(
                "{left} {} {}",
                any(random, &["eq", "ne", "==", "!=", "lt", "le", ">", ">="]),
                quoted(random, text)
            )
        }
    }
}

/// A regular expression as a literal.
fn quoted_pattern(random: &mut Rng) -> String {
    format!("r\"{}\"", any(random, &PATTERNS))
}

/// A comparison.
fn comparison(random: &mut Rng) -> String {
    let bytes = any(
        random,
        &["http.host", "http.request.method", "http.request.uri.path", "http.user_agent"],
    );
    let key = any(random, &KEYS);
    let map = any(random, &["http.request.headers", "http.request.cookies"]);
    let array = any(random, &["http.request.headers.names", "http.request.uri.args.values"]);
    let index = random.u8(0..3);
    match random.u8(0..14) {
        0..=2 => of_text(random, bytes),
        3 => {
            let text = any(random, &TEXTS);
            let call = format!("concat({bytes}, {}, http.request.uri.query)", quoted(random, text));
            of_text(random, &call)
        }
        4 => of_text(random, &format!("{map}[\"{key}\"][{index}]")),
        5 => of_text(random, &format!("{array}[{index}]")),
        6..=8 => {
            let left = any(
                random,
                &[
                    format!("{array}[*]"),
                    format!("{map}[\"{key}\"][*]"),
                    format!("{map}[*][{index}]"),
                    format!("{map}[*][*]"),
                ]
                .each_ref()
                .map(String::as_str),
            )
            .to_owned();
            let inner = of_text(random, &left);
            let inner = match random.u8(0..6) {
                0 => format!("not {inner}"),
                // The engine wants parentheses here.
                1 => format!(
                    "({inner} {} {})",
                    any(random, &["and", "or", "xor"]),
                    of_text(random, &left)
                ),
                _ => inner,
            };
            format!("{}({inner})", any(random, &["any", "all"]))
        }
        9 | 10 => {
            let field =
                any(random, &["cf.bot_management.score", "http.request.body.size", "ip.src.asnum"]);
            match random.u8(0..3) {
                0 => format!(
                    "{field} in {{{} {}..{}}}",
                    any(random, &NUMBERS),
                    random.u8(0..5),
                    random.u8(5..50)
                ),
                _ => {
                    format!(
                        "{field} {} {}",
                        any(random, &["eq", "ne", "lt", "<=", "gt", "ge"]),
                        any(random, &NUMBERS)
                    )
                }
            }
        }
        11 => any(random, &["ssl", "cf.client.bot"]).to_owned(),
        12 => format!("ip.src in {{{} {}}}", any(random, &SETS), any(random, &SETS)),
        _ => format!("ip.src {} {}", any(random, &["eq", "ne"]), any(random, &ADDRESSES)),
    }
}

/// An expression; without parentheses where precedence decides.
fn expression(random: &mut Rng, depth: u8) -> String {
    if depth == 0 || random.u8(0..3) == 0 {
        return comparison(random);
    }
    match random.u8(0..6) {
        0 => format!("not {}", comparison(random)),
        1 => format!("not ({})", expression(random, depth - 1)),
        2 => format!("({})", expression(random, depth - 1)),
        _ => {
            let word = any(random, &["and", "or", "xor", "&&", "||", "^^"]);
            format!("{} {word} {}", expression(random, depth - 1), expression(random, depth - 1))
        }
    }
}

/// Values of fields; a tenth of them is missing.
fn values(random: &mut Rng) -> BTreeMap<&'static str, Json> {
    let mut values = BTreeMap::new();
    let texts = |random: &mut Rng| -> Vec<&str> {
        (0..random.usize(0..4)).map(|_| any(random, &TEXTS)).collect()
    };
    for (name, kind) in FIELDS {
        if random.u8(0..10) == 0 {
            continue;
        }
        let value = match kind {
            "Bytes" => json!(any(random, &TEXTS)),
            "Int" => json!(any(random, &NUMBERS)),
            "Bool" => json!(random.bool()),
            "Ip" => json!(any(random, &ADDRESSES)),
            "Array" => json!(texts(random)),
            _ => {
                let keys = KEYS
                    .iter()
                    .filter(|key| **key != "none")
                    .filter(|_| random.bool())
                    .collect::<Vec<_>>();
                json!(keys.into_iter().map(|key| (*key, texts(random))).collect::<BTreeMap<_, _>>())
            }
        };
        values.insert(name, value);
    }
    values
}

/// The same for our evaluator.
fn sample<'v>(values: &'v BTreeMap<&'static str, Json>, arena: &'v Bump) -> Sample<'v> {
    fn array<'v>(items: &'v Json, arena: &'v Bump) -> SampleValue<'v> {
        let items = items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| SampleValue::Bytes(item.as_str().unwrap().as_bytes()));
        SampleValue::Array(arena.alloc_slice_copy(&items.collect::<Vec<_>>()))
    }
    let mut sample = Sample::unknown(arena);
    for (name, kind) in FIELDS {
        let value = match (kind, values.get(name)) {
            (_, None) => SampleValue::Missing,
            ("Bytes", Some(text)) => SampleValue::Bytes(text.as_str().unwrap().as_bytes()),
            ("Int", Some(number)) => SampleValue::Integer(number.as_i64().unwrap()),
            ("Bool", Some(truth)) => SampleValue::Truth(truth.as_bool().unwrap()),
            ("Ip", Some(address)) => {
                SampleValue::Address(address.as_str().unwrap().parse().unwrap())
            }
            ("Array", Some(items)) => array(items, arena),
            (_, Some(map)) => {
                let entries = map
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(key, items)| (key.as_bytes(), array(items, arena)));
                SampleValue::Map(arena.alloc_slice_copy(&entries.collect::<Vec<_>>()))
            }
        };
        assert!(sample.set(name, value), "{name}");
    }
    sample
}

/// An expression of a paragraph, without comments; deprecated names have their successors, which
/// share a value with them.
fn written(paragraph: &str) -> String {
    let lines: Vec<&str> = paragraph.lines().filter(|line| !line.starts_with('#')).collect();
    lines.join("\n").trim().replace("ip.geoip.", "ip.src.")
}

#[test]
fn the_evaluator_agrees_with_the_engine() {
    let Ok(engine) = std::env::var("EXPRESSION_ENGINE") else {
        eprintln!(
            "SKIPPED: set EXPRESSION_ENGINE to a program that evaluates expressions with github.com/cloudflare/wirefilter"
        );
        return;
    };
    let count =
        std::env::var("EXPRESSION_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let mut child =
        Command::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut asked = child.stdin.take().unwrap();
    let fields: BTreeMap<_, _> = FIELDS.into_iter().collect();
    writeln!(asked, "{}", json!({ "fields": fields })).unwrap();
    let real = match std::env::var("EXPRESSION_FILE") {
        Ok(file) => std::fs::read_to_string(file).unwrap(),
        Err(_) => include_str!("../cases/good.txt").to_owned(),
    };
    let real: Vec<String> =
        real.split("\n\n").map(written).filter(|text| !text.is_empty()).collect();
    let mut random = Rng::with_seed(16);
    let (mut pairs, mut held, mut refused, mut differ) = (0, 0, 0, Vec::new());
    while pairs < count {
        let text = match random.u8(0..10) {
            0 => real[random.usize(0..real.len())].clone(),
            _ => expression(&mut random, 3),
        };
        let program = Expression::reported(&text).compile();
        let values = values(&mut random);
        writeln!(asked, "{}", json!({ "expression": text, "values": values })).unwrap();
        asked.flush().unwrap();
        let theirs = match answers.next().expect("the engine goes on").unwrap().as_str() {
            "true" => true,
            "false" => false,
            why => {
                // Names that the engine does not have occur in real expressions only.
                assert!(real.contains(&text), "the engine cannot read {text}: {why}");
                refused += 1;
                continue;
            }
        };
        pairs += 1;
        held += usize::from(theirs);
        let arena = Bump::new();
        let sample = sample(&values, &arena);
        if program.as_ref().map(|program| program.evaluate(&sample)) != Some(Truth::of(theirs)) {
            differ.push(format!("{text}\n  {}\n  the engine's: {theirs}", json!(values)));
        }
    }
    drop(asked);
    child.wait().unwrap();
    eprintln!(
        "{pairs} pairs, {held} true, {} differ; {refused} real expressions have names that the engine does not know",
        differ.len()
    );
    assert!(differ.is_empty(), "{}", differ[..differ.len().min(10)].join("\n"));
}
