//! The table of the plain types. It completely describes their values, see [`Plain`](super::Plain).

use super::DataError;
use super::mnemonics::{ALGORITHMS, CERTIFICATE_TYPES};
use super::plain_value::{PlainType, Rules};
use crate::facts::{FieldFacts, FieldKind, LetterCase, TypeFacts};

/// Hexadecimal digits that Cloudflare returns in the case of the request.
const HEX: FieldKind = FieldKind::Hex { answered: LetterCase::AsSent };

pub(super) const A: PlainType = PlainType {
    facts: TypeFacts {
        name: "A",
        number: 1,
        about: "an IPv4 address",
        fields: &[FieldFacts::content(FieldKind::Ipv4, "an IPv4 address such as 192.0.2.10")],
        proxiable: true,
        source: "RFC 1035 section 3.4.1",
        examples: &["192.0.2.10", "198.51.100.255"],
        ..TypeFacts::BASE
    },
    rules: Rules::NONE,
};

pub(super) const AAAA: PlainType = PlainType {
    facts: TypeFacts {
        name: "AAAA",
        number: 28,
        about: "an IPv6 address",
        fields: &[FieldFacts::content(FieldKind::Ipv6, "an IPv6 address such as 2001:db8::10")],
        proxiable: true,
        source: "RFC 3596 section 2.2",
        examples: &["2001:db8::10", "::1", "2001:db8:0:1:1:1:1:1"],
        ..TypeFacts::BASE
    },
    rules: Rules::NONE,
};

pub(super) const CNAME: PlainType = PlainType {
    facts: TypeFacts {
        name: "CNAME",
        number: 5,
        about: "the canonical name of an alias",
        fields: &[FieldFacts::content(FieldKind::Host, "a host name such as host.example.com")],
        proxiable: true,
        source: "RFC 1035 section 3.3.1",
        examples: &["host.example.com", "xn--bcher-kva.example", "_target.example.net"],
        ..TypeFacts::BASE
    },
    rules: Rules::NONE,
};

/// The exchange `.` with priority 0 means that the name accepts no mail (RFC 7505).
pub(super) const MX: PlainType = PlainType {
    facts: TypeFacts {
        name: "MX",
        number: 15,
        about: "a mail exchange with its priority",
        fields: &[
            FieldFacts::priority("0 to 65535; the lowest is tried first"),
            FieldFacts::content(
                FieldKind::HostOrRoot,
                "the mail server's host name, or `.` for no mail",
            ),
        ],
        source: "RFC 1035 section 3.3.9, RFC 7505",
        examples: &["10 mx1.example.net", "0 .", "65535 mail.example.com"],
        ..TypeFacts::BASE
    },
    rules: Rules { pairing: &["content"], ..Rules::NONE },
};

pub(super) const NS: PlainType = PlainType {
    facts: TypeFacts {
        name: "NS",
        number: 2,
        about: "a name server of a delegated name",
        fields: &[FieldFacts::content(FieldKind::Host, "a host name such as ns1.example.net")],
        source: "RFC 1035 section 3.3.11",
        examples: &["ns1.example.net", "ns2.example.net"],
        ..TypeFacts::BASE
    },
    rules: Rules::NONE,
};

/// The target `.` means that no such service is offered (RFC 2782).
pub(super) const SRV: PlainType = PlainType {
    facts: TypeFacts {
        name: "SRV",
        number: 33,
        about: "the host and port of a service",
        fields: &[
            FieldFacts::number("priority", 65_535, "0 to 65535; the lowest is tried first"),
            FieldFacts::number("weight", 65_535, "0 to 65535; the share among equal priorities"),
            FieldFacts::number("port", 65_535, "0 to 65535; TCP or UDP port"),
            FieldFacts::data(
                "target",
                FieldKind::HostOrRoot,
                "the host name, or `.` where nothing is offered",
            ),
        ],
        repeats_priority: true,
        source: "RFC 2782",
        examples: &["10 5 5060 sip.example.com", "0 0 0 ."],
        ..TypeFacts::BASE
    },
    rules: Rules { pairing: &["port", "target"], ..Rules::NONE },
};

pub(super) const PTR: PlainType = PlainType {
    facts: TypeFacts {
        name: "PTR",
        number: 12,
        about: "the name that an address or another name stands for",
        fields: &[FieldFacts::content(FieldKind::Host, "a host name such as host.example.com")],
        source: "RFC 1035 section 3.3.12",
        examples: &["host.example.com", "xn--bcher-kva.example"],
        ..TypeFacts::BASE
    },
    rules: Rules::NONE,
};

