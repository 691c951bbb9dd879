//! Lists the commands. Each has one file with its arguments, help and code, and one line in the
//! list below.

mod run;

use std::path::PathBuf;

use clap::Subcommand;
use futures_util::future::LocalBoxFuture;

use super::exit_codes::Exit;
use super::options_in_help::Matters;
use super::shared_arguments::Global;
pub(super) use help::after_help;
pub(super) use run::{Facts, Run, Session};

/// Returns the first of some words.
macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

/// Declares commands: their modules, the enum that clap parses, and the call of each. Commands of a
/// program with many of them stand below headings of its help.
macro_rules! commands {
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($heading:literal: $($(#[$meta:meta])* $command:ident($module:ident::$args:ident),)+)+
    }) => {
        commands! {
            $(#[$about])*
            $vis enum $name { $($($(#[$meta])* $command($module::$args),)+)+ }
        }

        impl $name {
            /// Headings of the help, each with the first command below it.
            pub(super) const HEADINGS: &[(&str, &str)] =
                &[$(($heading, first!($(stringify!($module)),+)),)+];
        }
    };
    ($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$meta:meta])* $command:ident($module:ident::$args:ident),)+ }) => {
        $($(#[$meta])* mod $module;)+

        $(#[$about])*
        #[derive(Debug, Subcommand)]
        $vis enum $name {
            $($(#[$meta])* $command(Box<$module::$args>),)+
        }

        impl Run for $name {
            fn tailored(command: clap::Command) -> clap::Command {
                $($(#[$meta])* let command = command.mut_subcommand(stringify!($module), <$module::$args as Run>::tailored);)+
                command
            }

            fn matters(&self) -> Matters {
                match self { $($(#[$meta])* Self::$command(command) => command.matters(),)+ }
            }

            fn facts(&self) -> Facts<'_> {
                match self { $($(#[$meta])* Self::$command(command) => command.facts(),)+ }
            }

            fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
                match self { $($(#[$meta])* Self::$command(command) => command.missing_spec(),)+ }
            }

            fn check(&self, global: &Global) -> Result<(), String> {
                match self { $($(#[$meta])* Self::$command(command) => command.check(global),)+ }
            }

            async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
                self.begin(session).await
            }
        }

        impl $name {
            /// Returns the run of a command in a box. A caller that polled the future directly
            /// would get a copy of its code and of everything that it awaits, which is half the
            /// program.
            #[inline(never)]
            fn begin<'a>(&'a self, session: &'a Session<'_>) -> LocalBoxFuture<'a, anyhow::Result<Exit>> {
                match self { $($(#[$meta])* Self::$command(command) => Box::pin(command.run(session)),)+ }
            }
        }
    };
}

commands! {
    /// What to do, in the order of `--help`.
    pub(super) enum Command {
        "Start":
        Init(init::InitArgs),
        Import(import::ImportArgs),
        Doctor(doctor::DoctorArgs),
        "Change":
        Validate(validate::ValidateArgs),
        Plan(plan::PlanArgs),
        Apply(apply::ApplyArgs),
        Undo(undo::UndoArgs),
        Pull(pull::PullArgs),
        Fmt(fmt::FmtArgs),
        "Watch":
        Drift(drift::DriftArgs),
        Watch(watch::WatchArgs),
        Snapshot(snapshot::SnapshotArgs),
        "Ask":
        Test(test::TestArgs),
        Resolve(resolve::ResolveArgs),
        Waf(waf::WafArgs),
        Diff(diff::DiffArgs),
        Show(show::ShowArgs),
        Explain(explain::ExplainArgs),
        #[cfg(feature = "sandbox")]
        Rehearse(rehearse::RehearseArgs),
        "Tools":
        Export(export::ExportArgs),
        #[cfg(feature = "sandbox")]
        Sandbox(sandbox::SandboxArgs),
        Conformance(conformance::ConformanceArgs),
        Schema(schema::SchemaArgs),
        Completions(completions::CompletionsArgs),
        Man(man::ManArgs),
        Help(help::HelpArgs),
    }
}
