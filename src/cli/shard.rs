//! Parses `--shard I/N` and `--shard auto/N`, which select a part of the zones.

use std::num::NonZeroU32;

use anyhow::{Context, bail};

use crate::reconcile::Shard;

/// Value of `--shard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardArg {
    /// Number of the part, from 1; `None` if the index of the job determines it.
    index: Option<NonZeroU32>,
    /// Number of parts.
    count: NonZeroU32,
}

impl ShardArg {
    /// Parses `2/8` or `auto/8`.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || "write I/N with I from 1 to N, as in 2/8, or auto/N in an indexed job".to_owned();
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let count: NonZeroU32 = count.parse().map_err(|_| wrong())?;
        let index = match index {
            "auto" => None,
            number => Some(number.parse::<NonZeroU32>().map_err(|_| wrong())?),
        };
        if index.is_some_and(|index| index > count) {
            Err(wrong())
        } else {
            Ok(Self { index, count })
        }
    }

    /// Returns the selected part. `variable` reads the environment; the index of the job counts
    /// from 0.
    ///
    /// `JOB_COMPLETION_INDEX`, which Kubernetes sets in the pods of an Indexed Job, is the only
    /// foreign variable that is read for this, and only for `--shard auto/N`.
    ///
    /// # Errors
    /// The index is needed and missing, not a number, or too large.
    pub(super) fn resolve(
        self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> anyhow::Result<Shard> {
        let Self { index, count } = self;
        let index = match (index, variable("JOB_COMPLETION_INDEX")) {
            (Some(index), _) => index.get() - 1,
            (None, None) => bail!(
                "--shard auto/{count} takes its part from JOB_COMPLETION_INDEX, which is not set: \
                run it in an Indexed Job of \
                 Kubernetes, or write the part, as in --shard 1/{count}"
            ),
            (None, Some(text)) => match text.parse::<u32>() {
                Ok(index) if index < count.get() => index,
                Ok(index) => bail!(
                    "JOB_COMPLETION_INDEX is {index}, and --shard auto/{count} has the parts 0 to \
                    {}: make `completions` of the \
                     job {count}",
                    count.get() - 1
                ),
                // The value may be a secret in the wrong variable.
                Err(_) => bail!(
                    "JOB_COMPLETION_INDEX is not a number; run it in an Indexed Job of Kubernetes, or write the part, as \
                     in --shard 1/{count}"
                ),
            },
        };
        Shard::new(index, count)
            .with_context(|| format!("--shard: there is no part {} of {count}", index + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates the shard with this number, of `count` shards.
    fn shard(index: u32, count: u32) -> Shard {
        ShardArg::parse(&format!("{index}/{count}")).unwrap().resolve(|_| None).unwrap()
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for bad in ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/3", "1/x", "1/3/3", "auto/0", "auto"] {
            assert!(ShardArg::parse(bad).is_err(), "{bad}");
        }
        let auto = ShardArg::parse("auto/3").unwrap();
        assert_eq!(auto.resolve(|_| Some("0".to_owned())).unwrap().to_string(), "1/3");
        assert_eq!(auto.resolve(|_| Some("2".to_owned())).unwrap(), shard(3, 3));
        for bad in [None, Some("3"), Some("x"), Some("-1"), Some("")] {
            assert!(auto.resolve(|_| bad.map(str::to_owned)).is_err(), "{bad:?}");
        }
        assert_eq!(
            ShardArg::parse("2/3").unwrap().resolve(|_| Some("0".to_owned())).unwrap(),
            shard(2, 3),
            "what is written counts"
        );
    }
}
