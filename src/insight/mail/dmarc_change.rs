//! What a change of a DMARC record means.

use super::dmarc::{Action, Dmarc, is_dmarc};
use crate::insight::direction::{Direction, more_is_stronger};
use crate::insight::effect::{Effect, Topic, listed};
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn};

/// The label before the domain (RFC 9989 section 4.6).
const LABEL: &str = "_dmarc.";

/// Returns the domain whose policy is at a name; `None` for other names.
pub(in crate::insight) fn domain(name: &Fqdn) -> Option<Fqdn> {
    name.as_str().strip_prefix(LABEL).map(Fqdn::reported)
}

/// What receivers find at the name of a domain.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// Nothing that counts, and why.
    Void(String),
    Elsewhere(Fqdn),
    Record(Box<Dmarc>),
}

/// What happens to mail in the name of a domain whose record is the one at a name; `None` if it has
/// none that counts.
pub(super) fn action_at(view: View<'_, '_>, name: &Fqdn) -> Option<Action> {
    match texts_at(view, name) {
        Found::Record(record) => Some(record.domain()),
        Found::Nothing | Found::Void(_) | Found::Elsewhere(_) => None,
    }
}

/// What receivers find at the name of a domain.
fn find(view: View<'_, '_>, domain: &Fqdn) -> Found {
    let name = Fqdn::reported(&format!("{LABEL}{domain}"));
    match view.visible_alias(&name) {
        Some(target) if !view.covers(target) => Found::Elsewhere(target.clone()),
        Some(target) => texts_at(view, target),
        None => texts_at(view, &name),
    }
}

/// What the texts at a name say.
fn texts_at(view: View<'_, '_>, name: &Fqdn) -> Found {
    let texts: Vec<&[u8]> = view.texts(name).into_iter().filter(|text| is_dmarc(text)).collect();
    match texts[..] {
        [] if view.texts(name).is_empty() => Found::Nothing,
        [] => Found::Void("it does not begin with `v=DMARC1;`".to_owned()),
        [text] => {
            Dmarc::parse(text).map_or_else(Found::Void, |record| Found::Record(Box::new(record)))
        }
        _ => Found::Void(format!("{} DMARC records at one name", texts.len())),
    }
}

/// What happens to mail in the name of a domain that fails, and whose record says so: its own, or
/// that of the closest domain above it in this zone (RFC 9989 section 4.10). `None` if none is
/// known, or if it lies elsewhere.
pub(in crate::insight) fn policy(view: View<'_, '_>, domain: &Fqdn) -> Option<(Action, Fqdn)> {
    match find(view, domain) {
        Found::Record(record) => return Some((record.domain(), domain.clone())),
        Found::Elsewhere(_) => return None,
        Found::Nothing | Found::Void(_) => {}
    }
    let mut rest = domain.as_str();
    while let Some((_, parent)) = rest.split_once('.') {
        let name = Fqdn::reported(parent);
        if !view.covers(&name) {
            break;
        }
        if let Found::Record(record) = find(view, &name) {
            return Some((record.subdomains(), name));
        }
        rest = parent;
    }
    None
}

/// Returns the name in another zone that has the record of a domain, if it is an alias of one.
pub(in crate::insight) fn elsewhere(view: View<'_, '_>, domain: &Fqdn) -> Option<Fqdn> {
    match find(view, domain) {
        Found::Elsewhere(target) => Some(target),
        Found::Nothing | Found::Void(_) | Found::Record(_) => None,
    }
}

