//! Determines which record sets of a zone a target publishes.
//!
//! # Sources
//! octodns 1.22.0, `Zone.changes` (ignored, included, excluded) and
//! `BaseProvider._process_desired_zone`, and octodns-cloudflare 1.2.0, `_gen_data`, read 2026-11.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::ignored_keys::note_ignored_keys;
use super::populate::{RecordSet, read_ttl};
use super::processors::{Processed, Processor, ProcessorKind};
use super::providers::{CloudflareProvider, is_true};
use super::templating::{TemplateFault, fill_value};
use super::values::{ValueRules, read_value};
use super::zone_content::{PublishedRecord, ZoneContent, type_of_cloudflare};
use crate::diagnostic::{Place, Source, Sources};
use crate::import::comments::{self, Comment};
use crate::model::ZoneName;
use crate::spec::{PythonScalar, Yaml};

/// Record types that octodns-cloudflare publishes.
const CLOUDFLARE_TYPES: &[&str] = &[
    "ALIAS", "A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "PTR", "SRV",
    "SSHFP", "SVCB", "TLSA", "TXT",
];

#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'c> {
    /// Name in the configuration; `None` if there is no configuration and the user named no target.
    pub(super) name: Option<&'c str>,
    pub(super) kind: TargetKind<'c>,
}

/// Kind of a target.
#[derive(Debug, Clone, Copy)]
pub(super) enum TargetKind<'c> {
    Cloudflare(&'c CloudflareProvider),
    /// A provider other than Cloudflare.
    Other,
    /// Cloudflare with assumed options, because there is no configuration.
    Assumed,
}

/// Rules for the record sets of a zone at a target.
pub(super) struct Publisher<'p> {
    pub(super) zone: &'p ZoneName,
    pub(super) target: Target<'p>,
    /// Processors and their names, in order.
    pub(super) processors: Vec<(&'p str, &'p Processor)>,
    /// Names of other zones of the configuration, relative to the zone.
    pub(super) sub_zones: &'p BTreeSet<String>,
    /// True if records that belong to `sub_zones` are dropped; otherwise they are refused.
    pub(super) drops_sub_zones: bool,
    /// True if the zone is an alias, whose records are copies.
    pub(super) is_copied: bool,
    pub(super) sources: &'p Sources,
}

