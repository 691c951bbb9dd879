//! Implements the command line: connects the modules, and does nothing else.

mod apply_lock;
mod command_line;
mod commands;
mod confirmation;
mod connection;
mod credentials;
mod default_spec;
mod drift_check;
mod edited_spec;
mod embedded_run;
mod embedding_program;
mod exit_codes;
mod file_kinds;
mod files;
mod load_spec;
mod metrics_server;
mod options_in_help;
mod output;
mod paths;
mod plan_and_apply;
mod policy;
mod progress;
mod recordings;
mod ruleset_cache;
mod settings;
mod shard;
mod shared_arguments;
mod show_plan;
mod signals;
mod snapshot_options;
mod unsupported_formats_and_options;
mod write_documents;
mod zone_source;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

pub use command_line::command;
use command_line::{Cli, as_shown, parse_arguments};
use commands::{Run, Session};
pub use embedded_run::Invocation;
pub use embedding_program::TimeSource;
use exit_codes::Ended;
pub use exit_codes::Exit;
use output::Output;
pub use output::Sink;
use settings::Settings;
use signals::Interrupt;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> Exit {
    let mut cli = match parse_arguments(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are results; all other errors are wrong usage. If the stream is
            // closed, the text cannot be shown.
            let is_wrong = error.use_stderr();
            let _ = as_shown(error, std::env::args_os()).print();
            return if is_wrong { Exit::Usage } else { Exit::Success };
        }
    };
    let output = std::sync::Arc::new(Output::new(&cli.global));
    start_log(cli.global.verbose);
    let runtime = match start_runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            output.error(&anyhow::Error::new(error).context("failed to start"));
            return Exit::Error;
        }
    };
    runtime.block_on(run_to_end(&mut cli, &output))
}

/// Starts the async runtime.
///
/// # Errors
/// The limits on open files or threads of the process are too low.
fn start_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    // The runtime opens three files and then a pair for signals, and panics if it cannot open the
    // pair.
    #[cfg(unix)]
    drop(
        (0..3)
            .map(|_| std::os::unix::net::UnixStream::pair())
            .collect::<std::io::Result<Vec<_>>>()?,
    );
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// Runs one command and reports its error.
async fn run_to_end(cli: &mut Cli, output: &std::sync::Arc<Output>) -> Exit {
    let result = run_cli(cli, output).await;
    output.hide();
    log_peak_memory();
    match result {
        Ok(exit) => exit,
        Err(error) => {
            match error.downcast_ref() {
                Some(Ended::Reported(exit)) => return *exit,
                Some(Ended::Usage(message)) => {
                    output.message(&format!("error: {message}"));
                    return Exit::Usage;
                }
                None => output.error(&error),
            }
            if cli.command.facts().is_writer {
                // Failures after the first write are part of the report of the apply and are no
                // errors here.
                output.message("nothing was written");
            }
            Exit::Error
        }
    }
}

async fn run_cli(cli: &mut Cli, output: &std::sync::Arc<Output>) -> anyhow::Result<Exit> {
    let Cli { command, global } = cli;
    let name = command.facts().name;
    if let Some(spec) = command.missing_spec() {
        output.say(&default_spec::fill(spec, name).map_err(Ended::Usage)?);
    }
    unsupported_formats_and_options::check_options(command, global).map_err(Ended::Usage)?;
    if !global.surroundings.is_given() {
        signals::outlive_file_size_limit()?;
    }
    let settings = &Settings::resolve(global);
    let facts = command.facts();
    if facts.is_online {
        settings.now()?;
        files::check_directory(&global.cache, "--cache")?;
        files::check_directory(&global.journal, "--journal")?;
        settings.exposed_files().iter().for_each(|warning| output.say(warning));
    }
    if facts.is_signal_listener {
        let interrupt = &Interrupt::never(output);
        return command.run(&Session { settings, output, interrupt, program: self::command }).await;
    }
    let interrupt = &Interrupt::begin(global, output)?;
    interrupt
        .watch(
            global,
            command.run(&Session { settings, output, interrupt, program: self::command }),
        )
        .await
}

/// Logs the peak memory use in KiB, where the system reports it (Linux).
fn log_peak_memory() {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    if let Some(peak) = peak {
        tracing::debug!(peak_memory_kib = %peak.trim(), "done");
    }
}

/// Logs requests to stderr at the second level of verbosity.
fn start_log(verbose: u8) {
    if verbose < 2 {
        return;
    }
    let filter = match verbose {
        2 => Targets::new().with_target(env!("CARGO_PKG_NAME"), LevelFilter::DEBUG),
        _ => Targets::new()
            .with_target(env!("CARGO_PKG_NAME"), LevelFilter::TRACE)
            .with_default(LevelFilter::DEBUG),
    };
    let log = fmt::layer().with_ansi(false).without_time().with_writer(output::LogWriter::default);
    // Setting a second subscriber fails, and the first one stays.
    let _ = tracing_subscriber::registry().with(log).with(filter).try_init();
}
