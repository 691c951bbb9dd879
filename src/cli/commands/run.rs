//! Defines the trait of commands and their context.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::options_in_help::{self, Matters};
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Global;
use crate::cli::signals::Interrupt;

/// Context of a command.
pub(in crate::cli) struct Session<'a> {
    /// Flags, environment, policy and clock.
    pub(in crate::cli) settings: &'a Settings<'a>,
    /// Streams for results and messages.
    pub(in crate::cli) output: &'a Arc<Output>,
    /// Handler for requests to stop.
    pub(in crate::cli) interrupt: &'a Interrupt,
    /// Returns the whole command line, for completions and manual pages.
    pub(in crate::cli) program: fn() -> clap::Command,
}

/// A command. Its arguments are its fields, and the documentation of the type is its line in
/// `--help`.
pub(in crate::cli) trait Run {
    /// Global options that affect the command. Others that would change its result are refused.
    const MATTERS: Matters = Matters::ALL;

    /// Returns the global options that affect the command with these arguments.
    fn matters(&self) -> Matters {
        Self::MATTERS
    }

    /// Adds the help of the global options that affect the command.
    fn tailored(command: clap::Command) -> clap::Command {
        options_in_help::tailored(command, Self::MATTERS)
    }

    /// Returns the facts about the command that the program needs before running it.
    fn facts(&self) -> Facts<'_>;

    /// Returns the argument to fill in if the command needs a spec and none was given.
    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        None
    }

    /// Refuses a combination of arguments that clap cannot refuse.
    ///
    /// # Errors
    /// What to write instead.
    fn check(&self, _global: &Global) -> Result<(), String> {
        Ok(())
    }

    /// Runs the command.
    ///
    /// # Errors
    /// The command cannot complete. Differences that it finds are printed and returned as an exit
    /// code.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit>;
}

/// Facts about a command that the program needs before running it.
pub(in crate::cli) struct Facts<'a> {
    /// Name in messages.
    pub(in crate::cli) name: &'static str,
    /// True if the command connects to Cloudflare. Such a command depends on the clock, stores
    /// files, and reads credentials.
    pub(in crate::cli) is_online: bool,
    /// True if the command handles signals itself, without [`Interrupt`].
    pub(in crate::cli) is_signal_listener: bool,
    /// True if the command writes zones. Its errors then add that nothing was written.
    pub(in crate::cli) is_writer: bool,
    /// File arguments, with the kinds of files that they accept.
    pub(in crate::cli) files: Vec<(&'a Path, Takes)>,
}

impl Facts<'_> {
    /// Returns the facts of a command that asks Cloudflare about the zones of a spec.
    pub(in crate::cli) fn online(name: &'static str) -> Self {
        Self {
            name,
            is_online: true,
            is_signal_listener: false,
            is_writer: false,
            files: Vec::new(),
        }
    }

    /// Returns the facts of a command that needs no network.
    pub(in crate::cli) fn offline(name: &'static str) -> Self {
        Self { is_online: false, ..Self::online(name) }
    }
}