/// The nearest value is another digest of the same key.
///
/// # Sources
/// Lengths of the digests in bytes: SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (RFC 3658, 4509, 5933,
/// 6605).
pub(super) const DS: PlainType = PlainType {
    facts: TypeFacts {
        name: "DS",
        number: 43,
        about: "the digest of a delegated zone's key",
        fields: &[
            FieldFacts::number("key_tag", 65_535, "0 to 65535; the tag of the key"),
            FieldFacts::number("algorithm", 255, "0 to 255; the algorithm of the key, such as 13"),
            FieldFacts::number("digest_type", 255, "1 for SHA-1, 2 for SHA-256, 4 for SHA-384"),
            FieldFacts::data("digest", HEX, "the digest in hexadecimal digits"),
        ],
        source: "RFC 4034 section 5",
        examples: &[
            "2371 13 2 B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2B2",
            "60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118",
        ],
        ..TypeFacts::BASE
    },
    rules: Rules {
        pairing: &["key_tag", "algorithm"],
        names: &[("algorithm", &ALGORITHMS)],
        lengths: Some(("digest_type", &[(1, 20), (2, 32), (3, 32), (4, 48)])),
        is_upper: true,
        ..Rules::NONE
    },
};

/// Keys of several signers coexist, so a new key never replaces an existing one.
pub(super) const DNSKEY: PlainType = PlainType {
    facts: TypeFacts {
        name: "DNSKEY",
        number: 48,
        about: "a public key of a signed zone",
        fields: &[
            FieldFacts::number(
                "flags",
                65_535,
                "256 for a zone key, 257 for a key that the parent vouches for",
            ),
            FieldFacts::number("protocol", 255, "always 3"),
            FieldFacts::number("algorithm", 255, "0 to 255; the algorithm of the key, such as 13"),
            FieldFacts::data("public_key", FieldKind::Base64, "the public key in base64"),
        ],
        source: "RFC 4034 section 2",
        examples: &["257 3 13 bWFkZS11cA==", "256 3 8 AwEAAcFcGsaxxdgiuuGmCkVI"],
        ..TypeFacts::BASE
    },
    rules: Rules {
        identity: Some("public_key"),
        names: &[("algorithm", &ALGORITHMS)],
        ..Rules::NONE
    },
};

