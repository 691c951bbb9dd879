//! TLSA: the certificate or key of a TLS service.

use super::super::facts::TypeFacts;
use super::association::{COMPOSED, Certificate, FIELDS};
use super::shared::record_of_format;

/// The certificate or key of a TLS service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tlsa(Certificate);

record_of_format!(
    Tlsa(Certificate),
    TypeFacts {
        name: "TLSA",
        number: 52,
        about: "the certificate or key of a TLS service",
        fields: FIELDS,
        composed: COMPOSED,
        proxiable: false,
        repeats_priority: false,
        source: "RFC 6698 section 2",
        examples: &[
            "3 1 1 d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4",
            "2 0 0 30820122300d06092a864886f70d0101",
        ],
    }
);
