//! Records that announce secure transport of mail: MTA-STS (RFC 8461 section 3.1) and TLS reporting
//! (RFC 8460 section 3).

use super::provider_change::is_same_provider;
use super::tags::Tags;
use crate::insight::direction::Direction;
use crate::insight::effect::{Effect, Topic};
use crate::insight::zone_view::View;
use crate::model::{Fqdn, RecordType};

/// Name of MTA-STS in effects.
const MTA_STS: &str = "MTA-STS";
/// Name of BIMI in effects.
const BIMI: &str = "BIMI";

/// The announcement at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    Missing,
    /// A text that senders ignore, with the reason.
    Void(String),
    /// Contains the identifier of a policy, or the addresses for reports.
    Valid(String),
}

/// Reads the texts at `_mta-sts.…`.
#[must_use]
pub fn mta_sts(texts: &[&[u8]]) -> Announcement {
    announcement(texts, "STSv1", |tags| {
        let id = tags.get("id").unwrap_or_default();
        let is_legal =
            (1..=32).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_legal {
            Ok(id.to_owned())
        } else {
            Err("`id=` must have 1 to 32 letters or digits".to_owned())
        }
    })
}

/// Reads the texts at `_smtp._tls.…`.
#[must_use]
pub fn tls_reporting(texts: &[&[u8]]) -> Announcement {
    announcement(texts, "TLSRPTv1", |tags| {
        let targets = tags.get("rua").unwrap_or_default();
        let is_target =
            |uri: &str| uri.trim().starts_with("mailto:") || uri.trim().starts_with("https:");
        if targets.split(',').all(is_target) {
            Ok(targets.split(',').map(str::trim).collect::<Vec<_>>().join(", "))
        } else {
            Err("`rua=` must name addresses with mailto: or https:".to_owned())
        }
    })
}