/// Cloudflare keeps the priority next to `data`.
pub(super) const URI: PlainType = PlainType {
    facts: TypeFacts {
        name: "URI",
        number: 256,
        about: "the address of a service",
        fields: &[
            FieldFacts::priority("0 to 65535; the lowest is tried first"),
            FieldFacts::number("weight", 65_535, "0 to 65535; the share among equal priorities"),
            FieldFacts::data(
                "target",
                FieldKind::Text,
                "the address, such as https://example.com/",
            ),
        ],
        source: "RFC 7553 section 4",
        examples: &[r#"10 1 "https://example.com/""#, r#"0 0 "ftp://ftp.example.com/public""#],
        ..TypeFacts::BASE
    },
    rules: Rules { pairing: &["target"], check: is_uri, ..Rules::NONE },
};

/// Checks the target of a URI record: at least one octet (RFC 7553 section 4.4), printable ASCII
/// (RFC 3986 section 2).
fn is_uri(target: &str) -> Result<(), DataError> {
    if target.is_empty() {
        let error = DataError::field("target", "the target is empty");
        return Err(error.help("write an address such as https://example.com/"));
    }
    match target.char_indices().find(|(_, c)| *c == '"' || !matches!(c, ' '..='~')) {
        Some((at, c)) => Err(DataError::field("target", format!("{c:?} is not allowed in a URI"))
            .help("write it percent-encoded, such as %22 or %C3%A9")
            .at(at)),
        None => Ok(()),
    }
}

/// The nearest key has the same algorithm and the same type of fingerprint.
///
/// # Sources
/// Lengths of the fingerprints in bytes: SHA-1, SHA-256 (RFC 4255 section 3.1.2, RFC 6594 section
/// 4).
pub(super) const SSHFP: PlainType = PlainType {
    facts: TypeFacts {
        name: "SSHFP",
        number: 44,
        about: "the fingerprint of a host's SSH key",
        fields: &[
            FieldFacts::number("algorithm", 255, "1 RSA, 2 DSA, 3 ECDSA, 4 Ed25519, 6 Ed448"),
            FieldFacts::number("type", 255, "1 for SHA-1, 2 for SHA-256"),
            FieldFacts::data("fingerprint", HEX, "the fingerprint in hexadecimal digits"),
        ],
        source: "RFC 4255 section 3",
        examples: &[
            "4 2 c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3",
            "2 1 123456789abcdef67890123456789abcdef67890",
        ],
        ..TypeFacts::BASE
    },
    rules: Rules {
        pairing: &["algorithm", "type"],
        lengths: Some(("type", &[(1, 20), (2, 32)])),
        ..Rules::NONE
    },
};

pub(super) const TLSA: PlainType = PlainType {
    facts: TypeFacts {
        name: "TLSA",
        number: 52,
        about: "the certificate or key of a TLS service",
        source: "RFC 6698 section 2",
        examples: &[
            "3 1 1 d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4",
            "2 0 0 30820122300d06092a864886f70d0101",
        ],
        ..ASSOCIATION.facts
    },
    ..ASSOCIATION
};

pub(super) const SMIMEA: PlainType = PlainType {
    facts: TypeFacts {
        name: "SMIMEA",
        number: 53,
        about: "the certificate or key of a mail user",
        source: "RFC 8162 section 2",
        examples: &[
            "3 0 1 e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5",
            "3 1 2 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
        ],
        ..ASSOCIATION.facts
    },
    ..ASSOCIATION
};

/// Facts that TLSA and SMIMEA share. The nearest certificate is one with the same kind of
/// association.
///
/// # Sources
/// Certificates are returned in upper case: reported for TLSA in 2026. Lengths of the digests in
/// bytes: RFC 6698 section 2.1.3.
const ASSOCIATION: PlainType = PlainType {
    facts: TypeFacts {
        fields: &[
            FieldFacts::number(
                "usage",
                255,
                "0 CA, 1 service certificate, 2 trust anchor, 3 domain-issued",
            ),
            FieldFacts::number(
                "selector",
                255,
                "0 for the whole certificate, 1 for its public key",
            ),
            FieldFacts::number(
                "matching_type",
                255,
                "0 for the data itself, 1 for its SHA-256, 2 for its SHA-512",
            ),
            FieldFacts::data(
                "certificate",
                FieldKind::Hex { answered: LetterCase::Upper },
                "the data or its digest in hexadecimal digits",
            ),
        ],
        ..TypeFacts::BASE
    },
    rules: Rules {
        pairing: &["usage", "selector", "matching_type"],
        lengths: Some(("matching_type", &[(1, 32), (2, 64)])),
        ..Rules::NONE
    },
};

/// The nearest certificate is one of the same key.
pub(super) const CERT: PlainType = PlainType {
    facts: TypeFacts {
        name: "CERT",
        number: 37,
        about: "a certificate",
        fields: &[
            FieldFacts::number(
                "type",
                65_535,
                "1 for X.509 (PKIX), 3 for OpenPGP (PGP), 4 for the address of an X.509 one (IPKIX)",
            ),
            FieldFacts::number("key_tag", 65_535, "0 to 65535; the tag of the key, or 0"),
            FieldFacts::number("algorithm", 255, "0 to 255; the algorithm of the key, or 0"),
            FieldFacts::data("certificate", FieldKind::Base64, "the certificate in base64"),
        ],
        source: "RFC 4398 section 2",
        examples: &["1 12179 3 TUlJQg==", "3 0 0 mQENBF8="],
        ..TypeFacts::BASE
    },
    rules: Rules {
        pairing: &["key_tag", "algorithm"],
        names: &[("type", &CERTIFICATE_TYPES), ("algorithm", &ALGORITHMS)],
        ..Rules::NONE
    },
};

pub(super) const OPENPGPKEY: PlainType = PlainType {
    facts: TypeFacts {
        name: "OPENPGPKEY",
        number: 61,
        about: "the OpenPGP key of a mail user",
        fields: &[FieldFacts::content(
            FieldKind::Base64,
            "the transferable public key in base64, without armour",
        )],
        source: "RFC 7929 section 2",
        examples: &["bWFkZS11cC1rZXk=", "mQENBF8A"],
        ..TypeFacts::BASE
    },
    rules: Rules { written: not_armoured, ..Rules::NONE },
};

/// Refuses a key in its armoured form.
fn not_armoured(text: &str) -> Result<(), DataError> {
    match text.find("-----") {
        Some(at) => Err(DataError::field("content", "the key is in its armoured form")
            .help(
                "write the base64 text of `gpg --export KEY | base64`, without header and checksum",
            )
            .at(at)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rdata, RecordType};

    #[test]
    fn an_armoured_key_has_a_hint() {
        let key = RecordType::parse("OPENPGPKEY").unwrap();
        let armoured = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF8A\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----";
        let error = Rdata::from_text(key, armoured).unwrap_err();
        assert!(
            error.help.as_deref().is_some_and(|help| help.contains("gpg --export KEY | base64")),
            "{error:?}"
        );
        assert!(Rdata::from_text(key, "mQENBF8A").is_ok());
    }
}
