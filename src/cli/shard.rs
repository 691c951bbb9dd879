//! `--shard I/N`: one of N parts of the zones, so that N jobs share the work without talking to each other.
//!
//! In: the names of zones. Out: those of this part. A zone's part follows from its name and N alone, never from which other
//! zones there are, so adding a zone moves no other zone to another job.

use std::num::NonZeroU32;

use anyhow::bail;
use sha2::{Digest, Sha256};

use super::args::{ApplyArgs, Command};
use super::saved;
use crate::model::ZoneName;

/// What `--shard` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardArg {
    /// Which part, from 1; `None` if the job's index tells.
    index: Option<NonZeroU32>,
    /// How many parts there are.
    count: NonZeroU32,
}

impl ShardArg {
    /// `2/8`, or `auto/8`.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "write I/N with I from 1 to N, as in 2/8, or auto/N in an indexed job".to_owned();
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let count: NonZeroU32 = count.parse().map_err(|_| wrong())?;
        let index = match index {
            "auto" => None,
            number => Some(number.parse::<NonZeroU32>().map_err(|_| wrong())?),
        };
        if index.is_some_and(|index| index > count) { Err(wrong()) } else { Ok(Self { index, count }) }
    }

    /// The part that is meant; the job's index counts from 0.
    ///
    /// # Errors
    /// The index is needed and is missing, no number, or too large.
    pub(super) fn resolve(self, job_index: Option<&str>) -> anyhow::Result<Shard> {
        let Self { index, count } = self;
        let index = match (index, job_index) {
            (Some(index), _) => index.get() - 1,
            (None, None) => bail!(
                "--shard auto/{count} takes its part from JOB_COMPLETION_INDEX, which is not set: run it in an Indexed Job of \
                 Kubernetes, or write the part, as in --shard 1/{count}"
            ),
            (None, Some(text)) => match text.parse::<u32>() {
                Ok(index) if index < count.get() => index,
                Ok(index) => bail!(
                    "JOB_COMPLETION_INDEX is {index}, and --shard auto/{count} has the parts 0 to {}: make `completions` of the \
                     job {count}",
                    count.get() - 1
                ),
                Err(_) => bail!("JOB_COMPLETION_INDEX is not a number: {text:?}"),
            },
        };
        Ok(Shard { index, count })
    }
}

/// One of several parts of all zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    /// From 0.
    index: u32,
    count: NonZeroU32,
}

impl Shard {
    /// Whether a zone is in this part. Its name is canonical, so its spelling in a spec does not matter.
    pub(super) fn has(self, zone: &ZoneName) -> bool {
        let digest = Sha256::digest(zone.as_str().as_bytes());
        let mut head = [0; 8];
        head.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(head) % u64::from(self.count.get()) == u64::from(self.index)
    }
}

/// As on the command line: from 1.
impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", u64::from(self.index) + 1, self.count)
    }
}

/// Refuses to choose zones where there is nothing to choose from, as the flag would be without effect.
///
/// # Errors
/// What to write instead.
pub(super) fn check(command: &Command, shard: Option<ShardArg>, zones: &[String]) -> Result<(), String> {
    if let Command::Apply(ApplyArgs { spec, .. }) = command
        && (shard.is_some() || !zones.is_empty())
        && saved::is_plan(spec)
    {
        let flag = if shard.is_some() { "--shard" } else { "--zone" };
        return Err(format!(
            "a saved plan is applied as a whole; give {flag} to `plan --out`, which then holds those zones only"
        ));
    }
    let name = match command {
        _ if shard.is_none() => return Ok(()),
        Command::Import(_) => "import",
        Command::Diff(_) => "diff",
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => "sandbox",
        Command::Schema => "schema",
        Command::Completions { .. } => "completions",
        Command::Man => "man",
        _ => return Ok(()),
    };
    Err(format!("`{name}` has no --shard"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part with this number of so many.
    fn shard(index: u32, count: u32) -> Shard {
        ShardArg::parse(&format!("{index}/{count}")).unwrap().resolve(None).unwrap()
    }

    #[test]
    fn parts_are_disjoint_and_complete() {
        let zones: Vec<_> = (0..500).map(|n| ZoneName::parse(&format!("zone-{n}.example")).unwrap()).collect();
        for count in [1, 2, 3, 7, 16] {
            let sizes: Vec<usize> =
                (1..=count).map(|n| zones.iter().filter(|z| shard(n, count).has(z)).count()).collect();
            assert_eq!(sizes.iter().sum::<usize>(), zones.len(), "each zone is in one part: {sizes:?}");
            let fair = zones.len() / count as usize;
            assert!(sizes.iter().all(|size| (fair / 2..=fair * 2).contains(size)), "{sizes:?}");
        }
        for zone in &zones {
            assert_eq!((1..=7).filter(|n| shard(*n, 7).has(zone)).count(), 1);
        }
    }

    /// Frozen: a release that moved zones between jobs would have two jobs work on one zone during a roll-out.
    #[test]
    fn the_part_of_a_zone_stays() {
        let part = |zone: &str| (1..=8).find(|n| shard(*n, 8).has(&ZoneName::parse(zone).unwrap()));
        let parts = ["example.com", "example.net", "example.org", "xn--bcher-kva.example"].map(part);
        assert_eq!(parts, [Some(6), Some(4), Some(7), Some(1)]);
        assert_eq!(part("Bücher.Example."), parts[3], "however it is written");
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for bad in ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/3", "1/x", "1/3/3", "auto/0", "auto"] {
            assert!(ShardArg::parse(bad).is_err(), "{bad}");
        }
        let auto = ShardArg::parse("auto/3").unwrap();
        assert_eq!(auto.resolve(Some("0")).unwrap().to_string(), "1/3");
        assert_eq!(auto.resolve(Some("2")).unwrap(), shard(3, 3));
        for bad in [None, Some("3"), Some("x"), Some("-1"), Some("")] {
            assert!(auto.resolve(bad).is_err(), "{bad:?}");
        }
        assert_eq!(ShardArg::parse("2/3").unwrap().resolve(Some("0")).unwrap(), shard(2, 3), "what is written counts");
    }
}
