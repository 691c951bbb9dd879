//! Names as Cloudflare stores them: lower case, Punycode, no final dot.

use std::net::Ipv4Addr;

/// Returns the full name of a record, from any form that Cloudflare accepts.
///
/// `@` and the zone's own name are the apex; a name inside the zone is kept; the zone is silently
/// appended to any other name. `None` if the text is not a name.
///
/// # Sources
/// Forms and output: developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records and
/// the API reference of "Create DNS Record", read 2026-11-20. Names outside the zone: observed.
/// ASSUMED: a final dot makes no difference, also on names outside the zone; an empty name is
/// refused.
pub(super) fn record_name(text: &str, zone: &str) -> Option<String> {
    if text == "@" {
        return Some(zone.to_owned());
    }
    let name = ascii(text.strip_suffix('.').unwrap_or(text))?;
    let inside = name == zone || name.strip_suffix(zone).is_some_and(|rest| rest.ends_with('.'));
    let full = if inside { name } else { format!("{name}.{zone}") };
    well_formed(&full, |c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '@' | '(' | ')' | ';'))
        .then_some(full)
}

/// Returns a host name without the final dot; `None` if it is not one.  # Sources The final dot is
/// dropped from responses: observed 2025-08. Addresses are not host names: error 9009, observed.
/// ASSUMED: letters, digits, `-`, `_` and `/` (RFC 2317) are allowed; comparison ignores case, so
/// it is stored in lower case.
pub(super) fn parse_host_name(text: &str) -> Option<String> {
    let name = ascii(text.strip_suffix('.').unwrap_or(text))?;
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '*');
    (well_formed(&name, letters) && name.parse::<Ipv4Addr>().is_err()).then_some(name)
}

/// Converts to lower case, and to Punycode if there are characters beyond ASCII.
fn ascii(text: &str) -> Option<String> {
    if text.is_ascii() { Some(text.to_ascii_lowercase()) } else { idna::domain_to_ascii(text).ok() }
}

/// Returns true if the lengths are valid in the DNS and every character is allowed.
///
/// # Sources
/// RFC 1035 section 2.3.4: labels up to 63 octets, names up to 253 in text. Error 9000 for empty
/// and long labels: observed.
fn well_formed(name: &str, allowed: impl Fn(char) -> bool) -> bool {
    name.len() <= 253
        && name
            .split('.')
            .all(|label| (1..=63).contains(&label.len()) && label.chars().all(&allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_record_name() {
        for (text, full) in [
            ("@", "example.com"),
            ("example.com", "example.com"),
            ("EXAMPLE.com.", "example.com"),
            ("www", "www.example.com"),
            ("www.example.com", "www.example.com"),
            ("badexample.com", "badexample.com.example.com"),
            ("mail.other.test", "mail.other.test.example.com"),
            ("*", "*.example.com"),
            ("_sip._tcp", "_sip._tcp.example.com"),
            ("bücher", "xn--bcher-kva.example.com"),
        ] {
            assert_eq!(record_name(text, "example.com").as_deref(), Some(full), "{text}");
        }
        for bad in ["", ".", "a..b", "a b", &"x".repeat(64), &"abc.".repeat(64)] {
            assert_eq!(record_name(bad, "example.com"), None, "{bad}");
        }
    }

    #[test]
    fn hosts() {
        assert_eq!(parse_host_name("Origin.Example.net.").as_deref(), Some("origin.example.net"));
        assert_eq!(
            parse_host_name("_x.bücher.example").as_deref(),
            Some("_x.xn--bcher-kva.example")
        );
        for bad in ["", ".", "192.0.2.1", "a b", "2001:db8::1", "a..b"] {
            assert_eq!(parse_host_name(bad), None, "{bad}");
        }
    }
}
