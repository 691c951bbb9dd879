//! Shared values for `import --factor`: values that many records share become variables, and
//! protection that zones share becomes profiles.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::emit;
use super::write_yaml::scalar;
use crate::model::Desired;

/// Minimum number of uses of a value that becomes a variable.
const OFTEN: usize = 3;
/// Maximum length of a variable's name.
const LONGEST_NAME: usize = 60;

/// Returns values that many records have, with names for them.
pub(super) fn variables(desired: &Desired) -> BTreeMap<String, String> {
    let mut uses: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for record in desired.zones.values().flat_map(|zone| &zone.records) {
        let kind = match record.data.type_name() {
            "A" | "AAAA" => "ADDRESS",
            "CNAME" => "TARGET",
            _ => continue,
        };
        let Some(content) = record.data.fields().get("content").map(scalar) else { continue };
        if let Json::String(content) = content {
            *uses.entry((kind, content)).or_default() += 1;
        }
    }
    let mut taken_names = BTreeSet::new();
    let often =
        uses.into_iter().filter(|(_, uses)| *uses >= OFTEN).filter_map(|((kind, value), _)| {
            let words =
                value.to_ascii_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            let name = format!("{kind}_{}", words.trim_matches('_'));
            (name.len() <= LONGEST_NAME && !value.contains('$') && taken_names.insert(name.clone()))
                .then_some((value, name))
        });
    often.collect()
}

/// Returns protection that several zones have, with names for it.
pub(super) fn profiles(desired: &Desired) -> Vec<(String, Json)> {
    let mut shared: Vec<(Json, usize)> = Vec::new();
    for zone in desired.zones.values() {
        let Json::Object(mut members) = emit::zone(zone, &[]) else { continue };
        let Some(waf) = members.remove("waf") else { continue };
        match shared.iter_mut().find(|(known, _)| *known == waf) {
            Some((_, zones)) => *zones += 1,
            None => shared.push((waf, 1)),
        }
    }
    let shared = shared.into_iter().filter(|(_, zones)| *zones > 1).enumerate();
    let named_profiles = shared.map(|(n, (waf, _))| {
        let name = if n == 0 { "shared".to_owned() } else { format!("shared-{}", n + 1) };
        (name, waf)
    });
    named_profiles.collect()
}
