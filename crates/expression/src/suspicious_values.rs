//! Values that a field never has, or that have a surprising meaning: valid, but probably mistakes.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/fields/reference and
//! …/rules/normalization, read 2026-11-20. They show only by example that `http.host` and header
//! names are in lower case, and methods in upper case.

use crate::checked_expression::Check;
use crate::patterns;
use crate::problem::quoted;
use crate::syntax::{
    Base, ComparedValue, Comparison, Index, Item, Literal, Node, NodeKind, Operand, Operator, Span,
};
use crate::vocabulary::{ExpressionFunction, FIELDS};

/// Fields that contain a path.
const PATHS: &[&str] = &["http.request.full_uri", "http.request.uri", "http.request.uri.path"];

/// Country names in lower case and their codes (ISO 3166-1), for the countries most common in
/// rules.
#[rustfmt::skip]
const COUNTRIES: &[(&str, &str)] = &[
    ("afghanistan", "AF"), ("argentina", "AR"), ("australia", "AU"), ("austria", "AT"), ("bangladesh", "BD"),
    ("belarus", "BY"), ("belgium", "BE"), ("brazil", "BR"), ("bulgaria", "BG"), ("canada", "CA"), ("chile", "CL"),
    ("china", "CN"), ("colombia", "CO"), ("croatia", "HR"), ("cuba", "CU"), ("cyprus", "CY"), ("czechia", "CZ"),
    ("denmark", "DK"), ("egypt", "EG"), ("england", "GB"), ("estonia", "EE"), ("finland", "FI"), ("france", "FR"),
    ("germany", "DE"), ("great britain", "GB"), ("greece", "GR"), ("hong kong", "HK"), ("hungary", "HU"), ("iceland", "IS"),
    ("india", "IN"), ("indonesia", "ID"), ("iran", "IR"), ("iraq", "IQ"), ("ireland", "IE"), ("israel", "IL"),
    ("italy", "IT"), ("japan", "JP"), ("kenya", "KE"), ("korea", "KR"), ("latvia", "LV"), ("lithuania", "LT"),
    ("luxembourg", "LU"), ("malaysia", "MY"), ("mexico", "MX"), ("netherlands", "NL"), ("new zealand", "NZ"),
    ("nigeria", "NG"), ("north korea", "KP"), ("norway", "NO"), ("pakistan", "PK"), ("philippines", "PH"), ("poland", "PL"),
    ("portugal", "PT"), ("romania", "RO"), ("russia", "RU"), ("saudi arabia", "SA"), ("serbia", "RS"), ("singapore", "SG"),
    ("slovakia", "SK"), ("slovenia", "SI"), ("south africa", "ZA"), ("south korea", "KR"), ("spain", "ES"), ("sweden", "SE"),
    ("switzerland", "CH"), ("syria", "SY"), ("taiwan", "TW"), ("thailand", "TH"), ("turkey", "TR"), ("uk", "GB"),
    ("ukraine", "UA"), ("united arab emirates", "AE"), ("united kingdom", "GB"), ("united states", "US"), ("usa", "US"),
    ("venezuela", "VE"), ("vietnam", "VN"),
];

/// The part of a value that a literal is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The whole value.
    Whole,
    /// Its beginning.
    Start,
    End,
    /// Any part.
    Any,
    /// The whole value, as a pattern.
    Pattern {
        /// True if case matters.
        is_strict: bool,
    },
}

/// A text, the field that it is compared with, and the kind of comparison.
struct Text<'t> {
    field: &'t str,
    /// The field as written in the expression.
    left: String,
    /// The case function (`lower`, `upper`) around it.
    through: Option<&'t str>,
    /// The text.
    value: &'t str,
    /// Its place.
    span: &'t Span,
    /// The part that it is compared with.
    part: Part,
}

/// Returns the field of an operand, and the case function around it.
fn subject(operand: &Operand) -> Option<(&str, Option<&str>)> {
    match &operand.base {
        Base::Field(name) if operand.indexes.is_empty() => Some((name, None)),
        Base::Call(name, arguments) if matches!(name.as_str(), "lower" | "upper") => {
            match &arguments.first()?.kind {
                NodeKind::Operand(inner) => Some((inner.plain_field()?, Some(name))),
                NodeKind::Chain(..)
                | NodeKind::Not(_)
                | NodeKind::Comparison(_)
                | NodeKind::Broken => None,
            }
        }
        Base::Field(_) | Base::Call(..) | Base::Literal(_) => None,
    }
}

