//! Reads one entry of `records` and returns records or tombstones of the model.
//!
//! An entry with a list of values yields one record for each. Every error in an entry is reported.
//! An invalid value yields nothing, and the others are still read.

use std::collections::HashSet;

use super::attributes::{Defaults, Facet, Reader};
use super::deserialize::{Deferred, OneOrMany, Spanned, Text};
use super::expiry::{Day, LastDay, is_over};
use super::record_syntax::{DataSyntax, RecordSyntax, StateSyntax};
use super::scalar::within;
use super::suggest::{hint, nearest};
use super::yaml_tree::Tree;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, SourceId, first_of};
use crate::model::facts::{FieldKind, TypeFacts};
use crate::model::{
    AsReported, Comment, DataError, DesiredRecord, Facets, Fields, Fqdn, NameError, Rdata,
    RecordType, Settings, Spelling, Tombstone, Ttl, Value, ZoneName,
};

/// The file that records are read from, and the lists that they are added to.
pub(super) struct Target<'a> {
    pub(super) zone: &'a ZoneName,
    /// The file.
    pub(super) source: SourceId,
    /// Its text, for places inside a scalar.
    pub(super) text: &'a str,
    /// Starts of mappings from which the shape check removed something.
    pub(super) reduced: &'a HashSet<u32>,
    /// The defaults that apply to the records.
    pub(super) defaults: &'a Defaults,
    /// The day on which expiry is decided, if it is known.
    pub(super) today: Option<Day>,
    pub(super) records: &'a mut Vec<DesiredRecord>,
    pub(super) tombstones: &'a mut Vec<Tombstone>,
    pub(super) diagnostics: &'a mut Diagnostics,
}

/// A value of a record with its place.
type Item = (Rdata, Place);

