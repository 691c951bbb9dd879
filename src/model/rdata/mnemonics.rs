//! Names that presentation text may use for numbers.

use super::DataError;
use super::presentation::Token;

/// DNSSEC algorithms.
///
/// # Sources
/// RFC 4034 appendix A.1 and the registry "DNS Security Algorithm Numbers" of IANA, read 2026-11-20.
pub(super) const ALGORITHMS: &[(&str, u8)] = &[
    ("RSAMD5", 1),
    ("DH", 2),
    ("DSA", 3),
    ("RSASHA1", 5),
    ("DSA-NSEC3-SHA1", 6),
    ("DSANSEC3SHA1", 6),
    ("NSEC3DSA", 6),
    ("RSASHA1-NSEC3-SHA1", 7),
    ("RSASHA1NSEC3SHA1", 7),
    ("NSEC3RSASHA1", 7),
    ("RSASHA256", 8),
    ("RSASHA512", 10),
    ("ECC-GOST", 12),
    ("ECCGOST", 12),
    ("ECDSAP256SHA256", 13),
    ("ECDSAP384SHA384", 14),
    ("ED25519", 15),
    ("ED448", 16),
    ("INDIRECT", 252),
    ("PRIVATEDNS", 253),
    ("PRIVATEOID", 254),
];

/// Types of CERT records.
///
/// # Sources
/// RFC 4398 section 2.1.
pub(super) const CERTIFICATE_TYPES: &[(&str, u16)] = &[
    ("PKIX", 1),
    ("SPKI", 2),
    ("PGP", 3),
    ("IPKIX", 4),
    ("ISPKI", 5),
    ("IPGP", 6),
    ("ACPKIX", 7),
    ("IACPKIX", 8),
    ("URI", 253),
    ("OID", 254),
];

/// The number for a name, in any case.
fn lookup<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, number)| *number)
}

/// An algorithm, by number or by name.
///
/// # Errors
/// It is neither.
pub(super) fn algorithm(word: &Token) -> Result<u8, DataError> {
    match lookup(ALGORITHMS, &word.text()) {
        Some(number) => Ok(number),
        None => {
            word.u8("algorithm").map_err(|e| e.help("write a number from 0 to 255, or a name such as ECDSAP256SHA256"))
        }
    }
}

/// A type of certificate, by number or by name.
///
/// # Errors
/// It is neither.
pub(super) fn certificate_type(word: &Token) -> Result<u16, DataError> {
    match lookup(CERTIFICATE_TYPES, &word.text()) {
        Some(number) => Ok(number),
        None => word.u16("type").map_err(|e| e.help("write a number from 0 to 65535, or a name such as PKIX or PGP")),
    }
}
