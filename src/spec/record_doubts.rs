//! Valid records that are probably mistakes: targets that are top-level names or the record itself,
//! name servers in the zone itself.

use super::records::Target;
use crate::diagnostic::{Place, findings};
use crate::model::{Address, Fqdn, Rdata, RecordType};

impl Target<'_> {
    /// Warns of a target that looks relative to the zone.
    pub(super) fn doubt_target(&mut self, data: &Rdata, text: &str, place: Place) {
        let is_full = |target: &Fqdn| {
            text.split_whitespace()
                .any(|w| w.ends_with('.') && Fqdn::parse(w).is_ok_and(|n| n == *target))
        };
        let Some(target) = data.target().filter(|t| t.label_count() == 1 && !is_full(t)) else {
            return;
        };
        let zone = self.zone;
        self.diagnostics.push(
            findings::SINGLE_LABEL
                .at(place, format!("this points to the top-level name `{target}`"))
                .help(format!(
                    "write `{target}.{zone}` if a name in this zone is meant, or `{target}.` if not"
                )),
        );
    }

    /// Warns of values that are unlikely for their name.
    pub(super) fn doubt_record(&mut self, name: &Fqdn, data: &Rdata, place: Place) {
        let record_type = data.record_type();
        let address = || Address::of_record(self.zone, name, data, false).to_string();
        if data.is_alias_of(name) {
            self.diagnostics.push(
                findings::SELF_ALIAS
                    .at(place, format!("`{name}` is the name of the record itself"))
                    .about(address())
                    .help("write the name that it should be an alias of"),
            );
        }
        if record_type == Some(RecordType::Ns) && name == self.zone.as_fqdn() {
            self.diagnostics.push(
                findings::APEX_NS
                    .at(place, format!("this is a name server of {} itself", self.zone))
                    .about(address())
                    .help(
                        "remove the record unless the zone has custom or additional name servers",
                    ),
            );
        }
    }
}
