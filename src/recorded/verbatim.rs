//! Targets of reading a recorded request: a sample for all rules, or the request exactly as it is
//! written.

use super::json_line::{Line, sample_of_json};
use super::options::RecordingOptions;
use super::request_target::of_address;
use super::sample::{InputPosition, Sample};
use crate::seclang;

/// A type that can be made of a recorded request.
pub trait Recording: Sized + Send + 'static {
    /// Converts a JSON line.
    ///
    /// # Errors
    /// Fails if the line is not a request.
    fn of_line(
        line: Line<'_>,
        place: InputPosition,
        options: &RecordingOptions,
    ) -> Result<Self, String>;

    /// Converts a request in any other format.
    fn of_sample(sample: Sample) -> Self;
}

impl Recording for Sample {
    fn of_line(
        line: Line<'_>,
        place: InputPosition,
        options: &RecordingOptions,
    ) -> Result<Self, String> {
        sample_of_json(line, place, options)
    }

    fn of_sample(sample: Sample) -> Self {
        sample
    }
}

/// A request for the engine of the OWASP rules. A JSON line is taken exactly as it is written: no
/// header is added, and the method, the target and the protocol can be any text. Requests in other
/// formats are converted by [`Sample::as_sent`].
#[derive(Debug, Clone)]
pub struct Verbatim {
    /// Name of the request, or its position if it has no name.
    pub id: String,
    /// The request for the engine.
    pub request: seclang::Request,
}

impl Recording for Verbatim {
    fn of_line(
        line: Line<'_>,
        place: InputPosition,
        _options: &RecordingOptions,
    ) -> Result<Self, String> {
        let body = line.body()?.unwrap_or_default();
        let Line { id, method, mut uri, version, headers, .. } = line;
        let known_headers =
            headers.into_iter().flatten().filter_map(|(name, value)| Some((name, value?)));
        let mut headers: Vec<_> =
            known_headers.map(|(name, value)| (name.into_bytes(), value.into_bytes())).collect();
        if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case(b"host"))
            && let Some((_, host, target)) = of_address(&uri)
        {
            headers.insert(0, (b"Host".to_vec(), host.as_bytes().to_vec()));
            uri = target.to_owned();
        }
        let version = version.unwrap_or_else(|| "HTTP/1.1".to_owned());
        let request = seclang::Request {
            method: method.into_bytes(),
            uri: uri.into_bytes(),
            version,
            headers,
            body,
        };
        Ok(Self { id: id.unwrap_or_else(|| place.to_string()), request })
    }

    fn of_sample(sample: Sample) -> Self {
        let request = sample.as_sent();
        Self { id: sample.id.unwrap_or_else(|| sample.place.to_string()), request }
    }
}
