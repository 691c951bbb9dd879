//! DKIM keys, with which receivers check signatures (RFC 6376 section 3.6.1, RFC 8301, RFC 8463).

use data_encoding::BASE64;

use super::tags::Tags;

/// Minimum length of an RSA key that receivers accept, in bits (RFC 8301 section 3.2).
pub(super) const FEWEST_BITS: usize = 1024;

/// The usability of what a selector publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    Missing,
    /// Several keys. Receivers may use any of them (RFC 6376 section 3.6.2.2), so the result is
    /// unreliable.
    Several,
    /// An alias to a key of someone else.
    Alias(crate::model::Fqdn),
    /// A record that receivers cannot use, for this reason.
    Broken(String),
    /// `p=` is empty: the key is revoked.
    Revoked,
    Key(DkimKey),
}

impl Selector {
    /// Returns true if receivers can check signatures with it, as far as this zone shows.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        match self {
            Self::Alias(_) => true,
            Self::Key(key) => !key.is_testing,
            Self::Missing | Self::Several | Self::Broken(_) | Self::Revoked => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DkimKey {
    pub kind: KeyKind,
    /// The octets of the key.
    pub octets: Vec<u8>,
    /// True if receivers treat signed mail as unsigned: `t=y`.
    pub is_testing: bool,
    /// True if subdomains may not use it: `t=s`.
    pub is_strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Contains the length of the modulus in bits.
    Rsa(usize),
    /// Ed25519 (RFC 8463).
    Ed25519,
}

impl std::fmt::Display for KeyKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rsa(bits) => write!(f, "RSA, {bits} bits"),
            Self::Ed25519 => f.write_str("Ed25519"),
        }
    }
}

/// Parses the text at a selector.
#[must_use]
pub fn parse_selector(text: &[u8]) -> Selector {
    read_key(text).unwrap_or_else(Selector::Broken)
}

/// Parses the text at a selector. Fails with the reason why receivers cannot use it.
fn read_key(text: &[u8]) -> Result<Selector, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it is not ASCII text".to_owned())?;
    let tags = Tags::parse(text)?;
    if let Some(version) = tags.get("v") {
        if tags.first().is_none_or(|(name, _)| name != "v") {
            return Err("`v=` must come first".to_owned());
        }
        if version != "DKIM1" {
            return Err(format!(
                "the version is `{}`, not `DKIM1`",
                super::tags::text_start(version)
            ));
        }
    }
    let words =
        |value: &str| value.split(':').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    if let Some(hashes) = tags.get("h").map(words)
        && !hashes.iter().any(|h| h == "sha256")
    {
        return Err("`h=` does not allow sha256, the one hash that receivers accept".to_owned());
    }
    if let Some(services) = tags.get("s").map(words)
        && !services.iter().any(|s| s == "*" || s == "email")
    {
        return Err("`s=` does not allow mail".to_owned());
    }
    let flags = tags.get("t").map(words).unwrap_or_default();
    let flag = |wanted: &str| flags.iter().any(|f| f == wanted);
    let kind = tags.get("k").unwrap_or("rsa");
    let data: String =
        tags.get("p").ok_or("it has no key (`p=`)")?.split_ascii_whitespace().collect();
    if data.is_empty() {
        return Ok(Selector::Revoked);
    }
    let octets = decode_base64(&data)?;
    let kind = match kind {
        "rsa" => KeyKind::Rsa(rsa_bits(&octets)?),
        "ed25519" if octets.len() == 32 => KeyKind::Ed25519,
        "ed25519" => {
            return Err(format!("an Ed25519 key has 32 octets; this one has {}", octets.len()));
        }
        other => {
            return Err(format!(
                "receivers do not know keys of the kind `{}`",
                super::tags::text_start(other)
            ));
        }
    };
    if let KeyKind::Rsa(bits) = kind
        && bits < FEWEST_BITS
    {
        return Err(format!(
            "the RSA key has {bits} bits; receivers refuse less than {FEWEST_BITS}"
        ));
    }
    Ok(Selector::Key(DkimKey { kind, octets, is_testing: flag("y"), is_strict: flag("s") }))
}

/// Decodes base64. `=` at the end may be missing.
fn decode_base64(data: &str) -> Result<Vec<u8>, String> {
    let bare = data.trim_end_matches('=');
    let padded = format!("{bare}{}", "=".repeat((4 - bare.len() % 4) % 4));
    if bare.len() % 4 == 1 {
        return Err(format!("the key is truncated: base64 cannot have {} characters", bare.len()));
    }
    let decoded = BASE64.decode(padded.as_bytes());
    decoded.or_else(|_| lenient(&padded)).map_err(|_| "the key is not base64".to_owned())
}

/// Decodes base64 whose last bits are not zero. Receivers ignore them.
fn lenient(data: &str) -> Result<Vec<u8>, ()> {
    let mut specification = BASE64.specification();
    specification.check_trailing_bits = false;
    let encoding = specification.encoding().map_err(|_| ())?;
    encoding.decode(data.as_bytes()).map_err(|_| ())
}

