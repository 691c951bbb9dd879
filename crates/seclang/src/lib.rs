//! Runs rules in ModSecurity's language, such as the OWASP Core Rule Set, on requests.

mod body;
mod decode;
mod directives;
mod error;
mod evaluate;
mod evidence;
mod libinjection;
mod limits;
mod literals;
mod macros;
mod normalize_paths;
mod operators;
mod pattern;
mod prefilter;
mod request;
mod request_texts;
mod rule_builder;
mod rules;
mod transaction;
mod transform;
mod variables;

pub use error::Error;
pub use evaluate::Evaluator;
pub use evidence::Evidence;
pub use limits::MOST_BYTES;
pub use rules::{RuleSet, ScoringRule};

/// A request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The method, such as `POST`.
    pub method: Vec<u8>,
    /// The path and query, or the whole URI, as in the request line.
    pub uri: Vec<u8>,
    /// The protocol, such as `HTTP/1.1`.
    pub version: String,
    /// Headers in order, with their names as written.
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// The body, without transfer coding.
    pub body: Vec<u8>,
}

/// A rule that added to the anomaly score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The number of the rule.
    pub rule: u32,
    /// The paranoia level, 1 to 4, to which the rule belongs.
    pub level: u8,
    /// The score that the rule adds once, regardless of the number of matches.
    pub score: i64,
}

/// The result of running the rules on a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The rules that matched, by number.
    pub hits: Vec<Hit>,
    /// Rules without a result, because their regular expression took too many steps, or their texts
    /// took too much memory.
    pub undecided: Vec<u32>,
}

impl Outcome {
    /// Returns the anomaly score at a paranoia level: the sum for the rules of this level and of
    /// lower levels.
    #[must_use]
    pub fn score(&self, level: u8) -> i64 {
        self.hits.iter().filter(|hit| hit.level <= level).map(|hit| hit.score).sum()
    }
}

/// Rules that ModSecurity recommends for any rule set: they select the body processors.
const BODIES: &str = r#"
SecRule REQUEST_HEADERS:Content-Type "@rx ^(?:application|text)/(?:[a-z0-9.-]+\+)?xml" "id:1,phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=XML"
SecRule REQUEST_HEADERS:Content-Type "@rx ^application/(?:[a-z0-9.-]+\+)?json" "id:2,phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=JSON"
"#;

/// All levels run, so that one pass yields the result of each level.
const LEVELS: &str = r#"
SecAction "id:3,phase:1,pass,nolog,setvar:tx.paranoia_level=4,setvar:tx.executing_paranoia_level=4,\
  setvar:tx.blocking_paranoia_level=4,setvar:tx.detection_paranoia_level=4,setvar:tx.early_blocking=0"
"#;

impl RuleSet {
    /// Reads a rule set: its settings (`crs-setup.conf`), then its rules, each with the name and
    /// the text of a file.
    ///
    /// `data` returns the content of a data file by the name that a rule uses.
    ///
    /// # Errors
    /// If a file is not in the rule language; the error names the line.
    pub fn new(
        setup: &[(String, String)],
        rules: &[(String, String)],
        data: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Self, Error> {
        let mut builder = rule_builder::Builder::new(data);
        builder.add("bodies", BODIES)?;
        for (name, text) in setup {
            builder.add(name, text)?;
        }
        builder.add("levels", LEVELS)?;
        for (name, text) in rules {
            builder.add(name, text)?;
        }
        builder.finish()
    }

    /// Returns the number of rules about requests.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules().count()
    }

    /// Returns true if there is no rule about requests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
