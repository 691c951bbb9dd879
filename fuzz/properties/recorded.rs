//! Recorded requests in each of the formats.

use std::io::Cursor;

use zonewright::recorded::{RecordingOptions, Sample, read};

/// The limit for the size of a request. No input reaches it, except a compressed one.
const LONGEST: u64 = 1 << 16;

/// Reads bytes, and checks the properties of every recording.
fn requests(bytes: Vec<u8>) -> Vec<Sample> {
    let options = RecordingOptions {
        host: Some("host.example".to_owned()),
        longest: LONGEST,
        skips_unreadable: true,
    };
    let mut samples = Vec::new();
    let (mut number, mut has_ended) = (0, false);
    for read in read("file", Box::new(Cursor::new(bytes)), &options) {
        assert!(!has_ended, "something follows an error that ends the file");
        let place = match &read {
            Ok(sample) => &sample.place,
            Err(error) => &error.place,
        };
        assert!(place.number == 0 || place.number >= number, "{place}");
        number = place.number;
        match read {
            Err(error) => {
                has_ended = error.is_fatal;
                assert!(error.detail.len() < 400, "{error}");
            }
            Ok(sample) => {
                let request = &sample.request;
                let shown = |text: &str| text.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
                assert!(
                    !request.method.is_empty() && shown(&request.path) && shown(&request.query),
                    "{request:?}"
                );
                assert!(
                    request.path.starts_with('/') && !request.path.contains('?'),
                    "{request:?}"
                );
                assert!(
                    request.headers.iter().all(|(name, _)| name.to_ascii_lowercase() == *name),
                    "{request:?}"
                );
                // The bytes that decide about the format are read without this limit.
                assert!(sample.target.len() as u64 <= 2 * LONGEST, "{request:?}");
                samples.push(sample);
            }
        }
    }
    samples
}

/// Properties of an HTTP archive; the input follows a valid beginning.
pub fn archive(data: &[u8]) {
    requests([b"{\"log\":{".as_slice(), data].concat());
}

/// Properties of JSON lines and rows of Logpush: a blank line changes nothing except line numbers.
pub fn recorded_lines(data: &[u8]) {
    let lines = [b"{".as_slice(), data].concat();
    let more = [b"\n \n{".as_slice(), data].concat();
    let requests_of =
        |lines| requests(lines).into_iter().map(|sample| sample.request).collect::<Vec<_>>();
    assert_eq!(requests_of(lines), requests_of(more));
}

/// Properties of an access log; the input follows a valid line.
pub fn access_log(data: &[u8]) {
    let first =
        b"192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n";
    assert!(!requests([first, data].concat()).is_empty());
}

/// Properties of a request in wire format: a body with a length is not longer than that.
pub fn wire_request(data: &[u8]) {
    requests([b"POST / HTTP/1.1\n".as_slice(), data].concat());
    requests(data.to_vec());
}
