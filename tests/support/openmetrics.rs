//! A small and strict reader of OpenMetrics text: it checks that a text is well-formed, and finds
//! values.

use std::collections::{BTreeMap, BTreeSet};

/// The samples of a text.
#[derive(Debug)]
pub(crate) struct Metrics(BTreeMap<(String, Vec<(String, String)>), f64>);

impl Metrics {
    /// Reads a text; fails the test unless it is well-formed.
    #[track_caller]
    pub(crate) fn read(text: &str) -> Self {
        let body =
            text.strip_suffix("# EOF\n").unwrap_or_else(|| panic!("it does not end well:\n{text}"));
        let mut samples = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut family: Option<(String, String)> = None;
        for line in body.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a type has a name");
                assert!(matches!(kind, "gauge" | "counter"), "{line}");
                assert!(seen.insert(name.to_owned()), "the family {name} is in two places");
                family = Some((name.to_owned(), kind.to_owned()));
                continue;
            }
            let (name, kind) = family.as_ref().expect("a family begins with its type");
            if let Some(rest) =
                line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# UNIT "))
            {
                assert!(rest.starts_with(&format!("{name} ")), "{line}");
                continue;
            }
            let (key, value) = sample(line);
            let wanted = if kind == "counter" { format!("{name}_total") } else { name.clone() };
            assert_eq!(key.0, wanted, "{line}");
            assert!(samples.insert(key, value).is_none(), "twice: {line}");
        }
        Self(samples)
    }

    /// Returns the value of a sample.
    #[track_caller]
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels =
            labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let key = (name.to_owned(), labels);
        *self.0.get(&key).unwrap_or_else(|| panic!("no {key:?} in {:?}", self.0))
    }
}

/// Returns a line with a sample.
#[track_caller]
fn sample(line: &str) -> ((String, Vec<(String, String)>), f64) {
    let end = line.find(['{', ' ']).unwrap_or_else(|| panic!("no sample: {line}"));
    let (name, mut rest) = line.split_at(end);
    let mut labels = Vec::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            let (label, after) =
                rest.split_once("=\"").unwrap_or_else(|| panic!("no label: {line}"));
            let mut value = String::new();
            let mut characters = after.chars();
            loop {
                match characters.next().unwrap_or_else(|| panic!("no end: {line}")) {
                    '"' => break,
                    '\\' => value.push(match characters.next() {
                        Some('n') => '\n',
                        Some(c @ ('"' | '\\')) => c,
                        other => panic!("no escape: {other:?} in {line}"),
                    }),
                    c => value.push(c),
                }
            }
            labels.push((label.to_owned(), value));
            rest = characters.as_str();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => break,
            }
        }
        rest = rest.strip_prefix('}').unwrap_or_else(|| panic!("no end of labels: {line}"));
    }
    let value = rest
        .strip_prefix(' ')
        .and_then(|v| v.parse().ok())
        .unwrap_or_else(|| panic!("no value: {line}"));
    ((name.to_owned(), labels), value)
}
