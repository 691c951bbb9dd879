//! Names with macros in SPF records (RFC 7208 section 7).

use std::net::{IpAddr, Ipv4Addr};

use crate::model::{Fqdn, NAME_OCTETS, is_unreserved, percent_encoded};

/// A name in a record, possibly with macros. Names without macros are in lower case, others as
/// written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DomainSpec(String);

/// The values of macros.
#[derive(Debug, Clone)]
pub struct Envelope<'a> {
    /// The address of the sending host.
    pub address: IpAddr,
    /// The local part of the sender, if known.
    pub local: Option<&'a str>,
    /// The domain of the sender.
    pub domain: &'a str,
    /// The name with which the host greets, if known.
    pub greeting: Option<&'a str>,
}

pub(super) enum MacroPart<'a> {
    Literal(&'a str),
    Macro {
        letter: char,
        digits: Option<usize>,
        is_reversed: bool,
        delimiters: &'a str,
        is_encoded: bool,
    },
}

impl DomainSpec {
    /// Parses a name. It ends with a macro or with a label that can be a top-level domain (section
    /// 7.1).
    ///
    /// # Errors
    /// Fails with a description of the error.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parts = split_macros(text)?;
        if parts.iter().any(|p| matches!(p, MacroPart::Macro { letter: 'c' | 'r' | 't', .. })) {
            return Err("the macros c, r and t are for explanations only".to_owned());
        }
        match parts.last() {
            None => return Err("a domain is missing".to_owned()),
            Some(MacroPart::Macro { letter, .. }) if !matches!(letter, '%' | '_' | '-') => {}
            Some(_) => {
                let bare = text.strip_suffix('.').unwrap_or(text);
                let (_, top) = bare.rsplit_once('.').ok_or("a domain needs two labels")?;
                let inner = top.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
                let is_number = top.bytes().all(|b| b.is_ascii_digit());
                if top.is_empty()
                    || !inner
                    || is_number
                    || top.starts_with('-')
                    || top.ends_with('-')
                {
                    return Err(format!("`{top}` cannot be a top-level domain"));
                }
            }
        }
        let has_macro = parts.iter().any(|p| matches!(p, MacroPart::Macro { .. }));
        Ok(Self(if has_macro { text.to_owned() } else { text.to_ascii_lowercase() }))
    }

    /// Returns the name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name; `None` if it has macros.
    #[must_use]
    pub fn name(&self) -> Option<Fqdn> {
        (!self.0.contains('%')).then(|| Fqdn::reported(&self.0))
    }

    /// Returns the name in a record of `domain`; `None` if it depends on the sender. The only macro
    /// without this dependency is `d`, the domain of the record.
    #[must_use]
    pub fn name_at(&self, domain: &Fqdn) -> Option<Fqdn> {
        let is_fixed = |part: &MacroPart<'_>| match part {
            MacroPart::Literal(_) => true,
            MacroPart::Macro { letter, .. } => matches!(letter, 'd' | '%' | '_' | '-'),
        };
        if !split_macros(&self.0).ok()?.iter().all(is_fixed) {
            return None;
        }
        let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let anyone = Envelope { address, local: None, domain: "", greeting: None };
        self.expand(domain, &anyone).map(|name| Fqdn::reported(&name))
    }

    /// Returns the name for an envelope; `None` if a macro needs an unknown value. Names that
    /// become too long lose labels from the left (section 7.3).
    #[must_use]
    pub fn expand(&self, domain: &Fqdn, envelope: &Envelope<'_>) -> Option<String> {
        let mut out = String::new();
        for part in split_macros(&self.0).ok()? {
            match part {
                MacroPart::Literal(text) => out.push_str(text),
                MacroPart::Macro { letter: '%', .. } => out.push('%'),
                MacroPart::Macro { letter: '_', .. } => out.push(' '),
                MacroPart::Macro { letter: '-', .. } => out.push_str("%20"),
                MacroPart::Macro { letter, digits, is_reversed, delimiters, is_encoded } => {
                    let value = match letter {
                        's' => format!("{}@{}", envelope.local?, envelope.domain),
                        'l' => envelope.local?.to_owned(),
                        'o' => envelope.domain.to_owned(),
                        'd' => domain.as_str().to_owned(),
                        'h' => envelope.greeting?.to_owned(),
                        'i' => dotted(envelope.address),
                        'v' => {
                            if envelope.address.is_ipv4() { "in-addr" } else { "ip6" }.to_owned()
                        }
                        _ => return None,
                    };
                    let delimiters = if delimiters.is_empty() { "." } else { delimiters };
                    let mut pieces: Vec<&str> = value.split(|c| delimiters.contains(c)).collect();
                    if is_reversed {
                        pieces.reverse();
                    }
                    let keep = digits.unwrap_or(pieces.len()).min(pieces.len());
                    let text = pieces[pieces.len() - keep..].join(".");
                    let text = if is_encoded {
                        percent_encoded(text.as_bytes(), is_unreserved)
                    } else {
                        text
                    };
                    out.push_str(&text);
                }
            }
        }
        let mut name = out.as_str().trim_end_matches('.');
        while name.len() > NAME_OCTETS {
            name = name.split_once('.')?.1;
        }
        Some(name.to_owned())
    }
}

/// Returns the address as `%{i}` writes it: IPv6 addresses as nibbles.
fn dotted(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let nibbles = v6.octets().into_iter().flat_map(|o| [o >> 4, o & 15]);
            nibbles.map(|n| format!("{n:x}")).collect::<Vec<_>>().join(".")
        }
    }
}