/// What a change of DMARC means for a domain.
pub(in crate::insight) fn compare(
    domain: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let topic = Topic::MailAuthentication;
    let breaks =
        |line: String| Effect::needing(Danger::BreaksMailAuthentication, topic, domain, line);
    let shown = |direction, line: String| Effect::shown(topic, domain, direction, line);
    let (old, new) = (find(before, domain), find(after, domain));
    if old == new {
        return Vec::new();
    }
    let what = format!("DMARC for {domain}");
    if let Found::Elsewhere(target) = &new {
        return vec![shown(Direction::Unclassified, format!("{what} is an alias of {target}"))];
    }
    let name = Fqdn::reported(&format!("{LABEL}{domain}"));
    if new == Found::Nothing && after.hides_alias(&name) {
        return vec![breaks(format!(
            "{what} is hidden, because its alias is proxied and answered with addresses alone"
        ))];
    }
    let (was, is) = (policy(before, domain), policy(after, domain));
    let by = |from: &Fqdn| if from == domain { String::new() } else { format!(" (from {from})") };
    let mut effects = Vec::new();
    if let Found::Void(why) = &new {
        effects.push(breaks(format!("{what} is ignored by receivers: {why}")));
    }
    match (&was, &is) {
        (Some((old_action, _)), None) if !matches!(new, Found::Void(_)) => {
            let line = format!("{what} is gone ({} → no policy)", old_action.as_str());
            effects.push(breaks(line));
        }
        (Some((old_action, _)), Some((new_action, from))) if new_action != old_action => {
            let whom = whom(&old, &new, &what);
            let line =
                format!("{whom}: {} → {}{}", old_action.as_str(), new_action.as_str(), by(from));
            if new_action < old_action {
                let why = invalid(&new).map(|why| format!(" ({why})")).unwrap_or_default();
                effects.push(breaks(format!(
                    "{line}: mail that fails is treated more leniently{why}"
                )));
            } else {
                effects.push(shown(Direction::Strengthens, line));
            }
        }
        (None, Some((action, from))) => {
            effects.push(shown(
                Direction::Strengthens,
                format!("{what} is new: {}{}", action.as_str(), by(from)),
            ));
        }
        _ => {}
    }
    if let (Found::Record(old), Found::Record(new)) = (&old, &new) {
        details(&what, old, new, &breaks, &shown, &mut effects);
    }
    if let Found::Record(new) = &new
        && !new.historic.is_empty()
        && !matches!(&old, Found::Record(old) if old.historic == new.historic)
    {
        let line =
            format!("{what}: receivers that follow RFC 9989 ignore {}", listed(&new.historic));
        effects.push(shown(Direction::Neutral, line));
    }
    effects
}

/// For whom the policy of the domain changes.
fn whom(old: &Found, new: &Found, what: &str) -> String {
    let (Found::Record(old), Found::Record(new)) = (old, new) else { return what.to_owned() };
    let own = (old.domain(), new.domain());
    match ((old.subdomains(), new.subdomains()) == own, (old.missing(), new.missing()) == own) {
        (true, true) => format!("{what} and all subdomains"),
        (true, false) => format!("{what} and subdomains that exist"),
        (false, true) => format!("{what} and subdomains that do not exist"),
        (false, false) => what.to_owned(),
    }
}

/// What is said of a record whose policy is no policy (RFC 9989 section 4.7).
fn invalid(new: &Found) -> Option<&'static str> {
    matches!(new, Found::Record(record) if record.ignored.contains(&"p"))
        .then_some("`p=` has no valid value")
}

/// What differs between two records beside the policy of the domain itself.
fn details(
    what: &str,
    old: &Dmarc,
    new: &Dmarc,
    breaks: &impl Fn(String) -> Effect,
    shown: &impl Fn(Direction, String) -> Effect,
    effects: &mut Vec<Effect>,
) {
    let own = (old.domain(), new.domain());
    let (names, missing) = ((old.subdomains(), new.subdomains()), (old.missing(), new.missing()));
    let all = if names == missing { "all subdomains" } else { "subdomains that exist" };
    // What also holds for the domain is said with it.
    let changes = [(all, names), ("subdomains that do not exist", missing)];
    let changes = changes
        .into_iter()
        .take(if names == missing { 1 } else { 2 })
        .filter(|(_, change)| *change != own);
    for (whom, (old, new)) in changes {
        let line = format!("{what}, {whom}: {} → {}", old.as_str(), new.as_str());
        match new.cmp(&old) {
            std::cmp::Ordering::Less => effects.push(breaks(line)),
            std::cmp::Ordering::Greater => effects.push(shown(Direction::Strengthens, line)),
            std::cmp::Ordering::Equal => {}
        }
    }
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
            format!("{what}: reports go to {}", listed(&new.reports))
        };
        effects.push(shown(Direction::Neutral, line));
    }
    if old.failures != new.failures && !new.failures.is_empty() {
        effects.push(shown(
            Direction::Neutral,
            format!("{what}: failures are reported to {}", listed(&new.failures)),
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
