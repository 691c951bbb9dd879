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
    /// What is told.
    #[command(flatten)]
    pub tell: TellArgs,
    /// Exit with N instead of 2 on findings
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub drift_exit_code: u8,
}

/// `watch`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WatchArgs {
    /// The spec; it is read again each time, so standard input will not do.
    #[command(flatten)]
    pub spec: SpecArgs,
    /// What is told.
    #[command(flatten)]
    pub tell: TellArgs,
    /// Time from the beginning of one round to that of the next, give or take a tenth
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = interval)]
    pub interval: Duration,
    /// Answer GET /metrics and GET /healthz at this address, such as 127.0.0.1:9184
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Stop after N rounds, with the exit code of `drift` for the last one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
}

/// What is told to whom.
#[derive(Debug, Args)]
pub(in crate::cli) struct TellArgs {
    /// States that count as findings: conflicting, drifted, unknown, pending, unmanaged
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state,
          default_value = "conflicting,drifted,unknown,pending")]
    pub fail_on: Vec<State>,
    /// Write metrics to FILE as OpenMetrics text; the file is replaced as a whole
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// POST the JSON report to URL if there are findings [env: ZONEWRIGHT_WEBHOOK or ZONEWRIGHT_WEBHOOK_FILE]
    #[arg(long, value_name = "URL", value_parser = secret)]
    pub webhook: Option<SecretString>,
    /// POST the report also if there are no findings
    #[arg(long)]
    pub webhook_always: bool,
    /// Wait at most this long for each answer of the webhook
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub webhook_timeout: Duration,
}

/// A time between rounds: a month is already more than anybody waits.
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
