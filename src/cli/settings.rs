//! Resolves flags, environment, clock and policy for one run. No other module reads the
//! environment.
//!
//! The clock is read once, so that midnight cannot split a run. Settings that can fail are resolved
//! where a command first needs them, so that a command without a connection needs no credentials.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use secrecy::SecretString;

use super::exit_codes::Ended;
use super::policy::{accepted_lints, policy};
use super::shared_arguments::{ConsentArgs, Global};
use crate::api::Credentials;
use crate::diagnostic::{count, read_text};
use crate::live::snapshot::Snapshot;
use crate::model::time::{day, rfc3339};
use crate::model::{Danger, Gather};
use crate::plan::Consents;
use crate::reconcile::{BaseOptions, Selection};
use crate::spec::{self, GitEnvironment};
use crate::{api, reconcile};

/// Settings of a run.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    /// Flags of every command.
    pub(super) flags: &'a Global,
    /// Time at which the run began.
    moment: SystemTime,
}

/// Plausible times of a machine with this version: from 2026-01-01, which is before the version was
/// made, to the end of 9999.
///
/// # Units
/// Seconds since 1970-01-01.
const POSSIBLE: std::ops::Range<u64> = 1_767_225_600..253_402_300_800;

/// Variables for proxies that the HTTP library reads.
const PROXY_NAMES: [&str; 6] =
    ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];

/// Destination of a connection.
#[derive(Debug)]
pub(super) enum Connection<'a> {
    /// The embedded sandbox, with the directory of its state.
    Sandbox(&'a Path),
    /// Cloudflare, or another server with its API.
    Remote {
        /// Base URL of the API.
        base_url: String,
        /// Credentials for the API.
        credentials: Credentials,
        /// Account whose zones are looked up.
        account: Option<String>,
    },
}

impl<'a> Settings<'a> {
    /// Creates the settings and reads the clock.
    pub(super) fn resolve(flags: &'a Global) -> Self {
        Self { flags, moment: flags.surroundings.clock()() }
    }

    /// Returns the time of the run, by which everything in it is judged.
    ///
    /// # Errors
    /// The clock is wrong: certificates, expiry dates and the age of saved plans would be
    /// misjudged.
    pub(super) fn now(&self) -> anyhow::Result<SystemTime> {
        let since = self.moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        if POSSIBLE.contains(&since.as_secs()) {
            return Ok(self.moment);
        }
        let wrong = if since.as_secs() < POSSIBLE.start { "in the past" } else { "in the future" };
        bail!(
            "the clock of this machine is far {wrong}: it says {}. Set it: certificates, expiry \
            dates and the age of saved plans \
             depend on it",
            rfc3339(self.moment)
        )
    }

    /// Returns the day for expiry dates as `YYYY-MM-DD`.
    ///
    /// # Errors
    /// No day is given, and the clock is wrong.
    pub(super) fn today(&self) -> anyhow::Result<String> {
        match &self.flags.today {
            Some(day) => Ok(day.clone()),
            None => Ok(day(self.now()?)),
        }
    }

    /// Returns the options for reading specs.
    ///
    /// # Errors
    /// As [`Self::today`], or the policy file cannot be read.
    pub(super) fn spec_options(&self) -> anyhow::Result<spec::Options> {
        Ok(spec::Options {
            variables: self.flags.variables.clone(),
            may_leave_variables: false,
            accepted_lints: accepted_lints(self.flags)?,
            today: Some(self.today()?),
            ..spec::Options::default()
        })
    }

    /// Returns the environment for git.
    ///
    /// Its search path excludes relative directories, so that git never runs a program of the
    /// working directory.
    pub(super) fn git_environment(&self) -> GitEnvironment {
        GitEnvironment::of(|name| {
            let value = raw_variable(self.flags, name)?;
            if name == "PATH" { absolute_only(&value) } else { Some(value) }
        })
    }

