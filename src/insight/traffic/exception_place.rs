//! The places at which exceptions apply: hosts, paths, beginnings of paths, and methods; and the
//! rules that they skip.
//!
//! An exception cannot exempt a single parameter: Cloudflare skips rules for whole requests, and a
//! condition on the presence of a parameter is met by whoever adds it.

use std::collections::BTreeSet;
use std::fmt;

use crate::model::expression::{Expression, TextTest};

/// The paths of an exception, from narrow to wide.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathScope {
    /// One path.
    Is(String),
    /// All paths that start with a text; it ends in `/`.
    Under(String),
    /// All paths.
    Any,
}

/// A place at which an exception applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExceptionPlace {
    pub path: PathScope,
    /// The host; `None` for all hosts of the zone.
    pub host: Option<String>,
    /// The method; `None` for all methods.
    pub method: Option<String>,
}

/// The rules that an exception skips.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkippedRules {
    /// Some rules, by their numbers.
    Rules(BTreeSet<u32>),
    /// The whole ruleset.
    All,
}

impl SkippedRules {
    /// Returns true if a rule is skipped.
    #[must_use]
    pub fn contains(&self, rule: u32) -> bool {
        match self {
            Self::Rules(rules) => rules.contains(&rule),
            Self::All => true,
        }
    }
}

impl ExceptionPlace {
    /// The whole zone.
    pub const ZONE: Self = Self { path: PathScope::Any, host: None, method: None };

    /// Returns the place of one path of a host.
    #[must_use]
    pub fn path(host: &str, path: &str) -> Self {
        Self { path: PathScope::Is(path.to_owned()), ..Self::host(host) }
    }

    /// Returns the place of a host.
    #[must_use]
    pub fn host(host: &str) -> Self {
        Self { host: Some(host.to_owned()), ..Self::ZONE }
    }

    /// Returns every place that contains a request and can be written as an exception.
    #[must_use]
    pub fn containing(host: &str, method: &str, path: &str) -> Vec<Self> {
        let ends = path.match_indices('/').map(|(at, _)| at + 1).filter(|end| *end > 1);
        let beginnings = ends.filter(|end| *end < path.len()).map(|end| &path[..end]);
        let paths = beginnings.map(|beginning| PathScope::Under(beginning.to_owned()));
        let paths: Vec<PathScope> =
            [PathScope::Is(path.to_owned()), PathScope::Any].into_iter().chain(paths).collect();
        let mut places = Vec::new();
        for path in paths {
            let place = Self { path, ..Self::host(host) };
            places.push(Self { host: None, ..place.clone() });
            places.push(Self { method: Some(method.to_owned()), ..place.clone() });
            places.push(place);
        }
        places
    }

    /// Returns true if a request is at the place.
    #[must_use]
    pub fn contains(&self, host: &str, method: &str, path: &str) -> bool {
        let is_path = match &self.path {
            PathScope::Is(only) => only == path,
            PathScope::Under(beginning) => path.starts_with(beginning),
            PathScope::Any => true,
        };
        is_path
            && self.host.as_ref().is_none_or(|only| only == host)
            && self.method.as_ref().is_none_or(|only| only == method)
    }

    /// Returns true if every request at `other` is at this place.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let is_path = match (&self.path, &other.path) {
            (PathScope::Any, _) => true,
            (PathScope::Under(wide), PathScope::Under(path) | PathScope::Is(path)) => {
                path.starts_with(wide)
            }
            (path, other) => path == other,
        };
        is_path
            && (self.host.is_none() || self.host == other.host)
            && (self.method.is_none() || self.method == other.method)
    }

    /// Returns the condition of an exception.
    #[must_use]
    pub fn condition(&self) -> Expression {
        let mut fields = Vec::new();
        fields.extend(self.host.as_deref().map(|host| ("http.host", TextTest::Equals, host)));
        let path = match &self.path {
            PathScope::Is(path) => Some((TextTest::Equals, path)),
            PathScope::Under(path) => Some((TextTest::StartsWith, path)),
            PathScope::Any => None,
        };
        fields.extend(path.map(|(test, path)| ("http.request.uri.path", test, path.as_str())));
        let method = self.method.as_deref();
        fields.extend(method.map(|method| ("http.request.method", TextTest::Equals, method)));
        Expression::of_texts(&fields)
    }

    /// Returns a part of a name.
    #[must_use]
    pub fn slug(&self) -> String {
        match (&self.path, &self.host) {
            (PathScope::Is(path) | PathScope::Under(path), _) => slug(path),
            (PathScope::Any, host) => slug(host.as_deref().unwrap_or("zone")),
        }
    }
}

impl fmt::Display for ExceptionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = &self.method {
            write!(f, "{method} ")?;
        }
        f.write_str(self.host.as_deref().unwrap_or("all hosts"))?;
        match &self.path {
            PathScope::Is(path) => {
                write!(f, "{}{path}", if self.host.is_none() { ", " } else { "" })
            }
            PathScope::Under(path) => {
                write!(f, "{}{path}*", if self.host.is_none() { ", " } else { "" })
            }
            PathScope::Any => Ok(()),
        }
    }
}

/// Converts a text to a part of a name.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").chars().take(60).collect();
    if slug.is_empty() {
        "root".to_owned()
    } else {
        slug.trim_end_matches('-').to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_paths() {
        assert_eq!(slug("/Shop/search.php"), "shop-search-php");
        assert_eq!(slug("/"), "root");
    }

    #[test]
    fn places_contain_what_they_are_made_of() {
        let (host, method, path) = ("a.example", "POST", "/t/1/reply");
        let places = ExceptionPlace::containing(host, method, path);
        assert_eq!(places.len(), 4 * 3);
        for place in &places {
            assert!(place.contains(host, method, path), "{place}");
            assert!(ExceptionPlace::ZONE.covers(place) && place.covers(place), "{place}");
        }
        let shown = |at: usize| (places[at].to_string(), places[at].condition().text().to_owned());
        assert_eq!(shown(0).0, "all hosts, /t/1/reply");
        assert_eq!(
            shown(7),
            (
                "POST a.example/t/*".to_owned(),
                "http.host eq \"a.example\" and starts_with(http.request.uri.path, \"/t/\") and \
                 http.request.method eq \"POST\""
                    .to_owned()
            )
        );
        let under = &places[8];
        assert!(under.covers(&places[1]) && !places[1].covers(under));
        assert!(!under.contains(host, method, "/t") && !under.contains("b.example", method, path));
    }
}
