//! The table of spellings, tests/cases/spellings.txt: which spellings are equal and which are not,
//! in spec, diff and wire.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use zonewright::diagnostic::{Diagnostic, Severity, Sources};
use zonewright::model::{DesiredZone, LiveRecord, LiveZone, Rdata, RecordType, ZoneId, ZoneName};
use zonewright::plan::plan_zone;
use zonewright::{spec, wire};

/// The table.
const TABLE: &str = include_str!("../cases/spellings.txt");

/// One side of a line.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// `content` of a spec.
    Content(String),
    /// Keys of a record in a spec, as YAML between braces.
    Spec(String),
    /// Members of a record in an answer.
    Answer(Map<String, Value>),
}

/// The relation that a line states.
#[derive(Debug, Clone, PartialEq)]
enum Claim {
    Equal(Form),
    Different(Form),
    Refused,
    Opaque,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    number: usize,
    kind: String,
    form: Form,
    claim: Claim,
}

/// Returns a text with its abbreviations written out.
fn expanded(text: &str) -> String {
    let mut out = text.replace("<LF>", "\n").replace("<TAB>", "\t").replace("<EMPTY>", "");
    out = out.replace("<U+0308>", "\u{308}").replace("<U+0301>", "\u{301}");
    while let Some(start) = out.find('<') {
        let end = start + out[start..].find('>').expect("a `<` has its `>`");
        let (unit, count) = out[start + 1..end].rsplit_once('*').expect("<text*count>");
        let repeated = unit.repeat(count.parse().expect("<text*count>"));
        out.replace_range(start..=end, &repeated);
    }
    out
}

/// Returns one side of a line.
fn form(text: &str) -> Form {
    let text = expanded(text);
    let mapping = |yaml: &str| serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{yaml}: {e}"));
    match text.split_once(' ') {
        Some(("answer", yaml)) if yaml.starts_with('{') => Form::Answer(mapping(yaml)),
        Some(("spec", yaml)) if yaml.starts_with('{') => {
            Form::Spec(yaml[1..yaml.len() - 1].to_owned())
        }
        Some(("data", yaml)) if yaml.starts_with('{') => Form::Spec(format!("data: {yaml}")),
        _ => Form::Content(text),
    }
}

/// Returns the lines of a table.
fn lines(table: &str) -> Vec<Line> {
    let line = |(n, text): (usize, &str)| {
        let parts: Vec<_> = text.split(" | ").map(str::trim).collect();
        let claim = match parts[2..] {
            ["=", other] => Claim::Equal(form(other)),
            ["!=", other] => Claim::Different(form(other)),
            ["refused"] => Claim::Refused,
            ["opaque"] => Claim::Opaque,
            _ => panic!("line {}: `{text}` has no claim", n + 1),
        };
        Line { number: n + 1, kind: parts[0].to_owned(), form: form(parts[1]), claim }
    };
    table
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
        .map(line)
        .collect()
}

/// Returns the value of the spec of a form.
fn outcome(kind: &str, form: &Form) -> spec::Outcome {
    // Quoted JSON is quoted YAML.
    let record = match form {
        Form::Content(text) if kind == "NAME" => {
            format!("name: {}, type: A, content: 192.0.2.1", json!(text))
        }
        Form::Content(text) => format!("name: n, type: {kind}, content: {}", json!(text)),
        Form::Spec(keys) => format!("name: n, type: {kind}, {keys}"),
        Form::Answer(_) => panic!("an answer is no spec"),
    };
    let text = format!("{{version: 1, zones: {{example.com: {{records: [{{{record}}}]}}}}}}");
    spec::load(&[spec::Input::Stdin(text)], &spec::Options::default(), &mut Sources::default())
}

/// Returns the findings about the spec of a form.
fn findings(kind: &str, form: &Form) -> Vec<Diagnostic> {
    outcome(kind, form).diagnostics.iter().cloned().collect()
}

/// Returns the record of a spec; `None` for an answer, or if the spec refuses it.
fn desired(kind: &str, form: &Form) -> Option<DesiredZone> {
    if matches!(form, Form::Answer(_)) {
        return None;
    }
    let zone = outcome(kind, form).desired?.zones.into_values().next().unwrap();
    Some(zone).filter(|zone| zone.records.len() == 1)
}

/// Returns the record of an answer.
fn reported(kind: &str, members: &Map<String, Value>) -> LiveRecord {
    let mut answer = Map::from_iter([
        ("id".to_owned(), json!("1")),
        ("name".to_owned(), json!("n.example.com")),
    ]);
    answer.insert("type".to_owned(), json!(if kind == "NAME" { "A" } else { kind }));
    if kind == "NAME" {
        answer.insert("content".to_owned(), json!("192.0.2.1"));
    }
    answer.extend(members.clone());
    wire::record::read_record(&Value::Object(answer)).unwrap()
}

