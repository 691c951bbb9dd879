//! Master files: zones as BIND writes them, and as Cloudflare exports them.
//!
//! The notes behind records are read as well, because Cloudflare's export has the proxy status, the tags and the comment there;
//! that, and `$GENERATE`, is why no library reads these files here.
//!
//! # Sources
//! RFC 1035 section 5.1 (master files), RFC 2308 section 4 (`$TTL`), the BIND 9 Administrator Reference Manual (`$GENERATE`), and
//! developers.cloudflare.com/dns/manage-dns-records/how-to/import-and-export, read 2026-11-22.

use std::path::{Component, Path};

use super::comments;
use super::import_result::{Entry, ImportResult, Written};
use crate::diagnostic::{Place, Source, SourceId, Span, findings};
use crate::model::facts::{self, FieldKind};
use crate::model::{Fqdn, RecordType, Settings, ZoneName};

/// The deepest nesting of `$INCLUDE`.
const DEEPEST_INCLUDE: usize = 10;
/// The most records of all `$GENERATE` lines of a zone.
const MOST_GENERATED: u64 = 70_000;
/// Types that a name server makes or maintains by itself.
const MADE: &[&str] = &["SOA", "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "CDS", "CDNSKEY", "ZONEMD"];

/// A word of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    /// As written, quotes and escapes included.
    text: String,
    /// Where it begins.
    at: usize,
}

/// An entry: one line, or several within parentheses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Line {
    /// Whether it begins with a blank, so that it has the owner of the entry before it.
    is_continued: bool,
    /// Its words.
    words: Vec<Token>,
    /// The comment at its end.
    note: String,
}

/// Reads other files of a source.
pub(super) type ReadFile<'f> = dyn FnMut(&Path, &mut ImportResult) -> Result<SourceId, String> + 'f;

/// The state of a reader: what later entries inherit.
struct Reader<'f> {
    zone: Option<ZoneName>,
    origin: Option<Fqdn>,
    owner: Option<Fqdn>,
    /// The TTL of `$TTL`.
    ttl: Option<u32>,
    /// The last one that a record stated, for files without `$TTL`.
    stated: Option<u32>,
    /// Whether the zone is certain: given, or that of the SOA record. `$ORIGIN` may be above it.
    is_certain: bool,
    generated: u64,
    read_file: &'f mut ReadFile<'f>,
}

/// Reads a zone file. The zone is that of its SOA record or `$ORIGIN`, or else the given one.
pub(super) fn read<'f>(
    source: SourceId,
    zone: Option<&ZoneName>,
    directory: &Path,
    read_file: &'f mut ReadFile<'f>,
    found: &mut ImportResult,
) {
    let mut reader = Reader {
        zone: zone.cloned(),
        origin: zone.map(|zone| zone.as_fqdn().clone()),
        owner: None,
        ttl: None,
        stated: None,
        is_certain: zone.is_some(),
        generated: 0,
        read_file,
    };
    reader.file(source, directory, 0, found);
}

