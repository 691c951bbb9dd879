//! Selects the parts of zones that an import reads: all parts of a few zones, the most important
//! ones of many.

use crate::model::facts::resources::{DNS_SETTINGS, DNSSEC, ResourceFacts, UNMANAGED};
use crate::model::facts::settings::{OFTEN_NAMED, SETTINGS};

/// Limit of the requests of an import. Only the rules of zones may exceed it, because their number
/// is not known beforehand.
pub const MOST_REQUESTS: usize = 100;

/// Requests for all zones together: lists of zones and of managed rulesets.
const TOGETHER: usize = 6;

/// Requested parts of zones in addition to records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// True if rules are requested.
    pub rules: bool,
    /// Requested settings.
    pub settings: WantedSettings,
    /// True if all other resources are requested.
    pub others: bool,
}

/// Requested settings of zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedSettings {
    /// No settings.
    None,
    /// All settings in one request, or the most common ones if Cloudflare has removed that request.
    Usual,
    /// All settings, if necessary one by one.
    Each,
}

/// The parts of zones that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breadth {
    /// True if the rules of the phases that a spec manages are read.
    pub(super) rules: bool,
    /// True if the rules in other phases are counted and the rulesets of the account are listed.
    pub(super) counts_rules: bool,
    /// True if the list of settings is read.
    pub(super) settings: bool,
    /// Names of the settings to read one by one if there is no list.
    pub(super) by_name: Names,
    /// True if DNSSEC is read.
    pub(super) dnssec: bool,
    /// True if the DNS settings are read.
    pub(super) dns_settings: bool,
    /// Resources that no spec manages.
    pub(super) others: &'static [ResourceFacts],
}

/// Names of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// No names.
    Nothing,
    /// The most common ones.
    OftenNamed,
    /// All known ones.
    All,
}

impl Names {
    pub(super) fn list(self) -> Vec<&'static str> {
        match self {
            Self::Nothing => Vec::new(),
            Self::OftenNamed => OFTEN_NAMED.to_vec(),
            Self::All => SETTINGS.iter().map(|setting| setting.name).collect(),
        }
    }
}

impl Breadth {
    /// Selects the parts to read for this number of zones.
    pub(super) fn of(zones: usize, wanted: Wanted) -> Self {
        let settings = wanted.settings != WantedSettings::None;
        let always = 1 + usize::from(wanted.rules) + usize::from(settings);
        let fits = |more: usize| zones <= 1 || TOGETHER + zones * (always + more) <= MOST_REQUESTS;
        let everything = 2 + UNMANAGED.len();
        let is_whole = wanted.others && fits(everything);
        Self {
            rules: wanted.rules,
            counts_rules: is_whole,
            settings,
            by_name: match wanted.settings {
                WantedSettings::None => Names::Nothing,
                WantedSettings::Each => Names::All,
                WantedSettings::Usual if fits(everything + OFTEN_NAMED.len()) => Names::OftenNamed,
                WantedSettings::Usual => Names::Nothing,
            },
            dnssec: wanted.others && fits(1),
            dns_settings: wanted.others && fits(2),
            others: if is_whole { UNMANAGED } else { &[] },
        }
    }

    /// Lists the requested resources that are not read.
    pub(super) fn left_out(&self) -> Vec<&'static str> {
        let managed = [(self.dnssec, DNSSEC), (self.dns_settings, DNS_SETTINGS)];
        let managed =
            managed.into_iter().filter(|(is_read, _)| !is_read).map(|(_, resource)| resource.about);
        let counts = (!self.counts_rules).then_some("the number of rules in other phases");
        let unread_resources = if self.others.is_empty() { UNMANAGED } else { &[] };
        managed
            .chain(counts)
            .chain(unread_resources.iter().map(|resource| resource.about))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_zone_is_read_whole_and_thirty_within_the_limit() {
        let wanted = Wanted { rules: true, settings: WantedSettings::Usual, others: true };
        let one = Breadth::of(1, wanted);
        assert_eq!(one.left_out(), Vec::<&str>::new());
        assert_eq!(one.by_name, Names::OftenNamed);
        let thirty = Breadth::of(30, wanted);
        assert!(
            thirty.settings && thirty.rules && !thirty.dnssec && thirty.by_name == Names::Nothing
        );
        assert!(
            thirty.left_out().starts_with(&["DNSSEC", "DNS settings"])
                && thirty.left_out().contains(&"page rules")
        );
        assert!(Breadth::of(15, wanted).dns_settings);
        assert_eq!(
            Breadth::of(30, Wanted { settings: WantedSettings::Each, ..wanted }).by_name,
            Names::All
        );
    }
}
