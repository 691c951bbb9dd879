//! The signs of created, changed and deleted objects.

use anstyle::Style;

use super::style::{CREATE, DELETE, UPDATE};
use crate::plan::Action;

/// A sign, the blank after it, and its colour.
pub(super) type Sign = (&'static str, Style);

/// A created object.
pub(super) const CREATED: Sign = ("+ ", CREATE);
/// A changed object.
pub(super) const UPDATED: Sign = ("~ ", UPDATE);
/// A deleted object.
pub(super) const DELETED: Sign = ("- ", DELETE);

pub(super) fn of(action: Action) -> Sign {
    match action {
        Action::Create => CREATED,
        Action::Update | Action::Move => UPDATED,
        Action::Delete => DELETED,
    }
}
