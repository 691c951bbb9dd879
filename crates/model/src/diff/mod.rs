//! Differences between the desired and the live state of a zone. Pure.
//!
//! | live record | result |
//! |---|---|
//! | not understood, read-only, ignored | set aside before the comparison |
//! | equal to a desired record | compared facet by facet; unset facets are not compared |
//! | same name, type and purpose as a desired record without counterpart | paired with the nearest: an update that keeps the id; not if the base shows that the live record is foreign and both can exist |
//! | named by a tombstone | deleted |
//! | excludes a desired record (CNAME beside A, …) | deleted, in the same step as the create |
//! | DS of a delegation that is deleted | deleted with the delegation |
//! | wanted by the base, and not by the spec | deleted |
//! | any other | unmanaged: left alone, or deleted if the zone is pruned |
//!
//! The order of the input makes no difference to the result.

mod changes;
mod compared_records;
mod delete_reason;
mod field;
mod ownership;
mod pairing;
mod planned_protection;
mod record_fields;
mod records;
mod rule_fields;
mod rule_moves;
mod rule_order;
mod rule_pair;
mod rulesets;
mod settings;
mod spec;
pub mod text;

pub use changes::{
    Change, ChangeOrigin, Conflict, RecordChange, RecordChanges, SetAside, SetAsideReason, Stranded,
};
pub use delete_reason::{DeleteReason, RuleDeleteReason};
pub use field::{Field, FieldChange, Override, RuleField};
pub use ownership::{Claim, ValueOwner};
pub use planned_protection::planned;
pub use record_fields::field_changes;
pub use records::diff_records;
pub use rule_fields::rule_fields;
pub use rule_moves::Member;
pub use rulesets::{
    PhaseChanges, RuleChange, RuleChangeKind, WafChanges, diff_rulesets, foreign_by_action,
};
pub use settings::{SettingChange, ZoneSetting, diff_settings};
pub use spec::{
    SpecChange, SpecChangeKind, SpecChanges, ZoneSpecChanges, ZoneSpecKind, diff_specs,
};
