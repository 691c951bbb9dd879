//! SVCB and HTTPS records: service bindings.

use super::super::facts::{FieldFacts, FieldKind, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::presentation::PresentationToken;
use super::svc_params::SvcParams;
use super::{DataError, FieldReader, RecordData, Root, parse_host};

const SVCB: TypeFacts = TypeFacts {
    name: "SVCB",
    number: 64,
    about: "where and how a service is reached",
    fields: &[
        FieldFacts::number(
            "priority",
            65_535,
            "0 for an alias, else 1 to 65535; the lowest is tried first",
        ),
        FieldFacts::data(
            "target",
            FieldKind::HostKeepDot,
            "the host name, or `.` for the record's own name",
        ),
        FieldFacts::data(
            "value",
            FieldKind::SvcParams,
            "parameters such as alpn=\"h3,h2\" port=\"8443\"; none for an alias",
        ),
    ],
    source: "RFC 9460 section 2",
    examples: &[
        r#"1 dns.example.com. alpn="dot" port="853""#,
        "0 svc.example.net.",
        r#"16 foo.example.org. mandatory="alpn,ipv4hint" alpn="h2,h3-19" ipv4hint="192.0.2.1""#,
        r#"1 foo.example.com. key667="hello\210qoo""#,
    ],
    ..TypeFacts::BASE
};

const HTTPS: TypeFacts = TypeFacts {
    name: "HTTPS",
    number: 65,
    about: "where and how a web site is reached",
    source: "RFC 9460 section 9",
    examples: &[
        r#"1 . alpn="h3,h2" ipv4hint="192.0.2.10""#,
        "0 pool.example.net.",
        r#"2 . alpn="h2" no-default-alpn port="8443" ech="AEj+DQ==" ipv6hint="2001:db8::1,2001:db8::2""#,
    ],
    ..SVCB
};

/// A binding for any service.
pub type Svcb = Binding<{ SVCB.number }>;

/// A binding for a web site.
pub type Https = Binding<{ HTTPS.number }>;

/// The endpoint of a service. The target `.` means the record's own name or, in an alias, no
/// service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binding<const NUMBER: u16> {
    priority: u16,
    target: Fqdn,
    params: SvcParams,
}

impl<const NUMBER: u16> Binding<NUMBER> {
    /// Refuses an alias with parameters.
    fn new(priority: u16, target: Fqdn, params: SvcParams) -> Result<Self, DataError> {
        if priority == 0 && !params.is_empty() {
            return Err(DataError::field(
                "value",
                "priority 0 makes an alias, which has no parameters",
            )
            .help("write a priority from 1, or remove the parameters"));
        }
        Ok(Self { priority, target, params })
    }
}

/// Returns the next word of a text from an offset, and the offset after it.
fn token(text: &str, from: usize) -> Option<(PresentationToken, usize)> {
    let unread = &text[from..];
    let start = from + unread.find(|c: char| !c.is_whitespace())?;
    let end = text[start..].find(char::is_whitespace).map_or(text.len(), |n| start + n);
    Some((
        PresentationToken {
            octets: text.as_bytes()[start..end].to_vec(),
            offset: start,
            quoted: false,
        },
        end,
    ))
}

impl<const NUMBER: u16> RecordData for Binding<NUMBER> {
    const FACTS: TypeFacts = if NUMBER == HTTPS.number { HTTPS } else { SVCB };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let priority = reader.u16("priority");
        let target = reader.host("target", Root::Allowed);
        let params =
            reader.optional_text("value").and_then(|text| reader.keep(SvcParams::parse(&text)));
        let data = match (priority, target, params) {
            (Some(priority), Some(target), Some(params)) => {
                reader.keep(Self::new(priority, target, params))
            }
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let missing = || {
            DataError::whole("a priority and a target are needed")
                .help("write `1 . alpn=\"h3,h2\"`")
        };
        let (priority, end) = token(text, 0).ok_or_else(missing)?;
        let (target, end) = token(text, end).ok_or_else(missing)?;
        let priority = priority.u16("priority")?;
        let host =
            parse_host("target", &target.text(), Root::Allowed).map_err(|e| e.at(target.offset))?;
        let params = SvcParams::parse(&text[end..]).map_err(|mut e| {
            e.offset = e.offset.map(|n| n + end);
            e
        })?;
        let start = text.len() - text[end..].trim_start().len();
        Self::new(priority, host, params).map_err(|e| e.at(start))
    }

    /// The target has the final dot, as in Cloudflare's answers.
    fn fields(&self) -> Fields {
        Fields::from([
            ("priority".to_owned(), Value::from(u32::from(self.priority))),
            ("target".to_owned(), Value::from(self.target.absolute())),
            ("value".to_owned(), Value::from(self.params.to_string())),
        ])
    }

    fn presentation(&self) -> String {
        let start = format!("{} {}", self.priority, self.target.absolute());
        if self.params.is_empty() { start } else { format!("{start} {}", self.params) }
    }

    fn pairing_key(&self) -> String {
        self.target.to_string()
    }

    fn target(&self) -> Option<&Fqdn> {
        Some(&self.target)
    }
}
