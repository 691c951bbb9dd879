//! Which options of every command the help of one command shows.
//!
//! Each command takes every global option, so that a wrapper can pass them to whatever it runs. Its help shows those that matter
//! to it: `-h` the few that people type, `--help` all of them.

use clap::{Args, Command};

use super::shared_arguments::Global;

/// The global options that matter to a command, by what they are about.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Matters {
    /// Which zones it works on.
    pub(in crate::cli) zones: bool,
    /// How a spec is read.
    pub(in crate::cli) spec: bool,
    /// What the spec was before.
    pub(in crate::cli) base: bool,
    /// How results are shown.
    pub(in crate::cli) output: bool,
    /// The connection to Cloudflare or the sandbox.
    pub(in crate::cli) connection: bool,
}

impl Matters {
    /// All of them: for commands that compare a spec with Cloudflare.
    pub(in crate::cli) const ALL: Self = Self { zones: true, spec: true, base: true, output: true, connection: true };
    /// Those of commands that read a spec only.
    pub(in crate::cli) const SPEC: Self = Self { base: false, connection: false, ..Self::ALL };
    /// Those of commands that ask Cloudflare without a spec.
    pub(in crate::cli) const ONLINE: Self = Self { spec: false, base: false, ..Self::ALL };
    /// None of them.
    pub(in crate::cli) const NOTHING: Self =
        Self { zones: false, spec: false, base: false, output: false, connection: false };

    /// Whether an option is shown, and whether `-h` shows it as well; the others are about the connection.
    fn of(self, option: &str) -> (bool, bool) {
        match option {
            "zone" => (self.zones, true),
            "shard" => (self.zones && self.spec, false),
            "variables" => (self.spec, true),
            "policy" | "today" => (self.spec, false),
            "base" => (self.base, true),
            "format" | "quiet" | "verbose" => (self.output, true),
            "color" | "comment_marker" | "comment_limit" => (self.output, false),
            "sandbox" => (self.connection, true),
            _ => (self.connection, false),
        }
    }
}

/// A command with the help of the global options that matter to it; so for the commands below it that have none yet.
pub(super) fn tailored(command: Command, matters: Matters) -> Command {
    // What a command has already, clap does not add again.
    let has_options = command.get_arguments().any(|option| option.get_id() == "zone");
    let command = command.mut_subcommands(|below| tailored(below, matters));
    if has_options {
        return command;
    }
    let all = Global::augment_args(Command::new("options"));
    command.args(all.get_arguments().cloned().map(|option| {
        let (is_shown, is_short) = matters.of(option.get_id().as_str());
        option.hide(!is_shown).hide_short_help(!is_short)
    }))
}

/// The whole program without the help of global options, which is that of its commands.
pub(super) fn short(program: Command) -> Command {
    program.mut_args(|option| {
        let is_global = option.is_global_set();
        option.hide(is_global)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::shared_arguments::CONNECTION;

    #[test]
    fn every_global_option_is_placed() {
        let all = Global::augment_args(Command::new("options"));
        for option in all.get_arguments() {
            let only = Matters { connection: true, ..Matters::NOTHING };
            let of_connection = only.of(option.get_id().as_str()).0;
            let heading = option.get_help_heading().unwrap_or_default();
            assert_eq!(of_connection, heading == CONNECTION, "{} is below {heading}", option.get_id());
            assert!(Matters::ALL.of(option.get_id().as_str()).0 && option.is_global_set());
        }
    }
}