    /// Returns the values of Terraform's variables in the environment: `TF_VAR_NAME`.
    pub(super) fn terraform_variables(&self) -> BTreeMap<String, String> {
        let variables: Vec<(OsString, OsString)> = match self.flags.surroundings.environment() {
            Some(given) => given.iter().map(|(name, value)| (name.into(), value.clone())).collect(),
            None => std::env::vars_os().collect(),
        };
        let variable = |(name, value): (OsString, OsString)| {
            let name = name.into_string().ok()?.strip_prefix("TF_VAR_")?.to_owned();
            Some((name, value.into_string().ok()?))
        };
        variables.into_iter().filter_map(variable).gather()
    }

    /// Returns the options for reading previous versions of the spec.
    ///
    /// # Errors
    /// As [`Settings::today`].
    pub(super) fn base_options(&self) -> anyhow::Result<BaseOptions> {
        let variables = self.flags.variables.clone();
        Ok(BaseOptions { variables, today: self.today()?, git: self.git_environment() })
    }

    /// Returns the selection of zones.
    ///
    /// # Errors
    /// The index of the job is needed and missing or invalid.
    pub(super) fn selection(&self) -> anyhow::Result<Selection> {
        let number =
            |name: &str| raw_variable(self.flags, name).and_then(|index| index.into_string().ok());
        let shard = self.flags.shard.map(|shard| shard.resolve(number)).transpose()?;
        Ok(Selection { zones: self.flags.zone.clone(), shard })
    }

    /// Returns the options for reading zones and sending changes, except for those of the
    /// connection.
    pub(super) fn options(&self) -> reconcile::Options {
        let mut options = reconcile::Options::default();
        options.read.page_size = self.flags.page_size;
        options.read.concurrency = usize::from(self.flags.concurrency);
        options.batch_size = self.flags.batch_size.and_then(|n| usize::try_from(n).ok());
        options
    }

    /// Returns the options for reading a snapshot, with the account that it was taken from.
    pub(super) fn options_for(&self, snapshot: &Snapshot) -> reconcile::Options {
        let mut options = self.options();
        options.read.account.clone_from(&snapshot.about().account);
        options
    }

    /// Returns the destination of the connection.
    ///
    /// # Errors
    /// There are no usable credentials, or a file that the environment names cannot be read.
    pub(super) fn connection(&self) -> anyhow::Result<Connection<'a>> {
        if let Some(directory) = &self.flags.sandbox {
            return Ok(Connection::Sandbox(directory));
        }
        self.check_proxies()?;
        let credentials = self.credentials()?;
        let base_url = base_url(self.flags)?;
        Ok(Connection::Remote { base_url, credentials, account: account(self.flags)? })
    }

    /// Returns the webhook for reports that the flag or the environment names.
    ///
    /// # Errors
    /// The file cannot be read, or a proxy that the environment names cannot be used.
    pub(super) fn webhook(
        &self,
        flag: Option<&SecretString>,
    ) -> anyhow::Result<Option<SecretString>> {
        let url = match flag {
            Some(url) => Some(url.clone()),
            None => variable(self.flags, "ZONEWRIGHT_WEBHOOK")?.map(SecretString::from),
        };
        if url.is_some() {
            self.check_proxies()?;
        }
        Ok(url)
    }

    /// Refuses a proxy variable that the HTTP library would ignore, because requests would bypass
    /// the proxy.
    ///
    /// # Errors
    /// There is such a variable. The error hides its value, which may contain a password.
    fn check_proxies(&self) -> anyhow::Result<()> {
        for name in PROXY_NAMES {
            let Some(value) = raw_variable(self.flags, name).filter(|value| !value.is_empty())
            else {
                continue;
            };
            if !value.to_str().is_some_and(api::is_proxy_address) {
                bail!(
                    "{name} is not the address of a proxy: expected http://HOST:PORT, https://… or \
                    socks5://…, found {}; \
                     correct or unset it",
                    count(value.to_string_lossy().chars().count(), "character")
                );
            }
        }
        Ok(())
    }

    /// Returns the consents of the command line and of the policy file.
    ///
    /// # Errors
    /// A code does not exist, or the policy file cannot be read.
    pub(super) fn consents(&self, args: &ConsentArgs) -> anyhow::Result<Consents> {
        let policy = policy(self.flags)?;
        let mut consents = Consents { deletes: args.allow_deletes, policy, ..Consents::default() };
        for code in args.allow.iter().map(|c| c.trim()).filter(|c| !c.is_empty()) {
            match Danger::by_code(code) {
                Some(danger) => {
                    consents.dangers.insert(danger);
                }
                None if code == Danger::Delete.code() => {
                    return Err(Ended::usage(
                        "deletes are allowed by their exact number: --allow-deletes N",
                    ));
                }
                None => return Err(Ended::usage(Danger::unknown(code))),
            }
        }
        Ok(consents)
    }
}

