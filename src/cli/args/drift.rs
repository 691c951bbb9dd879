//! The command line of `drift` and `watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use secrecy::SecretString;

use super::{SpecArgs, duration};
use crate::drift::State;

/// `drift`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DriftArgs {
    /// The spec.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// What is reported, and where.
    #[command(flatten)]
    pub tell: TellArgs,
    /// Exit with N instead of 2 on findings
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub drift_exit_code: u8,
}

/// `watch`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WatchArgs {
    /// The spec. It is read again in each round, so it cannot be standard input.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// What is reported, and where.
    #[command(flatten)]
    pub tell: TellArgs,
    /// Time between the starts of two rounds, plus or minus a tenth
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = interval)]
    pub interval: Duration,
    /// Serve /metrics and /healthz at this address, such as 127.0.0.1:9184
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Stop after N rounds, with the exit code of `drift` for the last one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
}

/// What is reported, and where.
#[derive(Debug, Args)]
pub(in crate::cli) struct TellArgs {
    /// States that count as findings: conflicting, drifted, unknown, pending, unmanaged
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state,
          default_value = "conflicting,drifted,unknown,pending")]
    pub fail_on: Vec<State>,
    /// Write metrics to FILE, as OpenMetrics text
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// POST the JSON report to URL if there are findings [env: ZONEWRIGHT_WEBHOOK or ZONEWRIGHT_WEBHOOK_FILE]
    #[arg(long, value_name = "URL", value_parser = secret)]
    pub webhook: Option<SecretString>,
    /// Send the report even without findings
    #[arg(long)]
    pub webhook_always: bool,
    /// Wait at most DURATION for an answer of the webhook
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub webhook_timeout: Duration,
}

/// A time between rounds, at most a month.
fn interval(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_secs(31 * 24 * 3600);
    duration(text).and_then(|time| if time <= longest { Ok(time) } else { Err("write at most 31days".to_owned()) })
}

/// The states that can be asked about.
fn state(text: &str) -> Result<State, String> {
    let possible = || State::ALL.into_iter().filter(|state| *state != State::InSync);
    possible().find(|state| state.as_str() == text.trim()).ok_or_else(|| {
        let known: Vec<_> = possible().map(State::as_str).collect();
        format!("known states are {}", known.join(", "))
    })
}

/// Any text, never shown.
#[expect(clippy::unnecessary_wraps, reason = "it is what clap takes")]
fn secret(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}
