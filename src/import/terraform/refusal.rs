//! Why an entry is left out.

use super::Resource;
use super::value::Missing;
use crate::diagnostic::{Place, findings};
use crate::import::found::Found;

/// Why an entry is left out.
pub(super) enum Refusal {
    /// A value is missing.
    Missing(Missing),
    /// A spec cannot say it.
    Untranslatable(String),
    /// It makes no sense.
    Invalid(String),
    /// Its zone is not known; the reference that it uses.
    Zone(String),
}

impl From<Missing> for Refusal {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// Reports a resource that is left out.
pub(super) fn refuse(resource: &Resource, refusal: Refusal, found: &mut Found) {
    let Resource { address, kind, place, .. } = resource;
    match refusal {
        Refusal::Missing(missing) => {
            let at = if missing.place == Place::NOWHERE { *place } else { missing.place };
            found.refuse(findings::UNKNOWN_VALUE, kind, address, at, &missing.why);
        }
        Refusal::Untranslatable(why) => found.refuse(findings::NOT_TRANSLATED, kind, address, *place, &why),
        Refusal::Invalid(why) => found.refuse(findings::INVALID_IN_SOURCE, kind, address, *place, &why),
        Refusal::Zone(id) => found.refuse(findings::UNKNOWN_ZONE, kind, address, *place, &id),
    }
}
