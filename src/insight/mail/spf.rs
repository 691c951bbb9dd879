//! SPF records: which hosts may send mail in the name of a domain (RFC 7208).
//!
//! A record is read completely or not at all: an error anywhere makes receivers answer "permerror"
//! (section 4.6).

use ipnet::{Ipv4Net, Ipv6Net};

use super::spf_macros::DomainSpec;
use crate::model::Fqdn;

/// The version at the beginning of every record; case is ignored (RFC 5234 section 2.3).
const VERSION: &str = "v=spf1";

/// The result of a check if the mechanism matches (section 4.6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Qualifier {
    /// `+`: the host may send.
    Pass,
    /// `?`: the record makes no statement about the host.
    Neutral,
    /// `~`: the host probably may not send.
    SoftFail,
    /// `-`: the host may not send.
    Fail,
}

/// Prefix lengths of the networks that match around the addresses of a host.
///
/// # Ranges
/// 0 to 32 and 0 to 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefixes {
    pub v4: u8,
    pub v6: u8,
}

/// A test for sending hosts (section 5).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mechanism {
    /// Every host.
    All,
    /// The hosts that pass the record of another domain.
    Include(DomainSpec),
    /// The addresses of a name; `None` for the domain itself.
    A(Option<DomainSpec>, Prefixes),
    /// The addresses of the mail exchanges of a name; `None` for the domain itself.
    Mx(Option<DomainSpec>, Prefixes),
    /// Hosts whose reverse name is below a name; discouraged (section 5.5).
    Ptr(Option<DomainSpec>),
    Ip4(Ipv4Net),
    Ip6(Ipv6Net),
    /// Every host, if a name exists.
    Exists(DomainSpec),
}

impl Mechanism {
    /// Returns true if evaluating it takes a lookup that counts (section 4.6.4).
    #[must_use]
    pub fn takes_a_lookup(&self) -> bool {
        !matches!(self, Self::All | Self::Ip4(_) | Self::Ip6(_))
    }

    /// Describes the matching hosts for plans: the term without prefix lengths, and with the domain
    /// of the record if the term names none.
    #[must_use]
    pub fn shown(&self, domain: &Fqdn) -> String {
        let name = |spec: Option<&DomainSpec>| {
            spec.map_or(domain.as_str(), |spec| spec.as_str()).to_owned()
        };
        match self {
            Self::All => "all".to_owned(),
            Self::Include(spec) => format!("include:{}", spec.as_str()),
            Self::A(spec, _) => format!("a:{}", name(spec.as_ref())),
            Self::Mx(spec, _) => format!("mx:{}", name(spec.as_ref())),
            Self::Ptr(spec) => format!("ptr:{}", name(spec.as_ref())),
            Self::Ip4(network) => format!("ip4:{network}"),
            Self::Ip6(network) => format!("ip6:{network}"),
            Self::Exists(spec) => format!("exists:{}", spec.as_str()),
        }
    }
}

/// A mechanism with its qualifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Directive {
    pub qualifier: Qualifier,
    pub mechanism: Mechanism,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spf {
    /// The mechanisms, in the order in which they are tried.
    pub directives: Vec<Directive>,
    /// The domain whose record decides if no mechanism matches (section 6.1).
    pub redirect: Option<DomainSpec>,
    /// Names of modifiers that receivers ignore because they are unknown (section 6).
    pub unknown: Vec<String>,
}

/// Returns true if a text is an SPF record, valid or not (section 4.5).
#[must_use]
pub fn is_spf(text: &[u8]) -> bool {
    let Some(start) = text.get(..VERSION.len()) else { return false };
    start.eq_ignore_ascii_case(VERSION.as_bytes())
        && matches!(text.get(VERSION.len()), None | Some(b' '))
}

