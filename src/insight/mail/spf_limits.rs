//! The limits of SPF (RFC 7208), and how much of it deserves a sentence.

/// Most terms of one record that take a lookup (section 4.6.4).
pub(super) const MOST_LOOKUPS: usize = 10;
/// Most lookups without an answer (section 4.6.4).
pub(super) const MOST_VOID: usize = 2;
/// Most names that are looked at for `mx` and `ptr` (section 4.6.4).
pub(super) const MOST_NAMES: usize = 10;
/// Octets of a record that fit a UDP answer beside the rest of it (section 3.4).
pub(super) const MOST_OCTETS: usize = 450;
/// A network with a shorter prefix is more than one sender has: of IPv4, of IPv6.
pub(super) const WIDE: (u8, u8) = (16, 32);
