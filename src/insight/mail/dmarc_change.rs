//! Effects of a changed DMARC record.

use std::cmp::Ordering;

use super::dmarc::{Action, Dmarc};
use super::dmarc_discovery::{Discovery, LABEL, Policy, Published};
use crate::insight::direction::{Direction, more_is_stronger};
use crate::insight::effect::{Effect, Topic, at_most_five};
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn};

/// Returns the domain whose policy is at a name; `None` for other names.
pub(in crate::insight) fn domain(name: &Fqdn) -> Option<Fqdn> {
    name.as_str().strip_prefix(LABEL).map(Fqdn::reported)
}

/// Returns the treatment of mail from a domain whose record is at a name; `None` without a valid
/// record.
pub(super) fn action_at(view: View<'_, '_>, name: &Fqdn) -> Option<Action> {
    match (Discovery { answer: &|name, kind| view.0.answer(name, kind) }).published_at(name) {
        Published::Record(record) => Some(record.domain()),
        Published::Nothing | Published::Void(_) | Published::Elsewhere(_) | Published::Unknown => {
            None
        }
    }
}

/// Returns the effects of a change of DMARC on a domain.
pub(in crate::insight) fn compare_dmarc(
    domain: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let topic = Topic::MailAuthentication;
    let breaks =
        |line: String| Effect::needing(Danger::BreaksMailAuthentication, topic, domain, line);
    let shown = |direction, line: String| Effect::shown(topic, domain, direction, line);
    let answer_before = |name: &Fqdn, kind| before.0.answer(name, kind);
    let answer_after = |name: &Fqdn, kind| after.0.answer(name, kind);
    let states = [Discovery { answer: &answer_before }, Discovery { answer: &answer_after }];
    let [old, new] = states.map(|state| state.published(domain));
    if old == new {
        return Vec::new();
    }
    let what = format!("DMARC for {domain}");
    match &new {
        Published::Elsewhere(target) => {
            return vec![shown(Direction::Unclassified, format!("{what} is an alias of {target}"))];
        }
        Published::Unknown => {
            return vec![shown(
                Direction::Unclassified,
                format!("{what} is unknown now: the zone does not answer for it"),
            )];
        }
        Published::Nothing | Published::Void(_) | Published::Record(_) => {}
    }
    let name = Fqdn::reported(&format!("{LABEL}{domain}"));
    if new == Published::Nothing && after.hides_alias(&name) {
        return vec![breaks(format!(
            "{what} is hidden, because its alias is proxied and answered with addresses alone"
        ))];
    }
    let [was, is] = states.map(|state| state.policy(domain));
    let below = |exists: bool| Shift::of(&states.map(|state| state.policy_below(domain, exists)));
    let own_shift = Shift::of(&[was.clone(), is.clone()]);
    let subdomains = Subdomains { own: own_shift, existing: below(true), missing: below(false) };
    let by = |from: &Fqdn| if from == domain { String::new() } else { format!(" (from {from})") };
    let mut effects = Vec::new();
    if let Published::Void(why) = &new {
        let line = format!("{what} is ignored by receivers: {why}");
        let is_as_strict = matches!(
            (&was, &is),
            (Policy::Applies(old, _), Policy::Applies(new, _)) if new >= old
        );
        effects.push(match is_as_strict {
            true => shown(Direction::Neutral, line),
            false => breaks(line),
        });
    }
    match (&was, &is) {
        (Policy::Applies(old_action, _), Policy::Missing) if !matches!(new, Published::Void(_)) => {
            let line = format!("{what} is gone ({} → no policy)", old_action.as_str());
            effects.push(breaks(line));
        }
        (Policy::Applies(old_action, _), Policy::Unknown(from)) => {
            effects.push(breaks(format!(
                "{what} is gone ({} → unknown: {from} decides)",
                old_action.as_str()
            )));
        }
        (Policy::Applies(old_action, _), Policy::Applies(new_action, from))
            if new_action != old_action =>
        {
            let whom = subdomains.whom(&what);
            let line =
                format!("{whom}: {} → {}{}", old_action.as_str(), new_action.as_str(), by(from));
            if new_action < old_action {
                let why = invalid_policy(&new).map(|why| format!(" ({why})")).unwrap_or_default();
                effects.push(breaks(format!(
                    "{line}: mail that fails is treated more leniently{why}"
                )));
            } else {
                effects.push(shown(Direction::Strengthens, line));
            }
        }
        (Policy::Missing | Policy::Unknown(_), Policy::Applies(action, from)) => {
            let direction = match was {
                Policy::Unknown(_) => Direction::Unclassified,
                Policy::Missing | Policy::Applies(..) => Direction::Strengthens,
            };
            effects
                .push(shown(direction, format!("{what} is new: {}{}", action.as_str(), by(from))));
        }
        _ => {}
    }
    for (whom, Shift { was, is }) in subdomains.different() {
        let word = |action: Option<Action>| action.map_or("no policy", Action::as_str);
        let line = format!("{what}, {whom}: {} → {}", word(was), word(is));
        match is.cmp(&was) {
            Ordering::Less => effects.push(breaks(line)),
            Ordering::Greater => effects.push(shown(Direction::Strengthens, line)),
            Ordering::Equal => {}
        }
    }
    if let (Published::Record(old), Published::Record(new)) = (&old, &new) {
        details(&what, old, new, &shown, &mut effects);
    }
    if let Published::Record(new) = &new
        && !new.historic.is_empty()
        && !matches!(&old, Published::Record(old) if old.historic == new.historic)
    {
        let line = format!(
            "{what}: receivers that follow RFC 9989 ignore {}",
            at_most_five(&new.historic)
        );
        effects.push(shown(Direction::Neutral, line));
    }
    effects
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Shift {
    was: Option<Action>,
    is: Option<Action>,
}

impl Shift {
    /// Returns the change between two policies; no change if one of them is unknown.
    fn of([was, is]: &[Policy; 2]) -> Self {
        match (was, is) {
            (Policy::Unknown(_), _) | (_, Policy::Unknown(_)) => Self { was: None, is: None },
            _ => Self { was: was.action(), is: is.action() },
        }
    }
}

/// The changes for a domain, and for its subdomains without a record of their own.
struct Subdomains {
    own: Shift,
    existing: Shift,
    missing: Shift,
}

impl Subdomains {
    /// Names the domains with the same change as the domain itself.
    fn whom(&self, what: &str) -> String {
        match (self.existing == self.own, self.missing == self.own) {
            (true, true) => format!("{what} and all subdomains"),
            (true, false) => format!("{what} and subdomains that exist"),
            (false, true) => format!("{what} and subdomains that do not exist"),
            (false, false) => what.to_owned(),
        }
    }

    /// Returns the changes that differ from that of the domain.
    fn different(&self) -> impl Iterator<Item = (&'static str, Shift)> {
        let is_one = self.existing == self.missing;
        let first_group = if is_one { "all subdomains" } else { "subdomains that exist" };
        let own_shift = self.own;
        [(first_group, self.existing), ("subdomains that do not exist", self.missing)]
            .into_iter()
            .take(if is_one { 1 } else { 2 })
            .filter(move |(_, change)| *change != own_shift)
    }
}

/// Describes a record whose policy is invalid (RFC 9989 section 4.7).
fn invalid_policy(new: &Published) -> Option<&'static str> {
    matches!(new, Published::Record(record) if record.ignored.contains(&"p"))
        .then_some("`p=` has no valid value")
}