impl Reader<'_> {
    /// Reads a file.
    fn file(&mut self, source: SourceId, directory: &Path, depth: usize, found: &mut ImportResult) {
        let text = found.sources.get(source).map_or(String::new(), |source| source.text().to_owned());
        let lines = match lines(&text) {
            Ok(lines) => lines,
            Err((at, why)) => {
                let place = Place { source, span: Span::new(at, at + 1) };
                found.report(findings::UNREADABLE_SOURCE, "", place, why, None);
                return;
            }
        };
        for line in lines {
            let Some(first) = line.words.first() else { continue };
            let end = line.words.last().map_or(first.at, |word| word.at + word.text.len());
            let place = Place { source, span: Span::new(first.at, end) };
            let outcome = match first.text.to_ascii_uppercase().as_str() {
                "$ORIGIN" if !line.is_continued => self.set_origin(&line),
                "$TTL" if !line.is_continued => self.set_ttl(&line),
                "$INCLUDE" if !line.is_continued => self.include(&line, directory, depth, found),
                "$GENERATE" if !line.is_continued => self.generate(&line, place, found),
                directive if directive.starts_with('$') && !line.is_continued => {
                    Err(format!("`{directive}` is not a directive of zone files"))
                }
                _ => self.record(&line, place, found),
            };
            if let Err(why) = outcome {
                found.refuse(findings::INVALID_IN_SOURCE, "line", "", place, &why);
            }
        }
    }

    /// `$ORIGIN name`.
    fn set_origin(&mut self, line: &Line) -> Result<(), String> {
        let name = line.words.get(1).ok_or("`$ORIGIN` needs a name")?;
        let origin = self.absolute(&name.text)?;
        if self.zone.is_none() {
            self.zone = ZoneName::parse(origin.as_str()).ok();
        }
        self.origin = Some(origin);
        Ok(())
    }

    /// `$TTL seconds`.
    fn set_ttl(&mut self, line: &Line) -> Result<(), String> {
        let ttl = line.words.get(1).and_then(|word| duration(&word.text)).ok_or("`$TTL` needs a number of seconds")?;
        self.ttl = Some(ttl);
        Ok(())
    }

    /// `$INCLUDE file [origin]`.
    fn include(&mut self, line: &Line, directory: &Path, depth: usize, found: &mut ImportResult) -> Result<(), String> {
        let name = line.words.get(1).ok_or("`$INCLUDE` needs a file")?;
        let name = name.text.trim_matches('"');
        let path = Path::new(name);
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_below {
            return Err(format!("`{name}` is not below the directory of the zone file"));
        }
        if depth == DEEPEST_INCLUDE {
            return Err("files include each other too deeply".to_owned());
        }
        let path = directory.join(path);
        let included = (self.read_file)(&path, found)?;
        let (origin, owner) = (self.origin.clone(), self.owner.clone());
        if let Some(other) = line.words.get(2) {
            self.origin = Some(self.absolute(&other.text)?);
        }
        self.file(included, path.parent().unwrap_or(directory), depth + 1, found);
        (self.origin, self.owner) = (origin, owner);
        Ok(())
    }

    /// `$GENERATE start-stop[/step] owner [ttl] [class] type value`.
    fn generate(&mut self, line: &Line, place: Place, found: &mut ImportResult) -> Result<(), String> {
        let words: Vec<&Token> = line.words.iter().skip(1).collect();
        let [range, rest @ ..] = words.as_slice() else { return Err("`$GENERATE` needs a range".to_owned()) };
        let (range, step) = range.text.split_once('/').unwrap_or((&range.text, "1"));
        let bounds =
            range.split_once('-').and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?)));
        let (Some((from, to)), Ok(step @ 1..)) = (bounds, step.parse::<u32>()) else {
            return Err("the range of `$GENERATE` is `start-stop` or `start-stop/step`".to_owned());
        };
        let count = u64::from(to.saturating_sub(from) / step) + 1;
        self.generated += count;
        if self.generated > MOST_GENERATED {
            return Err(format!("`$GENERATE` makes more than {MOST_GENERATED} records"));
        }
        for n in (from..=to).step_by(step as usize) {
            let expand = |word: &&Token| Ok(Token { text: expand(&word.text, n)?, at: word.at });
            let words = rest.iter().map(expand).collect::<Result<_, String>>()?;
            self.record(&Line { is_continued: false, words, note: line.note.clone() }, place, found)?;
        }
        Ok(())
    }

    /// A name of the file in full.
    fn absolute(&self, text: &str) -> Result<Fqdn, String> {
        let parse = |text: &str| Fqdn::parse(text).map_err(|error| format!("`{text}`: {error}"));
        match (text, &self.origin) {
            (_, _) if text.ends_with('.') => parse(text),
            ("@", Some(origin)) => Ok(origin.clone()),
            (_, Some(origin)) if origin.is_root() => parse(text),
            (_, Some(origin)) => parse(&format!("{text}.{origin}")),
            // Cloudflare's export has no `$ORIGIN`, and writes the name of the zone without a final dot.
            (_, None) if self.zone.as_ref().is_some_and(|zone| zone.as_str() == text) => parse(text),
            (_, None) => Err(format!("`{text}` is relative, and no `$ORIGIN` is known")),
        }
    }

    /// A record.
    fn record(&mut self, line: &Line, place: Place, found: &mut ImportResult) -> Result<(), String> {
        let mut words = line.words.iter();
        if !line.is_continued {
            let owner = words.next().ok_or("the line is empty")?;
            let is_soa = || line.words.iter().any(|word| word.text.eq_ignore_ascii_case("SOA"));
            self.owner = Some(match self.absolute(&owner.text) {
                // The export of Cloudflare has neither `$ORIGIN` nor a final dot here.
                Err(_) if self.origin.is_none() && is_soa() => self.absolute(&format!("{}.", owner.text))?,
                other => other?,
            });
        }
        let owner = self.owner.clone().ok_or("the first record has no owner")?;
        let mut stated = None;
        let mut type_name = None;
        for word in words.by_ref() {
            let text = word.text.to_ascii_uppercase();
            match (text.as_str(), duration(&text)) {
                ("IN", _) => {}
                ("CH" | "HS", _) => return Err(format!("its class is {text}, and Cloudflare only has IN")),
                (_, Some(seconds)) => stated = Some(seconds),
                _ => {
                    type_name = Some(text);
                    break;
                }
            }
        }
        let type_name = type_name.ok_or("the record has no type")?;
        self.stated = stated.or(self.stated);
        let ttl = stated.or(self.ttl).or(self.stated);
        let values: Vec<&Token> = words.collect();
        if type_name == "SOA" && !std::mem::replace(&mut self.is_certain, true) {
            // Cloudflare's export writes the zone without a final dot.
            let is_relative = self.zone.as_ref().is_some_and(|zone| owner.as_str() == format!("{zone}.{zone}"));
            if !is_relative {
                self.zone = ZoneName::parse(owner.as_str()).ok().or(self.zone.take());
            }
        }
        let zone = self.zone.clone().ok_or("the zone is not known: the file has neither `$ORIGIN` nor a SOA record")?;
        found.zone(&zone);
        if MADE.contains(&type_name.as_str()) {
            return Ok(());
        }
        let what = format!("{owner} {type_name}");
        if type_name == "NS" && owner == *zone.as_fqdn() {
            let why = "Cloudflare assigns the name servers of the zone itself";
            found.refuse(findings::NOT_TRANSLATED, "record", &what, place, why);
            return Ok(());
        }
        if RecordType::parse(&type_name).is_none() {
            let why = "Cloudflare has no such type of record";
            found.refuse(findings::NOT_TRANSLATED, "record", &what, place, why);
            return Ok(());
        }
        if !owner.is_within(zone.as_fqdn()) {
            return Err(format!("{owner} is not in the zone {zone}"));
        }
        let value = self.value(&type_name, &values)?;
        let name = owner.absolute();
        let mut entry = Entry::new(&zone, &name, &type_name, Written::Text(value));
        entry.ttl = ttl;
        read_note(&line.note, &mut entry);
        if let Some(text) = found.sources.get(place.source).map(Source::text) {
            // A line with two semicolons is a heading of Cloudflare's export.
            let at = place.span.start as usize;
            entry.comments = comments::above(text, at, &[";"]);
            entry.comments.retain(|(at, _)| !text[*at..].trim_start().starts_with(";;"));
            let is_own = !line.note.is_empty() && !line.note.contains("cf_tags=");
            entry.comments.extend(is_own.then(|| (at, line.note.clone())));
        }
        found.record("record", &what, place, entry);
        Ok(())
    }

    /// The value in presentation form, with host names in full.
    fn value(&self, type_name: &str, words: &[&Token]) -> Result<String, String> {
        let facts = facts::of(type_name);
        let mut out = Vec::new();
        for (n, word) in words.iter().enumerate() {
            let kind = facts.and_then(|facts| facts.fields.get(n)).map(|field| field.kind);
            out.push(match kind {
                Some(FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot) if word.text != "." => {
                    self.absolute(&word.text)?.absolute()
                }
                Some(FieldKind::CharacterStrings) | None if type_name == "TXT" && !word.text.starts_with('"') => {
                    format!("\"{}\"", word.text)
                }
                _ => word.text.clone(),
            });
        }
        Ok(out.join(" "))
    }
}

