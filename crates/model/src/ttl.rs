//! Time to live (TTL).

use std::fmt;

use serde::{Serialize, Serializer};

use super::facts::{AUTOMATIC_TTL, MAXIMUM_TTL, MINIMUM_TTL_OF_ENTERPRISE};

/// The time for which resolvers may cache an answer.
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
#[error(
    "{0} is not a time to live: {MINIMUM_TTL_OF_ENTERPRISE} to {MAXIMUM_TTL} seconds, or automatic"
)]
pub struct TtlError(pub u64);

impl Ttl {
    /// Cloudflare chooses the time (300 seconds).
    pub const AUTOMATIC: Self = Self(AUTOMATIC_TTL);

    /// Converts a number of seconds; 1 means automatic.
    ///
    /// # Errors
    /// Outside 30…86400 and not 1.
    pub fn seconds(seconds: u64) -> Result<Self, TtlError> {
        match u32::try_from(seconds) {
            Ok(n)
                if n == AUTOMATIC_TTL || (MINIMUM_TTL_OF_ENTERPRISE..=MAXIMUM_TTL).contains(&n) =>
            {
                Ok(Self(n))
            }
            _ => Err(TtlError(seconds)),
        }
    }

    /// Converts the value that Cloudflare reported without checks: live values are shown, not
    /// judged.
    #[must_use]
    pub fn reported(seconds: u32) -> Self {
        Self(seconds)
    }

    /// Returns the number that Cloudflare uses: seconds, or 1.
    #[must_use]
    pub fn as_number(self) -> u32 {
        self.0
    }

    /// Returns true if Cloudflare chooses the time.
    #[must_use]
    pub fn is_automatic(self) -> bool {
        self == Self::AUTOMATIC
    }
}

/// Writes the spelling of a spec: `auto`, or a number.
impl Serialize for Ttl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_automatic() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_u32(self.0)
        }
    }
}

/// Writes the spelling of a spec.
impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_automatic() { f.write_str("auto") } else { write!(f, "{}", self.0) }
    }
}