impl Spf {
    /// Parses a record.
    ///
    /// # Errors
    /// Fails with the first term that receivers do not understand, and the reason.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        if !is_spf(text) {
            return Err("it does not begin with `v=spf1`".to_owned());
        }
        let text = std::str::from_utf8(text).map_err(|_| "it is not ASCII text".to_owned())?;
        let mut record = Self { directives: Vec::new(), redirect: None, unknown: Vec::new() };
        let mut has_explanation = false;
        for term in text[VERSION.len()..].split(' ').filter(|term| !term.is_empty()) {
            let wrong = |why: &str| match missing_space(term) {
                Some(next) => format!("`{term}`: {}", words_of_missing_space(next)),
                None => format!("`{term}`: {why}"),
            };
            // A modifier has its `=` before any `:` or `/` (section 4.6.1).
            let end = term.find(['=', ':', '/']).unwrap_or(term.len());
            if term[end..].starts_with('=') {
                let (name, value) = (term[..end].to_ascii_lowercase(), &term[end + 1..]);
                if !is_name(&name) {
                    return Err(wrong("not the name of a modifier"));
                }
                match name.as_str() {
                    "redirect" if record.redirect.is_some() => {
                        return Err(wrong("a second `redirect`"));
                    }
                    "redirect" => {
                        record.redirect = Some(DomainSpec::parse(value).map_err(|why| wrong(&why))?)
                    }
                    "exp" if has_explanation => return Err(wrong("a second `exp`")),
                    "exp" => {
                        DomainSpec::parse(value).map_err(|why| wrong(&why))?;
                        has_explanation = true;
                    }
                    _ => {
                        super::spf_macros::split_macros(value).map_err(|why| wrong(&why))?;
                        record.unknown.push(name);
                    }
                }
            } else {
                record.directives.push(directive(term).map_err(|why| wrong(&why))?);
            }
        }
        Ok(record)
    }

    /// Returns the directives that can be reached: up to the first `all`, which matches every host.
    #[must_use]
    pub fn reachable(&self) -> &[Directive] {
        let end = self.directives.iter().position(|d| d.mechanism == Mechanism::All);
        end.map_or(&self.directives, |end| &self.directives[..=end])
    }

    /// Returns the consequence for hosts that nothing else matches; `None` if the record of another
    /// domain decides.
    #[must_use]
    pub fn otherwise(&self) -> Option<Qualifier> {
        match self.reachable().last() {
            Some(Directive { qualifier, mechanism: Mechanism::All }) => Some(*qualifier),
            _ if self.redirect.is_some() => None,
            // Section 4.7.
            _ => Some(Qualifier::Neutral),
        }
    }
}

/// Returns the second of two terms without a space between them; `None` for a single term.
fn missing_space(term: &str) -> Option<&str> {
    const STARTS: [&str; 5] = ["include:", "ip4:", "ip6:", "exists:", "redirect="];
    const ENDS: [&str; 4] = ["-all", "~all", "?all", "+all"];
    let lower = term.to_ascii_lowercase();
    let argument = lower.find([':', '='])? + 1;
    let start = STARTS.iter().filter_map(|start| lower[argument..].find(start)).min();
    let end = || {
        let is_end = ENDS.iter().any(|end| lower[argument..].ends_with(end));
        (is_end && lower.len() > argument + 4).then(|| lower.len() - 4 - argument)
    };
    term.get(argument + start.or_else(end)?..)
}

/// Describes a missing space before a term.
fn words_of_missing_space(next: &str) -> String {
    format!("a space is missing before `{next}`")
}

/// Describes the error if a domain ends with another term, which the grammar allows.
pub(super) fn glued_domain(spec: &DomainSpec, before: &str) -> Option<String> {
    let term = format!("{before}{}", spec.as_str());
    let words = missing_space(&term).map(words_of_missing_space)?;
    Some(format!("`{term}`: {words}"))
}

/// Returns true if this is a name of a mechanism or modifier: `ALPHA *( ALPHA / DIGIT / "-" / "_" /
/// "." )`.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Returns a mechanism with its qualifier.
fn directive(term: &str) -> Result<Directive, String> {
    let (qualifier, rest) = match term.as_bytes().first() {
        Some(b'+') => (Qualifier::Pass, &term[1..]),
        Some(b'?') => (Qualifier::Neutral, &term[1..]),
        Some(b'~') => (Qualifier::SoftFail, &term[1..]),
        Some(b'-') => (Qualifier::Fail, &term[1..]),
        _ => (Qualifier::Pass, term),
    };
    let end = rest.find([':', '/']).unwrap_or(rest.len());
    let (name, argument) = (rest[..end].to_ascii_lowercase(), &rest[end..]);
    let mechanism = match name.as_str() {
        "all" if argument.is_empty() => Mechanism::All,
        "all" => return Err("`all` takes no argument".to_owned()),
        "include" => Mechanism::Include(only_domain(argument)?),
        "exists" => Mechanism::Exists(only_domain(argument)?),
        "ptr" if argument.is_empty() => Mechanism::Ptr(None),
        "ptr" => Mechanism::Ptr(Some(only_domain(argument)?)),
        "a" | "mx" => {
            let (domain, prefixes) = domain_and_prefixes(argument)?;
            if name == "a" {
                Mechanism::A(domain, prefixes)
            } else {
                Mechanism::Mx(domain, prefixes)
            }
        }
        "ip4" | "ip6" => {
            let network =
                argument.strip_prefix(':').ok_or("an address is missing after the colon")?;
            if name == "ip4" {
                Mechanism::Ip4(ip4(network)?)
            } else {
                Mechanism::Ip6(ip6(network)?)
            }
        }
        _ => return Err("no such mechanism".to_owned()),
    };
    Ok(Directive { qualifier, mechanism })
}

fn only_domain(argument: &str) -> Result<DomainSpec, String> {
    let domain = argument.strip_prefix(':').ok_or("a domain is missing after a colon")?;
    DomainSpec::parse(domain)
}

