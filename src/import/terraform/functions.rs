//! Implements the functions of Terraform that configurations of records and rules use.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/functions, read 2026-11-22.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use hcl_edit::expr::BinaryOperator;
use ipnet::IpNet;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};

use super::characters::{NOT_COUNTED, characters};
use super::format::{NOT_FORMATTED, format};
use super::json_text::append_json;
use super::numerals::{NOT_EXACT, has_inexact_number};
use super::operators::calculate;
use super::sets::{distinct, of_one_type, set};
use super::value::{Missing, Term};
use crate::diagnostic::Place;
use crate::model::Gather;

/// Maximum host number in `cidrhost`.
const MOST_OF_HOSTS: f64 = 9_007_199_254_740_992.0;
/// Maximum number of items in the result of `range`.
const MOST_OF_RANGE: f64 = 1024.0;

/// Reason for an index whose meaning depends on the version of Terraform.
const NEGATIVE_INDEX: &str = "versions of Terraform differ in what a negative index means";
/// Reason for a result that would take too much memory.
const TOO_LARGE: &str = "the product is too large; import the state instead";
/// Reasons for values that Terraform has.
const NOT_DECIDED: &[&str] = &[NOT_EXACT, NOT_COUNTED, NOT_FORMATTED, NEGATIVE_INDEX, TOO_LARGE];

/// Calls a function. Unknown functions and wrong arguments result in a missing value.
pub(super) fn call(name: &str, arguments: Vec<Term>, place: Place) -> Term {
    // Functions that pass values on keep missing parts in place; all other functions need every
    // value.
    let passes_on = matches!(
        name,
        "concat"
            | "merge"
            | "flatten"
            | "lookup"
            | "element"
            | "tolist"
            | "toset"
            | "tomap"
            | "values"
            | "slice"
            | "zipmap"
            | "keys"
            | "length"
            | "reverse"
            | "coalesce"
            | "coalescelist"
            | "compact"
            | "setunion"
            | "one"
    );
    // A missing item can be a list of any length, or equal to another item.
    let counts_items = matches!(name, "flatten" | "compact" | "toset" | "setunion" | "zipmap");
    let first_missing = |terms: &[Term]| {
        terms.iter().find_map(|term| match (counts_items, passes_on) {
            (true, _) => item(term),
            (false, true) => direct(term),
            (false, false) => term.missing().cloned(),
        })
    };
    if let Some(missing) = first_missing(&arguments) {
        return Term::Missing(missing);
    }
    if !takes(name, arguments.len()) {
        let why = format!("`{name}` does not take {} arguments", arguments.len());
        return Term::Missing(Missing::error(why, place));
    }
    match known(name, arguments) {
        Some(Ok(value)) => value,
        // Terraform knows the value, so `try` does not take the next one.
        Some(Err(why)) if NOT_DECIDED.contains(&why) => {
            Term::Missing(Missing::unknown(format!("`{name}`: {why}"), place))
        }
        Some(Err(why)) => Term::Missing(Missing::error(format!("`{name}`: {why}"), place)),
        None => Term::Missing(Missing::unknown(
            format!("the function `{name}` is not supported"),
            place,
        )),
    }
}

/// Returns true if a function takes this number of arguments.
fn takes(name: &str, count: usize) -> bool {
    let (least, most) = match name {
        "lower" | "upper" | "title" | "sha1" | "sha256" | "trimspace" | "chomp" | "strrev"
        | "base64encode" | "base64decode" | "length" | "flatten" | "distinct" | "reverse"
        | "sort" | "compact" | "sum" | "anytrue" | "alltrue" | "one" | "keys" | "values"
        | "tostring" | "tonumber" | "tobool" | "tolist" | "toset" | "tomap" | "floor" | "ceil"
        | "abs" | "jsonencode" | "jsondecode" => (1, 1),
        "cidrhost" | "trimprefix" | "trimsuffix" | "trim" | "startswith" | "endswith"
        | "strcontains" | "split" | "regex" | "regexall" | "indent" | "contains" | "element"
        | "setsubtract" | "index" | "zipmap" => (2, 2),
        "replace" | "substr" | "slice" => (3, 3),
        "lookup" => (2, 3),
        "range" => (1, 3),
        "join" => (2, usize::MAX),
        "setproduct" => (2, usize::MAX),
        "concat" | "setunion" | "setintersection" | "coalesce" | "coalescelist" | "format"
        | "formatlist" | "max" | "min" => (1, usize::MAX),
        _ => return true,
    };
    (least..=most).contains(&count)
}