/// Returns the account whose zones are looked up.
///
/// # Errors
/// The file cannot be read, or the value is not an account id. The error hides the value, which may
/// be a misplaced token.
fn account(global: &Global) -> anyhow::Result<Option<String>> {
    let Some(id) = variable(global, "CLOUDFLARE_ACCOUNT_ID")? else { return Ok(None) };
    if id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(Some(id.to_ascii_lowercase()));
    }
    bail!(
        "CLOUDFLARE_ACCOUNT_ID is not an account id: expected 32 hexadecimal digits, found {}; \
        copy the id from the overview \
         page of a zone in the dashboard, or unset the variable to use every account of the \
         credentials",
        count(id.chars().count(), "character")
    )
}

/// Returns the base URL of the API.
///
/// # Errors
/// The file cannot be read.
fn base_url(global: &Global) -> anyhow::Result<String> {
    Ok(match &global.base_url {
        Some(url) => url.clone(),
        None => variable(global, "CLOUDFLARE_BASE_URL")?
            .unwrap_or_else(|| api::Settings::BASE_URL.to_owned()),
    })
}

/// Returns a variable, or the content of the file that `NAME_FILE` names. An empty variable counts
/// as unset.
pub(super) fn variable(global: &Global, name: &str) -> anyhow::Result<Option<String>> {
    let filled = |text: String| Some(text.trim().to_owned()).filter(|t| !t.is_empty());
    let direct = match raw_variable(global, name).map(OsString::into_string) {
        Some(Ok(text)) => filled(text),
        None => None,
        Some(Err(_)) => bail!("{name} is not UTF-8 text: set it again, or use {name}_FILE"),
    };
    let file_name = format!("{name}_FILE");
    let Some(path) = raw_variable(global, &file_name).filter(|p| !p.is_empty()).map(PathBuf::from)
    else {
        return Ok(direct);
    };
    if direct.is_some() {
        bail!("both {name} and {file_name} are set; set one");
    }
    // The path is hidden: a user who confuses the two variables has written the secret into it.
    let text = read_variable_file(&path).with_context(|| {
        format!(
            "failed to read the file that {file_name} names (a name of {}); {file_name} takes the \
            path of a file with the value, \
             and {name} takes the value itself",
            count(path.to_string_lossy().chars().count(), "character")
        )
    })?;
    match filled(text) {
        Some(text) => Ok(Some(text)),
        None => bail!(
            "the file that {file_name} names is empty: write the value into it, or unset \
            {file_name}"
        ),
    }
}

/// Maximum size of a file that a variable `…_FILE` names, in bytes.
const LARGEST_VALUE: u64 = 64 * 1024;

/// Reads a file that a variable names. It may be a pipe, such as `/dev/fd/63`.
fn read_variable_file(path: &Path) -> io::Result<String> {
    read_text(fs::File::open(path)?, LARGEST_VALUE)
}

/// Returns a variable unchanged, from the embedding program or the process.
pub(super) fn raw_variable(global: &Global, name: &str) -> Option<OsString> {
    match global.surroundings.environment() {
        Some(given) => given.get(name).cloned(),
        None => std::env::var_os(name),
    }
}

/// Returns the absolute directories of a search path, if there are any.
fn absolute_only(path: &OsStr) -> Option<OsString> {
    let places: Vec<_> = std::env::split_paths(path).filter(|place| place.is_absolute()).collect();
    if places.is_empty() { None } else { std::env::join_paths(places).ok() }
}