/// Parses `[:domain][/n][//n]`.
fn domain_and_prefixes(argument: &str) -> Result<(Option<DomainSpec>, Prefixes), String> {
    let (domain, lengths) = split_prefixes(argument);
    let domain = match domain.strip_prefix(':') {
        Some(domain) => Some(DomainSpec::parse(domain)?),
        None if domain.is_empty() => None,
        None => return Err("a colon is missing before the domain".to_owned()),
    };
    let (v4, v6) = match lengths.split_once("//") {
        Some((v4, v6)) => (v4, Some(v6)),
        None => (lengths, None),
    };
    let v4 = match v4.strip_prefix('/') {
        Some(length) => prefix(length, 32)?,
        None if v4.is_empty() => 32,
        None => return Err("not a prefix length".to_owned()),
    };
    Ok((domain, Prefixes { v4, v6: v6.map_or(Ok(128), |length| prefix(length, 128))? }))
}

/// Splits the prefix lengths off the end. A `/` within a macro belongs to the domain.
fn split_prefixes(argument: &str) -> (&str, &str) {
    let is_length = |c: char| c.is_ascii_digit() || c == '/';
    let start = argument.trim_end_matches(is_length).len();
    match argument[start..].find('/') {
        Some(slash) => argument.split_at(start + slash),
        None => (argument, ""),
    }
}

/// Returns a prefix length: decimal, without leading zeros (section 5.6).
fn prefix(text: &str, most: u8) -> Result<u8, String> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    let number = is_plain.then(|| text.parse::<u8>().ok()).flatten().filter(|n| *n <= most);
    number.ok_or_else(|| format!("the prefix length must be a number from 0 to {most}"))
}

/// Parses an IPv4 network and ignores its host bits.
fn ip4(text: &str) -> Result<Ipv4Net, String> {
    let (address, length) = text.split_once('/').map_or((text, None), |(a, l)| (a, Some(l)));
    let address = address.parse().map_err(|_| "not an IPv4 address".to_owned())?;
    let length = length.map_or(Ok(32), |l| prefix(l, 32))?;
    Ipv4Net::new(address, length).map(|n| n.trunc()).map_err(|e| e.to_string())
}

/// Parses an IPv6 network and ignores its host bits.
fn ip6(text: &str) -> Result<Ipv6Net, String> {
    let (address, length) = text.split_once('/').map_or((text, None), |(a, l)| (a, Some(l)));
    let address = address.parse().map_err(|_| "not an IPv6 address".to_owned())?;
    let length = length.map_or(Ok(128), |l| prefix(l, 128))?;
    Ipv6Net::new(address, length).map(|n| n.trunc()).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_are_read() {
        // RFC 7208 section 5 and appendix A.
        for text in [
            "v=spf1 +all",
            "v=spf1 a -all",
            "v=spf1 a:example.org -all",
            "v=spf1 mx -all",
            "v=spf1 mx:example.org -all",
            "v=spf1 mx mx:example.org -all",
            "v=spf1 mx/30 mx:example.org/30 -all",
            "v=spf1 ptr -all",
            "v=spf1 ip4:192.0.2.128/28 -all",
            "v=spf1 include:example.org include:example.net -all",
            "v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d} -all",
            "v=spf1 redirect=_spf.example.com",
            "v=spf1 mx -all exp=explain._spf.%{d}",
            "V=SPF1 A//64 MX/24//64 ~ALL",
            "v=spf1",
        ] {
            assert!(
                Spf::parse(text.as_bytes()).is_ok(),
                "{text}: {:?}",
                Spf::parse(text.as_bytes())
            );
        }
    }

    #[test]
    fn one_wrong_term_spoils_the_record() {
        for text in [
            "v=spf1 ipv4:192.0.2.1 -all",
            "v=spf1 ip4:192.0.2 -all",
            "v=spf1 ip4:192.0.2.1/33",
            "v=spf1 ip4:192.0.2.1/032",
            "v=spf1 ip6:192.0.2.1",
            "v=spf1 a/33",
            "v=spf1 a///64",
            "v=spf1 include -all",
            "v=spf1 include: -all",
            "v=spf1 all:example.com",
            "v=spf1 -all.",
            "v=spf1 include:example.com/24",
            "v=spf1 redirect=a.example redirect=b.example",
            "v=spf1 a:example.com:80",
            "v=spf1 \u{2212}all",
            "v=spf1 mx\tall",
        ] {
            assert!(Spf::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(
            !is_spf(b"v=spf10 -all") && !is_spf(b"v=spf1\t-all") && !is_spf(b"spf2.0/pra -all")
        );
    }

    #[test]
    fn what_decides_for_everybody_else() {
        let otherwise = |text: &str| Spf::parse(text.as_bytes()).map(|r| r.otherwise());
        assert_eq!(otherwise("v=spf1 -all +all"), Ok(Some(Qualifier::Fail)));
        assert_eq!(otherwise("v=spf1 a"), Ok(Some(Qualifier::Neutral)));
        assert_eq!(otherwise("v=spf1 redirect=a.example"), Ok(None));
        assert_eq!(otherwise("v=spf1 ~all redirect=a.example"), Ok(Some(Qualifier::SoftFail)));
    }
}
