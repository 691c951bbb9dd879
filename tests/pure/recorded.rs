//! Recorded requests: the content of each format, and the handling of broken, compressed and
//! endless files.

use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zonewright::model::request::Body;
use zonewright::recorded::{ReadError, RecordingOptions, Sample, read};

fn all(bytes: impl Into<Vec<u8>>) -> Vec<Result<Sample, ReadError>> {
    let options = RecordingOptions {
        host: Some("default.example".to_owned()),
        skips_unreadable: true,
        ..RecordingOptions::default()
    };
    read("file", Box::new(Cursor::new(bytes.into())), &options).collect()
}

fn only(bytes: impl Into<Vec<u8>>) -> Sample {
    let mut all = all(bytes);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).unwrap()
}

fn failure(bytes: impl Into<Vec<u8>>) -> String {
    let all = all(bytes);
    all.into_iter().find_map(Result::err).expect("there is an error").to_string()
}

/// Returns the relevant parts of a request, in one line.
fn brief(sample: &Sample) -> String {
    let request = &sample.request;
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|(name, value)| format!("{name}={}", String::from_utf8_lossy(value)))
        .collect();
    let body = match &request.body {
        Body::Unknown => "?".to_owned(),
        Body::Partial(body) => format!("{}…", String::from_utf8_lossy(body)),
        Body::Known(body) => String::from_utf8_lossy(body).into_owned(),
    };
    let all: String = request.unsure_headers.iter().map(|name| format!(" ?{name}")).collect();
    let all = if request.has_all_headers { all } else { " ?".to_owned() };
    let (id, time) = (sample.id.as_deref().unwrap_or("-"), sample.time.unwrap_or_default());
    format!("{id} {time} {request} [{}{all}] {body}", headers.join(" "))
}

const ARCHIVE: &str = r#"{ "log": { "version": "1.2", "pages": [{"a": [1, "}"]}], "entries": [
  { "startedDateTime": "1970-01-01T00:00:01.5Z", "time": 3,
    "request": { "method": "POST", "url": "https://WWW.example.com:443/a%20b?c=d#e", "httpVersion": "h2",
      "headers": [{"name": ":authority", "value": "x"}, {"name": "User-Agent", "value": "Browser"}],
      "postData": {"mimeType": "text/plain", "text": "grüße"}, "bodySize": 7 },
    "response": { "status": 200, "headers": [{"name": "CF-Ray", "value": "8f00-FRA"}], "content": {"text": "\"]}"} } },
  { "request": { "method": "GET", "url": "data:text/plain,x", "headers": [] } },
  { "request": { "method": "GET", "url": "http://api.example.com", "headers": [{"name": "host", "value": "other.example"}] } }
], "creator": {} } }"#;

#[test]
fn archives_are_read() {
    let all = all(ARCHIVE);
    let brief: Vec<_> = all.iter().map(|read| brief(read.as_ref().unwrap())).collect();
    assert_eq!(
        brief,
        [
            "8f00 1500 POST https://www.example.com/a%20b?c=d [user-agent=Browser ?cookie ?authorization] grüße",
            "- 0 GET http://other.example/ [ ?cookie ?authorization] ",
        ]
    );
}

