//! One history as data: the spec, the live state, the writes of someone else, and the faults.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use zonewright::sandbox::Fault;

use super::pool::Value;
use super::protection::{Protection, Waf};

/// One history.
#[derive(Debug, Clone)]
pub(crate) struct History {
    /// Seed of the generator.
    pub(crate) seed: u64,
    /// The zones.
    pub(crate) zones: Vec<Zone>,
    /// Properties of the sandbox.
    pub(crate) service: Service,
    /// Arguments of the program.
    pub(crate) call: Call,
    /// Writes of someone else between the plan and the apply.
    pub(crate) between: Vec<Foreign>,
    /// Faults of the requests of the first apply, counted from its first request.
    pub(crate) script: Vec<Strike>,
    /// After how many answers someone asks the first apply to stop.
    pub(crate) interrupt: Option<u64>,
    /// True if the first apply is killed then, and not asked to stop.
    pub(crate) is_kill: bool,
}

/// The behaviour of the sandbox.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    /// True if it has batches.
    pub(crate) batches: bool,
    /// Largest page of records.
    pub(crate) page_limit: u64,
    /// True if lists come in another order each time.
    pub(crate) is_unordered: bool,
    /// True if it answers as before 2024-07.
    pub(crate) is_old: bool,
    /// True if it calls texts identical that differ only in where they are cut.
    pub(crate) joins_texts: bool,
}

/// The options of the program.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// `--batch-size`.
    pub(crate) batch_size: Option<u32>,
    /// `--concurrency`.
    pub(crate) concurrency: u16,
    /// True if the plan is saved, and applied from its file.
    pub(crate) is_saved: bool,
    /// True if the previous spec is named by `--base`.
    pub(crate) has_base: bool,
    /// `--verify` of its applies.
    pub(crate) verify: &'static str,
}

/// A zone.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its plan at Cloudflare.
    pub(crate) plan: &'static str,
    /// True if the sandbox lacks it, and the spec has it made.
    pub(crate) is_new: bool,
    /// True if the spec is the complete state.
    pub(crate) prune: bool,
    /// Objects that stay unchanged.
    pub(crate) ignored: Vec<Ignored>,
    /// Records that the spec wants.
    pub(crate) wanted: Vec<Wanted>,
    /// Records that the spec wants to be absent.
    pub(crate) gone: Vec<Gone>,
    /// Records that the previous spec wanted.
    pub(crate) before: Vec<Wanted>,
    /// Records of the sandbox.
    pub(crate) existing: Vec<Existing>,
    /// Settings that the spec wants.
    pub(crate) settings: Vec<(&'static str, &'static str)>,
    /// Its protection.
    pub(crate) protection: Option<Protection>,
}

/// The statements of a spec about a zone.
struct Section<'z> {
    records: &'z [Wanted],
    gone: &'z [Gone],
    waf: Option<&'z Waf>,
}

/// A record that a spec wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    /// Seconds; 1 for automatic.
    pub(crate) ttl: Option<u32>,
    pub(crate) proxied: Option<bool>,
    /// The inner `None` clears it.
    pub(crate) comment: Option<Option<&'static str>>,
}

/// A record that a spec wants gone: this value, or all of the type.
#[derive(Debug, Clone)]
pub(crate) struct Gone {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) value: Option<Value>,
}

/// A pattern of records that stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ignored {
    /// The name, or with `*` at its end how it begins.
    pub(crate) name: Option<&'static str>,
    pub(crate) kind: Option<&'static str>,
}

/// A record that the sandbox has.
#[derive(Debug, Clone)]
pub(crate) struct Existing {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    pub(crate) ttl: u32,
    pub(crate) proxied: bool,
    pub(crate) comment: Option<&'static str>,
    /// True if the sandbox maintains it.
    pub(crate) is_read_only: bool,
}

/// A write of someone else.
#[derive(Debug, Clone)]
pub(crate) struct Foreign {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Json,
    /// The zone that it concerns.
    pub(crate) zone: &'static str,
    /// The name at which it writes.
    pub(crate) name: &'static str,
}

/// Something that happens to a request.
#[derive(Debug, Clone)]
pub(crate) enum Strike {
    /// A fault.
    Fault(Fault),
    /// Someone else writes at the request of this number: before it, or after it and before its
    /// answer.
    Foreign { number: u64, is_after: bool, foreign: Foreign },
}

impl History {
    /// Returns the spec.
    pub(crate) fn spec(&self) -> String {
        self.text(|zone| Section {
            records: &zone.wanted,
            gone: &zone.gone,
            waf: zone.waf(|waf| &waf.wanted),
        })
    }

    /// Returns the previous spec.
    pub(crate) fn base(&self) -> String {
        self.text(|zone| Section {
            records: &zone.before,
            gone: &[],
            waf: zone.waf(|waf| &waf.before),
        })
    }

    /// Returns a spec of all zones with these sections.
    fn text<'h>(&'h self, section: impl Fn(&'h Zone) -> Section<'h>) -> String {
        let mut text = "version: 1\nzones:\n".to_owned();
        for zone in &self.zones {
            zone.write(&section(zone), &mut text);
        }
        text
    }

