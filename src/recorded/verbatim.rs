//! What is made of a recorded request: a sample for all rules, or the request exactly as it is
//! written.

use super::json_line::{Line, sample};
use super::options::Options;
use super::request_target::of_address;
use super::sample::{Place, Sample};
use crate::seclang;

/// What is made of a recorded request.
pub trait Recording: Sized + Send + 'static {
    /// Of a JSON line.
    ///
    /// # Errors
    /// Why it is not a request.
    fn of_line(line: Line<'_>, place: Place, options: &Options) -> Result<Self, String>;

    /// Of a request in any other form.
    fn of_sample(sample: Sample) -> Self;
}

impl Recording for Sample {
    fn of_line(line: Line<'_>, place: Place, options: &Options) -> Result<Self, String> {
        sample(line, place, options)
    }

    fn of_sample(sample: Sample) -> Self {
        sample
    }
}

/// A request for the engine of the OWASP rules. Of a JSON line it is exactly what is written: a
/// header that is not there is missing, and the method, the target and the protocol can be any
/// text. Every other form is taken as [`Sample::as_sent`] says.
#[derive(Debug, Clone)]
pub struct Verbatim {
    /// Its name; where it was read, if it has none.
    pub id: String,
    /// The request.
    pub request: seclang::Request,
}

impl Recording for Verbatim {
    fn of_line(line: Line<'_>, place: Place, _options: &Options) -> Result<Self, String> {
        let body = line.body()?.unwrap_or_default();
        let Line { id, method, mut uri, version, headers, .. } = line;
        let known = headers.into_iter().flatten().filter_map(|(name, value)| Some((name, value?)));
        let mut headers: Vec<_> =
            known.map(|(name, value)| (name.into_bytes(), value.into_bytes())).collect();
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
