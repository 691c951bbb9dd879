//! Requests, and what a spec says about one.
//!
//! | question | files |
//! |---|---|
//! | how often is it made? | `how_often` |
//! | what becomes of it, and what was expected? | `verdict` |

mod how_often;
mod verdict;

pub use how_often::Rate;
pub use verdict::{Outcome, VerdictExpected};
#[doc(hidden)]
pub use zonewright_expression::clip;
pub use zonewright_expression::{Body, Given, Request, RequestError};

use crate::diagnostic::{shown_path, shown_query};

/// Returns the request without parts of its path and its arguments that may be secrets.
#[must_use]
pub fn without_secrets(request: &Request) -> Request {
    let (path, query) = (shown_path(&request.path), shown_query(&request.query));
    Request { path, query, ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_not_shown() {
        let request = Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b;t%6Fken=d")
            .expect("it is one");
        let shown = "GET https://x.test/a?q=1&Access_Token=[redacted]&b;t%6Fken=[redacted]";
        assert_eq!(without_secrets(&request).to_string(), shown);
    }
}
