//! Determines the zone of a resource.

use std::collections::BTreeMap;

use super::not_imported::{Refusal, UnknownZone};
use super::value::Term;
use super::{ASSIGNED, GivenZones, Resource, ZONE_REFERENCE};
use crate::model::ZoneName;

/// Zone names by id, and the zone of resources that name none.
pub(super) struct Zones<'g> {
    by_id: BTreeMap<String, ZoneName>,
    given: &'g GivenZones,
}

impl<'g> Zones<'g> {
    /// Collects the zones from the resources and from the options.
    pub(super) fn new(resources: &[Resource], given: &'g GivenZones) -> Self {
        let mut zones = BTreeMap::new();
        let mut learn = |id: Option<String>, name: Option<String>| {
            if let (Some(id), Some(name)) = (id, name.and_then(|name| ZoneName::parse(&name).ok()))
            {
                zones.insert(id, name);
            }
        };
        for Resource { kind, values, .. } in resources {
            let text = |name: &str| values.get(name).and_then(Term::text);
            match kind.trim_start_matches("data.") {
                "cloudflare_zone" => {
                    learn(text("id"), text("zone").or_else(|| text("name")));
                    learn(text("zone_id"), text("zone").or_else(|| text("name")));
                }
                "cloudflare_zones" => {
                    let lists = ["zones", "result"].iter().filter_map(|name| values.get(name));
                    for zone in lists.flat_map(Term::items) {
                        learn(
                            zone.get("id").and_then(Term::text),
                            zone.get("name").and_then(Term::text),
                        );
                    }
                }
                // Version 4 stores the full name beside the relative one.
                "cloudflare_record" => {
                    let zone =
                        text("hostname").zip(text("name")).and_then(|(host, name)| {
                            match name.as_str() {
                                "@" => Some(host),
                                name => host.strip_suffix(name).is_none().then(|| {
                                    host.strip_prefix(&format!("{name}.")).map(str::to_owned)
                                })?,
                            }
                        });
                    learn(text("zone_id"), zone);
                }
                _ => {}
            }
        }
        zones.extend(given.by_id.clone());
        Self { by_id: zones, given }
    }

    /// Returns a text that distinguishes zones of the same name. The text is empty if the source or
    /// the user states the zone; otherwise it is the id, or the directory that lacks the id.
    pub(super) fn view<'r>(&self, resource: &'r Resource) -> &'r str {
        match resource.values.get("zone_id") {
            Some(Term::Text(id)) => match self.by_id.get(id) {
                Some(name) if self.by_id.values().filter(|other| *other == name).count() > 1 => id,
                Some(_) => "",
                None if id.starts_with(ZONE_REFERENCE) => "",
                None if id.starts_with(ASSIGNED) => &resource.origin,
                None => id,
            },
            _ => &resource.origin,
        }
    }

    /// Returns the zone of a resource by its `zone_id`.
    pub(super) fn of(&self, resource: &Resource) -> Result<ZoneName, Refusal> {
        let Self { by_id, given } = self;
        let zone_of_id = |id: &str| match id.strip_prefix(ZONE_REFERENCE) {
            Some(name) => ZoneName::parse(name).ok(),
            None => by_id.get(id).cloned(),
        };
        match resource.values.get("zone_id") {
            Some(Term::Text(id)) => {
                let zone = zone_of_id(id).or_else(|| given.default.clone());
                let unknown = match id.strip_prefix(ASSIGNED) {
                    // The id of another kind of object, which Cloudflare assigns.
                    Some(address) => {
                        UnknownZone::Missing(format!("`{address}` is not a zone with a known name"))
                    }
                    None => UnknownZone::Id(id.clone()),
                };
                zone.ok_or(Refusal::Zone(unknown))
            }
            Some(Term::Missing(missing)) => {
                // An id that must not be shown may still be looked up.
                let hidden = match missing.hidden.as_ref().map(|hidden| &hidden.0) {
                    Some(Term::Text(id)) => zone_of_id(id),
                    _ => None,
                };
                let zone = hidden.or_else(|| given.default.clone());
                zone.ok_or_else(|| Refusal::Zone(UnknownZone::Missing(missing.why.clone())))
            }
            _ => given.default.clone().ok_or(Refusal::Zone(UnknownZone::Unnamed)),
        }
    }
}
