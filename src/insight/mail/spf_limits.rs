//! The limits of SPF (RFC 7208), and of what is reported about it.

/// Maximum number of terms of one record that take a lookup (section 4.6.4).
pub(super) const MOST_LOOKUPS: usize = 10;
/// Maximum number of lookups without an answer (section 4.6.4).
pub(super) const MOST_VOID: usize = 2;
/// Maximum number of names that are looked up for `mx` and `ptr` (section 4.6.4).
pub(super) const MOST_NAMES: usize = 10;
/// Maximum size of a record that fits a UDP answer beside the rest of it, in octets (section 3.4).
pub(super) const MOST_OCTETS: usize = 450;
/// Prefix lengths below which a network is larger than one sender has: IPv4, IPv6.
pub(super) const WIDE: (u8, u8) = (16, 32);
