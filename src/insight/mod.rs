//! The effects of a state and of a change: answers of name servers, mail, certificates,
//! delegations, protection. Pure.
//!
//! | question | answer |
//! |---|---|
//! | effects of changed records on mail, certificates, delegations, addresses | [`effects()`] |
//! | results of the spec's expectations | [`expect::check_expectation`] |
//! | a zone's protection, and the effects of changing it | [`waf`] |
//! | outcomes of recorded requests | [`traffic`] |
//! | answers of name servers, and their differences after a change | [`dns`] |
//!
//! Every effect is a sentence of its own; effects are not combined into a grade. If an effect is
//! unknown, the sentence says so. The sentences contain text from Cloudflare (descriptions,
//! expressions), so outputs must escape them.

mod addresses;
mod delegation;
mod direction;
pub mod dns;
mod effect;
pub mod expect;
mod exposed_origin;
mod hidden_alias;
mod issuance;
pub mod mail;
mod mistyped_addresses;
mod mistyped_names;
mod other_zones;
mod providers;
mod published_addresses;
mod record_effects;
mod sentence;
mod services;
mod takeover;
pub mod traffic;
mod verification;
pub mod waf;
mod zone_settings;
mod zone_view;

pub use direction::Direction;
pub use effect::{Caused, Effect, Topic};
pub use hidden_alias::HiddenUse;
pub use issuance::caa_faults;
pub use other_zones::{OtherZones, Overview};
pub use providers::{PROVIDERS, Provider};
pub use record_effects::effects;
pub use sentence::{Sentence, Span};
pub use takeover::ownership_token;
pub use zone_settings::{
    SettingEffect, flattened_aliases, name_servers, setting_effect, signing_ends,
};
