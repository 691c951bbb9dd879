//! Recorded requests in each of their forms.

use std::io::Cursor;

use zonewright::recorded::{Options, Sample, read};

/// Most bytes of a request: enough for every input, so that the limit is reached by packed ones only.
const LONGEST: u64 = 1 << 16;

/// Reads bytes, and checks what holds for every recording.
fn requests(bytes: Vec<u8>) -> Vec<Sample> {
    let options = Options { host: Some("host.example".to_owned()), longest: LONGEST, skips_unreadable: true };
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
                assert!(!request.method.is_empty() && shown(&request.path) && shown(&request.query), "{request:?}");
                assert!(request.path.starts_with('/') && !request.path.contains('?'), "{request:?}");
                assert!(request.headers.iter().all(|(name, _)| name.to_ascii_lowercase() == *name), "{request:?}");
                // What is looked at to tell the form is read whatever the limit is.
                assert!(sample.target.len() as u64 <= 2 * LONGEST, "{request:?}");
                samples.push(sample);
            }
        }
    }
    samples
}

/// An HTTP archive; the bytes are behind the beginning of one.
pub fn archive(data: &[u8]) {
    requests([b"{\"log\":{".as_slice(), data].concat());
}

/// JSON lines and rows of Logpush; a blank line changes nothing but the numbers.
pub fn recorded_lines(data: &[u8]) {
    let lines = [b"{".as_slice(), data].concat();
    let more = [b"\n \n{".as_slice(), data].concat();
    let requests_of = |lines| requests(lines).into_iter().map(|sample| sample.request).collect::<Vec<_>>();
    assert_eq!(requests_of(lines), requests_of(more));
}

/// An access log; the bytes are behind a line that is one.
pub fn access_log(data: &[u8]) {
    let first = b"192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n";
    assert!(!requests([first, data].concat()).is_empty());
}

/// A request as on the wire; a body by its length is no longer than that.
pub fn wire_request(data: &[u8]) {
    requests([b"POST / HTTP/1.1\n".as_slice(), data].concat());
    requests(data.to_vec());
}