/// Returns the reason why a value as a whole is missing.
fn direct(term: &Term) -> Option<Missing> {
    match term {
        Term::Missing(missing) => Some(missing.clone()),
        _ => None,
    }
}

/// Returns the reason why a value or one of its items is missing.
fn item(term: &Term) -> Option<Missing> {
    match term {
        Term::Missing(missing) => Some(missing.clone()),
        Term::List(items) | Term::Set(items) => items.iter().find_map(item),
        _ => None,
    }
}

/// Result of a function.
type Outcome = Result<Term, &'static str>;

/// Calls a supported function; `None` for other names.
fn known(name: &str, arguments: Vec<Term>) -> Option<Outcome> {
    texts(name, &arguments)
        .or_else(|| collections(name, &arguments))
        .or_else(|| conversions(name, arguments))
}

/// Returns argument `n` as text.
fn text(arguments: &[Term], n: usize) -> Result<String, &'static str> {
    let argument = arguments.get(n).ok_or("text is expected")?;
    let is_number = matches!(argument, Term::Number(_));
    argument.text().ok_or(if is_number { NOT_EXACT } else { "text is expected" })
}

/// Returns the items of argument `n`, a list or a set.
fn list(arguments: &[Term], n: usize) -> Result<&[Term], &'static str> {
    match arguments.get(n) {
        Some(Term::List(list) | Term::Set(list)) => Ok(list),
        _ => Err("a list is expected"),
    }
}

/// Returns argument `n` as a map.
fn map(arguments: &[Term], n: usize) -> Result<&BTreeMap<String, Term>, &'static str> {
    match arguments.get(n) {
        Some(Term::Map(map)) => Ok(map),
        _ => Err("a map is expected"),
    }
}

/// Returns argument `n` as a number of any size.
fn numeral(arguments: &[Term], n: usize) -> Outcome {
    match arguments.get(n) {
        Some(number @ (Term::Number(_) | Term::Large(_))) => Ok(number.clone()),
        Some(Term::Text(text)) => Term::read_number(text).unwrap_or(Err("a number is expected")),
        _ => Err("a number is expected"),
    }
}

/// Returns argument `n` as a number.
fn number(arguments: &[Term], n: usize) -> Result<f64, &'static str> {
    numeral(arguments, n)?.number().ok_or(NOT_EXACT)
}

/// Returns argument `n` as a whole number.
fn whole_number(arguments: &[Term], n: usize) -> Result<i64, &'static str> {
    let number = numeral(arguments, n)?.as_whole_number().ok_or("a whole number is expected")?;
    number.try_into().map_err(|_| NOT_EXACT)
}

/// Returns argument `n` as the number of an item or a character.
fn index(arguments: &[Term], n: usize) -> Result<usize, &'static str> {
    let number = whole_number(arguments, n)?;
    usize::try_from(number).map_err(|_| "a number from 0 is expected")
}

