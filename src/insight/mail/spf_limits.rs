//! The limits of SPF (RFC 7208) and of its reports.

/// Maximum number of terms of one record that take a lookup (section 4.6.4).
pub(super) const MOST_LOOKUPS: usize = 10;
/// Maximum number of lookups without an answer (section 4.6.4).
pub(super) const MOST_VOID: usize = 2;
/// Maximum number of names for one `mx` or `ptr` (section 4.6.4).
pub(super) const MOST_NAMES: usize = 10;
/// Maximum size of a record that fits into a UDP answer, in octets (section 3.4).
pub(super) const MOST_OCTETS: usize = 450;
/// Shortest usual prefix lengths of the networks of one sender: IPv4, IPv6.
pub(super) const WIDE: (u8, u8) = (16, 32);
