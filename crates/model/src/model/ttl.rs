//! Time to live (TTL).

use std::fmt;

use serde::{Serialize, Serializer};

use super::facts::{AUTOMATIC_TTL, MAXIMUM_TTL, MINIMUM_TTL_OF_ENTERPRISE};

/// How long resolvers may keep an answer.
///
/// # Units
/// Seconds, 30…86400 (below 60 only on Enterprise zones); 1 means automatic and is not a duration.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/reference/ttl, read 2026-11-20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ttl(u32);

/// A number that is not a valid TTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a time to live: {MINIMUM_TTL_OF_ENTERPRISE} to {MAXIMUM_TTL} seconds, or automatic")]
pub struct TtlError(pub u64);

/// A text that is not a valid TTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TtlTextError {
    /// A number of seconds outside of the range.
    Range,
    /// A duration with a unit, such as `5m`: so many seconds.
    Duration(u64),
    /// Anything else.
    Other,
}

impl Ttl {
    /// Cloudflare chooses (served as 300 seconds).
    pub const AUTOMATIC: Self = Self(AUTOMATIC_TTL);

    /// From a number of seconds; 1 means automatic.
    ///
    /// # Errors
    /// Outside 30…86400 and not 1.
    pub fn seconds(seconds: u64) -> Result<Self, TtlError> {
        match u32::try_from(seconds) {
            Ok(n) if n == AUTOMATIC_TTL || (MINIMUM_TTL_OF_ENTERPRISE..=MAXIMUM_TTL).contains(&n) => Ok(Self(n)),
            _ => Err(TtlError(seconds)),
        }
    }

    /// What a spec says: `auto`, or a number of seconds.
    ///
    /// # Errors
    /// Anything else; for a duration with a unit, with its seconds.
    pub fn parse(text: &str) -> Result<Self, TtlTextError> {
        if text == "auto" {
            return Ok(Self::AUTOMATIC);
        }
        if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            return text.parse().ok().and_then(|n| Self::seconds(n).ok()).ok_or(TtlTextError::Range);
        }
        Err(duration(text).map_or(TtlTextError::Other, TtlTextError::Duration))
    }

    /// The value that Cloudflare reported, unchecked: live values are shown, not judged.
    #[must_use]
    pub fn reported(seconds: u32) -> Self {
        Self(seconds)
    }

    /// The number that Cloudflare uses: seconds, or 1.
    #[must_use]
    pub fn as_number(self) -> u32 {
        self.0
    }

    /// Whether Cloudflare chooses.
    #[must_use]
    pub fn is_automatic(self) -> bool {
        self == Self::AUTOMATIC
    }
}

/// As a spec writes it: `auto`, or a number.
impl Serialize for Ttl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_automatic() { serializer.collect_str(self) } else { serializer.serialize_u32(self.0) }
    }
}

/// As a spec writes it.
impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_automatic() { f.write_str("auto") } else { write!(f, "{}", self.0) }
    }
}

/// Seconds in a duration such as `5m`, `2h` or `1d`.
fn duration(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = number.parse::<u64>().ok()?.checked_mul(factor)?;
    Ttl::seconds(seconds).is_ok().then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_their_duration() {
        assert_eq!(duration("5m"), Some(300));
        assert_eq!(duration("1d"), Some(86_400));
        for bad in ["2d", "m", "", "5 m", "-5m", "ü"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