impl Target<'_> {
    /// Reads the entries of a list, up to the limit of findings.
    pub(super) fn read_all(&mut self, records: Vec<Deferred<Spanned<RecordSyntax>>>, tree: &Tree) {
        for record in records {
            match record.read(tree) {
                Ok(record) => self.read(&record),
                Err(error) => self.diagnostics.push(error.diagnostic(tree)),
            }
            if super::is_enough(self.diagnostics) {
                break;
            }
        }
    }

    /// Reads one entry.
    pub(super) fn read(&mut self, syntax: &Spanned<RecordSyntax>) {
        let entry = &syntax.value;
        let name = entry.name.as_ref().and_then(|n| self.name(n));
        let record_type = entry.record_type.as_ref().and_then(|t| RecordType::parse(&t.value.0));
        let absent = entry.state.is_some_and(|s| s.value == StateSyntax::Absent);
        let facets = if absent {
            self.tombstone_only(entry).then(Facets::default)
        } else {
            self.facets(entry, record_type)
        };
        let is_over = self.metadata(entry);
        // A value cannot be judged without its type. The missing type has been reported.
        let Some(record_type) = record_type else { return };
        let items = self.items(entry, record_type, absent, syntax);
        let (Some(name), Some(facets), Some(written)) = (name, facets, &entry.name) else { return };
        let whole_entry = self.place(syntax);
        let several = items.as_ref().is_some_and(|items| items.len() > 1);
        let spelling = |place| {
            let entry = if several { place } else { whole_entry };
            Spelling {
                name: written.value.0.as_str().into(),
                place,
                entry,
                reported: AsReported::default(),
            }
        };
        let entry_place = self.place(written);
        let allow = self.reader().allow(entry.allow.as_ref());
        let allow = (!allow.is_empty()).then(|| Box::new(allow));
        let Some(items) = items else {
            if absent {
                self.tombstones.push(Tombstone {
                    name,
                    record_type,
                    data: None,
                    expired: None,
                    protect: false,
                    allow,
                    spelling: spelling(entry_place),
                });
            }
            return;
        };
        for (data, place) in items {
            let (data, name, spelling) = (data.at(&name), name.clone(), spelling(place));
            let protect = entry.protect.is_some_and(|p| p.value);
            let expires: Option<Box<str>> =
                entry.expires.as_ref().map(|expires| expires.value.0.as_str().into());
            if absent || is_over {
                self.tombstones.push(Tombstone {
                    name,
                    record_type,
                    data: Some(data),
                    expired: expires.filter(|_| is_over),
                    protect,
                    allow: allow.clone(),
                    spelling,
                });
                continue;
            }
            self.doubt_record(&name, &data, place);
            self.records.push(DesiredRecord {
                name,
                data,
                facets: facets.clone(),
                protect,
                allow: allow.clone(),
                expires,
                spelling,
            });
        }
    }

    /// Returns the place of a spanned thing.
    fn place<T>(&self, at: &Spanned<T>) -> Place {
        Place { source: self.source, span: at.span }
    }

    fn reader(&mut self) -> Reader<'_> {
        Reader { source: self.source, diagnostics: self.diagnostics }
    }

    /// Reads the name and returns it in full.
    fn name(&mut self, syntax: &Spanned<Text>) -> Option<Fqdn> {
        let place = self.place(syntax);
        let error = match self.zone.resolve(&syntax.value.0) {
            Ok(name) => return Some(name),
            Err(error) => error,
        };
        let zone = self.zone;
        let diagnostic = match &error {
            NameError::OutsideZone { .. } => {
                findings::OUTSIDE_ZONE.at(place, error.to_string()).help(
                    match syntax
                        .value
                        .0
                        .strip_suffix('.')
                        .filter(|name| !name.is_empty() && !name.contains('.'))
                    {
                        Some(name) => format!(
                            "write `{name}`; a final dot makes it a full name, as \
                        `{name}.{zone}.` is"
                        ),
                        None => format!(
                            "write a name below {zone}, or move the record to the zone it \
                        belongs to"
                        ),
                    },
                )
            }
            NameError::Wildcard => findings::WILDCARD.at(place, error.to_string()).help(
                "write `\"*\"` or `\"*.name\"`; a wildcard stands for whole labels, not for \
                    parts of one",
            ),
            NameError::Empty => findings::NAME.at(place, error.to_string()).help(
                "write `\"@\"` \
                for the zone itself",
            ),
            NameError::EmptyLabel(_) => {
                findings::NAME.at(place, error.to_string()).help("remove the extra dot")
            }
            NameError::LabelTooLong { .. } | NameError::TooLong(_) => {
                findings::NAME.at(place, error.to_string()).help("shorten the name")
            }
            NameError::Character { .. } => findings::NAME
                .at(place, error.to_string())
                .help("use letters, digits, `-` and `_`, with dots between labels"),
            NameError::Idn(_) => findings::NAME.at(place, error.to_string()).help(
                "check the spelling, or write the \
                    name as `xn--…`",
            ),
        };
        self.diagnostics.push(diagnostic);
        None
    }

    /// Refuses keys that a tombstone cannot have: it has a name, a type and a value. Returns true
    /// if there were none.
    fn tombstone_only(&mut self, entry: &RecordSyntax) -> bool {
        let spans = [
            ("ttl", entry.ttl.as_ref().map(|s| s.span)),
            ("proxied", entry.proxied.map(|s| s.span)),
            ("comment", entry.comment.as_ref().map(|s| s.span)),
            ("tags", entry.tags.as_ref().map(|s| s.span)),
            ("settings", entry.settings.as_ref().map(|s| s.span)),
            ("protect", entry.protect.filter(|p| p.value).map(|s| s.span)),
            ("expires", entry.expires.as_ref().map(|s| s.span)),
        ];
        let mut good = true;
        for (key, span) in spans {
            let Some(span) = span else { continue };
            good = false;
            let place = Place { source: self.source, span };
            self.diagnostics.push(
                findings::TOMBSTONE
                    .at(place, format!("`{key}` has no meaning for a record that should be gone"))
                    .help(format!("remove `{key}`, or remove `state: absent`")),
            );
        }
        good
    }

    /// Returns the record's attributes other than its value, with the defaults.
    fn facets(&mut self, entry: &RecordSyntax, record_type: Option<RecordType>) -> Option<Facets> {
        let mut good = true;
        let mut reader = self.reader();
        let own_ttl = entry.ttl.as_ref().and_then(|t| reader.ttl(t).or_else(|| fail(&mut good)));
        let comment =
            entry.comment.as_ref().and_then(|c| reader.comment(c).or_else(|| fail(&mut good)));
        let tags = entry.tags.as_ref().and_then(|t| reader.tags(t).or_else(|| fail(&mut good)));
        let proxiable = record_type.is_none_or(|t| t.facts().proxiable);
        let mut proxied = entry.proxied.map(|p| p.value);
        if let (Some(true), false, Some(at), Some(record_type)) =
            (proxied, proxiable, entry.proxied, record_type)
        {
            let place = self.place(&at);
            self.diagnostics.push(
                findings::NOT_PROXIABLE
                    .at(place, format!("{record_type} records cannot be proxied"))
                    .help("remove `proxied`"),
            );
            good = false;
        }
        if !proxiable {
            proxied = None;
        } else if proxied.is_none() {
            proxied = self.defaults.proxied.as_ref().map(|p| p.value);
        }
        let mut ttl = own_ttl.as_ref().or(self.defaults.ttl.as_ref()).map(|t| t.value);
        if proxied == Some(true) && ttl.is_some_and(|t| !t.is_automatic()) {
            ttl = Some(Ttl::AUTOMATIC);
            // A default applies only to records that can have it. A warning is useful only for a
            // value that the record sets itself.
            if let Some(Facet { place, .. }) = own_ttl {
                self.diagnostics.push(
                    findings::TTL_IGNORED
                        .at(
                            place,
                            "the record is proxied, and proxied records are served with 300 \
                            seconds",
                        )
                        .help("remove `ttl`, or write `ttl: auto`"),
                );
            }
        }
        self.settings(entry, record_type, proxied);
        let Defaults { comment: default_comment, tags: default_tags, .. } = self.defaults;
        let facets = Facets {
            ttl,
            proxied,
            comment: comment
                .map(|c: Facet<Comment>| c.value)
                .or_else(|| default_comment.as_ref().map(|c| c.value.clone())),
            tags: tags.map(|t| t.value).or_else(|| default_tags.as_ref().map(|t| t.value.clone())),
            settings: entry.settings.as_ref().map(|s| Settings::from(&s.value)).unwrap_or_default(),
        };
        good.then_some(facets)
    }

    /// Reports settings that are turned on and that Cloudflare does not have for such a record.
    fn settings(
        &mut self,
        entry: &RecordSyntax,
        record_type: Option<RecordType>,
        proxied: Option<bool>,
    ) {
        let (Some(syntax), Some(record_type)) = (&entry.settings, record_type) else { return };
        let place = self.place(syntax);
        for (name, _) in Settings::from(&syntax.value)
            .named()
            .into_iter()
            .filter(|(_, value)| *value == Some(true))
        {
            let Some(scope) = Settings::scope(name) else { continue };
            let records = match scope.is_proxied {
                _ if scope.has(record_type, proxied) => continue,
                _ if !scope.types.contains(&record_type) => {
                    format!("records of the types {}", first_of(scope.types, scope.types.len()))
                }
                true => "proxied records".to_owned(),
                false => "records that are not proxied".to_owned(),
            };
            self.diagnostics.push(
                findings::SETTING_WITHOUT_EFFECT
                    .at(place, format!("`{name}` is only for {records}"))
                    .help(format!("remove `{name}`")),
            );
        }
    }

    /// Checks metadata that is never sent. Returns true if the record's last day is over.
    fn metadata(&mut self, entry: &RecordSyntax) -> bool {
        let today = self.today;
        let mut reader = self.reader();
        for (key, words) in [("owner", &entry.owner), ("reason", &entry.reason)] {
            if let Some(words) = words {
                reader.words(key, words);
            }
        }
        let Some(expires) = &entry.expires else { return false };
        let text = |text: &Option<Spanned<Text>>| {
            text.as_ref().map_or_else(String::new, |text| text.value.0.clone())
        };
        let record_type = entry.record_type.as_ref().map_or("", |text| text.value.0.as_str());
        let what = format!("{} {record_type}", text(&entry.name));
        reader.days_left(expires, &what, today, LastDay::Record).is_some_and(is_over)
    }

    /// Reads the values. Returns `None` if there is neither `content` nor `data`, or they cannot be
    /// read.
    fn items(
        &mut self,
        entry: &RecordSyntax,
        record_type: RecordType,
        absent: bool,
        syntax: &Spanned<RecordSyntax>,
    ) -> Option<Vec<Item>> {
        let facts = record_type.facts();
        match (&entry.content, &entry.data) {
            (Some(content), Some(data)) => {
                let diagnostic = findings::VALUE_FORM
                    .at(self.place(data), "the record has `data` and `content`")
                    .and_at(self.place(content), "the `content`")
                    .help("keep one of the two");
                self.diagnostics.push(diagnostic);
                Some(Vec::new())
            }
            (Some(content), None) => {
                let priority = match &entry.priority {
                    Some(priority) => Some(self.priority(priority, facts).ok()?),
                    None => None,
                };
                Some(
                    content
                        .value
                        .0
                        .iter()
                        .filter_map(|c| self.content(c, entry, record_type, priority.as_ref()))
                        .collect(),
                )
            }
            (None, Some(data)) => {
                if facts.has_data() && facts.has_priority_beside() {
                    return self.data_with_priority(entry, data, record_type);
                }
                if let Some(priority) = &entry.priority {
                    let diagnostic = findings::PRIORITY
                        .at(self.place(priority), "the priority is given beside `data`")
                        .help(match facts.field("priority") {
                            Some(_) => "move `priority` into `data`".to_owned(),
                            None => format!("remove `priority`: {} records have none", facts.name),
                        });
                    self.diagnostics.push(diagnostic);
                }
                if !facts.has_data() {
                    let example = facts.field("content").map_or(facts.about, |f| f.about);
                    let diagnostic = findings::VALUE
                        .at(
                            self.place(data),
                            format!("the value of {} records has no parts", facts.name),
                        )
                        .help(format!("write `content:` with {example}"));
                    self.diagnostics.push(diagnostic);
                    return Some(Vec::new());
                }
                Some(data.value.0.iter().filter_map(|d| self.data(d, record_type, None)).collect())
            }
            (None, None) if absent => None,
            (None, None) => {
                // A key that the shape check removed is not also reported as missing.
                if !self.reduced.contains(&syntax.span.start) {
                    let key = if facts.has_data() { "data" } else { "content" };
                    let at =
                        entry.record_type.as_ref().map_or(self.place(syntax), |t| self.place(t));
                    self.diagnostics.push(
                        findings::MISSING_KEY
                            .at(at, format!("this {} record has no value", facts.name))
                            .help(format!("add `{key}:` with {}", value_form(facts))),
                    );
                }
                Some(Vec::new())
            }
        }
    }

    /// Reads the priority next to `content`.
    ///
    /// # Errors
    /// Fails if it is not a priority, or the type has none. This is reported.
    fn priority(&mut self, syntax: &Spanned<Text>, facts: &TypeFacts) -> Result<Value, ()> {
        let place = self.place(syntax);
        let text = syntax.value.0.as_str();
        if facts.field("priority").is_none() {
            self.diagnostics.push(
                findings::PRIORITY
                    .at(place, format!("{} records have no priority", facts.name))
                    .help("remove `priority`"),
            );
            return Err(());
        }
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match text.parse::<u16>().ok().filter(|_| digits) {
            Some(number) => Ok(Value::from(u32::from(number))),
            None => {
                let shown = super::clip(text);
                self.diagnostics.push(
                    findings::PRIORITY
                        .at(place, format!("`{shown}` is not a priority"))
                        .help("write a number from 0 to 65535"),
                );
                Err(())
            }
        }
    }

    /// Reads one value of `content`.
    fn content(
        &mut self,
        syntax: &Spanned<Text>,
        entry: &RecordSyntax,
        record_type: RecordType,
        priority: Option<&Value>,
    ) -> Option<Item> {
        let (text, place) = (syntax.value.0.as_str(), self.place(syntax));
        let errors = match Rdata::from_content(record_type, text, priority) {
            Ok(data) => {
                self.doubt_target(&data, text, place);
                return Some((data, place));
            }
            Err(errors) => errors,
        };
        for error in errors {
            let (finding, at) = match (error.field, &entry.priority) {
                (Some("priority"), Some(priority)) => (findings::PRIORITY, self.place(priority)),
                (Some("priority"), None) if error.offset.is_none() => (findings::PRIORITY, place),
                _ => (findings::VALUE, self.within(place, text, error.offset)),
            };
            self.diagnostics.push(with_help(finding.at(at, error.message.clone()), &error));
        }
        None
    }

    /// Reads the values of a type that has its priority next to `data`. A priority inside `data`
    /// counts if there is none next to it.
    fn data_with_priority(
        &mut self,
        entry: &RecordSyntax,
        data: &Spanned<OneOrMany<DataSyntax>>,
        record_type: RecordType,
    ) -> Option<Vec<Item>> {
        let priority = match &entry.priority {
            Some(priority) => Some(self.priority(priority, record_type.facts()).ok()?),
            None => None,
        };
        if let Some(beside) = &entry.priority {
            let inside =
                |d: &&DataSyntax| d.value.0.iter().any(|(key, _)| key.value.0 == "priority");
            if let Some(twice) = data.value.0.iter().find(inside) {
                let diagnostic = findings::PRIORITY
                    .at(self.place(twice), "the priority is given in `data` and beside it")
                    .and_at(self.place(beside), "the priority beside `data`")
                    .help("keep the one beside `data`");
                self.diagnostics.push(diagnostic);
                return Some(Vec::new());
            }
        }
        Some(
            data.value
                .0
                .iter()
                .filter_map(|d| self.data(d, record_type, priority.as_ref()))
                .collect(),
        )
    }

    /// Reads one value of `data`, with the priority next to it if the type has one there.
    fn data(
        &mut self,
        syntax: &DataSyntax,
        record_type: RecordType,
        priority: Option<&Value>,
    ) -> Option<Item> {
        let facts = record_type.facts();
        let place = self.place(syntax);
        let names = || facts.fields.iter().map(|f| f.name);
        let mut fields = Fields::new();
        let mut meant_fields = Vec::new();
        let mut known_count = 0;
        for (key, value) in &syntax.value.0 {
            if facts.field(&key.value.0).is_some() {
                fields.insert(key.value.0.clone(), Value::from(value.value.0.as_str()));
                known_count += 1;
                continue;
            }
            let shown = super::clip(&key.value.0);
            let diagnostic = findings::UNKNOWN_KEY
                .at(self.place(key), format!("the data of {} records has no `{shown}`", facts.name))
                .help(hint(&key.value.0, names(), "keys"));
            self.diagnostics.push(diagnostic);
            meant_fields.extend(nearest(&key.value.0, names()));
        }
        let unknown = known_count < syntax.value.0.len();
        if let Some(priority) = priority {
            fields.insert("priority".to_owned(), priority.clone());
        }
        let handle = syntax.value.0.first().map_or(place, |(key, _)| self.place(key));
        match Rdata::from_fields(record_type, &fields) {
            Ok(data) => {
                let host = facts.fields.iter().find(|f| {
                    matches!(
                        f.kind,
                        FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot
                    )
                });
                let host =
                    host.and_then(|h| syntax.value.0.iter().find(|(key, _)| key.value.0 == h.name));
                if let Some((_, host)) = host {
                    self.doubt_target(&data, &host.value.0, self.place(host));
                }
                (!unknown).then_some((data, handle))
            }
            Err(errors) => {
                for error in errors {
                    let value = error
                        .field
                        .and_then(|f| syntax.value.0.iter().find(|(key, _)| key.value.0 == f));
                    // A misspelt key is not also reported as missing.
                    if value.is_none() && error.field.is_some_and(|f| meant_fields.contains(&f)) {
                        continue;
                    }
                    let (at, finding) = match value {
                        Some((_, value)) => (
                            self.within(self.place(value), &value.value.0, error.offset),
                            findings::VALUE,
                        ),
                        None => (handle, findings::MISSING_KEY),
                    };
                    self.diagnostics.push(with_help(finding.at(at, error.message.clone()), &error));
                }
                None
            }
        }
    }

    /// Returns the place of an error inside a scalar: the word that begins at the offset.
    fn within(&self, place: Place, scalar: &str, offset: Option<usize>) -> Place {
        let Some(start) = offset.filter(|n| scalar.is_char_boundary(*n)) else { return place };
        let text_from_start = &scalar[start..];
        let length = text_from_start
            .find(char::is_whitespace)
            .unwrap_or(text_from_start.len())
            .max(text_from_start.chars().next().map_or(0, char::len_utf8));
        within(place, self.text, scalar, start..start + length)
    }
}

/// Marks the entry as failed and returns `None`.
fn fail<T>(good: &mut bool) -> Option<T> {
    *good = false;
    None
}

/// Adds the help of a value's error.
fn with_help(diagnostic: Diagnostic, error: &DataError) -> Diagnostic {
    match &error.help {
        Some(help) => diagnostic.help(help.clone()),
        None => diagnostic,
    }
}

/// Returns the form of a value of the type, for a hint.
fn value_form(facts: &TypeFacts) -> String {
    if facts.has_data() {
        let names: Vec<_> = facts.fields.iter().map(|f| f.name).collect();
        return format!("{{ {} }}", names.join(", "));
    }
    facts.field("content").map_or(facts.about, |f| f.about).to_owned()
}