impl Publisher<'_> {
    /// Adds the record sets to the content of the zone.
    pub(super) fn publish(&self, sets: &[RecordSet<'_>], content: &mut ZoneContent) {
        let delegated: BTreeSet<&str> =
            sets.iter().filter(|set| set.type_name == "NS").map(|set| set.name.as_str()).collect();
        for set in sets {
            let shown = set.shown(self.zone);
            let values = set.values().len().max(1);
            match self.check_set(set, &delegated, content) {
                Ok(Some(type_name)) => self.publish_set(set, type_name, &shown, content),
                Ok(None) => content.refuse(&shown, set.place, values, "it has no type"),
                Err(why) => content.leave_out(&shown, set.place, values, why),
            }
        }
    }

    /// Returns Cloudflare's type of a record set, or `None` if the set has no type. The error is
    /// the reason why the target does not get the set.
    fn check_set(
        &self,
        set: &RecordSet<'_>,
        delegated: &BTreeSet<&str>,
        content: &mut ZoneContent,
    ) -> Result<Option<&'static str>, String> {
        let octodns = set.data.get("octodns");
        let option = |name: &str| octodns.and_then(|own| own.get(name));
        if option("ignored").is_some_and(is_true) {
            return Err("it is `ignored`: octoDNS does not manage it".to_owned());
        }
        self.check_targets(option("included"), option("excluded"))?;
        for (name, processor) in &self.processors {
            let class = &processor.class;
            match processor.process(set, self.zone, 0) {
                Processed::Dropped => {
                    return Err(format!("the processor `{name}` ({class}) drops it"));
                }
                Processed::Refused => content
                    .notes
                    .refused_by_octodns(set.place, format!("the processor `{name}` refuses it")),
                Processed::Undecided => {
                    let type_name = &set.type_name;
                    content.in_part.insert(format!(
                        "whether its processor `{name}` ({class}) drops {type_name} records is not known"
                    ));
                }
                Processed::Kept | Processed::Ttl(_) => {}
            }
        }
        self.check_sub_zones(set, content)?;
        if set.type_name.is_empty() {
            return Ok(None);
        }
        for feature in ["geo", "dynamic"] {
            if set.data.get(feature).is_some() {
                return Err(format!(
                    "`{feature}` answers depend on who asks; Cloudflare has load balancing for that"
                ));
            }
        }
        if set.type_name == "URLFWD" {
            return Err("octoDNS makes a page rule of it, which a spec does not manage".to_owned());
        }
        let Some(type_name) = type_of_cloudflare(&set.type_name) else {
            return Err("Cloudflare has no such type of record".to_owned());
        };
        if type_name == "NS" && set.name.is_empty() {
            return Err("Cloudflare assigns the name servers of the zone itself".to_owned());
        }
        if let TargetKind::Cloudflare(cloudflare) = self.target.kind {
            let unsupported = if !CLOUDFLARE_TYPES.contains(&set.type_name.as_str()) {
                Some(format!("octodns-cloudflare does not publish {} records", set.type_name))
            } else if type_name == "DS" && !delegated.contains(set.name.as_str()) {
                Some("octodns-cloudflare does not publish a DS record without an NS record of the same name".to_owned())
            } else {
                None
            };
            match unsupported {
                Some(why) if !cloudflare.is_strict => {
                    return Err(format!("{why} (`strict_supports: false`)"));
                }
                Some(why) => content.notes.refused_by_octodns(set.place, why),
                None => {}
            }
        }
        Ok(Some(type_name))
    }

    /// Checks that the record set goes to the target.
    fn check_targets(
        &self,
        included: Option<&Yaml>,
        excluded: Option<&Yaml>,
    ) -> Result<(), String> {
        let (included, excluded) =
            (included.filter(|list| is_true(list)), excluded.filter(|list| is_true(list)));
        let names = |list: &Yaml| {
            let texts: Vec<String> = list
                .items()
                .iter()
                .filter_map(Yaml::text)
                .map(|name| format!("`{name}`"))
                .collect();
            texts.join(", ")
        };
        let Some(target) = self.target.name else {
            let Some(list) = included.or(excluded) else { return Ok(()) };
            return Err(format!(
                "it goes to some targets only ({}); import the configuration as well, or name the target with `--target NAME`",
                names(list)
            ));
        };
        // Python's `in` matches a part of a text or an item of a list.
        let has = |list: &Yaml| match list.text() {
            Some(text) => text.contains(target),
            None => list.items().iter().any(|item| item.text() == Some(target)),
        };
        if let Some(list) = included.filter(|list| !has(list)) {
            return Err(format!("it is `included` in {} only, not in `{target}`", names(list)));
        }
        if excluded.is_some_and(has) {
            return Err(format!("it is `excluded` from `{target}`"));
        }
        Ok(())
    }

    /// Checks that the record set does not belong to another zone of the configuration.
    fn check_sub_zones(
        &self,
        set: &RecordSet<'_>,
        content: &mut ZoneContent,
    ) -> Result<(), String> {
        let is_delegation = matches!(set.type_name.as_str(), "NS" | "DS");
        let is_exact = self.sub_zones.contains(&set.name);
        let mut below = set.name.match_indices('.').map(|(at, _)| &set.name[at + 1..]);
        let is_in_sub_zone =
            if is_exact { !is_delegation } else { below.any(|name| self.sub_zones.contains(name)) };
        if !is_in_sub_zone {
            return Ok(());
        }
        let is_lenient =
            set.data.get("octodns").and_then(|own| own.get("lenient")).is_some_and(is_true);
        if self.drops_sub_zones && !is_lenient {
            return Err("it belongs to another zone of the configuration (`ignore_subzone_adds`)"
                .to_owned());
        }
        if !is_lenient {
            content.notes.refused_by_octodns(
                set.place,
                "a record belongs to another zone of the configuration",
            );
        }
        Ok(())
    }

    /// Adds the records of a set.
    fn publish_set(
        &self,
        set: &RecordSet<'_>,
        type_name: &'static str,
        shown: &str,
        content: &mut ZoneContent,
    ) {
        let values = set.values();
        if values.is_empty() {
            return content.refuse(shown, set.place, 1, "it has no value");
        }
        let attributes = self
            .ttl_of(set, content)
            .and_then(|ttl| Ok((ttl, self.attributes(set, ttl, content)?)));
        let (ttl, attributes) = match attributes {
            Ok(attributes) => attributes,
            Err((place, why)) => return content.refuse(shown, place, values.len(), why),
        };
        let is_cloudflare = !matches!(self.target.kind, TargetKind::Other);
        note_ignored_keys(set, is_cloudflare, &mut content.notes);
        let filled = self.fill_templates(set, ttl, values);
        let is_filled = filled.iter().any(|value| matches!(value, Ok(Cow::Owned(_))));
        let is_for_cloudflare = matches!(self.target.kind, TargetKind::Cloudflare(_));
        let rules = ValueRules {
            has_escaped_semicolons: set.provider.has_escaped_semicolons,
            is_for_cloudflare,
            // octoDNS reads the values of a record set once more after it has filled in templates.
            is_copied: self.is_copied || is_filled,
        };
        let only = self.only_value(set, values, content);
        // octoDNS treats a name as relative: `www.example.com` in example.com is
        // `www.example.com.example.com`.
        let name = if set.name.is_empty() {
            "@".to_owned()
        } else {
            format!("{}.{}.", set.name, self.zone)
        };
        let comments = comments_of(set.data, self.sources);
        for (n, (value, filled)) in values.iter().zip(filled).enumerate() {
            if only.is_some_and(|only| only != n) {
                let why = "octodns-cloudflare publishes one value of a PTR record (`strict_supports: false`)";
                content.leave_out(shown, value.place, 1, why);
                continue;
            }
            let filled = match filled {
                Ok(filled) => filled,
                Err(TemplateFault::Refused(why)) => {
                    content.refuse(shown, value.place, 1, format!("{why}; octoDNS refuses it"));
                    continue;
                }
                Err(TemplateFault::Unknown(why)) => {
                    content.leave_out(shown, value.place, 1, why);
                    continue;
                }
            };
            let written = match read_value(type_name, &filled, rules, &mut content.notes) {
                Ok(written) => written,
                Err(why) => {
                    content.refuse(shown, value.place, 1, why);
                    continue;
                }
            };
            content.records.push(PublishedRecord {
                shown: shown.to_owned(),
                place: value.place,
                name: name.clone(),
                type_name,
                value: written,
                ttl: attributes.ttl,
                is_proxied: attributes.is_proxied,
                comment: attributes.comment.clone(),
                tags: attributes.tags.clone(),
                comments: comments.clone(),
            });
        }
    }

    /// Returns the values of a record set with their templates filled in, if a processor does that.
    fn fill_templates<'y>(
        &self,
        set: &RecordSet<'_>,
        ttl: i64,
        values: &'y [Yaml],
    ) -> Vec<Result<Cow<'y, Yaml>, TemplateFault>> {
        let mut filled: Vec<Result<Cow<'y, Yaml>, TemplateFault>> =
            values.iter().map(|value| Ok(Cow::Borrowed(value))).collect();
        for (_, processor) in &self.processors {
            let ProcessorKind::Templating(templating) = &processor.kind else { continue };
            let parameters = templating.parameters(set, self.zone, ttl);
            let fill = |value: Result<Cow<'y, Yaml>, TemplateFault>| {
                fill_value(&set.type_name, value?, &parameters)
            };
            filled = filled.into_iter().map(fill).collect();
        }
        filled
    }

    /// Returns the index of the value to publish if the target publishes only one.
    fn only_value(
        &self,
        set: &RecordSet<'_>,
        values: &[Yaml],
        content: &mut ZoneContent,
    ) -> Option<usize> {
        let TargetKind::Cloudflare(cloudflare) = self.target.kind else { return None };
        if set.type_name != "PTR" || values.len() < 2 {
            return None;
        }
        if cloudflare.is_strict {
            content.notes.refused_by_octodns(
                set.place,
                "octodns-cloudflare publishes one value of a PTR record",
            );
            return None;
        }
        let texts = values.iter().enumerate().filter_map(|(n, value)| Some((value.text()?, n)));
        texts.min().map(|(_, n)| n)
    }

    /// Returns the TTL of a record set after the processors, in seconds. The error has the place of
    /// the mistake.
    fn ttl_of(
        &self,
        set: &RecordSet<'_>,
        content: &mut ZoneContent,
    ) -> Result<i64, (Place, String)> {
        let mut ttl = match set.data.get("ttl") {
            Some(value) => {
                let seconds = read_ttl(value).map_err(|why| (value.place, why))?;
                let written = value.text().unwrap_or_default();
                if written != seconds.to_string() {
                    let why = format!("octoDNS reads `ttl: {written}` as {seconds}");
                    content.notes.read_otherwise(value.place, why);
                }
                seconds
            }
            None => set.provider.default_ttl,
        };
        for (name, processor) in &self.processors {
            if let Processed::Ttl(clamped) = processor.process(set, self.zone, ttl) {
                let why = format!("the processor `{name}` changes the TTL to {clamped}");
                content.notes.read_otherwise(set.place, why);
                ttl = clamped;
            }
        }
        Ok(ttl)
    }

    /// Returns the attributes of the records of a set with this TTL. The error has the place of the
    /// mistake.
    fn attributes(
        &self,
        set: &RecordSet<'_>,
        ttl: i64,
        content: &mut ZoneContent,
    ) -> Result<Attributes, (Place, String)> {
        let mut ttl = ttl;
        let cloudflare_options =
            set.data.get("octodns").and_then(|options| options.get("cloudflare"));
        let option = |name: &str| cloudflare_options.and_then(|options| options.get(name));
        let is_cdn = match self.target.kind {
            TargetKind::Cloudflare(cloudflare) => {
                if ttl < cloudflare.min_ttl {
                    let lowest = cloudflare.min_ttl;
                    let is_automatic = ["proxied", "auto-ttl"]
                        .iter()
                        .any(|name| option(name).is_some_and(is_true));
                    if !is_automatic || cloudflare.is_cdn {
                        let why = format!(
                            "octoDNS raises TTLs below {lowest} seconds to {lowest} (`min_ttl`)"
                        );
                        content.notes.read_otherwise(set.place, why);
                    }
                    ttl = lowest;
                }
                cloudflare.is_cdn
            }
            TargetKind::Assumed => false,
            TargetKind::Other => {
                if let Some(options) = cloudflare_options {
                    let why = "`octodns.cloudflare` is not for the target that was named, so it is left out";
                    content.notes.read_otherwise(options.place, why);
                }
                let ttl =
                    u32::try_from(ttl).map_err(|_| (set.place, "`ttl` is too large".to_owned()))?;
                return Ok(Attributes { ttl: Some(ttl), ..Attributes::default() });
            }
        };
        let mut is_on = |name: &str| {
            let Some(value) = option(name) else { return false };
            let is_text = matches!(value.python(), Some(PythonScalar::Text(_)));
            if is_text && is_true(value) {
                let why = format!(
                    "octoDNS takes the text `{}` of `{name}` for true",
                    value.text().unwrap_or_default()
                );
                content.notes.read_otherwise(value.place, why);
            }
            is_true(value)
        };
        let (is_proxied, has_automatic_ttl) =
            (is_on("proxied") && !is_cdn, is_on("auto-ttl") && !is_cdn);
        let ttl = u32::try_from(ttl).map_err(|_| (set.place, "`ttl` is too large".to_owned()))?;
        let tags = option("tags").map(Yaml::items).unwrap_or_default();
        Ok(Attributes {
            ttl: (!is_proxied && !has_automatic_ttl).then_some(ttl),
            is_proxied,
            comment: option("comment").and_then(Yaml::text).map(str::to_owned),
            tags: tags.iter().filter_map(Yaml::text).map(str::to_owned).collect(),
        })
    }
}

/// Attributes of the records of a set, beside their values.
#[derive(Debug, Default)]
struct Attributes {
    /// Seconds; `None` means automatic.
    ttl: Option<u32>,
    is_proxied: bool,
    comment: Option<String>,
    tags: Vec<String>,
}

/// Returns the comments above the lines of a record set and above its name.
fn comments_of(record: &Yaml, sources: &Sources) -> Vec<Comment> {
    let Some(text) = sources.get(record.place.source).map(Source::text) else { return Vec::new() };
    let first = record.members().iter().map(|(_, value)| value.place.span.start).min();
    let at = usize::try_from(first.unwrap_or(record.place.span.start)).unwrap_or_default();
    let value_comments = comments::above(text, at, &["#"]);
    let start =
        value_comments.first().map_or_else(|| comments::line_start(text, at), |(at, _)| *at);
    let name = text
        .get(..start)
        .and_then(|before| before.trim_end().rfind('\n'))
        .map_or(0, |line| line + 1);
    let is_name = text[name..start].trim_end().ends_with(':');
    let mut all_comments = if is_name { comments::above(text, name, &["#"]) } else { Vec::new() };
    all_comments.extend(value_comments);
    all_comments
}
