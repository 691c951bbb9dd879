//! One file a command.

pub(super) mod about;
pub(super) mod apply;
pub(super) mod diff;
pub(super) mod drift;
pub(super) mod import;
pub(super) mod plan;
pub(super) mod resolve;
#[cfg(feature = "sandbox")]
pub(super) mod sandbox;
pub(super) mod snapshot;
pub(super) mod test;
pub(super) mod undo;
pub(super) mod validate;
pub(super) mod waf;
pub(super) mod watch;
