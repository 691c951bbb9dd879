//! Finds literals that a pattern needs: a text without any of them cannot match.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Maximum size of a character class whose members are enumerated.
const CLASS: usize = 12;
/// Maximum number of texts that are enumerated for one part of a pattern.
const EXACT: usize = 96;
/// Maximum number of literals of a pattern.
const NEEDED: usize = 3_000;
/// Maximum length of a literal in bytes; longer literals exclude hardly more texts.
const LENGTH: usize = 12;

type Set = Vec<Vec<u8>>;

struct LiteralPart {
    /// All texts that the part matches, in lower case, if there are few.
    exact: Option<Set>,
    /// Literals, one of which occurs in each text that the part matches.
    needed: Option<Set>,
}

/// Returns literals in lower case, one of which occurs in every match; `None` if the pattern has no
/// such set.
pub(super) fn needed(hir: &Hir) -> Option<Set> {
    let part = walk(hir);
    best(part.needed, usable(part.exact))
}

fn usable(exact: Option<Set>) -> Option<Set> {
    exact.filter(|set| !set.is_empty() && set.iter().all(|text| !text.is_empty()))
}

/// Estimates the frequency of the literals in texts; a lower value is better.
fn cost(set: &Set) -> f64 {
    set.iter().map(|text| text.iter().map(|&byte| frequency(byte)).product::<f64>()).sum()
}

fn frequency(byte: u8) -> f64 {
    match byte {
        b'a'..=b'z' | b'0'..=b'9' => 0.05,
        b' ' | b'/' | b'.' | b'-' | b'=' | b'&' | b',' | b'_' | b':' | b'%' => 0.05,
        b'(' | b')' | b';' | b'\'' | b'"' | b'<' | b'>' | b'+' => 0.02,
        _ => 0.008,
    }
}

fn best(one: Option<Set>, other: Option<Set>) -> Option<Set> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if cost(&one) <= cost(&other) { one } else { other }),
        (one, other) => one.or(other),
    }
}

fn walk(hir: &Hir) -> LiteralPart {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {
            LiteralPart { exact: Some(vec![Vec::new()]), needed: None }
        }
        HirKind::Literal(literal) => {
            let text = literal.0.to_ascii_lowercase();
            if text.len() <= LENGTH {
                LiteralPart { exact: Some(vec![text]), needed: None }
            } else {
                LiteralPart { exact: None, needed: Some(vec![text[..LENGTH].to_vec()]) }
            }
        }
        HirKind::Class(class) => LiteralPart { exact: class_bytes(class), needed: None },
        HirKind::Capture(capture) => walk(&capture.sub),
        HirKind::Repetition(repetition) => {
            let inner = walk(&repetition.sub);
            match (repetition.min, repetition.max) {
                (1, Some(1)) => inner,
                (0, Some(1)) => {
                    let exact = inner.exact.map(|mut set| {
                        set.push(Vec::new());
                        set
                    });
                    LiteralPart { exact: exact.filter(|set| set.len() <= EXACT), needed: None }
                }
                (0, _) => LiteralPart { exact: None, needed: None },
                (min, max) => {
                    let mut exact = None;
                    if max == Some(min) && min <= 8 {
                        exact = inner.exact.as_ref().and_then(|set| {
                            (1..min).try_fold(set.clone(), |all, _| product(&all, set))
                        });
                    }
                    // The first `min` copies are adjacent.
                    let mut repeated = inner.exact.clone();
                    for _ in 1..min.min(4) {
                        let longer = match (&repeated, &inner.exact) {
                            (Some(all), Some(set)) => product(all, set),
                            _ => None,
                        };
                        match longer {
                            Some(longer) => repeated = Some(longer),
                            None => break,
                        }
                    }
                    LiteralPart { exact, needed: best(inner.needed, usable(repeated)) }
                }
            }
        }
        HirKind::Concat(parts) => {
            let mut run = Some(vec![Vec::new()]);
            let mut is_exact = true;
            let mut needed = None;
            for part in parts {
                let part = walk(part);
                needed = best(needed, part.needed);
                let longer = match (&run, &part.exact) {
                    (Some(run), Some(exact)) => product(run, exact),
                    _ => None,
                };
                match longer {
                    Some(longer) => run = Some(longer),
                    None => {
                        is_exact = false;
                        needed = best(needed, usable(run.take()));
                        run = Some(part.exact.unwrap_or_else(|| vec![Vec::new()]));
                    }
                }
            }
            if is_exact {
                LiteralPart { exact: run, needed }
            } else {
                LiteralPart { exact: None, needed: best(needed, usable(run)) }
            }
        }
        HirKind::Alternation(parts) => {
            let mut exact = Some(Set::new());
            let mut needed = Some(Set::new());
            for part in parts {
                let part = walk(part);
                let part_needed = best(part.needed, usable(part.exact.clone()));
                exact = exact.zip(part.exact).map(|(mut all, set)| {
                    all.extend(set);
                    all
                });
                needed = needed.zip(part_needed).map(|(mut all, set)| {
                    all.extend(set);
                    all
                });
                exact = exact.filter(|set| set.len() <= EXACT);
                needed = needed.filter(|set| set.len() <= NEEDED);
            }
            LiteralPart { exact, needed }
        }
    }
}

/// Returns the bytes of a small class, in lower case.
fn class_bytes(class: &Class) -> Option<Set> {
    let mut bytes = Vec::new();
    match class {
        Class::Bytes(class) => {
            for range in class.ranges() {
                for byte in range.start()..=range.end() {
                    bytes.push(byte.to_ascii_lowercase());
                    if bytes.len() > 2 * CLASS {
                        return None;
                    }
                }
            }
        }
        Class::Unicode(class) => {
            for range in class.ranges() {
                for char in range.start()..=range.end() {
                    bytes.push(u8::try_from(char).ok().filter(u8::is_ascii)?.to_ascii_lowercase());
                    if bytes.len() > 2 * CLASS {
                        return None;
                    }
                }
            }
        }
    }
    bytes.sort_unstable();
    bytes.dedup();
    (bytes.len() <= CLASS).then(|| bytes.into_iter().map(|byte| vec![byte]).collect())
}

fn product(left: &Set, right: &Set) -> Option<Set> {
    if left.len() * right.len() > EXACT || left.iter().chain(right).any(|text| text.len() > LENGTH)
    {
        return None;
    }
    Some(
        left.iter()
            .flat_map(|head| right.iter().map(move |tail| [head.as_slice(), tail].concat()))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::super::pattern::Pattern;

    fn needed(pattern: &str) -> Option<Vec<String>> {
        let hir = Pattern::new(pattern.as_bytes(), false).unwrap().hir().unwrap();
        super::needed(&hir).map(|set| {
            set.into_iter().map(|text| String::from_utf8_lossy(&text).into_owned()).collect()
        })
    }

    #[test]
    fn the_rarest_literals_are_chosen() {
        assert_eq!(
            needed("(?i)un(?:ion|it)s?\\s+x"),
            Some(vec!["unions".into(), "union".into(), "units".into(), "unit".into()])
        );
        assert_eq!(needed("a*select[0-9]+"), Some(vec!["select".into()]));
        assert_eq!(needed("(?:foo|bar)+.*z"), Some(vec!["foo".into(), "bar".into()]));
        assert_eq!(needed("^.*$"), None);
        assert_eq!(needed("a|b*"), None);
        assert_eq!(needed("(?<!x)<script"), Some(vec!["<script".into()]));
    }
}