/// Splits a text into visible ASCII characters and macros (section 7.1).
pub(super) fn split_macros(text: &str) -> Result<Vec<MacroPart<'_>>, String> {
    let mut parts = Vec::new();
    let mut unread = text;
    while !unread.is_empty() {
        let Some(macros) = unread.strip_prefix('%') else {
            let (literal, after) = unread.split_at(unread.find('%').unwrap_or(unread.len()));
            if let Some(c) = literal.chars().find(|c| !matches!(c, '!'..='~')) {
                return Err(format!("{c:?} is not allowed in a domain"));
            }
            parts.push(MacroPart::Literal(literal));
            unread = after;
            continue;
        };
        let (part, length) = match macros.chars().next() {
            Some(letter @ ('%' | '_' | '-')) => (
                MacroPart::Macro {
                    letter,
                    digits: None,
                    is_reversed: false,
                    delimiters: "",
                    is_encoded: false,
                },
                1,
            ),
            Some('{') => {
                let end = macros.find('}').ok_or("a macro is not closed")?;
                (expansion(&macros[1..end])?, end + 1)
            }
            _ => return Err("`%` begins a macro; write `%%` for the character".to_owned()),
        };
        parts.push(part);
        unread = &macros[length..];
    }
    Ok(parts)
}

/// Parses a macro, without its braces.
fn expansion(text: &str) -> Result<MacroPart<'_>, String> {
    let letter = text
        .chars()
        .next()
        .filter(|c| "slodiphcrtvSLODIPHCRTV".contains(*c))
        .ok_or("no such macro")?;
    let unread = &text[1..];
    let length = unread.bytes().take_while(u8::is_ascii_digit).count();
    let digits = (length > 0).then(|| unread[..length].parse::<usize>().unwrap_or(usize::MAX));
    if digits == Some(0) {
        return Err("a macro keeps at least one label".to_owned());
    }
    let modifiers = &unread[length..];
    let is_reversed = modifiers.starts_with(['r', 'R']);
    let delimiters = if is_reversed { &modifiers[1..] } else { modifiers };
    if !delimiters.bytes().all(|b| b".-+,/_=".contains(&b)) {
        return Err("a macro has unknown delimiters".to_owned());
    }
    let is_encoded = letter.is_ascii_uppercase();
    Ok(MacroPart::Macro {
        letter: letter.to_ascii_lowercase(),
        digits,
        is_reversed,
        delimiters,
        is_encoded,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_are_expanded() {
        // RFC 7208 section 7.4.
        let expanded = |text: &str, address: &str| {
            let (domain, address) =
                (Fqdn::parse("email.example.com").unwrap(), address.parse().unwrap());
            let envelope = Envelope {
                address,
                local: Some("strong-bad"),
                domain: "email.example.com",
                greeting: Some("mx.example.org"),
            };
            DomainSpec::parse(text).unwrap().expand(&domain, &envelope)
        };
        for (text, wanted) in [
            ("%{s}", "strong-bad@email.example.com"),
            ("%{o}", "email.example.com"),
            ("%{d}", "email.example.com"),
            ("%{d4}", "email.example.com"),
            ("%{d3}", "email.example.com"),
            ("%{d2}", "example.com"),
            ("%{d1}", "com"),
            ("%{dr}", "com.example.email"),
            ("%{d2r}", "example.email"),
            ("%{l}", "strong-bad"),
            ("%{l-}", "strong.bad"),
            ("%{lr}", "strong-bad"),
            ("%{lr-}", "bad.strong"),
            ("%{l1r-}", "strong"),
            ("%{h}", "mx.example.org"),
            ("%{S}", "strong-bad%40email.example.com"),
            ("%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"),
            ("%{lr-}.lp._spf.%{d2}", "bad.strong.lp._spf.example.com"),
            ("%{lr-}.lp.%{ir}.%{v}._spf.%{d2}", "bad.strong.lp.3.2.0.192.in-addr._spf.example.com"),
            ("%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}", "3.2.0.192.in-addr.strong.lp._spf.example.com"),
            ("%{d2}.trusted-domains.example.net", "example.com.trusted-domains.example.net"),
            ("a%%%_%-.%{d2}", "a% %20.example.com"),
        ] {
            assert_eq!(expanded(text, "192.0.2.3").as_deref(), Some(wanted), "{text}");
        }
        let v6 =
            "1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com";
        assert_eq!(expanded("%{ir}.%{v}._spf.%{d2}", "2001:db8::cb01").as_deref(), Some(v6));
        // The names of an address are unknown here.
        assert_eq!(expanded("%{p}.example.com", "192.0.2.3"), None);
        // Long names lose labels from the left.
        let long = expanded(&format!("{}%{{d}}", "abcdefg.".repeat(40)), "192.0.2.3").unwrap();
        assert!(
            long.len() <= NAME_OCTETS
                && long.starts_with("abcdefg.")
                && long.ends_with("email.example.com"),
            "{long}"
        );
        for wrong in [
            "%{x}.example.com",
            "%{d",
            "%{d0}",
            "%{d!}",
            "%d",
            "%{c}.example.com",
            "%{r}",
            "%{t}",
            "%{d}.123",
            "%{d}x",
        ] {
            assert!(DomainSpec::parse(wrong).is_err(), "{wrong}");
        }
    }
}
