//! Effects of records on mail: where it is delivered, and if receivers recognise it as genuine.  |
//! record | read by | compared by | |---|---|---| | SPF (RFC 7208) | `spf`, `spf_macros`; walked by
//! `spf_walk` within `spf_limits`, for one host by `spf_check_host` and for all by `spf_senders`,
//! with names from `spf_lookup` | `spf_change`, `left_behind` | | DKIM (RFC 6376, 8301, 8463) |
//! `dkim` | `dkim_change` | | DMARC (RFC 9989) | `dmarc`; found by `dmarc_discovery` |
//! `dmarc_change` | | MX (RFC 5321 section 5, RFC 7505) | | `mx_change`, `provider_change` | |
//! MTA-STS (RFC 8461), TLS reporting (RFC 8460) | `mta_sts_tls_reporting` | `mta_sts_tls_reporting`
//! | | TLSA (RFC 7672) | | `tlsa_change` | | texts that receivers or senders ignore | `text_faults`
//! | | | SPF, DKIM and DMARC that other zones use | the same | `used_elsewhere` |

pub mod dkim;
pub(super) mod dkim_change;
pub mod dmarc;
pub(super) mod dmarc_change;
pub(super) mod dmarc_discovery;
pub(super) mod left_behind;
pub mod mta_sts_tls_reporting;
pub(super) mod mx_change;
mod provider_change;
pub mod spf;
pub(super) mod spf_change;
pub mod spf_check_host;
mod spf_limits;
pub mod spf_lookup;
mod spf_macros;
mod spf_senders;
pub mod spf_walk;
mod tags;
pub mod text_faults;
pub(super) mod tlsa_change;
pub(super) mod used_elsewhere;

pub use spf_macros::{DomainSpec, Envelope};
