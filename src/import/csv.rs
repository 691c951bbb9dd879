//! Tables of records: comma-separated values with a header.

use super::found::{Entry, Found, Written};
use crate::diagnostic::{Place, SourceId, Span, findings};
use crate::model::{Value, ZoneName};

/// The columns that are understood; `name`, `type` and `content` are required.
const COLUMNS: &[&str] = &["zone", "name", "type", "content", "priority", "ttl", "proxied", "comment", "tags"];

/// What other tools call the column `content`.
const CONTENT_ALIAS: &str = "value";

/// Reads a table. Records whose row has no zone belong to `zone`.
pub(super) fn read(source: SourceId, zone: Option<&ZoneName>, found: &mut Found) {
    let text = found.sources.get(source).map_or(String::new(), |source| source.text().to_owned());
    let start = Place { source, span: Span::new(0, text.find('\n').unwrap_or(text.len())) };
    let whole = text.len();
    let text = text.trim_start_matches('\u{feff}');
    let mark = whole - text.len();
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(str::to_ascii_lowercase).collect(),
        Err(error) => {
            found.report(findings::UNREADABLE_SOURCE, "", start, &error.to_string(), None);
            return;
        }
    };
    let column =
        |name: &str| header.iter().position(|column| column == name || (name == "content" && column == CONTENT_ALIAS));
    let missing: Vec<&str> = ["name", "type", "content"].into_iter().filter(|name| column(name).is_none()).collect();
    if !missing.is_empty() {
        let why = format!("the first row must name the columns; there is no {}", missing.join(", no "));
        let help = format!("name the columns with {}, separated by commas", COLUMNS.join(", "));
        found.report(findings::UNREADABLE_SOURCE, "", start, &why, Some(help));
        return;
    }
    let is_twice = |(n, name): &(usize, &String)| !name.is_empty() && header[..*n].contains(name);
    if let Some((_, name)) = header.iter().enumerate().find(is_twice) {
        let why = format!("two columns are called `{name}`");
        found.report(findings::UNREADABLE_SOURCE, "", start, &why, Some("keep one of them".to_owned()));
        return;
    }
    if text.matches('"').count() % 2 == 1 {
        let why = "a quote is not closed, so rows cannot be told apart";
        found.report(
            findings::UNREADABLE_SOURCE,
            "",
            start,
            why,
            Some("write a quote within a value twice".to_owned()),
        );
        return;
    }
    let unknown: Vec<&str> =
        header.iter().map(String::as_str).filter(|name| !COLUMNS.contains(name) && *name != CONTENT_ALIAS).collect();
    if !unknown.is_empty() {
        let why = format!("the columns {} are not read", unknown.join(", "));
        found.report(findings::NOT_TRANSLATED, "", start, &why, None);
    }
    for row in reader.records() {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                found.report(findings::UNREADABLE_SOURCE, "", start, &error.to_string(), None);
                return;
            }
        };
        // The reader counts from the end of the row before.
        let offset = row.position().map_or(0, |at| usize::try_from(at.byte()).unwrap_or_default());
        let rest = text.get(offset..).unwrap_or_default();
        let offset = mark + offset + rest.len() - rest.trim_start_matches(['\r', '\n']).len();
        let length = rest.trim_start_matches(['\r', '\n']).lines().next().map_or(0, str::len);
        let place = Place { source, span: Span::new(offset, offset + length) };
        let cell = |name: &str| column(name).and_then(|n| row.get(n)).filter(|text| !text.is_empty());
        let (name, type_name) = (cell("name").unwrap_or("@"), cell("type").unwrap_or_default());
        let what = format!("{name} {type_name}");
        let refuse = |found: &mut Found, why: &str| {
            found.refuse(findings::INVALID_IN_SOURCE, "record", &what, place, why);
        };
        let own_zone = match cell("zone").map(ZoneName::parse) {
            Some(Ok(zone)) => Some(zone),
            Some(Err(error)) => {
                refuse(found, &error.to_string());
                continue;
            }
            None => zone.cloned(),
        };
        let Some(zone) = own_zone else {
            found.count("record", false);
            let help = "add `--zone-name example.com`, or a column `zone`".to_owned();
            let why = format!("{what}: the row has no zone");
            found.report(findings::UNKNOWN_ZONE, "", place, &why, Some(help));
            continue;
        };
        let ttl = match cell("ttl").map(|ttl| if ttl.eq_ignore_ascii_case("auto") { Ok(1) } else { ttl.parse::<u32>() })
        {
            Some(Err(_)) => {
                refuse(found, "the ttl is not a number of seconds");
                continue;
            }
            Some(Ok(ttl)) => Some(ttl),
            None => None,
        };
        let proxied = match cell("proxied").map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "no" | "off" | "0") => false,
            Some("true" | "yes" | "on" | "1") => true,
            Some(other) => {
                refuse(found, &format!("`{other}` is not `true` or `false`"));
                continue;
            }
        };
        let priority = cell("priority").map(Value::from);
        let content = cell("content").unwrap_or_default().to_owned();
        let mut entry = Entry::new(&zone, name, type_name, Written::Content(content, priority));
        entry.ttl = ttl;
        entry.proxied = proxied;
        entry.comment = cell("comment").map(str::to_owned);
        let tags = cell("tags").unwrap_or_default().split([',', ';']);
        entry.tags = tags.map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        found.record("record", &what, place, entry);
    }
}
