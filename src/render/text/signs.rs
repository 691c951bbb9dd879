//! The signs before what is created, changed and deleted.

use anstyle::Style;

use super::style::{CREATE, DELETE, UPDATE};
use crate::plan::Action;

/// A sign, the blank after it, and its colour.
pub(super) type Sign = (&'static str, Style);

/// What is created.
pub(super) const CREATED: Sign = ("+ ", CREATE);
/// What is changed.
pub(super) const UPDATED: Sign = ("~ ", UPDATE);
/// What is deleted.
pub(super) const DELETED: Sign = ("- ", DELETE);

/// The sign of an operation.
pub(super) fn of(action: Action) -> Sign {
    match action {
        Action::Create => CREATED,
        Action::Update | Action::Move => UPDATED,
        Action::Delete => DELETED,
    }
}
