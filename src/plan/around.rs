//! What is done to a zone itself, and what somebody has to do elsewhere.

use std::collections::BTreeMap;

use super::operation::{Cause, ZoneAction, ZoneOperation};
use crate::diagnostic::{Diagnostics, findings};
use crate::diff::{ZoneChange, ZonePart};
use crate::model::{Address, DesiredZone, LiveSetting, LiveZone};

/// Operations on the zone itself: it is made first, then its parts are changed.
pub(super) fn operations(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: Vec<ZoneChange>,
    found: &mut Diagnostics,
) -> Vec<ZoneOperation> {
    let zone = &desired.name;
    let mut operations = Vec::new();
    if live.is_new {
        operations.push(ZoneOperation {
            address: Address::of_zone(zone),
            action: ZoneAction::Create,
            fields: Vec::new(),
            cause: Cause::Unknown,
            dangers: Vec::new(),
            accepted: BTreeMap::new(),
            modified_on: None,
            place: desired.place,
        });
    }
    for (name, (_, place)) in &desired.around.settings {
        if let Some(LiveSetting::Refused(words)) = live.around.settings.get(name) {
            found.push(
                findings::UNKNOWN_SETTING
                    .at(*place, format!("{name}: {words}"))
                    .about(zone.to_string())
                    .help("check the name; the settings are those of the service's API"),
            );
        }
    }
    for ZoneChange { part, fields, place } in changes {
        let address = match &part {
            ZonePart::Setting { name, .. } => Address::of_zone_part(zone, &format!("settings/{name}")),
            ZonePart::Dnssec { .. } => Address::of_zone_part(zone, "dnssec"),
            ZonePart::DnsSettings { .. } => Address::of_zone_part(zone, "dns_settings"),
        };
        if let ZonePart::Setting { name, .. } = &part
            && let Some(LiveSetting::Value { editable: false, .. }) = live.around.settings.get(name)
        {
            let tier = live.tier.facts().name;
            found.push(
                findings::NOT_EDITABLE
                    .at(place, format!("the service says that {name} cannot be changed on the {tier} plan"))
                    .about(address.to_string())
                    .help("remove the setting, or change the zone's plan"),
            );
            continue;
        }
        let modified_on = match &part {
            ZonePart::Setting { name, .. } => match live.around.settings.get(name) {
                Some(LiveSetting::Value { modified_on, .. }) => modified_on.clone(),
                Some(LiveSetting::Refused(_)) | None => None,
            },
            ZonePart::Dnssec { .. } => live.around.dnssec.as_ref().and_then(|dnssec| dnssec.modified_on.clone()),
            ZonePart::DnsSettings { .. } => None,
        };
        operations.push(ZoneOperation {
            address,
            action: ZoneAction::Change(part),
            fields,
            cause: Cause::Unknown,
            dangers: Vec::new(),
            accepted: BTreeMap::new(),
            modified_on,
            place,
        });
    }
    operations
}

/// What somebody has to do elsewhere.
pub(super) fn notes(desired: &DesiredZone, live: &LiveZone) -> Vec<String> {
    let mut notes = Vec::new();
    if live.is_inactive() && !live.name_servers.is_empty() {
        notes.push(format!(
            "the zone is pending: it is served once the registrar names its name servers, {}",
            live.name_servers.join(" and ")
        ));
    }
    let wanted = desired.around.dnssec.map(|(on, _)| on);
    if let (Some(wanted), Some(dnssec)) = (wanted, &live.around.dnssec) {
        match (wanted, dnssec.status.as_str(), &dnssec.ds) {
            (true, "disabled", _) if live.is_inactive() => {
                notes.push("DNSSEC is switched on by a later run, once the zone is active".to_owned());
            }
            (true, "pending", Some(ds)) => {
                notes.push(format!("DNSSEC is pending: give the registrar this record: {ds}"))
            }
            (true, "pending", None) => {
                notes.push("DNSSEC is pending: the registrar needs the zone's DS record".to_owned())
            }
            (true, "error", _) => notes.push("DNSSEC: the service reports an error; look there".to_owned()),
            (false, "pending-disabled", _) => {
                notes.push("DNSSEC is being switched off: remove the DS record at the registrar".to_owned());
            }
            _ => {}
        }
    }
    notes
}