/// Reads what Cloudflare's export says behind a record: `comment cf_tags=tag:value,cf-proxied:true`.
fn read_note(note: &str, entry: &mut Entry<'_>) {
    let Some((comment, tags)) = note.rsplit_once("cf_tags=") else { return };
    entry.comment = Some(comment.trim().to_owned()).filter(|comment| !comment.is_empty());
    let mut settings = Settings::default();
    for tag in split_tags(tags.trim()) {
        match tag.as_str() {
            "cf-proxied:true" => entry.proxied = true,
            "cf-proxied:false" | "" => {}
            "cf-flatten-cname" | "cf-flatten-cname:true" => settings.flatten_cname = Some(true),
            tag => entry.tags.push(tag.to_owned()),
        }
    }
    entry.settings = settings;
}

/// Tags between commas; a value may be in quotes.
fn split_tags(text: &str) -> Vec<String> {
    let mut tags = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => tags.last_mut().expect("there is one").extend(letters.next()),
            ',' if !is_quoted => tags.push(String::new()),
            c => tags.last_mut().expect("there is one").push(c),
        }
    }
    tags
}

/// A time in seconds, such as `300` or `1h30m`.
fn duration(text: &str) -> Option<u32> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut total, mut number): (u64, Option<u64>) = (0, None);
    for c in text.chars() {
        match (c.to_digit(10), c.to_ascii_lowercase()) {
            (Some(digit), _) => number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(u64::from(digit))?),
            (None, unit) => {
                let seconds = match unit {
                    's' => 1,
                    'm' => 60,
                    'h' => 3_600,
                    'd' => 86_400,
                    'w' => 604_800,
                    _ => return None,
                };
                total = total.checked_add(number.take()?.checked_mul(seconds)?)?;
            }
        }
    }
    u32::try_from(total.checked_add(number.unwrap_or(0))?).ok()
}

