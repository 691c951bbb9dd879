//! Sentences about the time for which caches keep old answers.

use crate::insight::effect::at_most_five;

/// Time for which resolvers may keep "no such name" and "no such type" by default (RFC 2308 section
/// 5: the SOA minimum).
///
/// # Units
/// Seconds.
pub const NEGATIVE_TTL: u32 = 1800;

/// From which time to live a change deserves a sentence of its own.
///
/// # Units
/// Seconds.
pub(super) const LONG_TTL: u32 = 3600;

/// Describes a time.
pub(super) fn describe_duration(seconds: u32) -> String {
    match seconds {
        s if s >= 3600 && s % 3600 == 0 => format!("{} h", s / 3600),
        s if s >= 60 && s % 60 == 0 => format!("{} min", s / 60),
        s if s > 3600 => format!("{} h {} min", s / 3600, s % 3600 / 60),
        s if s > 60 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{s} s"),
    }
}

/// Minimum time to live for which an error in a new answer lasts long.
///
/// # Units
/// Seconds.
const DAY: u32 = 86_400;

/// Returns a sentence with the time from which a name can move quickly, once its time to live is
/// lowered.
pub(super) fn safe_from(old: u32) -> String {
    format!(
        "a quick move is possible {} after this change, once caches have dropped answers with ttl \
        {old}",
        describe_duration(old)
    )
}

/// Returns a sentence if a new answer also has a longer time to live.
pub(super) fn raised_with_move(old: u32, new: u32) -> Option<String> {
    (new >= DAY && new > old).then(|| {
        format!(
            "the ttl rises together with the change: caches may keep the new answer, right or \
            wrong, for up to {}",
            describe_duration(new)
        )
    })
}

/// Returns a sentence about an old answer that caches may keep for long.
pub(super) fn old_kept(seconds: u32) -> String {
    format!(
        "caches may keep the old answer for up to {} (ttl {seconds})",
        describe_duration(seconds)
    )
}

/// Returns a sentence about old answers that caches may keep for long: the names by times to live.
pub(super) fn all_kept<'n>(names: impl Iterator<Item = (u32, Vec<&'n str>)>) -> String {
    let parts: Vec<String> = names
        .map(|(seconds, names)| {
            format!("for up to {} those of {}", describe_duration(seconds), at_most_five(names))
        })
        .collect();
    format!("caches may keep old answers: {}", parts.join("; "))
}
