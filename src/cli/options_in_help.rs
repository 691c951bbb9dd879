//! Decides which global options the help of a command shows. Options that would change the result
//! and that the command ignores are refused.
//!
//! Each command accepts the options about the output and the connection, and the day, so that a
//! wrapper can pass them to every command: they do not change the result of a command that ignores
//! them. `-h` shows the few options that people type, `--help` all options that have an effect, and
//! `help connection` those about the connection.

use clap::{Arg, Args, Command};

use super::shared_arguments::{CONNECTION, Format, Global};

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
    /// options are those of `help connection`.
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
            "base_url" => (self.connection, false),
            _ => (false, false),
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
pub(super) fn hide_global_options(program: Command) -> Command {
    program.mut_args(|option| {
        let is_global = option.is_global_set();
        option.hide(is_global)
    })
}

/// Names the formats of a command and of its subcommands in their help, and hides the options of
/// formats that it does not have.
pub(super) fn with_formats(command: Command, name: &str) -> Command {
    let formats: Vec<_> = Format::of(name).map(Format::keyword).collect();
    let has_comments = formats.contains(&"markdown");
    let formats = format!("Output format: {}", formats.join(", "));
    let command = command.mut_args(|option| match option.get_id().as_str() {
        "format" => option.help(formats.clone()).hide_possible_values(true),
        "comment_marker" | "comment_limit" if !has_comments => option.hide(true),
        _ => option,
    });
    command.mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        with_formats(below, name.trim_start())
    })
}

/// Shows every option in the help, in the layout of `-h`: the long layout of clap gives each option
/// three lines or more.
pub(super) fn complete(command: Command) -> Command {
    let command = match command.get_long_about().cloned() {
        Some(about) => command.about(about).long_about(None),
        None => command,
    };
    command.mut_args(complete_option).mut_subcommands(complete)
}

/// Shows an option, with the meaning of its values, in the layout of `-h`.
fn complete_option(option: Arg) -> Arg {
    let option = match option.get_long_help().cloned() {
        Some(help) => option.help(help).long_help(None),
        None => option,
    };
    let option = option.hide_short_help(false);
    let values = option.get_possible_values();
    if option.is_hide_possible_values_set() || values.iter().all(|value| value.get_help().is_none())
    {
        return option;
    }
    let described = values
        .iter()
        .map(|value| (value.get_name(), value.get_help().map(ToString::to_string)))
        .map(|(name, about)| format!("\n- {name}: {}", about.unwrap_or_default()));
    let about = option.get_help().map(ToString::to_string).unwrap_or_default();
    let help = format!("{about}{}", described.collect::<String>());
    option.help(help).hide_possible_values(true)
}

/// Returns the page about options of the connection.
pub(super) fn about_connection() -> String {
    let global_options = Global::augment_args(Command::new("options"));
    let of_connection = global_options
        .get_arguments()
        .filter(|option| option.get_help_heading() == Some(CONNECTION))
        .map(|option| option.clone().help_heading(None));
    let page = Command::new("options").disable_help_flag(true).args(of_connection);
    let options = page.help_template("{options}").render_help();
    format!("Options of every command that connects to Cloudflare:\n{options}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_global_option_is_placed() {
        let all = Global::augment_args(Command::new("options"));
        let page = about_connection();
        for option in all.get_arguments() {
            let only = Matters { connection: true, ..Matters::NOTHING };
            let id = option.get_id().as_str();
            let is_of_connection = option.get_help_heading() == Some(CONNECTION);
            assert!(is_of_connection || !only.of(id).0, "{id}");
            let flag = format!("--{}", option.get_long().unwrap());
            let is_listed =
                page.split(|c: char| c.is_whitespace() || c == '[').any(|word| word == flag);
            assert_eq!(is_listed, is_of_connection, "{flag}: {page}");
            assert!(option.is_global_set() && (is_of_connection || Matters::ALL.of(id).0), "{id}");
        }
    }
}
