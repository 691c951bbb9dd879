//! SMIMEA: the certificate or key of a mail user.

use super::super::facts::TypeFacts;
use super::association::{COMPOSED, Certificate, FIELDS};
use super::shared::record_of_format;

/// The certificate or key of a mail user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Smimea(Certificate);

record_of_format!(
    Smimea(Certificate),
    TypeFacts {
        name: "SMIMEA",
        number: 53,
        about: "the certificate or key of a mail user",
        fields: FIELDS,
        composed: COMPOSED,
        proxiable: false,
        repeats_priority: false,
        source: "RFC 8162 section 2",
        examples: &[
            "3 0 1 e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5",
            "3 1 2 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
        ],
    }
);
