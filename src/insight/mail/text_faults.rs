//! Errors in texts for mail that receivers or senders ignore. Plans report the same errors when
//! such a text changes.

use super::dkim::Selector;
use super::dkim_change::{self, is_reserved, selector};
use super::dmarc_change;
use super::dmarc_discovery::{Discovery, Published};
use super::mta_sts_tls_reporting::{Announcement, announced, announcement_at};
use super::spf::is_spf;
use super::spf_senders::{SpfPolicy, find_in};
use crate::insight::dns::{Answer, End, Entry, ZoneIndex, Zones};
use crate::insight::zone_view::View;
use crate::model::{Fqdn, RecordType};

/// Mistyped versions of SPF records in lower case, without signs.
const SPF_STARTS: [&str; 3] = ["vspf1", "spf1", "vsfp1"];

/// Describes why receivers cannot use the SPF record of a name; `None` if they can, if there is no
/// record, or if it is unknown. If `knows_all` is true, names that the zones do not have do not
/// exist.
#[must_use]
pub fn spf_fault(zones: &Zones<'_>, knows_all: bool, name: &Fqdn) -> Option<String> {
    match find_in(|name, kind| zones.answer(name, kind), knows_all, name) {
        SpfPolicy::Broken(why) => Some(format!("SPF for {name} is invalid (permerror): {why}")),
        SpfPolicy::Nothing | SpfPolicy::Unknown | SpfPolicy::Record(_) => None,
    }
}

/// Describes why a text is no SPF record although it looks like one; `None` for other texts.
#[must_use]
pub fn nearly_spf(name: &Fqdn, text: &[u8]) -> Option<String> {
    if is_spf(text) {
        return None;
    }
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
    let start = SPF_STARTS.iter().find(|start| letters.starts_with(**start))?;
    // `v=spf2.0` is another version, and `v=spf10` only begins like this one.
    let mut unread = text.chars();
    let mut missing = start.len();
    while missing > 0 {
        missing -= usize::from(unread.next()?.is_ascii_alphanumeric());
    }
    let tail = unread.as_str();
    let terms = ["all", "include:", "ip4:", "ip6:", "mx", "redirect=", "exists:"];
    let is_term = |word: &str| {
        let word = word.trim_start_matches(['+', '-', '~', '?']);
        terms.iter().any(|term| word == *term || (term.len() > 2 && word.starts_with(term)))
    };
    let is_separate = !tail.starts_with(|c: char| c.is_ascii_alphanumeric());
    let has_terms = tail.split(|c: char| c.is_whitespace() || c == ';').any(is_term);
    (is_separate && has_terms).then(|| {
        format!("receivers find no SPF record of {name} here: it does not begin with `v=spf1 `")
    })
}

/// Describes why receivers or senders ignore the DKIM, DMARC, MTA-STS, TLS reporting or BIMI text
/// of a name; `None` if they use it, and for other names.
#[must_use]
pub fn announcement_fault(zone: &ZoneIndex<'_>, name: &Fqdn) -> Option<String> {
    let view = View(zone);
    if let Some((label, domain)) = selector(name) {
        let what = format!("DKIM key {label} of {domain}");
        return match dkim_change::find_selector(view, name) {
            Selector::Broken(_) if is_reserved(label) => None,
            Selector::Broken(why) => Some(format!("{what} cannot be used: {why}")),
            Selector::Several => {
                Some(format!("{what}: several texts at one selector; receivers may take either"))
            }
            Selector::Missing | Selector::Alias(_) | Selector::Revoked | Selector::Key(_) => None,
        };
    }
    if let Some(domain) = dmarc_change::domain(name) {
        let answer = |name: &Fqdn, kind| zone.answer(name, kind);
        let why = match (Discovery { answer: &answer }).published(&domain) {
            Published::Void(why) => why,
            Published::Record(record) if record.ignored.is_empty() => return None,
            Published::Record(record) => {
                let tags: Vec<String> =
                    record.ignored.iter().map(|tag| format!("`{tag}=`")).collect();
                let verb = if tags.len() == 1 { "has" } else { "have" };
                return Some(format!(
                    "DMARC for {domain}: {} {verb} no valid value, so receivers ignore it",
                    tags.join(", ")
                ));
            }
            Published::Nothing | Published::Elsewhere(_) | Published::Unknown => return None,
        };
        return Some(format!("DMARC for {domain} is ignored by receivers: {why}"));
    }
    let (about, domain) = announced(name)?;
    let texts = texts_of(zone.answer(name, RecordType::Txt))?;
    let why = match announcement_at(name, &texts)? {
        Announcement::Void(why) => why,
        Announcement::Missing => "it does not begin with the version".to_owned(),
        Announcement::Valid(_) => return None,
    };
    Some(format!("{about} for {domain} is ignored by senders: {why}"))
}

/// Returns the texts of an answer; `None` if it has no records.
fn texts_of<'a>(answer: Answer<'a>) -> Option<Vec<&'a [u8]>> {
    let End::Records(set) = answer.end else { return None };
    Some(set.iter().filter_map(Entry::text).collect())
}

/// Returns true if a name belongs to DKIM, DMARC, MTA-STS, TLS reporting or BIMI.
#[must_use]
pub fn is_of_mail(name: &Fqdn) -> bool {
    selector(name).is_some_and(|(label, _)| !is_reserved(label))
        || dmarc_change::domain(name).is_some()
        || announced(name).is_some()
}

/// Describes the control character in a text for mail, such as a line break from a block scalar.
#[must_use]
pub fn control_character(text: &[u8]) -> Option<String> {
    let control = text.iter().find(|byte| byte.is_ascii_control())?;
    Some(match control {
        b'\n' | b'\r' => "it has a line break, which a block scalar (`|`) keeps".to_owned(),
        other => format!("it has the control character U+{other:04X}"),
    })
}

/// Describes the character in a text for mail that receivers do not understand: a control
/// character, or one outside of ASCII, such as the quotation marks of word processors.
#[must_use]
pub fn unreadable_character(text: &[u8]) -> Option<String> {
    let not_ascii = || {
        let text = std::str::from_utf8(text).ok()?;
        let character = text.chars().find(|c| !c.is_ascii())?;
        let number = u32::from(character);
        Some(format!("it has the character `{character}` (U+{number:04X}), which is not ASCII"))
    };
    control_character(text).or_else(not_ascii)
}
