//! Texts of the help: headings, the codes of consents, and the pages of `zonewright help` that are about no command.

use crate::model::Danger;

/// The heading of options about the output and the choice of zones.
pub(super) const GLOBAL: &str = "Global options";

/// The heading of options about the connection.
pub(super) const CONNECTION: &str = "Connection";

/// The help of `--allow`, with every code.
pub(super) fn allow() -> String {
    let codes = Danger::ALL.iter().filter(|danger| **danger != Danger::Delete);
    // In lines of their own: the help is wrapped without indentation, so that a column of texts would be broken.
    let codes: String = codes.map(|danger| format!("\n- {}:\n  {}", danger.code(), danger.consent())).collect();
    format!("Allow a danger by its code; repeatable, or separated by commas. The codes are:\n{codes}")
}

/// A page of `help` that is about no command.
pub(super) struct Topic {
    /// Its name.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) about: &'static str,
    /// Its text.
    pub(super) text: fn() -> String,
}

/// All of them.
pub(super) const TOPICS: [Topic; 3] = [
    Topic { name: "exit-codes", about: "what each exit code means", text: exit_codes },
    Topic { name: "consents", about: "the dangers, and how each is allowed", text: consents },
    Topic { name: "environment", about: "variables that the program reads", text: environment },
];

/// What is below the commands in the help of the program.
pub(super) fn after() -> String {
    let topics: String =
        TOPICS.iter().map(|topic| format!("\n  zonewright help {:<13} {}", topic.name, topic.about)).collect();
    format!(
        "\
Examples:
  zonewright init                              a first spec: of your zones, or an example
  zonewright plan                              what would change
  zonewright apply                             shows the plan, asks, applies, verifies
  zonewright drift --base HEAD                 what changed outside of the spec

More help:
  zonewright help COMMAND       all options of a command{topics}"
    )
}

/// Exit codes.
fn exit_codes() -> String {
    "\
Exit codes:
  0   done, or no difference
  1   error, nothing was written
  2   differences (drift, or what --drift-exit-code says; plan and waf diff with --detailed-exitcode, diff --exit-code, waf lock --check)
  3   a consent is missing (apply, undo, plan with --detailed-exitcode), or the confirmation was declined
  4   the zone is no longer as the plan saw it, nothing was written
  5   applied in part, the journal says what
  64  wrong usage
"
    .to_owned()
}

/// Consents.
fn consents() -> String {
    let flag = |danger: &Danger| match danger {
        Danger::Delete => "--allow-deletes N".to_owned(),
        danger => format!("--allow {}", danger.code()),
    };
    let longest = Danger::ALL.iter().map(|danger| flag(danger).len()).max().unwrap_or_default();
    let consents = Danger::ALL.iter().map(|danger| format!("  {:<longest$}  {}\n", flag(danger), danger.consent()));
    let consents: String = consents.collect();
    format!("Consents, each also possible in the spec (allow: {{ CODE: reason }}) and in the policy file:\n{consents}")
}

/// Variables.
fn environment() -> String {
    "\
Environment:
  CLOUDFLARE_API_TOKEN                        an API token, or
  CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY     the e-mail address of the account and its global key
  CLOUDFLARE_ACCOUNT_ID                       use the zones of this account only
  CLOUDFLARE_BASE_URL                         another base URL of the API
  ZONEWRIGHT_WEBHOOK                          URL to which drift and watch send their report
  Each can be given as NAME_FILE, the name of a file with the value.
  JOB_COMPLETION_INDEX                        used by --shard auto/N only
"
    .to_owned()
}
