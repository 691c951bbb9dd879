//! The list of rules. A rule is a file in the folder `rules` and a line in each of the two lists.

mod acceptance_without_effect;
mod address_not_proxiable;
mod alias_as_target;
mod alias_beside_records;
mod alias_without_address;
mod below_delegation;
mod beside_delegation;
mod blocked_good_bots;
mod count_of_whole_zone;
mod deceptive_name;
mod doubled_name;
mod ds_at_apex;
mod ds_without_ns;
mod exception_from_nothing;
mod hidden_by_flattening;
mod hidden_by_proxy;
mod host_not_protected;
mod ignored_mail_text;
mod loop_of_aliases;
mod misunderstood_caa;
mod name_of_other_zone;
mod proxied_beside_web;
mod rate_without_data_centre;
mod repeated_text;
mod rule_for_open_host;
mod service_without_labels;
mod several_spf;
mod target_not_proxiable;
mod threat_score;
mod unusable_spf;
mod values_too_long;
mod zone_without_address;

pub use acceptance_without_effect::CODE as ACCEPTANCE_WITHOUT_EFFECT;

use super::rule::LintRule;
use crate::diagnostic::Finding;

/// Every rule, in the order of the codes.
pub static ALL: &[&LintRule] = &[
    &loop_of_aliases::RULE,
    &address_not_proxiable::RULE,
    &ds_without_ns::RULE,
    &ds_at_apex::RULE,
    &values_too_long::RULE,
    &alias_without_address::RULE,
    &zone_without_address::RULE,
    &beside_delegation::RULE,
    &below_delegation::RULE,
    &alias_as_target::RULE,
    &name_of_other_zone::RULE,
    &host_not_protected::RULE,
    &rule_for_open_host::RULE,
    &threat_score::RULE,
    &blocked_good_bots::RULE,
    &rate_without_data_centre::RULE,
    &exception_from_nothing::RULE,
    &several_spf::RULE,
    &service_without_labels::RULE,
    &deceptive_name::RULE,
    &doubled_name::RULE,
    &count_of_whole_zone::RULE,
    &acceptance_without_effect::RULE,
    &alias_beside_records::RULE,
    &target_not_proxiable::RULE,
    &hidden_by_proxy::RULE,
    &unusable_spf::RULE,
    &ignored_mail_text::RULE,
    &misunderstood_caa::RULE,
    &proxied_beside_web::RULE,
    &repeated_text::RULE,
    &hidden_by_flattening::RULE,
];

/// Returns the findings of the lints alone.
pub fn lints() -> impl Iterator<Item = &'static Finding> {
    ALL.iter().map(|rule| &rule.finding)
}