/// Warns about the values of a comparison.
pub(super) fn comparison(check: &mut Check<'_>, comparison: &Comparison) {
    warn_of_numbers(check, comparison);
    let Some((field, through)) = subject(&comparison.left) else { return };
    let part = match comparison.operator {
        Operator::Equal | Operator::NotEqual | Operator::In => Part::Whole,
        Operator::Contains => Part::Any,
        Operator::Wildcard => Part::Pattern { is_strict: false },
        Operator::StrictWildcard => Part::Pattern { is_strict: true },
        Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Matches => {
            return;
        }
    };
    let values: Vec<(&Literal, &Span)> = match &comparison.right {
        ComparedValue::Literal(literal) => vec![(literal, &comparison.right_span)],
        ComparedValue::Set(items) => {
            items.iter().filter_map(|(i, span)| single_literal(i).map(|l| (l, span))).collect()
        }
        ComparedValue::List(_) | ComparedValue::Operand(_) | ComparedValue::Broken => return,
    };
    for (literal, span) in values {
        let Literal::Bytes(bytes) = literal else { continue };
        let Ok(value) = std::str::from_utf8(bytes) else { continue };
        let left_text = check.shown(&comparison.left.span);
        warn_of_text(check, &Text { field, left: left_text, through, value, span, part });
    }
}

/// Returns the value of a member that is not a range.
fn single_literal(item: &Item) -> Option<&Literal> {
    match item {
        Item::One(literal) => Some(literal),
        Item::Range(..) => None,
    }
}

/// Warns about one text.
fn warn_of_text(check: &mut Check<'_>, text: &Text<'_>) {
    let Text { field, left, value, span, part, .. } = text;
    let is_pattern = matches!(part, Part::Pattern { .. });
    let is_insensitive = *part == Part::Pattern { is_strict: false };
    let mut warn = |code, message: String, help: String| {
        check.problems.warning((*span).clone(), code, message, help)
    };
    let shown = quoted(value);
    let case = match text.through {
        Some("lower") => value.chars().any(|c| c.is_ascii_uppercase()),
        Some(_) => value.chars().any(|c| c.is_ascii_lowercase()),
        None => false,
    };
    if case && !is_insensitive {
        let help = "write the text in the case that the function gives".to_owned();
        warn("never-equal", format!("`{left}` never matches the case of `{shown}`"), help);
        return;
    }
    // Queries may contain asterisks, and are not decoded.
    let is_of_path = PATHS.contains(&field.strip_prefix("raw.").unwrap_or(field));
    if value.contains('*') && !is_pattern && (is_of_path || *field == "http.host") {
        let help = match part {
            Part::Whole => format!("write `{left} wildcard \"{shown}\"`"),
            Part::Start | Part::End | Part::Any | Part::Pattern { .. } => {
                "remove the `*`".to_owned()
            }
        };
        warn(
            "asterisk-is-literal",
            format!("in `{shown}` the `*` is an ordinary character here"),
            help,
        );
    }
    match *field {
        "http.host" => warn_of_host(&mut warn, text, is_insensitive),
        "http.request.method"
            if text.through.is_none()
                && !is_insensitive
                && value.bytes().any(|b| b.is_ascii_lowercase()) =>
        {
            let help = format!("write `\"{}\"`", value.to_ascii_uppercase());
            warn("method-case", format!("methods are in upper case; `{shown}` is not"), help);
        }
        "ip.src.country" | "ip.geoip.country" if *part == Part::Whole && text.through.is_none() => {
            warn_of_country(&mut warn, value);
        }
        "http.request.uri.path"
        | "http.request.uri"
        | "raw.http.request.uri.path"
        | "raw.http.request.uri" => {
            warn_of_path(&mut warn, text);
        }
        "http.request.uri.path.extension"
            if value.starts_with('.') && matches!(part, Part::Whole | Part::Start) =>
        {
            let help = format!("write `\"{}\"`", quoted(&value[1..]));
            warn("never-equal", "extensions are compared without the dot".to_owned(), help);
        }
        "http.request.uri.query"
            if value.starts_with('?') && matches!(part, Part::Whole | Part::Start) =>
        {
            let help = format!("write `\"{}\"`", quoted(&value[1..]));
            warn("never-equal", "queries are compared without the question mark".to_owned(), help);
        }
        _ => {}
    }
    if let Some(raw) = FIELDS.iter().find(|f| f.raw_of == Some(*field)).filter(|_| is_of_path)
        && has_percent_encoding(value)
    {
        let help = format!(
            "write `{}` to compare with what was sent, or compare `url_decode({left})`",
            raw.name
        );
        warn(
            "percent-encoded",
            format!("`{shown}` is percent-encoded, and `{left}` may be decoded already"),
            help,
        );
    }
    if let Some(known) = FIELDS.iter().find(|f| f.name == *field).filter(|f| !f.values.is_empty())
        && *part == Part::Whole
        && text.through.is_none()
        && !known.values.contains(value)
    {
        let values: Vec<_> = known.values.iter().map(|v| format!("`{v}`")).collect();
        warn(
            "unknown-value",
            format!("`{field}` is never `{shown}`"),
            format!("its values are {}", values.join(", ")),
        );
    }
}

