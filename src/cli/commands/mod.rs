//! The commands. Each is one file, with its arguments, its help and what it does, and one line in the list below.

mod run;

use clap::Subcommand;

use super::args::Global;
use super::exit::Exit;
pub(super) use run::{Facts, Run, Session};

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
        Pull(pull::PullArgs),
        Snapshot(snapshot::SnapshotArgs),
        Doctor(doctor::DoctorArgs),
        Conformance(conformance::ConformanceArgs),
        Validate(validate::ValidateArgs),
        Fmt(fmt::FmtArgs),
        Test(test::TestArgs),
        #[cfg(feature = "sandbox")]
        Rehearse(rehearse::RehearseArgs),
        Import(import::ImportArgs),
        Export(export::ExportArgs),
        #[cfg(feature = "sandbox")]
        Sandbox(sandbox::SandboxArgs),
        Waf(waf::WafArgs),
        Schema(schema::SchemaArgs),
        Completions(completions::CompletionsArgs),
        Man(man::ManArgs),
    }
}