/// Returns the differences between two records, except in the policy of the domain itself.
fn details(
    what: &str,
    old: &Dmarc,
    new: &Dmarc,
    shown: &impl Fn(Direction, String) -> Effect,
    effects: &mut Vec<Effect>,
) {
    for (mechanism, old, new) in
        [("DKIM", old.strict_dkim, new.strict_dkim), ("SPF", old.strict_spf, new.strict_spf)]
    {
        if old != new {
            let word =
                if new { "only the same domain counts" } else { "related domains count too" };
            effects
                .push(shown(more_is_stronger(old, new), format!("{what}: for {mechanism} {word}")));
        }
    }
    if old.reports != new.reports {
        let line = if new.reports.is_empty() {
            format!("{what}: no reports are asked for any longer")
        } else {
            format!("{what}: reports go to {}", at_most_five(&new.reports))
        };
        effects.push(shown(Direction::Neutral, line));
    }
    if old.failures != new.failures && !new.failures.is_empty() {
        effects.push(shown(
            Direction::Neutral,
            format!("{what}: failures are reported to {}", at_most_five(&new.failures)),
        ));
    }
    if old.percent != new.percent && new.percent < 100 {
        let line = format!(
            "{what}: receivers that follow RFC 7489 apply the policy to {} % of mail (`pct`)",
            new.percent
        );
        effects.push(shown(Direction::Neutral, line));
    }
    if old.public_suffix != new.public_suffix {
        effects.push(shown(
            Direction::Unclassified,
            format!("{what}: `psd` changes which policy counts for subdomains"),
        ));
    }
}
