//! Protection in a spec: `waf` sections.
//!
//! | file | what |
//! |---|---|
//! | `syntax` | the form, and the schema's words |
//! | `section` | one section: syntax → [`Layer`]; a list of rules for each phase; the parts that every entry has |
//! | `deployment` | `owasp` and `cloudflare` |
//! | `rules`, `rate_limits` | the kinds of rules |
//! | `raw_expressions` | the expressions of rules in Cloudflare's form |
//! | `doubts` | valid, but probably not what the author meant |
//! | `layers` | fragments, profiles and the zone's own values combined → [`DesiredWaf`] |
//! | `impossible_order` | impossible orders of rules |
//! | `emit` | [`DesiredWaf`] → YAML |
//!
//! Each section is read and checked once, however many zones use it; only the combination of layers
//! is checked for each zone.
//!
//! [`Layer`]: layers::Layer
//! [`DesiredWaf`]: crate::model::ruleset::DesiredWaf

mod accepted;
mod deployment;
mod doubts;
mod emit;
mod impossible_order;
mod layers;
mod rate_limits;
mod raw_expressions;
mod rules;
mod section;
mod syntax;

pub use emit::{deployment_entry, print_waf, rule_entry};
pub(super) use emit::{rule_name, waf};
pub(super) use layers::{Fragment, Join, Kind, Layer, profiles_clash};
pub(super) use section::Section;
pub(super) use syntax::WafSyntax;

use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Place};

/// Reports a list under a key that takes one deployment.
pub(super) fn several_deployments(key: &str, place: Place) -> Diagnostic {
    findings::DEPLOYED_TWICE
        .at(place, format!("`{key}` holds a list, and a zone runs each managed ruleset once"))
        .help(format!(
            "write one mapping under `{key}:`; where it should do less, add `exceptions` with an \
            expression of their own"
        ))
}