/// Returns a zone that holds one record.
fn zone(record: LiveRecord) -> LiveZone {
    let name = ZoneName::parse("example.com").unwrap();
    LiveZone { records: vec![record], ..LiveZone::new(name, ZoneId("f".repeat(32))) }
}

/// Returns the record that a form stands for, as Cloudflare would hold it: what a spec says is sent
/// and read back.
fn live(kind: &str, form: &Form) -> Result<LiveRecord, String> {
    match form {
        Form::Answer(members) => Ok(reported(kind, members)),
        Form::Content(_) | Form::Spec(_) => {
            let zone = desired(kind, form).ok_or("the spec refuses it")?;
            let mut body = wire::record::create_body(&zone.records[0].form());
            body["id"] = json!("1");
            Ok(wire::record::read_record(&body).unwrap())
        }
    }
}

/// Returns true if a plan from one to the other is empty; `None` if one is not a valid spec.
fn is_unchanged(kind: &str, wanted: &Form, there: &LiveRecord) -> Option<bool> {
    let (plan, _) = plan_zone(&desired(kind, wanted)?, &zone(there.clone()));
    Some(plan.operations.is_empty())
}

/// Returns what is wrong with a line.
fn check(line: &Line) -> Result<(), String> {
    let Line { kind, form, claim, .. } = line;
    let (other, equal) = match claim {
        Claim::Refused => {
            if matches!(form, Form::Answer(_)) {
                return Err("only a spec refuses".to_owned());
            }
            if let Some(silent) = findings(kind, form)
                .iter()
                .find(|d| d.severity == Severity::Error && d.help.is_none())
            {
                return Err(format!("`{}` has no help", silent.detail));
            }
            return match desired(kind, form) {
                Some(zone) => Err(format!("the spec takes it as {:?}", zone.records[0].data)),
                None => Ok(()),
            };
        }
        Claim::Opaque => {
            let data = live(kind, form)?.data;
            return if matches!(data, Rdata::Opaque(_)) {
                Ok(())
            } else {
                Err(format!("it is read as {data:?}"))
            };
        }
        Claim::Equal(other) => (other, true),
        Claim::Different(other) => (other, false),
    };
    let (one, two) = (live(kind, form)?, live(kind, other)?);
    for record in [&one, &two] {
        if record.data.record_type().is_none() {
            return Err(format!("{:?} is not understood", record.data));
        }
    }
    if ((&one.name, &one.data) == (&two.name, &two.data)) != equal {
        return Err(format!("{} {:?}\n   and {} {:?}", one.name, one.data, two.name, two.data));
    }
    for (wanted, there) in [(form, &two), (other, &one)] {
        if is_unchanged(kind, wanted, there).is_some_and(|unchanged| unchanged != equal) {
            return Err(format!(
                "the plan of {wanted:?} over {:?} is not as it should be",
                there.data
            ));
        }
    }
    Ok(())
}

#[test]
fn spellings() {
    let lines = lines(TABLE);
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for line in &lines {
        *count.entry(&line.kind).or_default() += 1;
    }
    let wrong: Vec<_> = lines
        .iter()
        .filter_map(|l| Some(format!("spellings.txt:{}: {}", l.number, check(l).err()?)))
        .collect();
    let pairs =
        lines.iter().filter(|l| matches!(l.claim, Claim::Equal(_) | Claim::Different(_))).count();
    let different = lines.iter().filter(|l| matches!(l.claim, Claim::Different(_))).count();
    println!(
        "{pairs} pairs ({different} of them unequal) and {} single forms: {count:?}",
        lines.len() - pairs
    );
    assert!(
        wrong.is_empty(),
        "{} of {} lines are wrong\n{}",
        wrong.len(),
        lines.len(),
        wrong.join("\n")
    );
    assert!(pairs >= 400, "{pairs} pairs are too few");
    let missing: BTreeSet<_> =
        RecordType::ALL.iter().map(|t| t.as_str()).filter(|t| !count.contains_key(t)).collect();
    assert!(missing.is_empty(), "{missing:?} have no lines");
}

#[test]
fn the_table_can_fail() {
    let table = r#"
A | 192.0.2.1 | = | 192.0.2.2
A | 192.0.2.1 | != | answer {content: 192.0.2.1}
A | 192.0.2.1 | refused
TXT | answer {content: x} | opaque
A | 192.0.2.01 | = | 192.0.2.1
TXT | <k*256> | = | "<k*255>" "k"
"#;
    let wrong: Vec<_> =
        lines(table).iter().filter(|l| check(l).is_err()).map(|l| l.number).collect();
    assert_eq!(wrong, [2, 3, 4, 5, 6]);
    assert_eq!(expanded("<ab*2>|<\\*3>|<c *2>"), "abab|\\\\\\|c c ");
}
