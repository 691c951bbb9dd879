//! A zone that is created. No operation deletes one.

use super::Subject;
use crate::model::{Address, DesiredZone};
use crate::plan::operation::Operation;
use crate::plan::zone_plan::ZonePlan;
use crate::wire::Request;
use crate::wire::settings::create_zone;

/// The creation of a zone.
pub(in crate::plan) fn operation(desired: &DesiredZone) -> Operation {
    Operation { place: Some(desired.place), ..Operation::new(Address::of_zone(&desired.name), Subject::Zone) }
}

/// The request, for this account where credentials can see several.
pub(super) fn request(zone: &ZonePlan, account: Option<&str>) -> Request {
    create_zone(&zone.name, account)
}
