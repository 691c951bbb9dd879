//! SVCB: where and how a service is reached.

use super::super::facts::TypeFacts;
use super::binding::{Binding, COMPOSED, FIELDS};
use super::shared::record_of_format;

/// Where and how a service is reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Svcb(Binding);

record_of_format!(
    Svcb(Binding),
    TypeFacts {
        name: "SVCB",
        number: 64,
        about: "where and how a service is reached",
        fields: FIELDS,
        composed: COMPOSED,
        proxiable: false,
        repeats_priority: false,
        source: "RFC 9460 section 2",
        examples: &[
            r#"1 dns.example.com. alpn="dot" port="853""#,
            "0 svc.example.net.",
            r#"16 foo.example.org. mandatory="alpn,ipv4hint" alpn="h2,h3-19" ipv4hint="192.0.2.1""#,
            r#"1 foo.example.com. key667="hello\210qoo""#,
        ],
    }
);
