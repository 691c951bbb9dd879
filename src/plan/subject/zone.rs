//! A zone that is created. No operation deletes one.

use super::Subject;
use crate::model::{Address, DesiredZone};
use crate::plan::operation::Operation;

/// The creation of a zone.
pub(in crate::plan) fn operation(desired: &DesiredZone) -> Operation {
    Operation {
        place: Some(desired.place),
        ..Operation::new(Address::of_zone(&desired.name), Subject::Zone)
    }
}
