//! Domain names: canonical, lower case, Punycode, no final dot.

use std::fmt;

use super::public_suffix::PublicSuffix;

/// Maximum octets of one label (RFC 1035 section 2.3.4).
pub const LABEL_OCTETS: usize = 63;

/// Maximum octets of a name in text form without the final dot (RFC 1035 section 2.3.4: 255 on the
/// wire).
pub const NAME_OCTETS: usize = 253;

/// A fully qualified domain name.
///
/// Equal names are equal values: lower case, A-labels (RFC 5891), no final dot; the root is `.`.
///
/// # Order
/// By labels from the right, as RFC 4034 section 6.1 orders names: a zone comes before everything
/// below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fqdn(Box<str>);

impl Ord for Fqdn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // The root has no labels; other names keep even empty labels, so that only equal names
        // compare as equal.
        if self.is_root() || other.is_root() {
            return other.is_root().cmp(&self.is_root());
        }
        // Names of a zone have the same end, so compare the first label, from the right, that
        // differs. The labels after it begin at the first dot of the common end.
        let (a, b) = (self.0.as_bytes(), other.0.as_bytes());
        let shared_octets = common_end(a, b);
        let behind = a[a.len() - shared_octets..]
            .iter()
            .position(|byte| *byte == b'.')
            .map_or(0, |dot| shared_octets - dot);
        fn last_label(name: &[u8]) -> &[u8] {
            name.rsplit(|byte| *byte == b'.').next().unwrap_or_default()
        }
        // If those labels are equal too, one name is an ancestor of the other.
        last_label(&a[..a.len() - behind])
            .cmp(last_label(&b[..b.len() - behind]))
            .then(a.len().cmp(&b.len()))
    }
}

/// Counts the octets that two texts have in common at their ends. Compares eight at a time, because
/// names are compared more often than anything else.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let (mut a, mut b, mut same) = (a, b, 0);
    while let (Some((a_rest, a_end)), Some((b_rest, b_end))) =
        (a.split_last_chunk(), b.split_last_chunk())
    {
        // The last octet is the most significant one.
        let differing = u64::from_le_bytes(*a_end) ^ u64::from_le_bytes(*b_end);
        if differing != 0 {
            return same + differing.leading_zeros() as usize / 8;
        }
        (a, b, same) = (a_rest, b_rest, same + 8);
    }
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

impl PartialOrd for Fqdn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// An error in the text of a domain name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("the name is empty")]
    Empty,
    /// Two dots in a row, or a dot at the start.
    #[error("`{0}` has an empty label (two dots in a row, or a dot at the start)")]
    EmptyLabel(String),
    /// A label is too long.
    #[error("the label `{label}` has {octets} octets; a label has at most 63")]
    LabelTooLong {
        /// As written.
        label: String,
        /// Its length in octets, as an A-label.
        octets: usize,
    },
    /// The whole name is too long.
    #[error("the name has {0} octets; a name has at most {most}", most = NAME_OCTETS)]
    TooLong(usize),
    /// A character that is not allowed in a name.
    #[error("`{character}` is not allowed in a name")]
    Character {
        /// First one that is not allowed.
        character: char,
    },
    /// A non-ASCII label that is not valid in internationalised names.
    #[error("`{0}` is not a valid internationalised name")]
    Idn(String),
    /// An asterisk that is not the whole first label.
    #[error("`*` counts as a wildcard only as the whole first label")]
    Wildcard,
    /// The name ends with a dot and is outside the zone.
    #[error("`{name}` is not in the zone {zone}")]
    OutsideZone {
        /// As written, with its final dot.
        name: String,
        /// Domain that should contain the name.
        zone: String,
    },
}

impl Fqdn {
    /// Returns the root, `.`.
    #[must_use]
    pub fn root() -> Self {
        Self(".".into())
    }

