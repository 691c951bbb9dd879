//! What a command provides, and what it is run with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::options_in_help::{self, Matters};
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Global;
use crate::cli::signals::Interrupt;
use crate::render::Document;

/// What a command is run with.
pub(in crate::cli) struct Session<'a> {
    /// Flags, environment, policy and clock.
    pub(in crate::cli) settings: &'a Settings<'a>,
    /// Where results and messages go.
    pub(in crate::cli) output: &'a Arc<Output>,
    /// The wish to stop.
    pub(in crate::cli) interrupt: &'a Interrupt,
    /// The whole command line as clap knows it, for completions and manual pages.
    pub(in crate::cli) program: fn() -> clap::Command,
}

/// A command, whose arguments are its fields. The documentation of the type is its line in
/// `--help`.
pub(in crate::cli) trait Run {
    /// The global options that matter to it; others that decide what is done are refused.
    const MATTERS: Matters = Matters::ALL;

    /// The global options that matter to it with these arguments.
    fn matters(&self) -> Matters {
        Self::MATTERS
    }

    /// The command as clap knows it, with the help of the global options that matter.
    fn tailored(command: clap::Command) -> clap::Command {
        options_in_help::tailored(command, Self::MATTERS)
    }

    /// What the program must know before it runs the command.
    fn facts(&self) -> Facts<'_>;

    /// Where the spec goes that the command needs and was not given.
    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        None
    }

    /// Refuses a combination of arguments that clap cannot know.
    ///
    /// # Errors
    /// What to write instead.
    fn check(&self, _global: &Global) -> Result<(), String> {
        Ok(())
    }

    /// Does it.
    ///
    /// # Errors
    /// What made it impossible. What the command found is printed, and is an exit code.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit>;
}

/// What the program must know of a command before it runs.
pub(in crate::cli) struct Facts<'a> {
    /// Its name in messages.
    pub(in crate::cli) name: &'static str,
    /// Whether it has an output format other than text and JSON.
    pub(in crate::cli) has_document: fn(&Document) -> bool,
    /// Whether it asks Cloudflare, and so depends on the clock, keeps files, and reads credentials.
    pub(in crate::cli) is_online: bool,
    /// Whether it listens to signals by itself; otherwise [`Interrupt`] does.
    pub(in crate::cli) is_signal_listener: bool,
    /// Whether it writes zones: an error then adds that nothing was written.
    pub(in crate::cli) is_writer: bool,
    /// The files that it is given, and what they may be.
    pub(in crate::cli) files: Vec<(&'a Path, Takes)>,
}

impl Facts<'_> {
    /// A command that asks Cloudflare about the zones of a spec; its results are text or JSON.
    pub(in crate::cli) fn online(name: &'static str) -> Self {
        Self {
            name,
            has_document: |_| false,
            is_online: true,
            is_signal_listener: false,
            is_writer: false,
            files: Vec::new(),
        }
    }

    /// A command that needs no network, whose results are text or JSON.
    pub(in crate::cli) fn offline(name: &'static str) -> Self {
        Self { is_online: false, ..Self::online(name) }
    }
}
