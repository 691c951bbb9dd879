//! A request as an argument of a command: a `curl` command, a method and an address, or a file.

use std::path::Path;

use anyhow::anyhow;

use crate::cli::exit_codes::Ended;
use crate::model::request::{Request, RequestError};
use crate::recorded::{self, Sample, parse_curl};

/// Returns the request in an argument or in the file that the argument names.
pub(super) fn read_request(
    word: &str,
    entry: Option<usize>,
    options: &recorded::RecordingOptions,
) -> anyhow::Result<Sample> {
    if let Some(request) = request_of(word).map_err(|error| Ended::Usage(error.to_string()))? {
        return Ok(Sample::of(request, "argument"));
    }
    // An argument that is no path may contain credentials and is not repeated.
    if word.trim().contains(char::is_whitespace) && !Path::new(word).exists() {
        let why = "the argument is neither a request nor a file: write a `curl` command, or a \
            method and an address";
        return Err(Ended::usage(why));
    }
    let source = if word == "-" { "standard input" } else { word };
    let mut requests = recorded::open(&[Path::new(word).to_owned()], options)?;
    let first = requests.next().ok_or_else(|| anyhow!("{source} has no request"))?;
    match (entry, requests.next()) {
        (None | Some(1), None) => Ok(first?),
        (None, Some(Err(error))) if error.is_fatal => Err(first.err().unwrap_or(error).into()),
        (None, Some(_)) => Err(Ended::usage(format!(
            "{source} has several requests: name one with --entry, from 1 on"
        ))),
        (Some(0), _) => Err(Ended::usage("entries are numbered from 1 on")),
        (Some(1), Some(_)) => Ok(first?),
        (Some(2), Some(second)) => Ok(second?),
        (Some(entry), second) => match second.and_then(|_| requests.nth(entry - 3)) {
            Some(found) => Ok(found?),
            None => Err(Ended::usage(format!("{source} has no entry {entry}"))),
        },
    }
}

/// Parses the request in an argument: a `curl` command, or a method and an address. Returns `None`
/// if the argument can only be a file.
fn request_of(word: &str) -> Result<Option<Request>, RequestError> {
    let word = word.trim();
    if word.starts_with("curl ") {
        return parse_curl(word).map(Some);
    }
    let method = word.split_once(' ').map(|(method, _)| method);
    let is_request = word.contains("://")
        || method.is_some_and(|method| method.bytes().all(|b| b.is_ascii_uppercase()));
    if is_request && !Path::new(word).exists() { Request::parse(word).map(Some) } else { Ok(None) }
}