/// Implements `cidrhost(prefix, number)`: an address of a network, counted from its end for a
/// negative number.
fn cidrhost(a: &[Term]) -> Outcome {
    let network: IpNet =
        text(a, 0)?.parse().map_err(|_| "a network such as 192.0.2.0/24 is expected")?;
    let number = number(a, 1)?;
    if number.fract() != 0.0 || number.abs() > MOST_OF_HOSTS {
        return Err("a whole number is expected");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let offset = number.abs() as u128;
    let (first, last) = match network {
        IpNet::V4(of) => {
            (u128::from(u32::from(of.network())), u128::from(u32::from(of.broadcast())))
        }
        IpNet::V6(of) => (u128::from(of.network()), u128::from(of.broadcast())),
    };
    let host = if number < 0.0 { last.checked_sub(offset - 1) } else { first.checked_add(offset) };
    let host = host
        .filter(|host| (first..=last).contains(host))
        .ok_or("the network has no such address")?;
    Ok(Term::Text(match network {
        IpNet::V4(_) => u32::try_from(host)
            .map(Ipv4Addr::from)
            .map_err(|_| "the network has no such address")?
            .to_string(),
        IpNet::V6(_) => Ipv6Addr::from(host).to_string(),
    }))
}

/// Encodes bytes in hexadecimal.
fn hexadecimal(bytes: &impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls a function on text.
fn texts(name: &str, a: &[Term]) -> Option<Outcome> {
    let changed =
        |change: &dyn Fn(&str) -> String| text(a, 0).map(|text| Term::Text(change(&text)));
    let with = |change: &dyn Fn(&str, &str) -> String| {
        text(a, 0).and_then(|one| text(a, 1).map(|two| Term::Text(change(&one, &two))))
    };
    Some(match name {
        "lower" => {
            changed(&|text| text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect())
        }
        "upper" => changed(&|text| text.chars().map(uppercase).collect()),
        "title" => changed(&title),
        "sha1" => changed(&|text| hexadecimal(&digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()))),
        "sha256" => changed(&|text| hexadecimal(&digest(&SHA256, text.as_bytes()))),
        "cidrhost" => cidrhost(a),
        "trimspace" => changed(&|text| text.trim().to_owned()),
        "chomp" => changed(&|text| text.trim_end_matches(['\r', '\n']).to_owned()),
        "trimprefix" => with(&|text, prefix| text.strip_prefix(prefix).unwrap_or(text).to_owned()),
        "trimsuffix" => with(&|text, suffix| text.strip_suffix(suffix).unwrap_or(text).to_owned()),
        "trim" => with(&|text, set| text.trim_matches(|c| set.contains(c)).to_owned()),
        "startswith" => {
            text(a, 0).and_then(|one| text(a, 1).map(|two| Term::Bool(one.starts_with(&two))))
        }
        "endswith" => {
            text(a, 0).and_then(|one| text(a, 1).map(|two| Term::Bool(one.ends_with(&two))))
        }
        "strcontains" => {
            text(a, 0).and_then(|one| text(a, 1).map(|two| Term::Bool(one.contains(&two))))
        }
        "split" => text(a, 0).and_then(|separator| {
            let text = text(a, 1)?;
            let part = |part: &str| Term::from(part);
            Ok(Term::List(match separator.as_str() {
                "" => text.chars().map(|c| Term::Text(c.to_string())).collect(),
                separator => text.split(separator).map(part).collect(),
            }))
        }),
        "join" => text(a, 0).and_then(|separator| {
            let lists: Vec<&[Term]> = (1..a.len()).map(|n| list(a, n)).collect::<Result<_, _>>()?;
            let items = lists.into_iter().flatten();
            let items = items.map(|item| text(std::slice::from_ref(item), 0));
            Ok(Term::Text(items.collect::<Result<Vec<_>, _>>()?.join(&separator)))
        }),
        // A pattern between slashes is a regular expression.
        "replace" => match (text(a, 0), text(a, 1), text(a, 2)) {
            (Ok(text), Ok(pattern), Ok(to))
                if pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/') =>
            {
                let pattern = regex::Regex::new(&pattern[1..pattern.len() - 1]);
                let pattern = pattern.map_err(|_| "the pattern is not valid");
                pattern
                    .map(|pattern| Term::Text(pattern.replace_all(&text, to.as_str()).into_owned()))
            }
            (Ok(text), Ok(from), Ok(to)) => Ok(Term::Text(text.replace(&from, &to))),
            _ => Err("three texts are expected"),
        },
        "format" => text(a, 0).and_then(|pattern| format(&pattern, &a[1..])),
        "substr" => text(a, 0).and_then(|text| {
            let text = characters(&text)?;
            let (offset, length) = (whole_number(a, 1)?, whole_number(a, 2)?);
            let from_end = || text.len().saturating_sub(offset.unsigned_abs() as usize);
            let offset = usize::try_from(offset).unwrap_or_else(|_| from_end());
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            Ok(Term::Text(text.into_iter().skip(offset).take(length).collect()))
        }),
        "strrev" => text(a, 0)
            .and_then(|text| Ok(Term::Text(characters(&text)?.into_iter().rev().collect()))),
        "regex" => text(a, 0).and_then(|pattern| matched(&pattern, &text(a, 1)?)),
        "regexall" => text(a, 0).and_then(|pattern| {
            let text = text(a, 1)?;
            let pattern = regex::Regex::new(&pattern).map_err(|_| "the pattern is not valid")?;
            Ok(Term::List(
                pattern.captures_iter(&text).map(|found| groups(&pattern, &found)).collect(),
            ))
        }),
        "indent" => whole_number(a, 0).and_then(|width| {
            let pad = " ".repeat(usize::try_from(width).unwrap_or(0).min(100));
            Ok(Term::Text(text(a, 1)?.replace('\n', &format!("\n{pad}"))))
        }),
        "base64encode" => changed(&|text| data_encoding::BASE64.encode(text.as_bytes())),
        _ => return None,
    })
}

/// Returns the uppercase letter. Like Go, a letter without a single one stays.
fn uppercase(c: char) -> char {
    let mut letters = c.to_uppercase();
    letters.next().filter(|_| letters.next().is_none()).unwrap_or(c)
}

/// Capitalizes each word. Like in Go, words end at every character of ASCII that is neither a
/// letter, a digit nor `_`, and at other white space.
fn title(text: &str) -> String {
    let is_separator = |c: char| match c.is_ascii() {
        true => !c.is_ascii_alphanumeric() && c != '_',
        false => c.is_whitespace(),
    };
    let mut previous = ' ';
    let capitalized = |c: char| {
        let is_first = is_separator(std::mem::replace(&mut previous, c));
        if is_first { uppercase(c) } else { c }
    };
    text.chars().map(capitalized).collect()
}

/// Returns the match of a pattern.
fn matched(pattern: &str, text: &str) -> Outcome {
    let pattern = regex::Regex::new(pattern).map_err(|_| "the pattern is not valid")?;
    let captures = pattern.captures(text).ok_or("the pattern does not match")?;
    Ok(groups(&pattern, &captures))
}

/// Converts a match: named groups to a map, numbered groups to a list, otherwise the whole match to
/// text.
fn groups(pattern: &regex::Regex, found: &regex::Captures<'_>) -> Term {
    let group = |group: Option<regex::Match<'_>>| {
        group.map_or(Term::Null, |group| Term::from(group.as_str()))
    };
    let names: Vec<&str> = pattern.capture_names().flatten().collect();
    if !names.is_empty() {
        return Term::Map(
            names.into_iter().map(|name| (name.to_owned(), group(found.name(name)))).gather(),
        );
    }
    if pattern.captures_len() > 1 {
        return Term::List((1..pattern.captures_len()).map(|n| group(found.get(n))).collect());
    }
    group(found.get(0))
}