    /// Parses a name as written in a spec: any case, U-labels or A-labels, with or without the
    /// final dot.
    ///
    /// # Errors
    /// Empty or overlong labels and names, characters other than letters, digits, `-`, `_`, `/` and
    /// a leading `*`, and labels that internationalised names do not allow.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text == "." {
            return Ok(Self::root());
        }
        let bare = text.strip_suffix('.').unwrap_or(text);
        if bare.is_empty() {
            return Err(NameError::Empty);
        }
        let ascii = to_ascii(bare)?;
        check_ascii_name(&ascii)?;
        Ok(Self(ascii.into()))
    }

    /// Reads a name that Cloudflare reported. Never fails, so that an invalid live name is shown
    /// and does not end the run.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        // The canonical text of an invalid name must parse as the same name, so several final dots
        // all stay.
        let bare = text
            .strip_suffix('.')
            .filter(|bare| !bare.is_empty() && !bare.ends_with('.'))
            .unwrap_or(text);
        Self::parse(text).unwrap_or_else(|_| Self(bare.to_ascii_lowercase().into()))
    }

    /// Returns the canonical text, without the final dot (`.` for the root).
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the canonical text with the final dot.
    #[must_use]
    pub fn absolute(&self) -> String {
        if self.is_root() { ".".to_owned() } else { format!("{}.", self.0) }
    }

    /// Returns true for the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        &*self.0 == "."
    }

    /// Returns true if the first label is `*`.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        &*self.0 == "*" || self.0.starts_with("*.")
    }

    /// Returns true if a label begins with an underscore. Such names are not host names but names
    /// of services, keys and tokens (RFC 8552).
    #[must_use]
    pub fn has_underscored_label(&self) -> bool {
        self.0.split('.').any(|label| label.starts_with('_'))
    }

    /// Returns true if this name equals `other` or is below it.
    #[must_use]
    pub fn is_within(&self, other: &Fqdn) -> bool {
        match self.0.strip_suffix(other.as_str()) {
            Some(rest) => rest.is_empty() || rest.ends_with('.'),
            None => other.is_root(),
        }
    }

    /// Returns the end of this name that is repeated, if the repetition is `domain` or below it:
    /// `example.com` of `www.example.com.example.com`. Such a name is the result of reading a whole
    /// name as a relative one.
    #[must_use]
    pub fn doubled_end(&self, domain: &Fqdn) -> Option<&str> {
        if domain.is_root() || !self.is_within(domain) {
            return None;
        }
        let starts = std::iter::once(0).chain(self.0.match_indices('.').map(|(dot, _)| dot + 1));
        let ends = starts.filter_map(|start| Some((self.0.get(..start)?, self.0.get(start..)?)));
        let is_twice = |(rest, end): &(&str, &str)| {
            let unended = rest.strip_suffix('.').and_then(|rest| rest.strip_suffix(end));
            unended.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        ends.filter(|(_, end)| end.len() >= domain.as_str().len())
            .find(is_twice)
            .map(|(_, end)| end)
    }

    /// Returns the registered domain that contains this name; `None` for public suffixes.
    #[must_use]
    pub fn registrable(&self) -> Option<&str> {
        PublicSuffix::of(self.as_str())?.registrable()
    }

    /// Returns the number of labels; the root has none.
    #[must_use]
    pub fn label_count(&self) -> usize {
        if self.is_root() { 0 } else { self.0.split('.').count() }
    }
}

impl fmt::Display for Fqdn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Converts to lower case and A-labels.
fn to_ascii(text: &str) -> Result<String, NameError> {
    if text.is_ascii() {
        return Ok(text.to_ascii_lowercase());
    }
    // The deny list is empty: underscores and asterisks are normal in the DNS, and `check` checks
    // the characters.
    idna::domain_to_ascii_cow(text.as_bytes(), idna::AsciiDenyList::EMPTY)
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| NameError::Idn(text.to_owned()))
}

/// Checks lengths and characters of a lower-case ASCII name without final dot.
fn check_ascii_name(name: &str) -> Result<(), NameError> {
    for (n, label) in name.split('.').enumerate() {
        if label.is_empty() {
            return Err(NameError::EmptyLabel(name.to_owned()));
        }
        if label.len() > LABEL_OCTETS {
            return Err(NameError::LabelTooLong { label: label.to_owned(), octets: label.len() });
        }
        if label.contains('*') && (label != "*" || n > 0) {
            return Err(NameError::Wildcard);
        }
        // `/` occurs in classless reverse delegations (RFC 2317 section 4).
        if let Some(character) = label
            .chars()
            .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '/')))
        {
            return Err(NameError::Character { character });
        }
    }
    if name.len() > NAME_OCTETS {
        return Err(NameError::TooLong(name.len()));
    }
    Ok(())
}