/// Returns the bits of the modulus of an RSA key: a SubjectPublicKeyInfo (RFC 5280) or, as RFC 6376
/// says, an RSAPublicKey (RFC 8017 appendix A.1.1). Its lengths show if it is complete.
fn rsa_bits(octets: &[u8]) -> Result<usize, String> {
    let (outer, rest) = element(octets, 0x30)?;
    if !rest.is_empty() {
        return Err(format!("{} octets follow the key", rest.len()));
    }
    let numbers = if outer.first() == Some(&0x30) {
        let (_, after) = element(outer, 0x30)?;
        let (bits, _) = element(after, 0x03)?;
        let key = bits.strip_prefix(&[0]).ok_or("the key is not a whole number of octets")?;
        element(key, 0x30)?.0
    } else {
        outer
    };
    let (modulus, after) = element(numbers, 0x02)?;
    element(after, 0x02)?;
    let start = modulus.iter().position(|b| *b != 0).ok_or("the modulus of the key is zero")?;
    let leading = modulus.get(start).map_or(0, |b| b.leading_zeros() as usize);
    Ok((modulus.len() - start) * 8 - leading)
}

/// Returns the content of the DER element with this tag at the start, and the octets after it.
fn element(octets: &[u8], tag: u8) -> Result<(&[u8], &[u8]), String> {
    let strange = || "the key is not an RSA key in DER".to_owned();
    let (&found, rest) = octets.split_first().ok_or("the key is cut off")?;
    if found != tag {
        return Err(strange());
    }
    let (&first, rest) = rest.split_first().ok_or("the key is cut off")?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return Err(strange());
        }
        let digits = rest.get(..count).ok_or("the key is cut off")?;
        (digits.iter().fold(0, |sum, digit| (sum << 8) | usize::from(*digit)), &rest[count..])
    };
    if rest.len() < length {
        return Err(format!(
            "the key is truncated: {} of {length} octets are missing",
            length - rest.len()
        ));
    }
    Ok(rest.split_at(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The RSA key of RFC 8463 appendix A.2.
    const RSA: &str = "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/\
                       byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l\
                       /K4w3QIDAQAB";

    #[test]
    fn the_keys_of_the_rfcs_are_read() {
        // RFC 8463 appendix A.2; RFC 6376 appendix C.
        let key = |text: &str| match parse_selector(text.as_bytes()) {
            Selector::Key(key) => key.kind,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(
            key("v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
            KeyKind::Ed25519
        );
        assert_eq!(key(&format!("v=DKIM1; k=rsa; p={RSA}")), KeyKind::Rsa(1024));
        assert_eq!(key(&format!("p={}", &RSA.replace("CAQEB", " CAQ EB "))), KeyKind::Rsa(1024));
        let plain = "MIGJAoGBALVI635dLK4cJJAH3Lx6upo3X/Lm1tQz3mezcWTA3BUBnyIsdnRf57aD5BtNmhPrYYDlWlzw3UgnKisIxktkk5+iMQMl\
                     FtAS10JB8L3YadXNJY+JBcbeSi5TgJe4WFzNgW95FWDAuSTRXSWZfA/8xjflbTLDx0euFZOM7C4T0GwLAgMBAAE=";
        assert_eq!(key(&format!("v=DKIM1; p={plain}")), KeyKind::Rsa(1024));
    }

    #[test]
    fn a_cut_key_is_found_wherever_it_is_cut() {
        for length in 1..RSA.len() - 1 {
            let text = format!("v=DKIM1; k=rsa; p={}", &RSA[..length]);
            assert!(matches!(parse_selector(text.as_bytes()), Selector::Broken(_)), "{length}");
        }
    }

    #[test]
    fn what_receivers_cannot_use_is_broken() {
        for text in [
            "k=rsa".to_owned(),
            format!("k=rsa; v=DKIM1; p={RSA}"),
            format!("v=DKIM2; p={RSA}"),
            format!("v=DKIM1; p={RSA}; p={RSA}"),
            format!("v=DKIM1; h=sha1; p={RSA}"),
            format!("v=DKIM1; s=other; p={RSA}"),
            format!("v=DKIM1; k=dsa; p={RSA}"),
            format!("v=DKIM1; p={}", RSA.replace('Q', "!")),
            "v=DKIM1; k=ed25519; p=AAAA".to_owned(),
        ] {
            assert!(matches!(parse_selector(text.as_bytes()), Selector::Broken(_)), "{text}");
        }
        assert_eq!(parse_selector(b"v=DKIM1; p="), Selector::Revoked);
        assert!(
            matches!(parse_selector(format!("v=DKIM1;t=y:s;p={RSA};").as_bytes()), Selector::Key(k) if k.is_testing && k.is_strict)
        );
    }
}
