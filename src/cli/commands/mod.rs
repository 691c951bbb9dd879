//! The commands. Each is one file, with its arguments, its help and what it does, and one line in the list below.

use std::path::Path;
use std::sync::Arc;

use clap::Subcommand;

use super::args::{Format, Global};
use super::exit::Exit;
use super::output::Output;
use super::own_files::Takes;
use super::settings::Settings;
use super::signals::Interrupt;

/// What a command is run with.
pub(super) struct Session<'a> {
    /// Flags, environment, policy and clock.
    pub(super) settings: &'a Settings<'a>,
    /// Where results and messages go.
    pub(super) output: &'a Arc<Output>,
    /// The wish to stop.
    pub(super) interrupt: &'a Interrupt,
}

/// A command, whose arguments are its fields. The documentation of the type is its line in `--help`.
pub(super) trait Run {
    /// What the program must know before it runs the command.
    fn facts(&self) -> Facts<'_>;

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
pub(super) struct Facts<'a> {
    /// Its name in messages.
    pub(super) name: &'static str,
    /// The output formats that it has.
    pub(super) formats: &'static [Format],
    /// Whether it asks Cloudflare, and so depends on the clock, keeps files, and reads credentials.
    pub(super) is_online: bool,
    /// Whether `--shard` selects a part of its zones.
    pub(super) has_shards: bool,
    /// Whether it listens to signals by itself; otherwise [`Interrupt`] does.
    pub(super) is_signal_listener: bool,
    /// Whether it writes zones: an error then adds that nothing was written.
    pub(super) is_writer: bool,
    /// The files that it is given, and what they may be.
    pub(super) files: Vec<(&'a Path, Takes)>,
}

impl Facts<'_> {
    /// A command that asks Cloudflare about the zones of a spec; its results are text or JSON.
    pub(super) fn online(name: &'static str) -> Self {
        Self {
            name,
            formats: &[Format::Text, Format::Json],
            is_online: true,
            has_shards: true,
            is_signal_listener: false,
            is_writer: false,
            files: Vec::new(),
        }
    }

    /// A command that needs no network, whose results are text or JSON.
    pub(super) fn offline(name: &'static str) -> Self {
        Self { is_online: false, has_shards: false, ..Self::online(name) }
    }
}

/// Declares commands: their modules, the enum that clap reads them into, and that each is run.
macro_rules! commands {
    ($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$meta:meta])* $command:ident($module:ident::$args:ident),)+ }) => {
        $($(#[$meta])* mod $module;)+

        $(#[$about])*
        #[derive(Debug, Subcommand)]
        $vis enum $name {
            $($(#[$meta])* $command(Box<$module::$args>),)+
        }

        impl Run for $name {
            fn facts(&self) -> Facts<'_> {
                match self { $($(#[$meta])* Self::$command(command) => command.facts(),)+ }
            }

            fn check(&self, global: &Global) -> Result<(), String> {
                match self { $($(#[$meta])* Self::$command(command) => command.check(global),)+ }
            }

            async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
                match self { $($(#[$meta])* Self::$command(command) => command.run(session).await,)+ }
            }
        }
    };
}

commands! {
    /// What to do, in the order of `--help`.
    pub(super) enum Command {
        Plan(plan::PlanArgs),
        Apply(apply::ApplyArgs),
        Undo(undo::UndoArgs),
        Resolve(resolve::ResolveArgs),
        Diff(diff::DiffArgs),
        Drift(drift::DriftArgs),
        Watch(watch::WatchArgs),
        Snapshot(snapshot::SnapshotArgs),
        Validate(validate::ValidateArgs),
        Test(test::TestArgs),
        Import(import::ImportArgs),
        #[cfg(feature = "sandbox")]
        Sandbox(sandbox::SandboxArgs),
        Waf(waf::WafArgs),
        Schema(schema::SchemaArgs),
        Completions(completions::CompletionsArgs),
        Man(man::ManArgs),
    }
}