/// The name of a zone: a domain name that is neither the root nor a wildcard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneName(Fqdn);

impl ZoneName {
    /// Parses a zone name as written in a spec.
    ///
    /// # Errors
    /// The errors of [`Fqdn::parse`]; also the root and wildcards.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let name = Fqdn::parse(text)?;
        if name.is_root() {
            return Err(NameError::Empty);
        }
        if name.is_wildcard() {
            return Err(NameError::Wildcard);
        }
        Ok(Self(name))
    }

    /// Reads a zone name that Cloudflare reported.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        Self(Fqdn::reported(text))
    }

    /// Returns the name of a file about the zone, without an extension. A name may contain slashes
    /// (RFC 2317), which would place the file in another directory.
    #[must_use]
    pub fn file_stem(&self) -> String {
        self.as_str().replace('%', "%25").replace('/', "%2F").replace('\\', "%5C")
    }

    /// Returns the Unicode form of the name, if it differs.
    #[must_use]
    pub fn unicode(&self) -> Option<String> {
        let (unicode, result) = idna::domain_to_unicode(self.as_str());
        (result.is_ok() && unicode != self.as_str()).then_some(unicode)
    }

    /// Returns the name as a plain domain name.
    #[must_use]
    pub fn as_fqdn(&self) -> &Fqdn {
        &self.0
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Resolves a name as written in a spec: `@`, relative, or fully qualified inside the zone.
    ///
    /// A text that equals the zone name or ends with it is fully qualified; a final dot makes this
    /// explicit.
    ///
    /// # Errors
    /// The errors of [`Fqdn::parse`], and a name with a final dot that is outside the zone.
    pub fn resolve(&self, text: &str) -> Result<Fqdn, NameError> {
        if text == "@" {
            return Ok(self.0.clone());
        }
        let name = Fqdn::parse(text)?;
        if !name.is_root() && name.is_within(&self.0) {
            return Ok(name);
        }
        if text.ends_with('.') {
            return Err(NameError::OutsideZone { name: text.to_owned(), zone: self.to_string() });
        }
        let full = format!("{name}.{}", self.0);
        check_ascii_name(&full)?;
        Ok(Fqdn(full.into()))
    }

    /// Returns the name as written in a spec: `@` or relative. Returns the full name if it is
    /// outside the zone, or if the relative form would be read as another name: `www.example.com`
    /// in example.com is not `www.example.com.example.com`.
    #[must_use]
    pub fn relative<'a>(&self, name: &'a Fqdn) -> &'a str {
        if *name == self.0 {
            return "@";
        }
        let zone = self.as_str();
        let relative_name =
            name.as_str().strip_suffix(zone).and_then(|rest| rest.strip_suffix('.'));
        let is_another = |text: &str| {
            matches!(text, "" | "@")
                || text
                    .strip_suffix(zone)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        relative_name.filter(|text| !is_another(text)).unwrap_or(name.as_str())
    }
}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(name: &Fqdn) -> Vec<&str> {
        if name.is_root() { Vec::new() } else { name.0.rsplit('.').collect() }
    }

    #[test]
    fn the_file_of_a_zone_stays_in_its_directory() {
        for (name, stem) in [
            ("example.com", "example.com"),
            ("0/25.2.0.192.in-addr.arpa", "0%2F25.2.0.192.in-addr.arpa"),
            ("/etc/example.com", "%2Fetc%2Fexample.com"),
        ] {
            assert_eq!(ZoneName::reported(name).file_stem(), stem);
        }
    }

    #[test]
    fn names_are_in_the_order_of_their_labels() {
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = texts
                .iter()
                .flat_map(|text| ["a", "b", "."].map(|letter| format!("{text}{letter}")));
            texts = texts.iter().cloned().chain(longer).collect();
            texts.sort_unstable();
            texts.dedup();
        }
        let names: Vec<Fqdn> =
            texts.iter().filter(|t| !t.is_empty()).map(|t| Fqdn(t.as_str().into())).collect();
        assert_eq!(names.len(), 363);
        for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))) {
            assert_eq!(a.cmp(b), labels(a).cmp(&labels(b)), "{a:?} {b:?}");
        }
        // Ends that are compared eight octets at a time, and what is before them.
        let short = texts.iter().filter(|text| text.len() < 4);
        for end in [
            "",
            "c",
            ".example",
            "example",
            "-long.example",
            ".long.example.com",
            "long-label-of-an.example",
        ] {
            let names: Vec<Fqdn> = short
                .clone()
                .flat_map(|text| {
                    ["", "b.of"].map(|start| Fqdn(format!("{start}{text}{end}").into()))
                })
                .collect();
            for (a, b) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))) {
                assert_eq!(a.cmp(b), labels(a).cmp(&labels(b)), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn spellings_of_one_name_are_equal() {
        for text in ["Example.COM", "example.com.", "EXAMPLE.com"] {
            assert_eq!(Fqdn::parse(text).unwrap().as_str(), "example.com");
        }
        assert_eq!(
            Fqdn::parse("bücher.example").unwrap(),
            Fqdn::parse("XN--BCHER-KVA.example.").unwrap()
        );
        assert_eq!(
            Fqdn::parse("_dmarc.Bücher.example").unwrap().as_str(),
            "_dmarc.xn--bcher-kva.example"
        );
        assert_eq!(Fqdn::parse("*.例え.example").unwrap().as_str(), "*.xn--r8jz45g.example");
    }

    #[test]
    fn a_zone_comes_before_what_is_below_it() {
        let mut names: Vec<_> = [
            "b.example.com",
            "b..example.com",
            "_x.example.com",
            "example.com",
            "a.b.example.com",
            "example.org",
            ".",
        ]
        .map(Fqdn::reported)
        .into();
        names.sort();
        let sorted: Vec<_> = names.iter().map(Fqdn::as_str).collect();
        assert_eq!(
            sorted,
            [
                ".",
                "example.com",
                "b..example.com",
                "_x.example.com",
                "b.example.com",
                "a.b.example.com",
                "example.org"
            ]
        );
        for (n, a) in names.iter().enumerate() {
            assert!(names[n + 1..].iter().all(|b| a.cmp(b).is_lt() && b.cmp(a).is_gt()));
        }
    }

    #[test]
    fn names_that_are_none() {
        for text in
            ["", "a..b", ".a", "a b", "a.*.b", "x*.example", "a,b", "a\u{0}b", "münchen .de"]
        {
            assert!(Fqdn::parse(text).is_err(), "{text:?} was accepted");
        }
        assert!(matches!(
            Fqdn::parse(&"a".repeat(64)),
            Err(NameError::LabelTooLong { octets: 64, .. })
        ));
        assert!(Fqdn::parse(&"a".repeat(63)).is_ok());
        let long = ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(62)].join(".");
        assert_eq!(Fqdn::parse(&long), Err(NameError::TooLong(254)));
        assert!(Fqdn::parse(&long[1..]).is_ok());
    }

    #[test]
    fn names_in_a_zone() {
        let zone = ZoneName::parse("example.com").unwrap();
        let resolve = |text: &str| zone.resolve(text).map(|n| n.as_str().to_owned());
        assert_eq!(resolve("@").unwrap(), "example.com");
        assert_eq!(resolve("www").unwrap(), "www.example.com");
        assert_eq!(resolve("WWW.example.com").unwrap(), "www.example.com");
        assert_eq!(resolve("example.com.").unwrap(), "example.com");
        assert_eq!(resolve("notexample.com").unwrap(), "notexample.com.example.com");
        assert_eq!(resolve("*").unwrap(), "*.example.com");
        assert!(matches!(resolve("mail.other.test."), Err(NameError::OutsideZone { .. })));
        assert!(matches!(resolve("."), Err(NameError::OutsideZone { .. })));
        assert_eq!(zone.relative(&Fqdn::parse("a.b.example.com").unwrap()), "a.b");
        assert_eq!(zone.relative(zone.as_fqdn()), "@");
        assert_eq!(zone.relative(&Fqdn::parse("notexample.com").unwrap()), "notexample.com");
        // A name whose relative form would be read as another name is written in full.
        for name in ["www.example.com.example.com", "example.com.example.com"] {
            assert_eq!(zone.relative(&Fqdn::parse(name).unwrap()), name);
        }
        assert_eq!(zone.relative(&Fqdn::reported("@.example.com")), "@.example.com");
        assert_eq!(
            zone.relative(&Fqdn::parse("notexample.com.example.com").unwrap()),
            "notexample.com"
        );
    }
}
