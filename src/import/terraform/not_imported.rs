//! Explains and reports entries that are left out.

use std::collections::BTreeMap;

use super::Resource;
use super::value::{Missing, Term};
use crate::diagnostic::{Place, count, findings};
use crate::import::import_result::{ImportResult, Translation, not_in_spec};
use crate::model::facts::resources::made_by_terraform;

/// Reason for leaving an entry out.
pub(super) enum Refusal {
    /// A value is missing.
    Missing(Missing),
    /// A spec cannot express the entry.
    Untranslatable(String),
    /// The entry is invalid.
    Invalid(String),
    /// The zone is unknown.
    Zone(UnknownZone),
}

/// Known facts about an unnamed zone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnknownZone {
    Id(String),
    /// Reason why the id is unknown, too.
    Missing(String),
    /// There are no facts.
    Unnamed,
}

impl From<Missing> for Refusal {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// Maximum length of a quoted text in a sentence.
///
/// # Units
/// Characters.
const LONGEST: usize = 80;

/// Returns why a resource of another kind is not translated, with its content.
pub(super) fn not_managed(resource: &Resource) -> String {
    let about = match resource.kind.as_str() {
        "cloudflare_list" | "cloudflare_list_item" => "lists, to which rules refer by name",
        kind => made_by_terraform(kind).map_or("this kind of resource", |known| known.about),
    };
    let reason = format!("a spec does not manage {about}");
    match content_in_words(resource) {
        Some(content) => format!("{reason}; {content}"),
        None => reason,
    }
}

/// Describes the content of a resource whose kind is readable for people.
fn content_in_words(resource: &Resource) -> Option<String> {
    let values = &resource.values;
    let text = |of: Option<&Term>| {
        let text = of.and_then(Term::text).filter(|text| !text.is_empty())?;
        Some(format!("`{}`", text.chars().take(LONGEST).collect::<String>()))
    };
    let text_or_unknown =
        |of: Option<&Term>| text(of).unwrap_or_else(|| "an unknown value".to_owned());
    match resource.kind.as_str() {
        "cloudflare_page_rule" => {
            let Some(Term::Map(actions)) = values.object("actions") else { return None };
            let actions = actions
                .iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, _)| format!("`{name}`"));
            let actions: Vec<String> = actions.collect();
            Some(format!(
                "it sets {} for {}",
                actions.join(", "),
                text_or_unknown(values.get("target"))
            ))
        }
        "cloudflare_list" => {
            let items = values
                .get("items")
                .or_else(|| values.get("item"))
                .map(Term::items)
                .unwrap_or_default();
            let (name, kind) =
                (text_or_unknown(values.get("name")), text_or_unknown(values.get("kind")));
            Some(format!(
                "it is the list {name} of kind {kind} with {}",
                count(items.len(), "item")
            ))
        }
        "cloudflare_access_rule" => {
            let configuration = values.object("configuration");
            let target = text_or_unknown(configuration.and_then(|of| of.get("target")));
            let value = text_or_unknown(configuration.and_then(|of| of.get("value")));
            Some(format!(
                "it applies {} to the {target} {value}",
                text_or_unknown(values.get("mode"))
            ))
        }
        _ => None,
    }
}

/// Reports attributes of a resource that are not in the spec. Returns `None` if there are none.
pub(super) fn in_part(
    resource: &Resource,
    attributes: &[String],
    found: &mut ImportResult,
) -> Option<Translation> {
    let note = not_in_spec(attributes)?;
    found.report(findings::IN_PART, &resource.address, resource.place, &note, None);
    Some(Translation::InPart)
}

/// Reports a resource that is left out.
pub(super) fn refuse(resource: &Resource, refusal: Refusal, found: &mut ImportResult) {
    let Resource { address, kind, place, .. } = resource;
    match refusal {
        Refusal::Missing(missing) => {
            let at = if missing.place == Place::NOWHERE { *place } else { missing.place };
            found.refuse(findings::UNKNOWN_VALUE, kind, address, at, &missing.why);
        }
        Refusal::Untranslatable(why) => {
            found.refuse(findings::NOT_TRANSLATED, kind, address, *place, &why)
        }
        Refusal::Invalid(why) => {
            found.refuse(findings::INVALID_IN_SOURCE, kind, address, *place, &why)
        }
        Refusal::Zone(zone) => without_zone(&zone, &[resource], found),
    }
}

/// Reports the resources of an unknown zone at the place of the first one.
pub(super) fn without_zone(zone: &UnknownZone, resources: &[&Resource], found: &mut ImportResult) {
    for resource in resources {
        found.count(&resource.kind, Translation::LeftOut);
    }
    let Some(first) = resources.first() else { return };
    let (shown, why, help) = match zone {
        UnknownZone::Id(id) => (
            format!("the zone `{id}`"),
            String::new(),
            format!("add `--zone-name {id}=example.com`"),
        ),
        UnknownZone::Missing(why) => {
            ("an unknown zone".to_owned(), format!(": {why}"), BY_NAME.to_owned())
        }
        UnknownZone::Unnamed => ("an unknown zone".to_owned(), String::new(), BY_NAME.to_owned()),
    };
    let detail = match resources.len() {
        1 => format!("{} belongs to {shown}{why}", first.address),
        n => format!("{n} entries belong to {shown}{why}; they are {}", addresses(resources)),
    };
    found.report(findings::UNKNOWN_ZONE, "", first.place, &detail, Some(help));
}

/// Lists the addresses of resources. Instances of one resource are counted.
fn addresses(resources: &[&Resource]) -> String {
    let mut instances: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for resource in resources {
        let address = resource.address.as_str();
        let base = address
            .rfind('[')
            .filter(|_| address.ends_with(']'))
            .map_or(address, |end| &address[..end]);
        instances.entry(base).or_default().push(address);
    }
    let shown = instances.into_iter().map(|(base, all)| match all.as_slice() {
        [only] => (*only).to_owned(),
        all => format!("{base} ({})", count(all.len(), "instance")),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Advice on naming the zone of entries without an id.
const BY_NAME: &str =
    "if they belong to one zone, add `--zone-name example.com`; if not, import the state instead";
