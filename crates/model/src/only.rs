//! Selects operations by their addresses.

use super::Address;

/// Addresses and globs of addresses; an empty list selects everything. `*` also matches slashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Only(Vec<glob::Pattern>);

impl Only {
    /// Creates a selection from patterns.
    #[must_use]
    pub fn new(patterns: Vec<glob::Pattern>) -> Self {
        Self(patterns)
    }

    /// Returns true if everything is selected.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a pattern equals or matches the address.
    #[must_use]
    pub fn names(&self, address: &Address) -> bool {
        self.is_all() || self.0.iter().any(|pattern| matches_address(pattern, address))
    }

    /// Returns the patterns as written.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(glob::Pattern::as_str)
    }

    /// Returns the patterns that match none of the addresses.
    #[must_use]
    pub fn unused(&self, addresses: &[&Address]) -> Vec<&str> {
        let is_unused = |pattern: &&glob::Pattern| {
            !addresses.iter().any(|address| matches_address(pattern, address))
        };
        self.0.iter().filter(is_unused).map(glob::Pattern::as_str).collect()
    }
}

/// Returns true if the pattern matches. A pattern that equals the address also matches, because
/// addresses of wildcards contain `*`.
fn matches_address(pattern: &glob::Pattern, address: &Address) -> bool {
    pattern.as_str() == address.as_str() || pattern.matches(address.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ZoneName;

    #[test]
    fn an_address_is_named_by_itself_or_by_a_glob() {
        let zone = ZoneName::parse("example.com").unwrap();
        let address = Address::of_zone_part(&zone, "dns/*.a[1]/A");
        let only = |patterns: &[&str]| {
            Only::new(patterns.iter().map(|p| glob::Pattern::new(p).unwrap()).collect())
        };
        assert!(only(&[]).names(&address) && only(&[]).is_all());
        for pattern in
            ["example.com/dns/*.a[1]/A", "example.com/dns/*", "*", "*/A", "example.com/*"]
        {
            assert!(only(&[pattern]).names(&address), "{pattern}");
        }
        let both = only(&["example.com/dns/www/A", "*/A"]);
        assert!(both.names(&address) && !only(&["example.com", "*/AAAA"]).names(&address));
        assert_eq!(both.unused(&[&address]), ["example.com/dns/www/A"]);
    }
}
