//! Fills in the templates of octoDNS's `Templating` processor.
//!
//! # Sources
//! octodns 1.22.0, `processor/templating.py` and the `template` methods in `record/`, read 2026-11;
//! docs.python.org/3/library/string.html (format string syntax).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::populate::RecordSet;
use super::providers::OptionReader;
use crate::model::ZoneName;
use crate::spec::{PythonScalar, Yaml, YamlKind};

/// Members of structured values in which octoDNS fills in templates.
const MEMBERS: &[(&str, &[&str])] = &[
    ("CAA", &["value"]),
    ("DS", &["digest", "public_key"]),
    ("HTTPS", &["targetname"]),
    ("MX", &["exchange", "value"]),
    ("NAPTR", &["service", "regexp", "replacement"]),
    ("SRV", &["target"]),
    ("SSHFP", &["fingerprint"]),
    ("SVCB", &["targetname"]),
    ("TLSA", &["certificate_association_data"]),
    ("URI", &["target"]),
];

/// Types whose value is a text with templates.
const TEXTS: &[&str] = &["ALIAS", "CNAME", "DNAME", "NS", "OPENPGPKEY", "PTR", "TXT"];

/// Types whose values octoDNS writes in lower case before it fills in templates.
const LOWERED: &[&str] = &[
    "ALIAS", "CNAME", "DNAME", "DS", "HTTPS", "MX", "NS", "PTR", "SRV", "SSHFP", "SVCB", "TLSA",
    "URI",
];

/// A processor that fills in templates.
#[derive(Debug)]
pub(super) struct Templating {
    has_trailing_dots: bool,
    /// Further parameters; `None` for one whose text is not known.
    context: BTreeMap<String, Option<String>>,
}

/// Why a template cannot be filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TemplateFault {
    /// octoDNS ends with an error.
    Refused(String),
    /// The result is not known.
    Unknown(String),
}

/// The parameters of a record set; `None` for one whose text is not known.
type Parameters = BTreeMap<String, Option<String>>;

impl Templating {
    pub(super) fn read(
        config: &Yaml,
        options: &mut OptionReader<'_>,
        handlers: &BTreeSet<String>,
    ) -> Self {
        let is_secret = |text: &str| {
            text.split_once('/').is_some_and(|(handler, _)| handlers.contains(handler))
        };
        let text = |value: &Yaml| match &value.kind {
            YamlKind::Null => Some("None".to_owned()),
            YamlKind::Scalar(text) if is_secret(text) => None,
            YamlKind::Scalar(_) => match value.python()? {
                PythonScalar::Timestamp(_) => None,
                scalar => Some(scalar.python_text()),
            },
            YamlKind::List(_) | YamlKind::Map(_) => None,
        };
        let members = config.get("context").map(Yaml::members).unwrap_or_default();
        Self {
            has_trailing_dots: options.is_on("trailing_dots", true),
            context: members.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        }
    }

    /// Returns the parameters of the templates of a record set.
    pub(super) fn parameters(&self, set: &RecordSet<'_>, zone: &ZoneName, ttl: i64) -> Parameters {
        let dotted = |name: String| if self.has_trailing_dots { format!("{name}.") } else { name };
        let encoded_zone = zone.as_str().to_owned();
        let decoded_zone = zone.unicode().unwrap_or_else(|| encoded_zone.clone());
        let below = |zone: &str| match set.name.as_str() {
            "" => zone.to_owned(),
            name => format!("{name}.{zone}"),
        };
        // The other form of an internationalised name is not computed.
        let is_plain = set.name.is_ascii() && !set.name.contains("xn--");
        let if_plain = |text: String| is_plain.then_some(text);
        let (decoded_name, encoded_name) =
            (dotted(below(&decoded_zone)), dotted(below(&encoded_zone)));
        let mut parameters = Parameters::from(
            [
                ("record_name", if_plain(set.name.clone())),
                ("record_decoded_name", if_plain(set.name.clone())),
                ("record_encoded_name", if_plain(set.name.clone())),
                ("record_fqdn", if_plain(decoded_name.clone())),
                ("record_decoded_fqdn", if_plain(decoded_name)),
                ("record_encoded_fqdn", if_plain(encoded_name)),
                ("record_type", Some(set.type_name.clone())),
                ("record_ttl", Some(ttl.to_string())),
                ("record_source_id", None),
                ("zone_name", Some(dotted(decoded_zone.clone()))),
                ("zone_decoded_name", Some(dotted(decoded_zone))),
                ("zone_encoded_name", Some(dotted(encoded_zone))),
                // It counts the records that are left after everything else.
                ("zone_num_records", None),
            ]
            .map(|(name, text)| (name.to_owned(), text)),
        );
        parameters.extend(self.context.clone());
        parameters
    }
}

