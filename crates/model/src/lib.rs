//! The data types of zonewright in canonical form (names, record values, records, rules, zones),
//! their comparison, and findings about them. Use them through `zonewright`, which re-exports this
//! package as `model`.  Two values of a type here are equal exactly if Cloudflare treats them the
//! same, so the diff compares by equality. Nothing here reads a file, a clock or the network, or
//! knows YAML or JSON: `spec` and `wire` convert those to [`Fields`] and text. It is a separate
//! package, so the compiler proves that it does not depend on the rest of the program.

mod address;
mod attribute;
mod budget;
mod closed_set;
mod cloudflare_spelling;
mod danger;
pub mod diagnostic;
pub mod diff;
mod expect;
pub mod facts;
mod fields;
mod gather;
mod ids;
mod index_sort;
pub mod managed;
mod name;
mod name_map;
mod narrow_consent;
mod only;
mod percent;
pub mod plan_limits;
mod policy;
mod public_suffix;
pub mod rdata;
mod read_only;
mod record;
pub mod request;
pub mod ruleset;
mod state;
mod tier;
pub mod time;
mod ttl;
mod unmanaged;

pub use address::Address;
pub use attribute::Attribute;
#[doc(hidden)]
pub use budget::EvaluationBudget;
pub use closed_set::ClosedSet;
pub use cloudflare_spelling::AsReported;
pub use danger::Danger;
pub use expect::{
    Expectation, Expected, ExpectedAnswer, ExpectedIssuance, ExpectedMail, ExpectedPolicy,
    ExpectedRequest, MailPolicy, RequestText,
};
pub use fields::{Fields, Value};
#[doc(hidden)]
pub use gather::Gather;
pub use ids::{RecordId, ZoneId};
#[doc(hidden)]
pub use index_sort::{permute, sort_by, sort_by_key};
pub use name::{Fqdn, LABEL_OCTETS, NAME_OCTETS, NameError, ZoneName};
#[doc(hidden)]
pub use name_map::{NameMap, NameSet};
pub use narrow_consent::{NARROW_DAYS, NARROW_RULES, Narrow};
pub use only::Only;
#[doc(hidden)]
pub use percent::{is_unreserved, percent_encoded};
pub use policy::{Policy, PolicyEntry};
#[doc(hidden)]
pub use public_suffix::PublicSuffix;
pub use rdata::{DataError, Purpose, Rdata, RecordType, STRING_OCTETS, token_key};
pub use read_only::ReadOnly;
pub use record::{
    Comment, CommentError, DesiredRecord, Facets, LiveRecord, RecordForm, SettingScope, Settings,
    Spelling, Tag, TagError, Tombstone,
};
pub use state::{
    Desired, DesiredSettings, DesiredZone, IgnorePattern, Live, LiveDnssec, LiveSetting,
    LiveSettings, LiveZone, Suppression, SuppressionScope,
};
pub use tier::Tier;
pub use ttl::{Ttl, TtlError};
pub use unmanaged::Unmanaged;
/// The Rules language.
pub use zonewright_expression as expression;
pub use zonewright_expression::{
    Expression, ExpressionProblem, ExpressionSetting, Requirement, ScopeChange, parse_expression,
};
