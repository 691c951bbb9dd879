//! Names of numbers in presentation text.

use super::DataError;
use super::presentation::PresentationToken;

/// Names for the numbers of a field.
pub(super) struct Mnemonics {
    names: &'static [(&'static str, u32)],
    /// Example names for the help.
    such_as: &'static str,
}

impl Mnemonics {
    /// Parses a number up to `max`, or a name in any case.
    ///
    /// # Errors
    /// The text is neither.
    pub(super) fn number(
        &self,
        field: &'static str,
        max: u32,
        word: &PresentationToken,
    ) -> Result<u32, DataError> {
        let text = word.text();
        match self.names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text)) {
            Some((_, number)) => Ok(*number),
            None => word.integer(field, max).map_err(|e| {
                e.help(format!(
                    "write a number from 0 to {max}, or a name such as {}",
                    self.such_as
                ))
            }),
        }
    }
}

/// DNSSEC algorithms.
///
/// # Sources
/// RFC 4034 appendix A.1 and the registry "DNS Security Algorithm Numbers" of IANA, read
/// 2026-11-20.
pub(super) const ALGORITHMS: Mnemonics = Mnemonics {
    names: &[
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
    ],
    such_as: "ECDSAP256SHA256",
};

/// Types of CERT records.
///
/// # Sources
/// RFC 4398 section 2.1.
pub(super) const CERTIFICATE_TYPES: Mnemonics = Mnemonics {
    names: &[
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
    ],
    such_as: "PKIX or PGP",
};
