//! Finds the parts that a spec needs and a snapshot lacks: "not read" is not the same as "absent".

use std::fmt;

use super::super::read_options::ZoneQuery;
use super::super::rulesets::is_no_entry_point;
use super::{RecordedResponse, SeenZone, Snapshot};
use crate::model::ZoneId;
use crate::model::managed::Managed;
use crate::model::ruleset::Phase;
use crate::wire::record::list_records;
use crate::wire::ruleset::{
    RulesetOwner, get_entry_point, get_ruleset, list_rulesets, read_managed,
};
use crate::wire::settings::{get_dns_settings, get_dnssec, get_setting};
use crate::wire::{ApiMessage, reasons};

/// A part that a spec needs and a snapshot lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The missing part.
    pub part: ZonePart,
    /// Cloudflare's message if it refused the read when the snapshot was taken.
    pub refused: Option<String>,
}

/// A part of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ZonePart {
    /// The whole zone, which was not read.
    Zone,
    /// A zone setting.
    Setting(String),
    /// The DNSSEC state.
    Dnssec,
    DnsSettings,
    /// The rules of a phase.
    Rules(Phase),
    /// The managed rulesets of the zone's account.
    ManagedRulesets,
}

impl fmt::Display for ZonePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone => f.write_str("the zone"),
            Self::Setting(name) => write!(f, "the setting {name}"),
            Self::Dnssec => f.write_str("the DNSSEC state"),
            Self::DnsSettings => f.write_str("the DNS settings"),
            Self::Rules(phase) => write!(f, "the {}", phase.about()),
            Self::ManagedRulesets => f.write_str("the managed rulesets"),
        }
    }
}

impl Snapshot {
    /// Lists the parts of a zone that are needed and missing. A zone that was looked up but does
    /// not exist needs nothing more.
    #[must_use]
    pub fn lacks(&self, query: &ZoneQuery) -> Vec<Lack> {
        let ZoneQuery { name: _, id: _, settings, waf } = query;
        let Some(seen) = self.seen(query) else {
            return vec![Lack { part: ZonePart::Zone, refused: None }];
        };
        let mut lacks = Vec::new();
        let mut need = |part: ZonePart,
                        answer: Option<&RecordedResponse>,
                        is_an_answer: &dyn Fn(u16, &[ApiMessage]) -> bool| {
            let refused = match answer {
                Some(RecordedResponse::Result(_) | RecordedResponse::List(_)) => return,
                Some(RecordedResponse::Refused { status, messages })
                    if is_an_answer(*status, messages) =>
                {
                    return;
                }
                Some(RecordedResponse::Refused { status, messages }) => {
                    Some(refusal_text(*status, messages))
                }
                None => None,
            };
            lacks.push(Lack { part, refused });
        };
        let never = |_: u16, _: &[ApiMessage]| false;
        if let Some(zone) = &seen.id {
            need(ZonePart::Zone, self.response(&list_records(zone, 1, 1).path), &never);
            for name in settings.settings.keys() {
                // A setting that Cloudflare refused is reported with its message, as without a
                // snapshot.
                let is_unknown = |status: u16, _: &[ApiMessage]| matches!(status, 400 | 404);
                need(
                    ZonePart::Setting(name.clone()),
                    self.response(&get_setting(zone, name).path),
                    &is_unknown,
                );
            }
            if settings.dnssec.is_some() {
                need(ZonePart::Dnssec, self.response(&get_dnssec(zone).path), &never);
            }
            if !settings.dns_settings.is_empty() {
                need(ZonePart::DnsSettings, self.response(&get_dns_settings(zone).path), &never);
            }
            for phase in &waf.phases {
                need(
                    ZonePart::Rules(*phase),
                    self.response(&get_entry_point(zone, *phase).path),
                    &is_no_entry_point,
                );
            }
        }
        let managed: Vec<Managed> = waf.managed.iter().copied().collect();
        if !managed.is_empty() {
            let scopes = self.scopes(seen.id.as_ref());
            if !scopes.is_empty()
                && let Err(refused) = self.has_managed(&scopes, &managed)
            {
                lacks.push(Lack { part: ZonePart::ManagedRulesets, refused });
            }
        }
        lacks
    }

    /// Returns the zone that a spec names, if it was looked up.
    fn seen(&self, query: &ZoneQuery) -> Option<&SeenZone> {
        self.about.zones.iter().find(|seen| match &query.id {
            Some(id) => seen.id.as_ref() == Some(id) || seen.pinned.as_ref() == Some(id),
            // A zone that is missing under its pinned id may still exist under its name.
            None => seen.name == query.name && (seen.id.is_some() || seen.pinned.is_none()),
        })
    }

    /// Returns the scopes in which managed rulesets are looked up, in order.
    fn scopes(&self, zone: Option<&ZoneId>) -> Vec<RulesetOwner> {
        let account_of_zone = zone.and_then(|zone| self.account_of(zone));
        let account = account_of_zone.map(str::to_owned).or_else(|| self.about.account.clone());
        account
            .map(RulesetOwner::Account)
            .into_iter()
            .chain(zone.cloned().map(RulesetOwner::Zone))
            .collect()
    }

    /// Checks that the managed rulesets can be read through one of the scopes. Otherwise returns
    /// Cloudflare's message.
    fn has_managed(
        &self,
        scopes: &[RulesetOwner],
        managed: &[Managed],
    ) -> Result<(), Option<String>> {
        let mut words = None;
        for scope in scopes {
            match self.response(&list_rulesets(scope, None).path) {
                Some(RecordedResponse::List(items)) => {
                    let items: Vec<_> =
                        items.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
                    let is_wanted = |which: Option<Managed>| {
                        which.is_some_and(|which| managed.contains(&which))
                    };
                    let wanted_rulesets =
                        read_managed(&items).into_iter().filter(|listed| is_wanted(listed.which));
                    for listed in wanted_rulesets {
                        match self.response(&get_ruleset(scope, &listed.id).path) {
                            Some(RecordedResponse::Result(_)) => {}
                            Some(RecordedResponse::Refused { status, messages }) => {
                                return Err(Some(refusal_text(*status, messages)));
                            }
                            Some(RecordedResponse::List(_)) | None => return Err(None),
                        }
                    }
                    return Ok(());
                }
                Some(RecordedResponse::Refused { status, messages }) => {
                    words = Some(refusal_text(*status, messages))
                }
                Some(RecordedResponse::Result(_)) | None => return Err(words),
            }
        }
        Err(words)
    }
}

/// Returns the text of Cloudflare's refusal.
fn refusal_text(status: u16, messages: &[ApiMessage]) -> String {
    reasons(messages)
        .map_or_else(|| format!("HTTP {status}"), |reasons| format!("HTTP {status}: {reasons}"))
}