/// Calls a function on lists and maps.
fn collections(name: &str, a: &[Term]) -> Option<Outcome> {
    Some(match name {
        "length" => match a.first() {
            Some(Term::List(list) | Term::Set(list)) => Ok(count(list.len())),
            Some(Term::Map(map)) => Ok(count(map.len())),
            Some(Term::Text(text)) => characters(text).map(|text| count(text.len())),
            _ => Err("a list, a map or text is expected"),
        },
        "concat" | "setunion" => {
            let lists: Result<Vec<&[Term]>, _> = (0..a.len()).map(|n| list(a, n)).collect();
            lists.map(|lists| Term::List(lists.concat())).map(|all| {
                if name == "concat" { all } else { set(&of_one_type(all.items().to_vec())) }
            })
        }
        "flatten" => list(a, 0).map(|items| {
            let mut flat = Vec::new();
            flatten(items, &mut flat);
            Term::List(flat)
        }),
        "distinct" => list(a, 0).map(|items| distinct(&of_one_type(items.to_vec()))),
        "reverse" => list(a, 0).map(|items| Term::List(items.iter().rev().cloned().collect())),
        "sort" => list(a, 0).and_then(|items| {
            let items = (0..items.len()).map(|n| text(items, n));
            let mut texts: Vec<String> = items.collect::<Result<_, _>>()?;
            texts.sort();
            Ok(Term::List(texts.into_iter().map(Term::Text).collect()))
        }),
        "compact" => list(a, 0).map(|items| {
            Term::List(items.iter().filter(|item| !item.is_empty()).cloned().collect())
        }),
        "contains" => list(a, 0).and_then(|items| match &a[1] {
            Term::Null => Err("the wanted value is null"),
            wanted => Ok(Term::Bool(items.contains(wanted))),
        }),
        "element" => list(a, 0).and_then(|items| {
            let index = usize::try_from(whole_number(a, 1)?).map_err(|_| NEGATIVE_INDEX)?;
            items
                .get(index.checked_rem(items.len()).ok_or("the list is empty")?)
                .cloned()
                .ok_or("there is no such item")
        }),
        "slice" => list(a, 0).and_then(|items| {
            let (from, to) = (index(a, 1)?, index(a, 2)?);
            items.get(from..to).map(|part| Term::List(part.to_vec())).ok_or("the list is shorter")
        }),
        "setintersection" | "setsubtract" => list(a, 0).and_then(|items| {
            let read_lists: Result<Vec<&[Term]>, _> = (1..a.len()).map(|n| list(a, n)).collect();
            let other_lists = read_lists?;
            let is_kept = |item: &&Term| match name {
                "setsubtract" => !other_lists.iter().any(|other| other.contains(item)),
                _ => other_lists.iter().all(|other| other.contains(item)),
            };
            Ok(set(&items.iter().filter(is_kept).cloned().collect::<Vec<_>>()))
        }),
        "formatlist" => text(a, 0).and_then(|pattern| {
            let rows = a[1..].iter().filter_map(|value| match value {
                Term::List(list) | Term::Set(list) => Some(list.len()),
                _ => None,
            });
            let rows = rows.max().unwrap_or(1);
            let row = |n: usize| {
                let cell = |value: &Term| match value {
                    Term::List(list) | Term::Set(list) => {
                        list.get(n).cloned().ok_or("the lists differ in length")
                    }
                    other => Ok(other.clone()),
                };
                format(&pattern, &a[1..].iter().map(cell).collect::<Result<Vec<_>, _>>()?)
            };
            (0..rows).map(row).collect::<Result<Vec<_>, _>>().map(Term::List)
        }),
        "index" => list(a, 0).and_then(|items| {
            let at = items.iter().position(|item| a.get(1) == Some(item));
            at.map(count).ok_or("there is no such item")
        }),
        "sum" => list(a, 0).and_then(|items| {
            let add = |sum: Term, item: &Term| {
                calculate(BinaryOperator::Plus, &sum, item)
                    .ok_or("a list of numbers is expected")?
                    .ok_or(NOT_EXACT)
            };
            let (first, others) = items.split_first().ok_or("the list is empty")?;
            others.iter().try_fold(numeral(std::slice::from_ref(first), 0)?, add)
        }),
        "anytrue" | "alltrue" => list(a, 0).and_then(|items| {
            let truths = items.iter().map(|item| match item {
                Term::Null => Ok(false),
                item => item.truth().ok_or("a list of booleans is expected"),
            });
            let truths: Vec<bool> = truths.collect::<Result<_, _>>()?;
            Ok(Term::Bool(match name {
                "anytrue" => truths.contains(&true),
                _ => !truths.contains(&false),
            }))
        }),
        "one" => list(a, 0).and_then(|items| match items {
            [] => Ok(Term::Null),
            [only] => Ok(only.clone()),
            _ => Err("the list has several items"),
        }),
        "keys" => map(a, 0)
            .map(|map| Term::List(map.keys().map(|key| Term::from(key.as_str())).collect())),
        "values" => map(a, 0).map(|map| Term::List(map.values().cloned().collect())),
        "merge" => {
            let maps: Result<Vec<&BTreeMap<String, Term>>, _> =
                (0..a.len()).filter(|n| a[*n] != Term::Null).map(|n| map(a, n)).collect();
            maps.map(|maps| Term::Map(maps.into_iter().flat_map(Clone::clone).collect()))
        }
        "lookup" => map(a, 0).and_then(|map| {
            let member = map.get(&text(a, 1)?).or(a.get(2));
            member.cloned().ok_or("there is no such key")
        }),
        "zipmap" => list(a, 0).and_then(|keys| {
            let values = list(a, 1)?;
            if keys.len() != values.len() {
                return Err("the lists differ in length");
            }
            let keys: Option<Vec<String>> = keys.iter().map(Term::text).collect();
            Ok(Term::Map(
                keys.ok_or("the keys must be texts")?
                    .into_iter()
                    .zip(values.iter().cloned())
                    .collect(),
            ))
        }),
        "setproduct" => {
            let lists: Result<Vec<&[Term]>, _> = (0..a.len()).map(|n| list(a, n)).collect();
            lists.and_then(|lists| {
                #[allow(clippy::cast_precision_loss, reason = "an estimate is enough")]
                let size: f64 = lists.iter().map(|list| list.len() as f64).product();
                if size > 100_000.0 {
                    return Err(TOO_LARGE);
                }
                let product = lists.iter().fold(vec![Vec::new()], |rows: Vec<Vec<Term>>, list| {
                    let extended = |row: &Vec<Term>| {
                        let row = row.clone();
                        list.iter()
                            .map(move |item| {
                                row.iter().cloned().chain([item.clone()]).collect::<Vec<_>>()
                            })
                            .collect::<Vec<_>>()
                    };
                    rows.iter().flat_map(extended).collect()
                });
                let product: Vec<Term> = product.into_iter().map(Term::List).collect();
                let is_of_sets = a.iter().all(|list| matches!(list, Term::Set(_)));
                Ok(if is_of_sets { set(&product) } else { Term::List(product) })
            })
        }
        "range" => {
            let bounds: Result<Vec<f64>, _> = (0..a.len()).map(|n| number(a, n)).collect();
            bounds.and_then(|bounds| {
                let (from, to, step) = match bounds.as_slice() {
                    [to] => (0.0, *to, if *to < 0.0 { -1.0 } else { 1.0 }),
                    [from, to] => (*from, *to, if to < from { -1.0 } else { 1.0 }),
                    [from, to, step] => (*from, *to, *step),
                    _ => return Err("one to three numbers are expected"),
                };
                if step == 0.0 || (to - from) * step < 0.0 {
                    return Err("the step does not lead to the end");
                }
                if (to - from) / step > MOST_OF_RANGE {
                    return Err("more than 1,024 items");
                }
                let items = std::iter::successors(Some(from), |n| Some(n + step))
                    .take_while(|n| if step > 0.0 { *n < to } else { *n > to });
                Ok(Term::List(items.map(Term::Number).collect()))
            })
        }
        _ => return None,
    })
}

