//! Selects the zones of a spec that a run works on: by name, and as one of several equal parts.
//!
//! A part (`--shard I/N` on the command line) lets N jobs share the zones without communication.
//! The part of a zone depends only on its name and N, never on the other zones, so adding a zone
//! moves no other zone to another job.

use std::num::NonZeroU32;

use ring::digest::{SHA256, digest};

use crate::diagnostic::{Diagnostics, count, findings};
use crate::model::{Desired, ZoneName};

/// The zones to work on; all of them by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names or globs; none for all zones. Each has to match a zone.
    pub zones: Vec<String>,
    /// One of several parts of the zones.
    pub shard: Option<Shard>,
}

impl Selection {
    /// Keeps the selected zones. Reports patterns that match nothing, and that only a part is left.
    pub(crate) fn apply(&self, desired: Desired, diagnostics: &mut Diagnostics) -> Desired {
        let mut desired = self.by_name(desired, diagnostics);
        let Some(shard) = self.shard else { return desired };
        let total = desired.zones.len();
        desired.zones.retain(|name, _| shard.has(name));
        let words =
            format!("shard {shard} has {} of {}", desired.zones.len(), count(total, "zone"));
        diagnostics.push(findings::PART.nowhere(words));
        desired
    }

    /// Keeps the zones whose names match.
    fn by_name(&self, mut desired: Desired, diagnostics: &mut Diagnostics) -> Desired {
        if self.zones.is_empty() {
            return desired;
        }
        let mut patterns = Vec::new();
        for text in &self.zones {
            match pattern(text) {
                Ok(pattern) if desired.zones.keys().any(|z| pattern.matches(z.as_str())) => {
                    patterns.push(pattern)
                }
                Ok(_) => diagnostics.push(
                    findings::NO_SUCH_ZONE.nowhere(format!("no zone matches {text:?}")).help(
                        format!(
                            "the spec has {}",
                            list(desired.zones.keys().map(ToString::to_string))
                        ),
                    ),
                ),
                Err(error) => {
                    diagnostics.push(findings::INVALID_GLOB.nowhere(format!("{text:?}: {error}")));
                }
            }
        }
        desired.zones.retain(|name, _| patterns.iter().any(|p| p.matches(name.as_str())));
        desired
    }
}

/// Returns a name or a glob as a pattern of canonical names. A plain name may be written in
/// Unicode.
///
/// # Errors
/// Fails if it is not a glob.
pub(crate) fn pattern(text: &str) -> Result<glob::Pattern, glob::PatternError> {
    let name = text.trim_end_matches('.').to_lowercase();
    glob::Pattern::new(&ZoneName::parse(&name).map_or(name, |zone| zone.to_string()))
}

/// Returns at most eight names.
fn list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<_> = names.take(9).collect();
    if names.len() == 9 {
        names[8] = "…".to_owned();
    }
    names.join(", ")
}

/// One of several parts of all zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u32,
    count: NonZeroU32,
}

impl Shard {
    /// Returns the part with this number, counted from 0; `None` if there are fewer parts.
    #[must_use]
    pub fn new(index: u32, count: NonZeroU32) -> Option<Self> {
        (index < count.get()).then_some(Self { index, count })
    }

    /// Returns true if a zone is in this part. Its name is canonical, so its spelling in a spec
    /// does not matter.
    #[must_use]
    pub fn has(self, zone: &ZoneName) -> bool {
        let digest = digest(&SHA256, zone.as_str().as_bytes());
        let mut head = [0; 8];
        head.copy_from_slice(&digest.as_ref()[..8]);
        u64::from_be_bytes(head) % u64::from(self.count.get()) == u64::from(self.index)
    }
}

/// The number counts from 1, as on the command line.
impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", u64::from(self.index) + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part with this number, from 1, of so many.
    fn shard(number: u32, count: u32) -> Shard {
        Shard::new(number - 1, NonZeroU32::new(count).unwrap()).unwrap()
    }

    #[test]
    fn parts_are_disjoint_and_complete() {
        let zones: Vec<_> =
            (0..500).map(|n| ZoneName::parse(&format!("zone-{n}.example")).unwrap()).collect();
        for count in [1, 2, 3, 7, 16] {
            let sizes: Vec<usize> = (1..=count)
                .map(|n| zones.iter().filter(|z| shard(n, count).has(z)).count())
                .collect();
            assert_eq!(
                sizes.iter().sum::<usize>(),
                zones.len(),
                "each zone is in one part: {sizes:?}"
            );
            let fair = zones.len() / count as usize;
            assert!(sizes.iter().all(|size| (fair / 2..=fair * 2).contains(size)), "{sizes:?}");
        }
        for zone in &zones {
            assert_eq!((1..=7).filter(|n| shard(*n, 7).has(zone)).count(), 1);
        }
    }

    /// Frozen: a release that moved zones between jobs would have two jobs work on one zone during
    /// a roll-out.
    #[test]
    fn the_part_of_a_zone_stays() {
        let part = |zone: &str| (1..=8).find(|n| shard(*n, 8).has(&ZoneName::parse(zone).unwrap()));
        let parts =
            ["example.com", "example.net", "example.org", "xn--bcher-kva.example"].map(part);
        assert_eq!(parts, [Some(6), Some(4), Some(7), Some(1)]);
        assert_eq!(part("Bücher.Example."), parts[3], "however it is written");
    }
}