    /// Returns what the sandbox has, as a document to plant.
    pub(crate) fn document(&self) -> Json {
        let zones = self.zones.iter().filter(|zone| !zone.is_new);
        json!({ "zones": zones.map(Zone::document).collect::<Vec<_>>() })
    }

    /// Returns all writes of someone else.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = &Foreign> {
        let scripted = self.script.iter().filter_map(|strike| match strike {
            Strike::Foreign { foreign, .. } => Some(foreign),
            Strike::Fault(_) => None,
        });
        self.between.iter().chain(scripted)
    }
}

impl Zone {
    /// Returns the zone's id, which the sandbox takes as it is.
    pub(crate) fn id(&self) -> String {
        zone_id(self.name)
    }

    /// Returns what a spec says of its protection.
    fn waf<'z>(&'z self, which: impl FnOnce(&'z Protection) -> &'z Option<Waf>) -> Option<&'z Waf> {
        self.protection.as_ref().and_then(|protection| which(protection).as_ref())
    }

    /// Writes the section of a spec.
    fn write(&self, Section { records, gone, waf }: &Section, text: &mut String) {
        let mut line = |words: std::fmt::Arguments| {
            writeln!(text, "{words}").expect("a text takes everything")
        };
        line(format_args!("  {}:", self.name));
        if self.is_new {
            line(format_args!("    create: true"));
        }
        if self.prune {
            line(format_args!("    unmanaged: prune"));
        }
        if !self.ignored.is_empty() {
            line(format_args!("    ignore:"));
        }
        for Ignored { name, kind } in &self.ignored {
            let name = name.map(|name| format!("name: {name:?}, ")).unwrap_or_default();
            let kind = kind.map(|kind| format!("type: {kind}, ")).unwrap_or_default();
            line(format_args!("      - {{ {name}{kind}reason: another program's }}"));
        }
        if !self.settings.is_empty() {
            line(format_args!("    settings:"));
        }
        for (name, value) in &self.settings {
            line(format_args!("      {name}: {value:?}"));
        }
        line(format_args!(
            "    records:{}",
            if records.is_empty() && gone.is_empty() { " []" } else { "" }
        ));
        for wanted in *records {
            line(format_args!("      - {{ {} }}", wanted.spelled()));
        }
        for Gone { name, kind, value } in *gone {
            let value = value.map_or_else(|| format!("type: {kind}"), Value::spelled);
            line(format_args!("      - {{ name: {name:?}, {value}, state: absent }}"));
        }
        if let Some(waf) = waf {
            waf.write(text);
        }
    }

    /// Returns the zone as the sandbox plants it.
    fn document(&self) -> Json {
        let records: Vec<Json> =
            self.existing.iter().map(|existing| existing.document(self.name)).collect();
        let mut zone =
            json!({ "name": self.name, "id": self.id(), "plan": self.plan, "records": records });
        if let Some(protection) = &self.protection {
            zone["rulesets"] = protection.document(self.name);
        }
        zone
    }
}

/// Returns the id of a zone, made from its name.
pub(crate) fn zone_id(name: &str) -> String {
    format!("{:0>32}", name.bytes().map(|byte| format!("{:x}", byte % 16)).collect::<String>())
}

/// Returns a name within a zone in full.
pub(crate) fn full(name: &str, zone: &str) -> String {
    if name == "@" { zone.to_owned() } else { format!("{name}.{zone}") }
}

impl Wanted {
    /// Returns the members of its entry in a spec.
    fn spelled(&self) -> String {
        let Self { name, value, ttl, proxied, comment } = self;
        let mut text = format!("name: {name:?}, {}", value.spelled());
        let mut add = |words: String| text.push_str(&words);
        match ttl {
            Some(1) => add(", ttl: auto".to_owned()),
            Some(ttl) => add(format!(", ttl: {ttl}")),
            None => {}
        }
        if let Some(proxied) = proxied {
            add(format!(", proxied: {proxied}"));
        }
        match comment {
            Some(Some(comment)) => add(format!(", comment: {comment:?}")),
            Some(None) => add(", comment: null".to_owned()),
            None => {}
        }
        text
    }
}

impl Existing {
    /// Returns the record as the sandbox plants it.
    fn document(&self, zone: &str) -> Json {
        let Self { id, name, value, ttl, proxied, comment, is_read_only } = self;
        let mut record = value.members();
        record["id"] = id.as_str().into();
        record["type"] = value.kind.into();
        record["name"] = full(name, zone).into();
        record["ttl"] = (*ttl).into();
        record["proxied"] = (*proxied).into();
        record["created_on"] = "2026-01-01T00:00:00Z".into();
        if let Some(comment) = comment {
            record["comment"] = (*comment).into();
        }
        if *is_read_only {
            record["meta"] = json!({ "read_only": true });
        }
        record
    }
}

impl Ignored {
    /// Returns true if a record stays for this.
    pub(crate) fn matches(self, name: &str, kind: &str) -> bool {
        let is_named = self.name.is_none_or(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        });
        is_named && self.kind.is_none_or(|own| own == kind)
    }
}
