//! Reads tables of records: comma-separated values with a header.

use super::import_result::{Entry, ImportResult, Translation, Written};
use crate::diagnostic::{Place, SourceId, Span, count, findings};
use crate::model::{RecordType, Value, ZoneName};
use crate::spec::lone_carriage_return;

/// Columns that the import reads; `name`, `type` and `content` are required.
const COLUMNS: &[&str] =
    &["zone", "name", "type", "content", "priority", "ttl", "proxied", "comment", "tags"];

/// Name of the column `content` in the exports of other tools.
const CONTENT_ALIAS: &str = "value";

/// Reads a table. A row without a zone belongs to `zone`.
pub(super) fn read(source: SourceId, zone: Option<&ZoneName>, found: &mut ImportResult) {
    let text = found.sources.get(source).map_or(String::new(), |source| source.text().to_owned());
    let start = Place { source, span: Span::new(0, text.find('\n').unwrap_or(text.len())) };
    if let Some(at) = lone_carriage_return(&text) {
        let place = Place { source, span: Span::new(at, at + 1) };
        let help =
            "end each line with a line feed, or with a carriage return and a line feed".to_owned();
        let why = "a row ends here with a carriage return alone";
        found.report(findings::UNREADABLE_SOURCE, "", place, why, Some(help));
        return;
    }
    let text_length = text.len();
    let text = text.trim_start_matches('\u{feff}');
    let mark = text_length - text.len();
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = match reader.headers() {
        Ok(header) => Columns(header.iter().map(str::to_ascii_lowercase).collect()),
        Err(error) => {
            found.report(findings::UNREADABLE_SOURCE, "", start, &error.to_string(), None);
            return;
        }
    };
    if let Some((why, help)) = columns.problem().or_else(|| open_quote(text)) {
        found.report(findings::UNREADABLE_SOURCE, "", start, &why, Some(help));
        return;
    }
    let unknown = columns.unknown();
    if !unknown.is_empty() {
        let why = format!("the columns {} are not read", unknown.join(", "));
        found.report(findings::NOT_TRANSLATED, "", start, &why, None);
    }
    for row in reader.records() {
        let cells = match row {
            Ok(row) => row,
            Err(error) => {
                found.report(findings::UNREADABLE_SOURCE, "", start, &error.to_string(), None);
                return;
            }
        };
        // The reader counts lines from the end of the previous row.
        let offset =
            cells.position().map_or(0, |at| usize::try_from(at.byte()).unwrap_or_default());
        let rows = text.get(offset..).unwrap_or_default();
        let offset = mark + offset + rows.len() - rows.trim_start_matches(['\r', '\n']).len();
        let length = rows.trim_start_matches(['\r', '\n']).lines().next().map_or(0, str::len);
        let place = Place { source, span: Span::new(offset, offset + length) };
        let row = Row { columns: &columns, cells: &cells };
        let what = format!("{} {}", row.name(), row.type_name());
        if let Some(why) = row.surplus() {
            found.refuse(findings::INVALID_IN_SOURCE, "record", &what, place, &why);
            continue;
        }
        match row.zone(zone) {
            Ok(Some(zone)) => match row.entry(&zone) {
                Ok(entry) => {
                    found.record("record", &what, place, entry);
                }
                Err(why) => found.refuse(findings::INVALID_IN_SOURCE, "record", &what, place, &why),
            },
            Ok(None) => {
                found.count("record", Translation::LeftOut);
                let help = "add `--zone-name example.com`, or a column `zone`".to_owned();
                let why = format!("{what}: the row has no zone");
                found.report(findings::UNKNOWN_ZONE, "", place, &why, Some(help));
            }
            Err(why) => found.refuse(findings::INVALID_IN_SOURCE, "record", &what, place, &why),
        }
    }
}

/// Returns the message for a quote that is not closed and how to fix it; `None` if all quotes are
/// closed.
fn open_quote(text: &str) -> Option<(String, String)> {
    let why = "a quote is not closed, so rows cannot be told apart";
    (text.matches('"').count() % 2 == 1)
        .then(|| (why.to_owned(), "write a quote within a value twice".to_owned()))
}

/// Names of the columns, in lower case.
struct Columns(Vec<String>);

