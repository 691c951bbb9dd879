//! A snapshot as bytes: gzip around lines of JSON.
//!
//! ```text
//! {"format":1,"kind":"snapshot","tool":"zonewright …","taken_at":"…","service":"…","account":null,"zones":[…]}
//! {"path":"/zones/…/dnssec","result":{…}}
//! {"path":"/zones/…/dns_records","items":2}      and then two lines, one for each item
//! {"path":"/zones/…/entrypoint","refused":{"status":404,"messages":[{"code":10003,"message":"…"}]}}
//! {"sha256":"…"}                                  of all bytes before this line
//! ```
//!
//! The first line can be looked at with `zcat FILE | head -1`. The same answers make the same bytes. The checksum finds what
//! was damaged or edited by hand; it is no signature, as everybody can compute it.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use data_encoding::HEXLOWER;
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::{About, Answer, SeenZone, Snapshot};
use crate::model::{ZoneId, ZoneName};
use crate::wire::ApiMessage;

/// The most bytes that a snapshot may have unpacked: more than a million records.
const MOST_BYTES: usize = 1024 * 1024 * 1024;
/// Up to this many bytes, nobody asks how well they were packed.
const HARMLESS_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes that one packed byte may become above that. Answers of the service pack to a tenth or a thirtieth.
const MOST_RATIO: usize = 200;

/// Why bytes are no snapshot that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It is something else.
    #[error("it is not a snapshot of zonewright: {0}")]
    Foreign(String),
    /// A newer version of the program made it.
    #[error(
        "it has format {found}, and this version of zonewright knows format {known}: use a newer one, or take it again"
    )]
    Newer {
        /// Its format.
        found: u64,
        /// The newest that is known.
        known: u64,
    },
    /// The end is missing.
    #[error("it is cut off: take it again, or copy it again as binary data")]
    Truncated,
    /// It was changed.
    #[error("it was changed after it was taken ({0}): take it again")]
    Changed(String),
    /// It is larger than any that makes sense.
    #[error("it unpacks to more than {limit} bytes, which no snapshot has")]
    TooLarge {
        /// The most, in bytes.
        limit: usize,
    },
    /// A line cannot be read although the checksum is right.
    #[error("line {line} is not what a snapshot has there: {why}")]
    Malformed {
        /// Which line, from 1.
        line: usize,
        /// Why.
        why: String,
    },
}

