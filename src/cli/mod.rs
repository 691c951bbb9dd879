//! The command line: connects the modules, and does nothing else.

mod applicable;
mod args;
mod cache;
mod commands;
mod drift;
mod execution;
mod exit;
mod files;
mod formats;
mod invocation;
mod load;
mod lock;
mod monitor;
mod output;
mod own_files;
mod service;
mod settings;
mod shard;
mod signals;
mod surroundings;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use args::{Cli, Command};
pub use exit::Exit;
pub use invocation::Invocation;
use output::Output;
pub use output::Sink;
use settings::Settings;
use signals::Interrupt;
pub use surroundings::TimeSource;

use crate::render::safe::safe;

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are results, everything else is wrong usage. A closed stream has nobody to tell.
            let is_wrong = error.use_stderr();
            let _ = as_shown(error, std::env::args_os()).print();
            return if is_wrong { Exit::Usage } else { Exit::Success };
        }
    };
    let output = std::sync::Arc::new(Output::new(&cli.global));
    start_log(cli.global.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output.error(&anyhow::Error::new(error).context("failed to start"));
            return Exit::Error;
        }
    };
    runtime.block_on(run_to_end(&cli, &output))
}

/// Runs one command; what went wrong is said.
async fn run_to_end(cli: &Cli, output: &std::sync::Arc<Output>) -> Exit {
    let result = run(cli, output).await;
    output.hide();
    log_peak_memory();
    match result {
        Ok(exit) => exit,
        Err(error) => {
            output.error(&error);
            if matches!(cli.command, Command::Apply(_)) {
                // Whatever fails after the first write is told by the report of the apply, and is no error here.
                output.message("nothing was written");
            }
            Exit::Error
        }
    }
}

/// What is wrong with the arguments, told of them as they may be shown: a pipeline passes values on that others chose.
fn as_shown(error: clap::Error, arguments: impl Iterator<Item = OsString>) -> clap::Error {
    let given: Vec<String> = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    let shown: Vec<_> = given.iter().map(|argument| safe(argument)).collect();
    if shown.iter().zip(&given).all(|(shown, given)| shown == given) {
        return error;
    }
    let again = Cli::try_parse_from(shown.iter().map(AsRef::as_ref)).err();
    again.unwrap_or_else(|| Cli::command().error(error.kind(), "an argument holds characters that cannot be shown"))
}

/// Runs one command.
async fn run(cli: &Cli, output: &std::sync::Arc<Output>) -> anyhow::Result<Exit> {
    let Cli { command, global } = cli;
    if let Err(message) = applicable::check(cli).and_then(|()| own_files::check(command)) {
        output.message(&format!("error: {message}"));
        return Ok(Exit::Usage);
    }
    if !global.surroundings.is_given() {
        signals::outlive_file_size_limit()?;
    }
    let settings = &Settings::resolve(global);
    if needs_service(command) {
        settings.now()?;
        files::check_own(&global.cache, "--cache")?;
        files::check_own(&global.journal, "--journal")?;
        settings.exposed_files().iter().for_each(|warning| output.say(warning));
    }
    // Those two end in their own way.
    #[cfg(feature = "sandbox")]
    if let Command::Sandbox(command) = command {
        return commands::sandbox::run(command, global, output).await;
    }
    if let Command::Watch(args) = command {
        return commands::watch::run(args, global, output).await;
    }
    let interrupt = Interrupt::begin(global, output)?;
    interrupt.watch(global, run_command(command, settings, output, &interrupt)).await
}

/// Whether a command asks the service, and so depends on the clock, keeps things, and reads credentials.
fn needs_service(command: &Command) -> bool {
    match command {
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => false,
        Command::Resolve(args) => args.live || args.against.is_some(),
        Command::Diff(_)
        | Command::Validate(_)
        | Command::Test(_)
        | Command::Schema(_)
        | Command::Completions { .. }
        | Command::Man => false,
        Command::Plan(_)
        | Command::Apply(_)
        | Command::Undo(_)
        | Command::Snapshot(_)
        | Command::Drift(_)
        | Command::Watch(_)
        | Command::Import(_)
        | Command::Waf(_) => true,
    }
}

/// Runs a command that may be interrupted.
async fn run_command(
    command: &Command,
    settings: &Settings<'_>,
    output: &std::sync::Arc<Output>,
    interrupt: &Interrupt,
) -> anyhow::Result<Exit> {
    match command {
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => Ok(Exit::Usage),
        Command::Watch(_) => Ok(Exit::Usage),
        Command::Plan(args) => commands::plan::run(args, settings, output).await,
        Command::Apply(args) => commands::apply::run(args, settings, output, interrupt).await,
        Command::Resolve(args) => commands::resolve::run(args, settings, output).await,
        Command::Diff(args) => commands::diff::run(args, settings, output),
        Command::Undo(args) => commands::undo::run(args, settings, output, interrupt).await,
        Command::Snapshot(args) => commands::snapshot::run(args, settings, output).await,
        Command::Drift(args) => commands::drift::run(args, settings, output).await,
        Command::Import(args) => commands::import::run(args, settings, output).await,
        Command::Validate(args) => commands::validate::run(args, settings, output),
        Command::Test(args) => commands::test::run(args, settings, output),
        Command::Waf(command) => commands::waf::run(command, settings, output).await,
        Command::Schema(args) => commands::about::schema(args, output),
        Command::Completions { shell } => commands::about::completions(*shell, output),
        Command::Man => commands::about::man(output),
    }
}

/// The command line as clap knows it, for generated documentation.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Logs the most memory that was in use, in KiB, where the system tells (Linux).
fn log_peak_memory() {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    if let Some(peak) = peak {
        tracing::debug!(peak_memory_kib = %peak.trim(), "done");
    }
}

/// Logs requests to stderr if twice as much is wanted.
fn start_log(verbose: u8) {
    if verbose < 2 {
        return;
    }
    let filter = match verbose {
        2 => Targets::new().with_target(env!("CARGO_PKG_NAME"), LevelFilter::DEBUG),
        _ => Targets::new().with_target(env!("CARGO_PKG_NAME"), LevelFilter::TRACE).with_default(LevelFilter::DEBUG),
    };
    let log = fmt::layer().with_ansi(false).without_time().with_writer(output::Log::default);
    // A second subscriber cannot be set; the first one does.
    let _ = tracing_subscriber::registry().with(log).with(filter).try_init();
}