impl Columns {
    /// Returns the index of a column.
    fn position(&self, name: &str) -> Option<usize> {
        self.0
            .iter()
            .position(|column| column == name || (name == "content" && column == CONTENT_ALIAS))
    }

    /// Returns the reason why the columns cannot be read and how to fix them; `None` if they can.
    fn problem(&self) -> Option<(String, String)> {
        let missing: Vec<&str> = ["name", "type", "content"]
            .into_iter()
            .filter(|name| self.position(name).is_none())
            .collect();
        if !missing.is_empty() {
            let why = format!(
                "the first row must name the columns; there is no {}",
                missing.join(", no ")
            );
            return Some((
                why,
                format!("name the columns with {}, separated by commas", COLUMNS.join(", ")),
            ));
        }
        let is_twice =
            |(n, name): &(usize, &String)| !name.is_empty() && self.0[..*n].contains(name);
        let (_, name) = self.0.iter().enumerate().find(is_twice)?;
        Some((format!("two columns are called `{name}`"), "keep one of them".to_owned()))
    }

    /// Returns the columns that the import does not read.
    fn unknown(&self) -> Vec<&str> {
        let names = self.0.iter().map(String::as_str);
        names.filter(|name| !COLUMNS.contains(name) && *name != CONTENT_ALIAS).collect()
    }
}

#[derive(Clone, Copy)]
struct Row<'t> {
    columns: &'t Columns,
    cells: &'t csv::StringRecord,
}

impl<'t> Row<'t> {
    /// Returns the message for values that have no column; `None` if every value has one.
    fn surplus(self) -> Option<String> {
        let surplus =
            self.cells.iter().skip(self.columns.0.len()).filter(|cell| !cell.is_empty()).count();
        (surplus > 0).then(|| {
            format!(
                "the row has {} without a column; put text with commas in quotes",
                count(surplus, "value")
            )
        })
    }

    /// Returns the text in a column; `None` if the cell is absent or empty.
    fn cell(self, name: &str) -> Option<&'t str> {
        self.columns.position(name).and_then(|n| self.cells.get(n)).filter(|text| !text.is_empty())
    }

    fn name(self) -> &'t str {
        self.cell("name").unwrap_or("@")
    }

    fn type_name(self) -> &'t str {
        self.cell("type").unwrap_or_default()
    }

    /// Returns the zone that the row names, or else `given`.
    fn zone(self, given: Option<&ZoneName>) -> Result<Option<ZoneName>, String> {
        match self.cell("zone").map(ZoneName::parse) {
            Some(parsed) => parsed.map(Some).map_err(|error| error.to_string()),
            None => Ok(given.cloned()),
        }
    }

    /// Returns the TTL in seconds; 1 means automatic.
    fn ttl(self) -> Result<Option<u32>, String> {
        match self.cell("ttl") {
            Some(text) if text.eq_ignore_ascii_case("auto") => Ok(Some(1)),
            Some(text) => {
                text.parse().map(Some).map_err(|_| "the ttl is not a number of seconds".to_owned())
            }
            None => Ok(None),
        }
    }

    fn is_proxied(self) -> Result<bool, String> {
        match self.cell("proxied").map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "no" | "off" | "0") => Ok(false),
            Some("true" | "yes" | "on" | "1") => Ok(true),
            Some(other) => Err(format!("`{other}` is not `true` or `false`")),
        }
    }

    /// Returns the record of the row, or the reason why it is invalid.
    fn entry<'s>(self, zone: &'s ZoneName) -> Result<Entry<'s>, String>
    where
        't: 's,
    {
        let content = self.cell("content").unwrap_or_default().to_owned();
        let priority = self.cell("priority").map(Value::from);
        let mut entry =
            Entry::new(zone, self.name(), self.type_name(), Written::Content(content, priority));
        entry.ttl = self.ttl()?;
        entry.proxied = self.is_proxied()?;
        let is_proxiable =
            RecordType::parse(self.type_name()).is_none_or(|kind| kind.facts().proxiable);
        if entry.proxied && !is_proxiable {
            return Err(format!("a {} record cannot be proxied", self.type_name()));
        }
        entry.comment = self.cell("comment").map(str::to_owned);
        let tags = self.cell("tags").unwrap_or_default().split([',', ';']);
        entry.tags = tags.map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        Ok(entry)
    }
}
