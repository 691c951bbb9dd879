//! What records mean for mail: where it goes, and whether receivers recognise it as genuine.
//!
//! | record | read by | compared by |
//! |---|---|---|
//! | SPF (RFC 7208) | `spf`, `macros`; evaluated by `check_host` | `senders`, `left_behind` |
//! | DKIM (RFC 6376, 8301, 8463) | `dkim` | `keys` |
//! | DMARC (RFC 9989) | `dmarc` | `policy` |
//! | MX (RFC 5321 section 5, RFC 7505) | | `exchanges` |
//! | MTA-STS (RFC 8461), TLS reporting (RFC 8460) | `transport` | `transport` |

pub mod check_host;
pub mod dkim;
pub mod dmarc;
pub(super) mod exchanges;
pub(super) mod keys;
pub(super) mod left_behind;
mod macros;
pub(super) mod policy;
pub(super) mod senders;
pub mod spf;
mod tags;
pub mod transport;

pub use macros::{DomainSpec, Envelope};
