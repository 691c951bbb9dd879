//! The Public Suffix List (<https://publicsuffix.org/list/>, as of the version of the `psl`
//! package): the suffixes below which anyone can register a domain.

/// The public suffix of a host name, such as `co.uk` of `www.example.co.uk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicSuffix<'n> {
    name: &'n str,
    length: usize,
    section: Option<psl::Type>,
}

impl<'n> PublicSuffix<'n> {
    /// Finds the suffix of a name without a final dot. An unlisted last label is a suffix too.
    ///
    /// The list is a function, and each caller gets a copy of 670 KB. So this function is its only
    /// caller.
    #[inline(never)]
    pub fn of(name: &'n str) -> Option<Self> {
        let suffix = psl::suffix(name.as_bytes())?;
        Some(Self { name, length: suffix.as_bytes().len(), section: suffix.typ() })
    }

    /// Returns the registered domain that contains the name; `None` for a name that is a suffix
    /// itself.
    pub fn registrable(self) -> Option<&'n str> {
        let below = self.name.len().checked_sub(self.length + 1)?;
        let label = self.name.get(..below)?.rsplit('.').next().filter(|label| !label.is_empty())?;
        self.name.get(below - label.len()..)
    }

    /// Returns true if the list contains the suffix.
    pub fn is_listed(self) -> bool {
        self.section.is_some()
    }

    /// Returns true if a registry sells names directly below this name, according to the section
    /// for registries in the list. Such a name cannot be a zone. The other section has domains of
    /// companies, which can be zones.
    pub fn is_registry(self) -> bool {
        self.length == self.name.len() && self.section == Some(psl::Type::Icann)
    }

    /// Returns true if the name itself is the domain of a company that assigns names below it.
    pub fn is_company(self) -> bool {
        self.length == self.name.len() && self.is_of_company()
    }

    /// Returns true if a company assigns names below its domain, such as `pages.dev`.
    pub fn is_of_company(self) -> bool {
        self.section == Some(psl::Type::Private)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_companies_and_unknown_ends_have_suffixes() {
        let cases = [
            ("www.example.co.uk", Some("example.co.uk"), false, false),
            ("co.uk", None, true, false),
            ("a.b.team.pages.dev", Some("team.pages.dev"), false, true),
            ("pages.dev", None, false, true),
            ("server.lan", Some("server.lan"), false, false),
            ("lan", None, false, false),
            ("www.xn--85x722f.xn--fiqs8s", Some("xn--85x722f.xn--fiqs8s"), false, false),
        ];
        for (name, registrable, registry, company) in cases {
            let suffix = PublicSuffix::of(name).expect(name);
            assert_eq!(
                (suffix.registrable(), suffix.is_registry(), suffix.is_of_company()),
                (registrable, registry, company),
                "{name}"
            );
        }
    }
}