/// A part that an archive leaves out is unknown, not absent, unless another part of the archive has
/// it.
#[test]
fn archives_do_not_tell_what_they_leave_out() {
    let entry = |method: &str, headers: &str, data: &str| {
        format!(
            r#"{{"request":{{"method":"{method}","url":"https://x.example/","headers":[{headers}]{data}}}}}"#
        )
    };
    let header = |name: &str, value: &str| format!(r#"{{"name":"{name}","value":"{value}"}}"#);
    let entries = [
        entry("GET", "", ""),
        entry("GET", &header("Cookie", "[cookie redacted]"), ""),
        entry("GET", &header("Cookie", "a=b"), ""),
        entry("GET", &header("Authorization", ""), ""),
        entry("GET", &header("authorization", "Basic eA=="), ""),
        entry("GET", "", ""),
        entry("GET", &header("Cookie", "REDACTED"), ""),
        // A body whose end is left out, as that of an upload.
        entry("POST", &header("Content-Length", "9"), r#","postData":{"text":"abc"}"#),
        entry("POST", &header("Content-Length", "3"), r#","postData":{"text":"abc"}"#),
        entry("POST", "", r#","postData":{"params":[]}"#),
    ];
    let all = all(format!(r#"{{"log":{{"entries":[{}]}}}}"#, entries.join(",")));
    let brief: Vec<_> = all.iter().map(|read| brief(read.as_ref().unwrap())).collect();
    let brief: Vec<_> =
        brief.iter().map(|brief| brief.split_once("x.example/ ").unwrap().1).collect();
    assert_eq!(
        brief,
        [
            "[ ?cookie ?authorization] ",
            "[ ?cookie ?authorization] ",
            "[cookie=a=b ?authorization] ",
            "[authorization= ?authorization] ",
            "[authorization=Basic eA==] ",
            "[] ",
            "[ ?cookie] ",
            "[content-length=9] abc…",
            "[content-length=3] abc",
            "[] ?",
        ]
    );
    let complete: Vec<_> = all.iter().map(|read| read.as_ref().unwrap().is_complete()).collect();
    assert_eq!(complete, [false, false, false, false, true, true, false, false, true, false]);
}

/// Rules that depend on unknown fields have an unknown result, and others do not.
#[test]
fn unknown_headers_are_unknown_to_rules() {
    use zonewright::model::expression::{Expression, Truth};
    let har = r#"{"log":{"entries":[{"request":{"method":"GET","url":"https://x.example/","headers":[{"name":"X-A","value":"1"}]}}]}}"#;
    let log = "192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"A\"\n";
    let edge = log.replace("192.0.2.1", "104.16.0.1");
    let row = r#"{"RayID":"1","ClientRequestHost":"x.example","ClientRequestMethod":"GET","ClientRequestURI":"/"}"#;
    let line = r#"{"method":"GET","uri":"https://x.example/","headers":[["X-A","1"],["User-Agent","b"],["Cookie",null]]}"#;
    for (recording, expression, expected) in [
        (har, "http.cookie contains \"session\"", "http.cookie"),
        (har, "not http.cookie contains \"session\"", "http.cookie"),
        (har, "any(http.request.cookies[\"a\"][*] eq \"b\")", "http.request.cookies"),
        (har, "any(http.request.headers[\"authorization\"][*] eq \"b\")", "http.request.headers"),
        (har, "has_key(http.request.headers, \"cookie\")", "http.request.headers"),
        (har, "has_key(http.request.headers, \"x-b\")", "false"),
        (har, "any(http.request.headers[\"x-a\"][*] eq \"1\")", "true"),
        (har, "any(http.request.headers[\"x-b\"][*] eq \"1\")", "false"),
        (
            har,
            "any(lower(http.request.headers.names[*])[*] eq \"x-a\")",
            "http.request.headers.names",
        ),
        (har, "http.user_agent eq \"\"", "true"),
        (line, "http.cookie contains \"session\"", "http.cookie"),
        (line, "any(http.request.headers[\"x-a\"][*] eq \"1\")", "true"),
        (log, "http.cookie eq \"\"", "http.cookie"),
        (log, "http.user_agent eq \"A\"", "true"),
        (log, "http.request.version eq \"HTTP/1.1\"", "http.request.version"),
        (log, "ssl", "ssl"),
        (log, "http.request.full_uri contains \"https\"", "http.request.full_uri"),
        (log, "ip.src eq 192.0.2.1", "true"),
        (&edge, "ip.src eq 104.16.0.1", "ip.src"),
        (row, "ssl", "ssl"),
        (row, "ip.src in $office", "ip.src"),
        (log, "ip.src in $office", "the list $office"),
        ("curl https://x.example/", "http.user_agent contains \"curl\"", "http.user_agent"),
        ("curl https://x.example/ -H 'User-Agent:'", "http.user_agent eq \"\"", "true"),
        ("curl https://x.example/", "any(http.request.headers[\"accept\"][*] eq \"*/*\")", "true"),
    ] {
        let sample = only(recording);
        let program = Expression::reported(expression).compile().expect("it is one");
        let arena = bumpalo::Bump::new();
        let known = sample.request.sample(&arena);
        let found = match program.evaluate(&known) {
            Truth::True => "true".to_owned(),
            Truth::False => "false".to_owned(),
            truth => {
                program.reasons(truth).map(|reason| reason.words()).collect::<Vec<_>>().join(", ")
            }
        };
        assert_eq!(found, expected, "{expression}: {recording}");
    }
}

#[test]
fn json_lines_are_read() {
    let line = |text: &str| brief(&only(text));
    assert_eq!(
        line(
            r#"{"id":"a","method":"POST","uri":"/x?y=1","headers":[["Host","A.example"],["X","1"]],"body":"eD0x","time":2}"#
        ),
        "a 2000 POST https://a.example/x?y=1 [x=1] x=1"
    );
    assert_eq!(
        line(r#"{"method":"GET","uri":"http://b.example/"}"#),
        "- 0 GET http://b.example/ [ ?] ?"
    );
    assert_eq!(
        line(r#"{"method":"GET","uri":"/","headers":[]}"#),
        "- 0 GET https://default.example/ [] "
    );
    assert_eq!(
        line(r#"{"method":"GET","uri":"/","headers":[],"body":null}"#),
        "- 0 GET https://default.example/ [] ?"
    );
    assert_eq!(
        line(r#"{"method":"POST","uri":"/","headers":[["content-length","5"]]}"#),
        "- 0 POST https://default.example/ [content-length=5] ?"
    );
    assert_eq!(
        line(
            r#"{"method":"POST","uri":"/","headers":[["content-length","5"],["Cookie",null]],"body":"eD0x"}"#
        ),
        "- 0 POST https://default.example/ [content-length=5 ?cookie] x=1…"
    );
    let sample = only(
        r#"{"method":"GET","uri":"/ä","ip":"192.0.2.1","fields":{"ip.src.country":"DE","cf.bot_management.score":30}}"#,
    );
    assert_eq!(sample.request.path, "/%C3%A4");
    assert_eq!(sample.as_sent().uri, "/ä".as_bytes());
    assert_eq!(sample.request.fields.len(), 2);
}

#[test]
fn rows_of_logpush_are_read() {
    let row = concat!(
        r#"{"RayID":"8f01","EdgeStartTimestamp":"1970-01-01T00:00:03Z","ClientIP":"2001:db8::1","ClientASN":64500,"#,
        r#""ClientCountry":"de","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestURI":"/s?q=1","#,
        r#""ClientRequestScheme":"http","ClientRequestProtocol":"HTTP/2","ClientRequestUserAgent":"A","BotScore":0,"WAFAttackScore":7,"#,
        r#""RequestHeaders":{"X-Api-Key":"1"},"Unknown":[{}]}"#
    );
    let sample = only(row);
    assert_eq!(
        brief(&sample),
        "8f01 3000 GET http://www.example.com/s?q=1 [x-api-key=1 user-agent=A ?] ?"
    );
    let fields: Vec<_> =
        sample.request.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        fields,
        ["cf.ray_id=8f01", "cf.waf.score=7", "ip.src.asnum=64500", "ip.src.country=DE"]
    );
    let without = r#"{"RayID":"1","ClientRequestMethod":"GET","ClientRequestPath":"/"}"#;
    assert_eq!(
        failure(without),
        "file:1: it lacks the field ClientRequestURI, which has the query; add it to the Logpush job (http_requests)"
    );
}

#[test]
fn access_logs_are_read() {
    let log = concat!(
        "192.0.2.1 - frank [01/Jan/1970:00:00:04 +0000] \"GET /a?b=\\x22c HTTP/1.1\" 200 2326 \"-\" \"Agent \\\"x\\\"\"\r\n",
        "\n",
        "www.example.com:443 2001:db8::1 - - [01/Jan/1970:01:00:05 +0100] \"POST /x HTTP/2.0\" 302 -\n",
        "192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"\\x16\\x03\\x01\" 400 0 \"-\" \"-\"\n",
        "broken\n",
    );
    let all = all(log);
    let brief: Vec<_> =
        all.iter().map(|read| read.as_ref().map_or_else(ToString::to_string, brief)).collect();
    assert_eq!(
        brief,
        [
            "- 4000 GET https://default.example/a?b=\"c [referer= user-agent=Agent \"x\" ?] ?",
            "- 5000 POST https://www.example.com/x [ ?] ?",
            "file:5: it is not a line of an access log in the combined format",
        ]
    );
    let options = RecordingOptions::default();
    let unnamed: Vec<_> =
        read("log", Box::new(Cursor::new(log.as_bytes().to_vec())), &options).collect();
    assert_eq!(unnamed.len(), 1);
    assert_eq!(
        unnamed[0].as_ref().unwrap_err().to_string(),
        "log:1: it does not contain the host; name it with --host"
    );
}

#[test]
fn requests_on_the_wire_are_read() {
    let raw =
        "POST /a HTTP/1.1\r\nHost: x.example:8080\r\nContent-Length: 3\r\nX: 1\r\n  2\r\n\r\nabc\n";
    assert_eq!(brief(&only(raw)), "file 0 POST https://x.example/a [content-length=3 x=1 2] abc");
    let chunks = "POST / HTTP/1.1\nHost: x.example\nTransfer-Encoding: chunked\n\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    assert_eq!(
        brief(&only(chunks)),
        "file 0 POST https://x.example/ [transfer-encoding=chunked] abcde"
    );
    let cut = "POST / HTTP/1.1\nHost: x.example\nContent-Length: 9\n\n";
    assert_eq!(brief(&only(cut)), "file 0 POST https://x.example/ [content-length=9] ?");
    assert_eq!(
        brief(&only(format!("{cut}abc"))),
        "file 0 POST https://x.example/ [content-length=9] abc…"
    );
    let command = "curl https://x.example/ -d a=b";
    assert_eq!(only(command).request.body, Body::Known(b"a=b".to_vec()));
    assert_eq!(failure("GET / HTTP/1.1\nno colon\n\n"), "file: a header has no colon");
}

/// Bytes packed by gzip, in two members.
fn gzip(parts: &[&[u8]]) -> Vec<u8> {
    let member = |part: &&[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    parts.iter().flat_map(member).collect()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn packed_files_are_read() {
    let (one, two) = ARCHIVE.as_bytes().split_at(200);
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    for packed in [
        gzip(&[one, two]),
        [skipped, zstd(one), zstd(two)].concat(),
        [b"\xef\xbb\xbf", one, two].concat(),
    ] {
        assert_eq!(all(packed).len(), 2);
    }
    let mut cut = gzip(&[ARCHIVE.as_bytes()]);
    cut.truncate(cut.len() / 2);
    assert!(all(cut).last().unwrap().is_err());
}

#[test]
fn what_is_no_recording_is_refused() {
    for (bytes, expected) in [
        (&b"\xff\xfe{\0"[..], "file: cannot be read: it is text in UTF-16; convert it to UTF-8"),
        (b"[{}]", "file: cannot be read: it is one JSON array; write one object a line, such as with `jq -c '.[]'`"),
        (
            b"hello",
            "file:1: it is not one of these: an HTTP archive (HAR), JSON lines, Logpush rows, an access log in the combined format, a request as on the wire",
        ),
        (b"{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\"", "file, entry 1: it ends too early"),
        (
            b"{\"log\":{\"entries\":[3]}}",
            "file, entry 1: it is not a request: a value has the wrong type, expected an entry, which is an object",
        ),
        (
            b"{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"https://x/\"}} {}]}}",
            "file, entry 1: there is no comma after an entry",
        ),
        (b"{\"log\":{\"x\":1}}", "file: it has no `log.entries`, so it is not an HTTP archive"),
        (b"{\"log\":[", "file: it is not an HTTP archive: `{` is missing"),
        (b"{\"method\":\"GET\"}", "file:1: it is not a request: missing field `uri`"),
        (b"{\"method\":\"a b\",\"uri\":\"/\"}", "file:1: `method` is not a method"),
        (b"{\"method\":\"GET\",\"uri\":\"/\",\"body\":\"\xff\"}", "file:1: it is not JSON: invalid unicode code point"),
        (b"{\"method\":\"GET\",\"uri\":\"/\",\"headers\":[],\"body\":\"secret!\"}", "file:1: `body` is not base64"),
        (
            b"{\"method\":\"GET\",\"uri\":7,\"headers\":[\"secret\"]}",
            "file:1: it is not a request: a value has the wrong type, expected a string",
        ),
        (b"\x1f\x8bnonsense", "file: cannot be read: invalid gzip header"),
    ] {
        assert_eq!(failure(bytes), expected);
    }
    assert_eq!(all("").len() + all("\n \n").len() + all("{\"log\":{\"entries\":[]}}").len(), 0);
    // Deep nesting is refused by its depth, before the stack overflows.
    let deep = format!("{{\"log\":{{\"x\":{}", "[".repeat(1 << 20));
    assert_eq!(failure(deep), "file: the file ends too early");
    let deep = format!("{{\"log\":{{\"entries\":[{{\"request\":{}", "[".repeat(1 << 20));
    assert!(failure(deep).contains("it is not"));
}

#[test]
fn what_is_no_request_ends_a_recording_unless_it_is_skipped() {
    let lines = "{\"method\":\"GET\",\"uri\":\"https://x.test/\"}\n{}\n{\"method\":\"GET\",\"uri\":\"https://x.test/\"}\n";
    let reads: Vec<_> =
        read("file", Box::new(Cursor::new(lines)), &RecordingOptions::default()).collect();
    let expected = "file:2: it is not a request: missing field `method`; to leave out what is not a request, add --skip-unreadable";
    let error = reads[1].as_ref().unwrap_err();
    assert!(reads.len() == 2 && reads[0].is_ok() && error.is_fatal, "{reads:?}");
    assert_eq!(error.to_string(), expected);
    assert_eq!(all(lines).iter().filter(|read| read.is_ok()).count(), 2);
}

/// The same bytes without an end.
struct Endless(u64, u8);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(self.1);
        self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn endless_files_end_in_an_error() {
    let options = RecordingOptions {
        longest: 1 << 20,
        skips_unreadable: true,
        ..RecordingOptions::default()
    };
    let too_long = "a request is longer than 1 MiB; leave large bodies out";
    for (beginning, filler, expected) in [
        ("{\"method\":\"", b'a', too_long),
        ("{\"log\":{\"entries\":[{\"x\":\"", b'a', too_long),
        ("GET / HTTP/1.1\n\n", b'a', too_long),
        ("{}\n", b'\n', "there are too many blank lines"),
    ] {
        let endless = Cursor::new(beginning.as_bytes().to_vec()).chain(Endless(0, filler));
        let mut reads = read("file", Box::new(endless), &options);
        let error = reads
            .find_map(|read| read.err().filter(|error| error.is_fatal || error.place.number == 0));
        assert!(error.is_some_and(|error| error.detail.ends_with(expected)), "{beginning}");
        assert!(reads.next().is_none());
    }
}
