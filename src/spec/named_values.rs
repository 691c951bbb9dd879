//! Named values, such as settings: those of several fragments of a zone are merged, and must agree.

use std::collections::BTreeMap;

use super::any_value::AnyValue;
use super::attributes::{Facet, Reader};
use super::deserialize::{Entries, Spanned};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place};
use crate::model::{Gather, Value};

/// Merges named values of one fragment. Fragments that set the same name must agree.
pub(super) fn merge(
    all: &mut BTreeMap<String, Facet<Value>>,
    some: Option<Entries<Spanned<AnyValue>>>,
    checked: impl Fn(&str, Place, Facet<Value>, &mut Diagnostics) -> Option<Facet<Value>>,
    reader: &mut Reader<'_>,
) {
    for (name, value) in some.into_iter().flat_map(|entries| entries.0) {
        let written = name.value.0.as_str();
        if written.is_empty()
            || !written.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        {
            let place = reader.place(&name);
            let detail = format!("`{}` is not a name of a setting", super::clip(written));
            let lower = written.to_ascii_lowercase();
            let help = if lower == written {
                "write Cloudflare's name, such as `ssl`".to_owned()
            } else {
                format!("did you mean `{lower}`?")
            };
            reader.diagnostics.push(findings::UNKNOWN_KEY.at(place, detail).help(help));
            continue;
        }
        let facet = Facet { place: reader.place(&name), value: value.value.0 };
        let Some(facet) = checked(written, facet.place, facet, reader.diagnostics) else {
            continue;
        };
        let mut first = all.remove(&name.value.0);
        match (&mut first, facet) {
            (
                Some(Facet { value: Value::Map(members), place }),
                Facet { value: Value::Map(more), place: other },
            ) => {
                let first = *place;
                merge_members(&name.value.0, members, more, &mut |path, known, value| {
                    let mut known = Some(Facet { value: known.clone(), place: first });
                    agree(path, &mut known, Facet { value, place: other }, reader.diagnostics);
                });
            }
            (_, facet) => agree(&name.value.0, &mut first, facet, reader.diagnostics),
        }
        all.extend(first.map(|first| (name.value.0, first)));
    }
}

/// Adds members to a nested value. Members that both have stay as they are; the function gets the
/// paths and values of those that differ.
pub(super) fn merge_members(
    key: &str,
    members: &mut BTreeMap<String, Value>,
    more: BTreeMap<String, Value>,
    on_difference: &mut impl FnMut(&str, &Value, Value),
) {
    for (name, value) in more {
        let path = format!("{key}.{name}");
        match (members.get_mut(&name), value) {
            (Some(Value::Map(members)), Value::Map(more)) => {
                merge_members(&path, members, more, on_difference);
            }
            (Some(known), value) if *known != value => on_difference(&path, known, value),
            (Some(_), _) => {}
            (None, value) => drop(members.insert(name, value)),
        }
    }
}

/// Merges a value that all fragments of a zone must agree on.
pub(super) fn agree<T: PartialEq>(
    key: &str,
    place: &mut Option<Facet<T>>,
    value: Facet<T>,
    diagnostics: &mut Diagnostics,
) {
    match place {
        None => *place = Some(value),
        Some(first) if first.value == value.value => {}
        Some(first) => diagnostics.push(
            findings::ZONE_CLASH
                .at(value.place, format!("`{key}` has another value here"))
                .and_at(first.place, "the first one")
                .help(format!("give `{key}` in one fragment of the zone")),
        ),
    }
}

/// Returns values with their places.
pub(super) fn placed(values: BTreeMap<String, Facet<Value>>) -> BTreeMap<String, (Value, Place)> {
    values.into_iter().map(|(n, f)| (n, (f.value, f.place))).gather()
}