impl Snapshot {
    /// Its bytes.
    ///
    /// # Errors
    /// Those of packing, which writes to memory only.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let Self { about, answers, accounts: _ } = self;
        // Neither a name nor a time in the gzip header: the same snapshot is the same bytes.
        let mut out = Summing { sum: Sha256::new(), out: GzBuilder::new().write(Vec::new(), Compression::best()) };
        writeln!(out, "{}", header(about))?;
        for (path, answer) in answers {
            let path = json!(path);
            match answer {
                Answer::Result(text) => writeln!(out, r#"{{"path":{path},"result":{text}}}"#)?,
                Answer::List(items) => {
                    writeln!(out, r#"{{"path":{path},"items":{}}}"#, items.len())?;
                    for text in items {
                        writeln!(out, "{text}")?;
                    }
                }
                Answer::Refused { status, messages } => {
                    let messages: Vec<Json> = messages.iter().map(message).collect();
                    let refused = json!({ "status": status, "messages": messages });
                    writeln!(out, r#"{{"path":{path},"refused":{refused}}}"#)?;
                }
            }
        }
        let Summing { sum, mut out } = out;
        writeln!(out, r#"{{"sha256":"{}"}}"#, HEXLOWER.encode(&sum.finalize()))?;
        out.finish()
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// [`SnapshotError`], which says what they are instead.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let text = unpack(bytes)?;
        let (first, _) = text.split_once('\n').ok_or(SnapshotError::Truncated)?;
        let about = read_header(first)?;
        let Some((content, last)) = text.strip_suffix('\n').and_then(|text| text.rsplit_once('\n')) else {
            return Err(SnapshotError::Truncated);
        };
        let Some(sum) = last.strip_prefix(r#"{"sha256":""#).and_then(|rest| rest.strip_suffix(r#""}"#)) else {
            return Err(SnapshotError::Truncated);
        };
        if sum != HEXLOWER.encode(&Sha256::digest(&text[..=content.len()])) {
            return Err(SnapshotError::Changed("its checksum does not fit".to_owned()));
        }
        let answers = read_answers(content)?;
        Ok(Self::new(about, answers))
    }
}

/// Sums what is written through it.
struct Summing<W> {
    sum: Sha256,
    out: W,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The first line.
fn header(about: &About) -> Json {
    let About { taken_at, tool, service, account, zones } = about;
    let text = |id: &Option<ZoneId>| id.as_ref().map(|id| id.0.clone());
    let zone = |SeenZone { name, pinned, id, records }: &SeenZone| json!({ "name": name.as_str(), "pinned": text(pinned), "id": text(id), "records": records });
    json!({
        "format": Snapshot::FORMAT, "kind": "snapshot", "tool": tool, "taken_at": taken_at, "service": service,
        "account": account, "zones": zones.iter().map(zone).collect::<Vec<_>>(),
    })
}

/// Reads the first line.
fn read_header(line: &str) -> Result<About, SnapshotError> {
    let foreign = |why: &str| SnapshotError::Foreign(why.to_owned());
    let json: Json = serde_json::from_str(line).map_err(|_| foreign("it does not begin with a line of JSON"))?;
    let kind = json.get("kind").and_then(Json::as_str).unwrap_or("unknown");
    if kind != "snapshot" {
        return Err(SnapshotError::Foreign(format!("its kind is {kind:?}")));
    }
    match json.get("format").and_then(Json::as_u64) {
        Some(Snapshot::FORMAT) => {}
        Some(found) if found > Snapshot::FORMAT => {
            return Err(SnapshotError::Newer { found, known: Snapshot::FORMAT });
        }
        Some(_) | None => return Err(foreign("its format is none that there ever was")),
    }
    let malformed = |why: &str| SnapshotError::Malformed { line: 1, why: why.to_owned() };
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let need = |name: &str| text(&json, name).ok_or_else(|| malformed(&format!("there is no `{name}`")));
    let zone = |zone: &Json| {
        Some(SeenZone {
            name: ZoneName::parse(zone.get("name")?.as_str()?).ok()?,
            pinned: text(zone, "pinned").map(ZoneId),
            id: text(zone, "id").map(ZoneId),
            records: zone.get("records")?.as_u64().and_then(|n| usize::try_from(n).ok())?,
        })
    };
    let zones = json.get("zones").and_then(Json::as_array).into_iter().flatten();
    Ok(About {
        taken_at: need("taken_at")?,
        tool: need("tool")?,
        service: need("service")?,
        account: text(&json, "account"),
        zones: zones.map(zone).collect::<Option<_>>().ok_or_else(|| malformed("a zone has no name or no records"))?,
    })
}

/// Unpacks bytes, within limits.
fn unpack(bytes: &[u8]) -> Result<String, SnapshotError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        let what = if bytes.is_empty() { "it is empty" } else { "it is not packed with gzip" };
        return Err(SnapshotError::Foreign(what.to_owned()));
    }
    let mut decoder = GzDecoder::new(bytes);
    let (mut text, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let read = match decoder.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(SnapshotError::Truncated),
            Err(error) => return Err(SnapshotError::Changed(error.to_string())),
        };
        text.extend_from_slice(&chunk[..read]);
        let limit = bytes.len().saturating_mul(MOST_RATIO).clamp(HARMLESS_BYTES, MOST_BYTES);
        if text.len() > limit {
            return Err(SnapshotError::TooLarge { limit });
        }
    }
    if !decoder.into_inner().is_empty() {
        return Err(SnapshotError::Changed("something was added at its end".to_owned()));
    }
    String::from_utf8(text).map_err(|_| SnapshotError::Foreign("it does not hold text".to_owned()))
}

/// Reads everything between the first and the last line.
fn read_answers(content: &str) -> Result<BTreeMap<String, Answer>, SnapshotError> {
    let mut answers = BTreeMap::new();
    let mut lines = content.split_terminator('\n').enumerate().skip(1);
    while let Some((number, line)) = lines.next() {
        let malformed = |why: &str| SnapshotError::Malformed { line: number + 1, why: why.to_owned() };
        let entry: Json = serde_json::from_str(line).map_err(|error| malformed(&error.to_string()))?;
        let path = entry.get("path").and_then(Json::as_str).ok_or_else(|| malformed("there is no `path`"))?;
        let answer = if let Some(result) = entry.get("result") {
            Answer::Result(result.to_string().into())
        } else if let Some(count) = entry.get("items").and_then(Json::as_u64) {
            let items: Vec<Box<str>> = (0..count).map_while(|_| lines.next()).map(|(_, line)| line.into()).collect();
            if items.len() as u64 != count {
                return Err(malformed("items are missing"));
            }
            Answer::List(items)
        } else if let Some(refused) = entry.get("refused") {
            read_refused(refused).ok_or_else(|| malformed("the refusal has no status"))?
        } else {
            return Err(malformed("it has neither a result nor items nor a refusal"));
        };
        answers.insert(path.to_owned(), answer);
    }
    Ok(answers)
}

/// Reads a refusal.
fn read_refused(json: &Json) -> Option<Answer> {
    let status = json.get("status")?.as_u64().and_then(|status| u16::try_from(status).ok())?;
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let messages = json.get("messages").and_then(Json::as_array).into_iter().flatten().map(|item| ApiMessage {
        code: item.get("code").and_then(Json::as_i64),
        message: text(item, "message").unwrap_or_default(),
        pointer: text(item, "pointer"),
    });
    Some(Answer::Refused { status, messages: messages.collect() })
}

/// One of the service's reasons.
fn message(message: &ApiMessage) -> Json {
    let ApiMessage { code, message, pointer } = message;
    json!({ "code": code, "message": message, "pointer": pointer })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A snapshot with an answer of each kind.
    fn snapshot() -> Snapshot {
        let zone = SeenZone {
            name: ZoneName::parse("example.com").unwrap(),
            pinned: None,
            id: Some(ZoneId("a".to_owned())),
            records: 2,
        };
        let about = About {
            taken_at: "2026-11-20T12:00:00Z".to_owned(),
            tool: "zonewright 0.1.0".to_owned(),
            service: "api.cloudflare.com".to_owned(),
            account: Some("b".to_owned()),
            zones: vec![
                zone,
                SeenZone { name: ZoneName::parse("example.org").unwrap(), pinned: None, id: None, records: 0 },
            ],
        };
        let messages = vec![ApiMessage { code: Some(10003), message: "none".to_owned(), pointer: None }];
        let answers = [
            ("/zones", Answer::List(vec![r#"{"id":"a"}"#.into()])),
            ("/zones/a/dns_records", Answer::List(vec![r#"{"id":"1"}"#.into(), r#"{"id":"2"}"#.into()])),
            ("/zones/a/dnssec", Answer::Result(r#"{"status":"active"}"#.into())),
            ("/zones/a/x", Answer::Refused { status: 404, messages }),
        ];
        Snapshot::new(about, answers.into_iter().map(|(path, answer)| (path.to_owned(), answer)).collect())
    }

    /// Packs lines.
    fn packed(text: &str) -> Vec<u8> {
        let mut out = GzBuilder::new().write(Vec::new(), Compression::best());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    }

    /// Why bytes are refused.
    fn refusal(bytes: &[u8]) -> SnapshotError {
        Snapshot::from_bytes(bytes).expect_err("it must be refused")
    }

    #[test]
    fn bytes_there_and_back() {
        let bytes = snapshot().to_bytes().unwrap();
        assert_eq!(Snapshot::from_bytes(&bytes), Ok(snapshot()));
        assert_eq!(snapshot().to_bytes().unwrap(), bytes, "the same snapshot is the same bytes");
    }

    #[test]
    fn every_cut_is_refused() {
        let bytes = snapshot().to_bytes().unwrap();
        for length in 0..bytes.len() {
            refusal(&bytes[..length]);
        }
        let text = unpack(&bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for count in 1..lines.len() {
            assert_eq!(refusal(&packed(&format!("{}\n", lines[..count].join("\n")))), SnapshotError::Truncated);
        }
    }

    #[test]
    fn every_flipped_byte_is_refused() {
        let bytes = snapshot().to_bytes().unwrap();
        // The header of gzip holds a time and the system, which mean nothing to us.
        for at in 10..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            refusal(&changed);
        }
        let mut longer = bytes.clone();
        longer.push(b'x');
        assert!(matches!(refusal(&longer), SnapshotError::Changed(_)));
    }

    #[test]
    fn an_edited_line_is_refused() {
        let text = unpack(&snapshot().to_bytes().unwrap()).unwrap();
        assert!(matches!(refusal(&packed(&text.replace("active", "disabled"))), SnapshotError::Changed(_)));
        assert!(matches!(refusal(&packed(&text.replace("2026-11-20", "2027-11-20"))), SnapshotError::Changed(_)));
    }

    #[test]
    fn foreign_and_newer_ones_are_named() {
        assert!(matches!(refusal(b""), SnapshotError::Foreign(_)));
        assert!(matches!(refusal(b"version: 1"), SnapshotError::Foreign(_)));
        assert!(matches!(refusal(&packed("hello\n")), SnapshotError::Foreign(_)));
        let plan = r#"{"format":1,"kind":"plan"}"#;
        assert_eq!(refusal(&packed(&format!("{plan}\n"))), SnapshotError::Foreign("its kind is \"plan\"".to_owned()));
        let newer = r#"{"format":2,"kind":"snapshot"}"#;
        assert_eq!(refusal(&packed(&format!("{newer}\n"))), SnapshotError::Newer { found: 2, known: 1 });
    }

    #[test]
    fn bombs_are_refused_before_they_go_off() {
        let bomb = packed(&"0".repeat(HARMLESS_BYTES + 1024 * 1024));
        assert!(bomb.len() < 1024 * 1024);
        assert_eq!(refusal(&bomb), SnapshotError::TooLarge { limit: HARMLESS_BYTES });
    }
}
