//! Effects of a changed DKIM key.

use super::dkim::{self, DkimKey, KeyKind, Selector};
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic};
use crate::insight::zone_view::View;
use crate::model::{Danger, Fqdn};

/// The label between a selector and its domain (RFC 6376 section 3.6.2.1).
const LABEL: &str = "._domainkey.";

/// Returns the selector and the domain of a name; `None` for names that hold no key.
pub(in crate::insight) fn selector(name: &Fqdn) -> Option<(&str, &str)> {
    name.as_str().split_once(LABEL)
}

/// Returns true if a name is unlikely to hold a key.
///
/// # Sources
/// RFC 6376 section 3.1: the labels of a selector begin with a letter or a digit. Names with a
/// leading underscore have other uses: `_adsp` is for a policy (RFC 5617 section 4.3), `_report`
/// for an address for reports (RFC 6651 section 3.1). But receivers ask for any name in a
/// signature, so a key counts there as well.
pub(super) fn is_reserved(selector: &str) -> bool {
    selector.split('.').any(|label| label.starts_with('_'))
}

/// Returns the usability of the key at a selector.
pub(super) fn find_selector(view: View<'_, '_>, name: &Fqdn) -> Selector {
    if let Some(target) = view.visible_alias(name) {
        return match view.covers(target) && target != name {
            true => match view.texts(target)[..] {
                [] => Selector::Broken(format!("it is an alias of {target}, which has no text")),
                [text] => dkim::parse_selector(text),
                _ => Selector::Several,
            },
            false => Selector::Alias(target.clone()),
        };
    }
    let texts: Vec<&[u8]> = view.at(name).iter().filter_map(|r| r.text()).collect();
    match texts[..] {
        [] => Selector::Missing,
        [text] => dkim::parse_selector(text),
        _ => Selector::Several,
    }
}

/// Returns the other selectors of a domain that receivers can use.
fn other_usable_selectors(view: View<'_, '_>, name: &Fqdn, domain: &str) -> usize {
    let is_sibling =
        |other: &Fqdn| other != name && selector(other).is_some_and(|(_, own)| own == domain);
    let mut names: Vec<&Fqdn> =
        view.0.entries().map(|r| r.name).filter(|n| is_sibling(n)).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter(|n| find_selector(view, n).is_usable()).count()
}

/// Returns the effects of a changed key on the domain that signs with it.
pub(in crate::insight) fn compare_keys(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let Some((label, domain_text)) = selector(name) else { return Vec::new() };
    let domain = &Fqdn::reported(domain_text);
    let topic = Topic::MailAuthentication;
    let breaks =
        |line: String| Effect::needing(Danger::BreaksMailAuthentication, topic, domain, line);
    let shown = |direction, line: String| Effect::shown(topic, domain, direction, line);
    let what = format!("DKIM key {label} of {domain}");
    if after.flattens_alias(name) && !before.flattens_alias(name) {
        let line = format!(
            "{what} is unknown: its alias is flattened, and Cloudflare documents only the \
             addresses of flattened aliases"
        );
        return vec![shown(Direction::Unclassified, line)];
    }
    let (old, new) = (find_selector(before, name), find_selector(after, name));
    if old == new || (is_reserved(label) && !old.is_usable() && !new.is_usable()) {
        return Vec::new();
    }
    let mut effects = Vec::new();
    match (&old, &new) {
        (_, Selector::Broken(why)) => effects.push(breaks(format!("{what} cannot be used: {why}"))),
        (_, Selector::Several) => {
            effects.push(breaks(format!(
                "{what}: several texts at one selector; receivers may take either"
            )));
        }
        (_, Selector::Missing | Selector::Revoked) => {
            let word = match new {
                Selector::Missing if after.hides_alias(name) => {
                    "is hidden, because its alias is proxied and answered with addresses alone"
                }
                Selector::Missing => "is gone",
                _ => "is revoked (`p=` is empty)",
            };
            let line = format!("{what} {word}: mail signed with it no longer verifies");
            let other_selectors = other_usable_selectors(after, name, domain_text);
            effects.push(match (old.is_usable(), other_selectors) {
                (false, _) => shown(
                    Direction::Neutral,
                    format!("{what} {word}; receivers could not use it before"),
                ),
                (true, 0) if after.is_given_up(domain) => shown(
                    Direction::Neutral,
                    format!("{what} {word} with everything else of the domain"),
                ),
                (true, 0) => breaks(format!("{line}, and {domain} has no other key in this zone")),
                (true, n) => {
                    let keys = if n == 1 {
                        "1 other key stays".to_owned()
                    } else {
                        format!("{n} other keys stay")
                    };
                    shown(Direction::Neutral, format!("{line}; {keys}"))
                }
            });
        }
        (_, Selector::Alias(target)) => {
            effects.push(shown(Direction::Neutral, format!("{what} is an alias of {target}")));
        }
        (Selector::Key(old), Selector::Key(new)) => {
            between(&what, old, new, &breaks, &shown, &mut effects)
        }
        (Selector::Alias(target), Selector::Key(new)) => {
            effects.push(shown(
                Direction::Neutral,
                format!("{what} is no longer that of {target}, but {}", new.kind),
            ));
            testing(&what, new, &breaks, &mut effects);
        }
        (_, Selector::Key(new)) => {
            effects.push(shown(Direction::Strengthens, format!("{what} is new: {}", new.kind)));
        }
    }
    effects
}

/// Returns the effects of replacing a key by another one.
fn between(
    what: &str,
    old: &DkimKey,
    new: &DkimKey,
    breaks: &impl Fn(String) -> Effect,
    shown: &impl Fn(Direction, String) -> Effect,
    effects: &mut Vec<Effect>,
) {
    if old.octets != new.octets {
        let direction = match (old.kind, new.kind) {
            (KeyKind::Rsa(old), KeyKind::Rsa(new)) if new < old => Direction::Weakens,
            _ => Direction::Neutral,
        };
        let line = format!(
            "{what} is replaced ({} → {}): mail signed with the old one no longer verifies",
            old.kind, new.kind
        );
        effects.push(shown(direction, line));
    }
    if !old.is_testing {
        testing(what, new, breaks, effects);
    } else if !new.is_testing {
        effects.push(shown(Direction::Strengthens, format!("{what} is no longer in test mode")));
    }
    if new.is_strict && !old.is_strict {
        effects.push(shown(
            Direction::Unclassified,
            format!("{what}: mail from subdomains may not use it any longer (t=s)"),
        ));
    }
}

/// Returns the effect of a key whose signatures receivers ignore (`t=y`).
fn testing(
    what: &str,
    key: &DkimKey,
    breaks: &impl Fn(String) -> Effect,
    effects: &mut Vec<Effect>,
) {
    if key.is_testing {
        effects.push(breaks(format!(
            "{what} is in test mode (t=y): receivers treat signed mail as unsigned"
        )));
    }
}