/// Accepts a code, a message and a help.
type Warn<'w> = dyn FnMut(&'static str, String, String) + 'w;

/// Warns about a text that is compared with the host.
fn warn_of_host(warn: &mut Warn<'_>, text: &Text<'_>, is_insensitive: bool) {
    let shown = quoted(text.value);
    if text.through.is_none() && !is_insensitive && text.value.chars().any(char::is_uppercase) {
        let help = format!("write `\"{}\"`", quoted(&text.value.to_lowercase()));
        warn("host-case", format!("the host is in lower case; `{shown}` is not"), help);
    }
    if text.value.contains('/') {
        let help =
            "write the name alone, and compare `http.request.uri.path` with the rest".to_owned();
        warn("never-equal", format!("a host has no `/`, but `{shown}` has one"), help);
    } else if text.part == Part::Any
        && text.value.contains('.')
        && !text.value.starts_with('.')
        && text.value.len() > 3
    {
        let help = format!(
            "write `{} eq \"{shown}\"`, or `ends_with({}, \".{shown}\")`",
            text.left, text.left
        );
        warn(
            "host-contains",
            format!("other hosts contain `{shown}` too, such as `{shown}.example`"),
            help,
        );
    } else if text.part == Part::End && text.value.contains('.') && !text.value.starts_with('.') {
        let help = format!(
            "write `\".{shown}\"`, and `or {} eq \"{shown}\"` for the name itself",
            text.left
        );
        warn(
            "host-suffix",
            format!("other domains end with `{shown}` too, such as `x{shown}`"),
            help,
        );
    }
}

fn country_code(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    COUNTRIES.iter().find(|(country, _)| *country == lower).map(|(_, code)| *code)
}

/// Warns about a text that is compared with a country code.
fn warn_of_country(warn: &mut Warn<'_>, value: &str) {
    let shown = quoted(value);
    let is_letter_pair = value.len() == 2 && value.bytes().all(|b| b.is_ascii_alphabetic());
    let help = match country_code(value) {
        _ if value == "T1" => return,
        _ if is_letter_pair && value.bytes().all(|b| b.is_ascii_uppercase()) && value != "UK" => {
            return;
        }
        Some(code) => format!("write `\"{code}\"`"),
        None if is_letter_pair => format!("write `\"{}\"`", value.to_ascii_uppercase()),
        None => "write the two letters of ISO 3166-1, in upper case, such as `\"DE\"`".to_owned(),
    };
    warn("country-code", format!("`{shown}` is not the code of a country"), help);
}

/// Warns about a text that is compared with a path.
fn warn_of_path(warn: &mut Warn<'_>, text: &Text<'_>) {
    let shown = quoted(text.value);
    let is_start = matches!(text.part, Part::Whole | Part::Start | Part::Pattern { .. });
    if is_start && !text.value.starts_with(['/', '*']) && !text.value.is_empty() {
        let help = match text.value.split_once("://") {
            Some(_) => "compare `http.request.full_uri`".to_owned(),
            None => format!("write `\"/{shown}\"`"),
        };
        warn("path-without-slash", format!("every path begins with `/`; `{shown}` does not"), help);
    }
    if text.field.ends_with("uri.path") && text.value.contains('?') {
        let help =
            "compare `http.request.uri`, or the query with `http.request.uri.query`".to_owned();
        warn("query-in-path", format!("the path ends before the `?` of `{shown}`"), help);
    }
}

/// Returns true if a text contains `%` and two hexadecimal digits.
fn has_percent_encoding(text: &str) -> bool {
    text.as_bytes()
        .windows(3)
        .any(|w| w[0] == b'%' && w[1].is_ascii_hexdigit() && w[2].is_ascii_hexdigit())
}

/// Warns about numbers for which a comparison has the same result for every value of the field.
fn warn_of_numbers(check: &mut Check<'_>, comparison: &Comparison) {
    let Some(field) =
        comparison.left.plain_field().and_then(|name| FIELDS.iter().find(|f| f.name == name))
    else {
        return;
    };
    let Some((least, most)) = field.range else { return };
    let mut warn = |span: &Span, outcome: &str| {
        let message = format!("`{}` goes from {least} to {most}; this is {outcome}", field.name);
        check.problems.warning(
            span.clone(),
            "outside-range",
            message,
            "compare with a value in this range",
        );
    };
    let span = &comparison.right_span;
    match &comparison.right {
        ComparedValue::Literal(Literal::Integer(n)) => {
            let (never, always) = match comparison.operator {
                Operator::Equal => (!(least..=most).contains(n), false),
                Operator::NotEqual => (false, !(least..=most).contains(n)),
                Operator::Less => (*n <= least, *n > most),
                Operator::LessOrEqual => (*n < least, *n >= most),
                Operator::Greater => (*n >= most, *n < least),
                Operator::GreaterOrEqual => (*n > most, *n <= least),
                Operator::Contains
                | Operator::Matches
                | Operator::Wildcard
                | Operator::StrictWildcard
                | Operator::In => (false, false),
            };
            if never || always {
                warn(span, if never { "never true" } else { "always true" });
            }
        }
        ComparedValue::Set(items) => {
            for (item, span) in items {
                let is_outside = match item {
                    Item::One(Literal::Integer(n)) => !(least..=most).contains(n),
                    Item::Range(Literal::Integer(first), Literal::Integer(last)) => {
                        *first > most || *last < least
                    }
                    Item::One(_) | Item::Range(..) => false,
                };
                if is_outside {
                    warn(span, "never true");
                }
            }
        }
        ComparedValue::Literal(_)
        | ComparedValue::List(_)
        | ComparedValue::Operand(_)
        | ComparedValue::Broken => {}
    }
}

