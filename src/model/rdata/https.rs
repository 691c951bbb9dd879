//! HTTPS: where and how a web site is reached.

use super::super::facts::TypeFacts;
use super::binding::{Binding, COMPOSED, FIELDS};
use super::shared::record_of_format;

/// Where and how a web site is reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Https(Binding);

record_of_format!(
    Https(Binding),
    TypeFacts {
        name: "HTTPS",
        number: 65,
        about: "where and how a web site is reached",
        fields: FIELDS,
        composed: COMPOSED,
        proxiable: false,
        repeats_priority: false,
        source: "RFC 9460 section 9",
        examples: &[
            r#"1 . alpn="h3,h2" ipv4hint="192.0.2.10""#,
            "0 pool.example.net.",
            r#"2 . alpn="h2" no-default-alpn port="8443" ech="AEj+DQ==" ipv6hint="2001:db8::1,2001:db8::2""#,
        ],
    }
);
