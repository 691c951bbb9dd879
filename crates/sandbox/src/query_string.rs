//! The query string: reading parameters and computing pages.

use axum::extract::Query;
use axum::http::Uri;
use serde_json::{Value, json};

/// The parameters of a request, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads the parameters of a request's URI.
    ///
    /// ASSUMED: a query string that cannot be decoded counts as empty, because unknown parameters
    /// are ignored too.
    pub(super) fn read(uri: &Uri) -> Self {
        Self(Query::try_from_uri(uri).map(|Query(pairs)| pairs).unwrap_or_default())
    }

    /// Returns the value of a parameter; the first one if it is repeated.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns true if the request asks for descending order.
    pub(super) fn is_descending(&self) -> bool {
        self.get("direction") == Some("desc")
    }

    /// Returns true if one matching filter is enough; by default all must match.
    pub(super) fn is_any(&self, name: &str) -> bool {
        self.get(name) == Some("any")
    }

    /// Returns the requested page. ASSUMED: a value that is not a number above 0 counts as absent.
    pub(super) fn page(&self, default_size: u64, smallest: u64, largest: u64) -> Page {
        let number =
            |name: &str| self.get(name).and_then(|v| v.parse::<u64>().ok()).filter(|n| *n > 0);
        // SQLite counts in signed 64 bits.
        let limit = u64::from(u32::MAX);
        Page {
            number: number("page").unwrap_or(1).min(limit),
            size: number("per_page")
                .unwrap_or(default_size)
                .clamp(smallest, largest.clamp(1, limit)),
        }
    }
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    /// Counted from 1.
    pub(super) number: u64,
    /// Number of items on a full page.
    pub(super) size: u64,
}

impl Page {
    /// Returns the number of items before the page.
    pub(super) fn offset(self) -> u64 {
        (self.number - 1) * self.size
    }

    /// Returns `result_info` of a list of records.
    ///
    /// # Sources
    /// Order of the members, and one page for an empty list: observed 2025-08.
    pub(super) fn info_of_records(self, count: usize, total: u64) -> Value {
        json!({
            "page": self.number,
            "per_page": self.size,
            "count": count,
            "total_count": total,
            "total_pages": total.div_ceil(self.size).max(1),
        })
    }

    /// Returns `result_info` of a list of zones.
    ///
    /// # Sources
    /// Order of the members: observed 2025-08. ASSUMED: no pages for an empty list.
    pub(super) fn info_of_zones(self, count: usize, total: u64) -> Value {
        json!({
            "page": self.number,
            "per_page": self.size,
            "total_pages": total.div_ceil(self.size),
            "count": count,
            "total_count": total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let read = |query: &str| {
            Parameters::read(&format!("/zones?{query}").parse().unwrap()).page(100, 1, 5000)
        };
        assert_eq!(read(""), Page { number: 1, size: 100 });
        assert_eq!(read("page=3&per_page=9000"), Page { number: 3, size: 5000 });
        assert_eq!(read("page=0&per_page=x"), Page { number: 1, size: 100 });
        assert_eq!(read("page=3&per_page=7").offset(), 14);
        assert_eq!(read("").info_of_records(0, 0)["total_pages"], 1);
        assert_eq!(read("").info_of_records(1, 101)["total_pages"], 2);
    }
}