/// Warns about a header name that is not in lower case.
pub(super) fn map_key(check: &mut Check<'_>, operand: &Operand, key: &[u8], span: &Span) {
    let Base::Field(name) = &operand.base else { return };
    if !name.ends_with(".headers") || !key.iter().any(u8::is_ascii_uppercase) {
        return;
    }
    let key = String::from_utf8_lossy(key);
    let message = format!("names of headers are in lower case; `{}` is not", quoted(&key));
    let help = format!("write `\"{}\"`", quoted(&key.to_ascii_lowercase()));
    check.problems.warning(span.clone(), "header-case", message, help);
}

/// Checks the values of a call's arguments.
pub(super) fn call(
    check: &mut Check<'_>,
    function: &ExpressionFunction,
    arguments: &[Node],
    operand: &Operand,
) {
    let literal = |n: usize| match arguments.get(n).map(|a| (&a.kind, &a.span)) {
        Some((NodeKind::Operand(operand), span)) => operand.literal().map(|l| (l, span)),
        Some((
            NodeKind::Chain(..) | NodeKind::Not(_) | NodeKind::Comparison(_) | NodeKind::Broken,
            _,
        ))
        | None => None,
    };
    let bounds: &[(usize, i64)] = match function.name {
        "cidr" => &[(1, 32), (2, 128)],
        "cidr6" => &[(1, 128)],
        "split" => &[(2, 128)],
        _ => &[],
    };
    for (n, most) in bounds {
        if let Some((Literal::Integer(number), span)) = literal(*n)
            && !(1..=*most).contains(number)
        {
            let message = format!("`{}` takes numbers from 1 to {most} here", function.name);
            check.problems.error(
                span.clone(),
                "wrong-argument",
                message,
                "write a number in this range",
            );
        }
    }
    let second = match literal(1) {
        Some((Literal::Bytes(bytes), span)) => {
            std::str::from_utf8(bytes).ok().map(|text| (text, span))
        }
        Some(_) | None => None,
    };
    let Some((value, span)) = second else { return };
    let part = match function.name {
        "regex_replace" => return drop(patterns::regex(check, value, span)),
        "wildcard_replace" => return patterns::wildcard(check, value, span),
        "has_key" => {
            if let Some(NodeKind::Operand(map)) = arguments.first().map(|a| &a.kind) {
                map_key(check, map, value.as_bytes(), span);
            }
            return;
        }
        "starts_with" => Part::Start,
        "ends_with" => Part::End,
        _ => return,
    };
    let Some(NodeKind::Operand(first)) = arguments.first().map(|a| &a.kind) else { return };
    // In a mapping, the indexes follow the call itself.
    if operand.indexes.iter().any(|(i, _)| *i == Index::Each) {
        return;
    }
    if let Some((field, through)) = subject(first) {
        let left_text = check.shown(&first.span);
        warn_of_text(check, &Text { field, left: left_text, through, value, span, part });
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn ordinary_values_are_no_mistakes() {
        for fine in [
            r#"http.request.uri.query contains "%27*""#,
            r#"http.host wildcard "*.Example.com""#,
            r#"ip.src.country in {"DE" "T1" "XX"}"#,
            r#"cf.waf.score le 98 and cf.waf.score gt 1"#,
            r#"http.request.uri.path wildcard "*/a*""#,
            r#"lower(http.request.uri.path) contains "/a""#,
            r#"http.host contains ".example""#,
        ] {
            assert_eq!(codes(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn bounds_of_a_field_may_be_excluded() {
        assert_eq!(codes("cf.waf.score lt 99"), [""; 0]);
        assert_eq!(codes("cf.waf.score lt 100"), ["outside-range"]);
        assert_eq!(codes("cf.waf.score in {1..200}"), [""; 0]);
        assert_eq!(codes("cf.waf.score in {100..200}"), ["outside-range"]);
    }
}