/// A word of `$GENERATE` for one number: `$`, or `${offset,width,base}`.
fn expand(text: &str, n: u32) -> Result<String, String> {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\\', Some('$')) => out.extend(letters.next()),
            ('$', Some('$')) => out.extend(letters.next()),
            ('$', Some('{')) => {
                letters.next();
                let modifier: String = letters.by_ref().take_while(|c| *c != '}').collect();
                let parts: Vec<&str> = modifier.split(',').collect();
                let offset: i64 = parts.first().unwrap_or(&"0").parse().map_err(|_| "the offset is not a number")?;
                let width: usize = parts.get(1).unwrap_or(&"0").parse().map_err(|_| "the width is not a number")?;
                let width = width.min(63);
                let value = i64::from(n) + offset;
                let value = u32::try_from(value).map_err(|_| "the offset leads below zero")?;
                out.push_str(&match parts.get(2).copied().unwrap_or("d") {
                    "d" => format!("{value:0width$}"),
                    "o" => format!("{value:0width$o}"),
                    "x" => format!("{value:0width$x}"),
                    "X" => format!("{value:0width$X}"),
                    other => return Err(format!("the base `{other}` is not supported")),
                });
            }
            ('$', _) => out.push_str(&n.to_string()),
            (c, _) => out.push(c),
        }
    }
    Ok(out)
}

/// The entries of a file; otherwise where and why it cannot be read.
fn lines(text: &str) -> Result<Vec<Line>, (usize, &'static str)> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    let mut open: Option<usize> = None;
    let mut is_start = true;
    let mut letters = text.trim_start_matches('\u{feff}').char_indices().peekable();
    let shift = text.len() - text.trim_start_matches('\u{feff}').len();
    while let Some((n, c)) = letters.next() {
        let at = n + shift;
        match c {
            '\n' if open.is_none() => {
                lines.push(std::mem::take(&mut line));
                is_start = true;
                continue;
            }
            '(' if open.is_some() => return Err((at, "parentheses do not nest")),
            '(' => open = Some(at),
            ')' if open.take().is_none() => return Err((at, "this parenthesis was not opened")),
            ')' => {}
            ';' => {
                let mut note = String::new();
                while let Some((_, c)) = letters.next_if(|(_, c)| *c != '\n') {
                    note.push(c);
                }
                line.note = note.trim().to_owned();
            }
            c if c.is_whitespace() => line.is_continued |= is_start && line.words.is_empty(),
            first => {
                let mut word = String::from(first);
                // A word may have quotes within it, as in `alpn="h2,h3"`; one that begins with a quote ends with it.
                let is_text = first == '"';
                let mut is_quoted = is_text;
                let mut is_escaped = first == '\\';
                while let Some((_, c)) = letters.peek().copied() {
                    let is_end = c.is_whitespace() || matches!(c, ';' | '(' | ')');
                    if (!is_quoted && (is_text || is_end) && !is_escaped) || (is_quoted && c == '\n') {
                        break;
                    }
                    letters.next();
                    word.push(c);
                    is_quoted ^= c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                }
                if is_quoted {
                    return Err((at, "the text is not closed with a quote on its line"));
                }
                line.words.push(Token { text: word, at });
            }
        }
        is_start = false;
    }
    if let Some(at) = open {
        return Err((at, "this parenthesis is not closed"));
    }
    lines.push(line);
    Ok(lines)
}