/// Returns the only record of a version. Senders ignore several records together.
fn announcement(
    texts: &[&[u8]],
    version: &str,
    read: impl Fn(&Tags<'_>) -> Result<String, String>,
) -> Announcement {
    let announcements: Vec<&str> = texts
        .iter()
        .filter_map(|text| std::str::from_utf8(text).ok())
        .filter(|text| {
            text.strip_prefix("v=").and_then(|rest| rest.strip_prefix(version)).is_some()
        })
        .collect();
    match announcements[..] {
        [] => Announcement::Missing,
        [text] => match Tags::parse(text).and_then(|tags| read(&tags)) {
            Ok(value) => Announcement::Valid(value),
            Err(why) => Announcement::Void(why),
        },
        _ => Announcement::Void("there are several records".to_owned()),
    }
}

/// Returns the announcement at a name; `None` for names without a meaning of this kind.
pub(super) fn announcement_at(name: &Fqdn, texts: &[&[u8]]) -> Option<Announcement> {
    let (about, _) = announced(name)?;
    Some(match about {
        MTA_STS => mta_sts(texts),
        BIMI => bimi(texts),
        _ => tls_reporting(texts),
    })
}

/// Reads the texts at `…._bimi.…` (draft-brand-indicators-for-message-identification section 4.3).
fn bimi(texts: &[&[u8]]) -> Announcement {
    announcement(texts, "BIMI1", |tags| {
        let is_place = |uri: &str| uri.is_empty() || uri.starts_with("https://");
        let logo = tags.get("l").ok_or("it has no logo (`l=`)")?;
        for (tag, value) in [("l", logo), ("a", tags.get("a").unwrap_or_default())] {
            if !is_place(value) {
                return Err(format!("`{tag}=` must be an address with https:"));
            }
        }
        Ok(logo.to_owned())
    })
}

/// Returns the kind of announcement that belongs at a name, and the domain; `None` for other names.
pub(in crate::insight) fn announced(name: &Fqdn) -> Option<(&'static str, Fqdn)> {
    if let Some((_, domain)) = name.as_str().split_once("._bimi.") {
        return Some((BIMI, Fqdn::reported(domain)));
    }
    let kinds: [(&str, &str); 2] = [("_mta-sts.", MTA_STS), ("_smtp._tls.", "TLS reporting")];
    kinds.into_iter().find_map(|(start, about)| {
        let domain = name.as_str().strip_prefix(start)?;
        Some((about, Fqdn::reported(domain)))
    })
}

/// Returns the host that serves the policy that is announced at a name (RFC 8461 section 3.3);
/// `None` for names at which no MTA-STS policy is announced.
pub(in crate::insight) fn mta_sts_host(name: &Fqdn) -> Option<Fqdn> {
    let (about, domain) = announced(name)?;
    (about == MTA_STS).then(|| Fqdn::reported(&format!("mta-sts.{domain}")))
}

/// Returns the name that announces the policy of a host; `None` for hosts that serve no policy (RFC
/// 8461 section 3.2).
pub(in crate::insight) fn announcement_of_host(host: &Fqdn) -> Option<Fqdn> {
    host.as_str().starts_with("mta-sts.").then(|| Fqdn::reported(&format!("_{host}")))
}

/// Returns the effects of a changed announcement, or of a changed host of a policy, on its domain.
pub(in crate::insight) fn compare_announcements(
    name: &Fqdn,
    before: View<'_, '_>,
    after: View<'_, '_>,
) -> Vec<Effect> {
    let Some((about, domain)) = announced(name) else { return Vec::new() };
    let read = |texts: &[&[u8]]| announcement_at(name, texts).unwrap_or(Announcement::Missing);
    let (old, new) = (read(&before.texts(name)), read(&after.texts(name)));
    let host = Fqdn::reported(&format!("mta-sts.{domain}"));
    let (direction, line) = match (&old, &new) {
        // RFC 8461 section 3.2.
        (_, Announcement::Valid(_))
            if about == MTA_STS
                && before.leads_somewhere(&host)
                && !after.leads_somewhere(&host) =>
        {
            (
                Direction::Weakens,
                format!("has no policy any more: nothing is at {host}, where senders fetch it"),
            )
        }
        (Announcement::Valid(id), Announcement::Valid(_)) if old == new && about == MTA_STS => {
            let target = |view: View<'_, '_>| {
                view.targets(&host, RecordType::Cname).first().map(|target| (*target).clone())
            };
            match (target(before), target(after)) {
                (Some(left), to) if to.as_ref().is_none_or(|to| !is_same_provider(&left, to)) => {
                    let to = to.map_or_else(|| "this zone".to_owned(), |to| to.to_string());
                    (
                        Direction::Unclassified,
                        format!(
                            "is served by {to} instead of {left}, which must have the policy; its \
                            id stays {id}"
                        ),
                    )
                }
                _ => return Vec::new(),
            }
        }
        _ if old == new => return Vec::new(),
        (_, Announcement::Void(why)) => {
            (Direction::Weakens, format!("is ignored by senders: {why}"))
        }
        (_, Announcement::Missing) => (Direction::Weakens, "is gone".to_owned()),
        (Announcement::Valid(_), Announcement::Valid(new)) if about == MTA_STS => {
            (Direction::Neutral, format!("has another policy ({new}): senders fetch it again"))
        }
        (Announcement::Valid(_), Announcement::Valid(new)) => {
            (Direction::Neutral, format!("goes to {new}"))
        }
        (_, Announcement::Valid(new)) => (Direction::Strengthens, format!("is new: {new}")),
    };
    vec![Effect::shown(
        Topic::MailAuthentication,
        &domain,
        direction,
        format!("{about} for {domain} {line}"),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_read() {
        // RFC 8461 section 3.1, RFC 8460 section 3.
        assert_eq!(
            mta_sts(&[b"v=STSv1; id=20160831085700Z;"]),
            Announcement::Valid("20160831085700Z".into())
        );
        assert_eq!(mta_sts(&[b"something else"]), Announcement::Missing);
        assert!(matches!(mta_sts(&[b"v=STSv1; id=;"]), Announcement::Void(_)));
        assert!(matches!(mta_sts(&[b"v=STSv1; id=1;", b"v=STSv1; id=2;"]), Announcement::Void(_)));
        let text = b"v=TLSRPTv1;rua=mailto:reports@example.com,https://r.example/x";
        assert!(matches!(tls_reporting(&[text]), Announcement::Valid(_)));
        assert!(matches!(
            tls_reporting(&[b"v=TLSRPTv1; rua=reports@example.com"]),
            Announcement::Void(_)
        ));
    }
}