/// Calls a function that converts or selects values.
fn conversions(name: &str, a: Vec<Term>) -> Option<Outcome> {
    Some(match name {
        "tostring" => a
            .first()
            .filter(|value| **value == Term::Null)
            .cloned()
            .map_or_else(|| text(&a, 0).map(Term::Text), Ok),
        // A null of any type is a null.
        "tonumber" | "tobool" | "tolist" | "toset" | "tomap" if a.first() == Some(&Term::Null) => {
            Ok(Term::Null)
        }
        "tonumber" => numeral(&a, 0),
        "tobool" => a.first().and_then(Term::truth).map(Term::Bool).ok_or("a boolean is expected"),
        "tolist" => list(&a, 0).map(|items| Term::List(of_one_type(items.to_vec()))),
        "toset" => list(&a, 0).map(|items| set(&of_one_type(items.to_vec()))),
        "tomap" => map(&a, 0).map(|members| {
            let values = of_one_type(members.values().cloned().collect());
            Term::Map(members.keys().cloned().zip(values).gather())
        }),
        "coalesce" => of_one_type(a)
            .into_iter()
            .find(|value| !matches!(value, Term::Null) && !value.is_empty())
            .ok_or("every value is null"),
        "coalescelist" => {
            a.into_iter().find(|value| !value.is_empty()).ok_or("every list is empty")
        }
        "base64decode" => text(&a, 0).and_then(|text| {
            let octets =
                data_encoding::BASE64.decode(text.as_bytes()).map_err(|_| "it is not base64")?;
            String::from_utf8(octets).map(Term::Text).map_err(|_| "it is not text")
        }),
        "max" | "min" => {
            let numbers: Result<Vec<Term>, _> = (0..a.len()).map(|n| numeral(&a, n)).collect();
            numbers.and_then(|numbers| {
                let is_less = |one: &Term, other: &Term| {
                    let whole = one.as_whole_number().zip(other.as_whole_number());
                    let fractions = || one.number().zip(other.number()).map(|(l, r)| l < r);
                    whole.map(|(l, r)| l < r).or_else(fractions).ok_or(NOT_EXACT)
                };
                let (first, others) = numbers.split_first().ok_or("numbers are expected")?;
                others.iter().try_fold(first.clone(), |chosen, other| {
                    let is_other = match name {
                        "max" => is_less(&chosen, other)?,
                        _ => is_less(other, &chosen)?,
                    };
                    Ok(if is_other { other.clone() } else { chosen })
                })
            })
        }
        "floor" => numeral(&a, 0).map(|n| rounded(n, f64::floor)),
        // Terraform has no negative zero after rounding up.
        "ceil" => numeral(&a, 0).map(|n| rounded(n, |n| n.ceil() + 0.0)),
        "abs" => numeral(&a, 0).map(|n| match n {
            Term::Large(n) => Term::Large(n.saturating_abs()),
            Term::Number(n) => Term::Number(n.abs()),
            other => other,
        }),
        "jsonencode" => {
            let mut out = String::new();
            let value = a.first().ok_or("a value is expected");
            value.and_then(|value| append_json(value, &mut out)).map(|()| Term::Text(out))
        }
        "jsondecode" => text(&a, 0).and_then(|text| {
            if has_inexact_number(&text) {
                return Err(NOT_EXACT);
            }
            crate::wire::json::parse_limited(text.as_bytes(), 100_000)
                .map(|json| Term::from_json(&json))
                .map_err(|_| "it is not valid JSON")
        }),
        _ => return None,
    })
}

/// Rounds a number, which can be whole.
fn rounded(number: Term, round: impl Fn(f64) -> f64) -> Term {
    match number {
        Term::Number(n) if n.fract() != 0.0 => Term::Number(round(n)),
        whole => whole,
    }
}

/// Converts a number of items.
fn count(n: usize) -> Term {
    #[allow(clippy::cast_precision_loss, reason = "collections are far smaller than 2^53")]
    Term::Number(n as f64)
}

/// Appends the items of nested lists.
fn flatten(items: &[Term], out: &mut Vec<Term>) {
    for item in items {
        match item {
            Term::List(inner) | Term::Set(inner) => flatten(inner, out),
            other => out.push(other.clone()),
        }
    }
}
