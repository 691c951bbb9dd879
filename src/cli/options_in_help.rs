//! Decides which global options the help of a command shows. Options that would change the result
//! and that the command ignores are refused.
//!
//! Each command accepts the options about the output and the connection, and the day, so that a
//! wrapper can pass them to every command: they do not change the result of a command that ignores
//! them. `-h` shows the few options that people type, `--help` all options that have an effect.

use clap::{Args, Command};

use super::shared_arguments::Global;

/// Groups of global options that a command reads.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Matters {
    /// Selection of zones.
    pub(in crate::cli) zones: bool,
    /// Selection of a part of the zones by number.
    pub(in crate::cli) shards: bool,
    /// Values of variables.
    pub(in crate::cli) variables: bool,
    /// Consents, limits and accepted lints of the policy.
    pub(in crate::cli) policy: bool,
    /// Day by which expiry is judged.
    pub(in crate::cli) today: bool,
    /// Previous spec.
    pub(in crate::cli) base: bool,
    /// Format of results.
    pub(in crate::cli) output: bool,
    /// Connection to Cloudflare or the sandbox.
    pub(in crate::cli) connection: bool,
}

impl Matters {
    /// All groups, for commands that compare a spec with Cloudflare.
    pub(in crate::cli) const ALL: Self = Self {
        zones: true,
        shards: true,
        variables: true,
        policy: true,
        today: true,
        base: true,
        output: true,
        connection: true,
    };
    /// Groups for commands that only read a spec.
    pub(in crate::cli) const SPEC: Self = Self { base: false, connection: false, ..Self::ALL };
    /// Groups for commands that read Cloudflare without a spec.
    pub(in crate::cli) const ONLINE: Self =
        Self { zones: true, output: true, connection: true, ..Self::NOTHING };
    /// No groups.
    pub(in crate::cli) const NOTHING: Self = Self {
        zones: false,
        shards: false,
        variables: false,
        policy: false,
        today: false,
        base: false,
        output: false,
        connection: false,
    };

    /// Refuses an option that would change the result and that the command ignores.
    ///
    /// # Errors
    /// The option to leave out.
    pub(in crate::cli) fn check(self, command: &str, global: &Global) -> Result<(), String> {
        let options = [
            ("zone", self.zones, !global.zone.is_empty()),
            ("shard", self.shards, global.shard.is_some()),
            ("var", self.variables, !global.variables.is_empty()),
            ("policy", self.policy, global.policy.is_some()),
            ("base", self.base, global.base.is_some()),
        ];
        match options.iter().find(|(_, is_read, is_given)| *is_given && !is_read) {
            Some((option, ..)) => {
                Err(format!("`{command}` has no --{option}, which would have no effect; remove it"))
            }
            None => Ok(()),
        }
    }

    /// Returns whether the help shows an option, and whether `-h` shows it as well. Unlisted
    /// options are about the connection.
    fn of(self, option: &str) -> (bool, bool) {
        match option {
            "zone" => (self.zones, true),
            "shard" => (self.shards, false),
            "variables" => (self.variables, true),
            "policy" => (self.policy, false),
            "today" => (self.today, false),
            "base" => (self.base, true),
            "format" | "quiet" | "verbose" => (self.output, true),
            "color" | "comment_marker" | "comment_limit" => (self.output, false),
            "sandbox" => (self.connection, true),
            _ => (self.connection, false),
        }
    }
}

/// Sets the help of global options for a command, and for its subcommands that have none yet.
pub(super) fn tailored(command: Command, matters: Matters) -> Command {
    // clap does not add an option that a command already has.
    let has_options = command.get_arguments().any(|option| option.get_id() == "zone");
    let command = command.mut_subcommands(|below| tailored(below, matters));
    if has_options {
        return command;
    }
    let global_options = Global::augment_args(Command::new("options"));
    command.args(global_options.get_arguments().cloned().map(|option| {
        let (is_shown, is_short) = matters.of(option.get_id().as_str());
        option.hide(!is_shown).hide_short_help(!is_short)
    }))
}

/// Hides the global options from the help of the program; each command shows its own.
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
            assert_eq!(
                of_connection,
                heading == CONNECTION,
                "{} is below {heading}",
                option.get_id()
            );
            assert!(Matters::ALL.of(option.get_id().as_str()).0 && option.is_global_set());
        }
    }
}