/// Fills in the templates of a value of a record set.
pub(super) fn fill_value<'y>(
    type_name: &str,
    value: Cow<'y, Yaml>,
    parameters: &Parameters,
) -> Result<Cow<'y, Yaml>, TemplateFault> {
    let fill = |value: &Yaml| -> Result<Option<Yaml>, TemplateFault> {
        let Some(text) = value.text() else { return Ok(None) };
        let text = match LOWERED.contains(&type_name) {
            true => text.to_lowercase(),
            false => text.to_owned(),
        };
        let filled = fill_text(&text, parameters)?;
        Ok(Some(Yaml::new(value.place, YamlKind::Scalar(filled))))
    };
    let has_template = |value: &Yaml| value.text().is_some_and(|text| text.contains('{'));
    if TEXTS.contains(&type_name) {
        return match has_template(&value) {
            true => Ok(fill(&value)?.map_or(value, Cow::Owned)),
            false => Ok(value),
        };
    }
    let names = MEMBERS.iter().find(|(of, _)| *of == type_name).map_or(&[][..], |(_, names)| names);
    let is_named = |name: &str| names.contains(&name);
    if !value.members().iter().any(|(name, member)| is_named(name) && has_template(member)) {
        return Ok(value);
    }
    let mut members = value.members().to_vec();
    for (name, member) in &mut members {
        if is_named(name)
            && let Some(filled) = fill(member)?
        {
            *member = filled;
        }
    }
    Ok(Cow::Owned(Yaml { kind: YamlKind::Map(members), ..value.into_owned() }))
}

/// Fills in the parameters of a text, as Python's `str.format` does.
fn fill_text(text: &str, parameters: &Parameters) -> Result<String, TemplateFault> {
    let refused = |why: &str| Err(TemplateFault::Refused(why.to_owned()));
    let mut filled = String::new();
    let mut unread = text;
    while let Some(at) = unread.find(['{', '}']) {
        filled.push_str(&unread[..at]);
        let brace = &unread[at..=at];
        unread = &unread[at + 1..];
        if let Some(after) = unread.strip_prefix(brace) {
            filled.push_str(brace);
            unread = after;
            continue;
        }
        if brace == "}" {
            return refused("a `}` without `{`; a literal one is written `}}`");
        }
        let Some(end) = unread.find(['{', '}']).filter(|end| unread[*end..].starts_with('}'))
        else {
            return refused("a `{` without `}`; a literal one is written `{{`");
        };
        let field = &unread[..end];
        unread = &unread[end + 1..];
        let name = &field[..field.find(['.', '[', '!', ':']).unwrap_or(field.len())];
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return refused(&format!("`{{{field}}}` names no parameter"));
        }
        match parameters.get(name) {
            None => return refused(&format!("the template parameter `{name}` is not defined")),
            Some(Some(known)) if name == field => filled.push_str(known),
            Some(_) => {
                let why = format!("what octoDNS makes of its template `{{{field}}}` is not known");
                return Err(TemplateFault::Unknown(why));
            }
        }
    }
    filled.push_str(unread);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are those of `str.format` of Python 3.11.
    #[test]
    fn texts_are_filled_in_as_python_does() {
        let parameters = Parameters::from([
            ("zone_name".to_owned(), Some("example.com.".to_owned())),
            ("braces".to_owned(), Some("{x}".to_owned())),
            ("list".to_owned(), None),
        ]);
        for (text, expected) in [
            ("a {zone_name} b", "a example.com. b"),
            ("{zone_name}{zone_name}", "example.com.example.com."),
            ("{{zone_name}}", "{zone_name}"),
            ("{{{zone_name}}}", "{example.com.}"),
            ("{braces}", "{x}"),
            ("}}{{", "}{"),
            ("", ""),
        ] {
            assert_eq!(fill_text(text, &parameters), Ok(expected.to_owned()), "{text}");
        }
        for text in [
            "{",
            "}",
            "a}b",
            "{zone_name",
            "{}",
            "{0}",
            "{ zone_name }",
            "{nothing}",
            "{zone_name}}",
        ] {
            let filled = fill_text(text, &parameters);
            assert!(matches!(filled, Err(TemplateFault::Refused(_))), "{text}: {filled:?}");
        }
        for text in ["{zone_name!r}", "{zone_name:>30}", "{list[0]}", "{list}", "{zone_name.x}"] {
            let filled = fill_text(text, &parameters);
            assert!(matches!(filled, Err(TemplateFault::Unknown(_))), "{text}: {filled:?}");
        }
    }
}
