//! Flags and environment, resolved. The only place that reads the environment.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use secrecy::SecretString;

use super::args::{ConsentArgs, Global};
use super::files::is_below;
use super::shard::Shard;
use crate::api::{Credentials, Settings};
use crate::model::Danger;
use crate::model::time::rfc3339;
use crate::plan::{Consents, Policy, PolicyEntry};
use crate::spec::{Allowed, PolicyFile, read_policy};

/// The account to look zones up in.
///
/// # Errors
/// The file named cannot be read.
pub(super) fn account(global: &Global) -> anyhow::Result<Option<String>> {
    variable(global, "CLOUDFLARE_ACCOUNT_ID")
}

/// Moments that the clock of a machine with this version can show: from 2026-01-01, before it was made, to the end of 9999.
///
/// # Units
/// Seconds since 1970-01-01.
const POSSIBLE: std::ops::Range<u64> = 1_767_225_600..253_402_300_800;

/// The time.
///
/// # Errors
/// The clock cannot be right: certificates, expiry dates and the age of saved plans would be judged wrongly.
pub(super) fn now(global: &Global) -> anyhow::Result<SystemTime> {
    let now = global.surroundings.clock()();
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    if POSSIBLE.contains(&since.as_secs()) {
        return Ok(now);
    }
    let wrong = if since.as_secs() < POSSIBLE.start { "in the past" } else { "in the future" };
    bail!(
        "the clock of this machine is far {wrong}: it says {}. Set it: certificates, expiry dates and the age of saved plans \
         depend on it",
        rfc3339(now)
    )
}

/// The day by which it is judged what has expired.
///
/// # Errors
/// No day is given, and the clock cannot be right.
pub(super) fn today(global: &Global) -> anyhow::Result<String> {
    match &global.today {
        Some(day) => Ok(day.clone()),
        None => Ok(rfc3339(now(global)?).chars().take("YYYY-MM-DD".len()).collect()),
    }
}

/// The part of the zones to work on.
///
/// `JOB_COMPLETION_INDEX`, which Kubernetes sets in the pods of an Indexed Job, is the only variable that is read besides our
/// own, and only where `--shard auto/N` asks for it.
///
/// # Errors
/// The job's index is needed and cannot be used.
pub(super) fn shard(global: &Global) -> anyhow::Result<Option<Shard>> {
    let index = raw(global, "JOB_COMPLETION_INDEX").and_then(|index| index.into_string().ok());
    global.shard.map(|shard| shard.resolve(index.as_deref())).transpose()
}

/// Address of the API.
///
/// # Errors
/// The file named cannot be read.
pub(super) fn base_url(global: &Global) -> anyhow::Result<String> {
    Ok(match &global.base_url {
        Some(url) => url.clone(),
        None => variable(global, "CLOUDFLARE_BASE_URL")?.unwrap_or_else(|| Settings::BASE_URL.to_owned()),
    })
}

/// Who we are to the API.
///
/// # Errors
/// None given, half of a pair given, or a file that cannot be read.
pub(super) fn credentials(global: &Global) -> anyhow::Result<Credentials> {
    let secret = |name| anyhow::Ok(variable(global, name)?.map(SecretString::from));
    let token = secret("CLOUDFLARE_API_TOKEN")?;
    let (email, key) = (secret("CLOUDFLARE_EMAIL")?, secret("CLOUDFLARE_API_KEY")?);
    Ok(match (token, email, key) {
        (Some(token), Some(email), Some(key)) if global.key_fallback => Credentials::TokenThenKey { token, email, key },
        (Some(token), _, _) if !global.key_fallback => Credentials::Token(token),
        (Some(_), _, _) => bail!("--key-fallback needs CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY beside the token"),
        (None, Some(email), Some(key)) => Credentials::Key { email, key },
        (None, Some(_), None) => bail!("CLOUDFLARE_EMAIL is set without CLOUDFLARE_API_KEY"),
        (None, None, Some(_)) => bail!("CLOUDFLARE_API_KEY is set without CLOUDFLARE_EMAIL"),
        (None, None, None) => bail!(
            "no credentials: set CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY), \
             or rehearse on the embedded service with --sandbox"
        ),
    })
}

/// Where reports are sent: by the flag, or by the environment.
///
/// # Errors
/// The file named cannot be read.
pub(super) fn webhook(flag: Option<&SecretString>, global: &Global) -> anyhow::Result<Option<SecretString>> {
    match flag {
        Some(url) => Ok(Some(url.clone())),
        None => Ok(variable(global, "ZONEWRIGHT_WEBHOOK")?.map(SecretString::from)),
    }
}

/// A variable, or the content of the file that `NAME_FILE` names. Empty counts as unset.
fn variable(global: &Global, name: &str) -> anyhow::Result<Option<String>> {
    let filled = |text: String| Some(text.trim().to_owned()).filter(|t| !t.is_empty());
    let direct = match raw(global, name).map(OsString::into_string) {
        Some(Ok(text)) => filled(text),
        None => None,
        Some(Err(_)) => bail!("{name} is not valid text"),
    };
    let file_name = format!("{name}_FILE");
    let Some(path) = raw(global, &file_name).filter(|p| !p.is_empty()).map(PathBuf::from) else {
        return Ok(direct);
    };
    if direct.is_some() {
        bail!("both {name} and {file_name} are set; set one");
    }
    let text = read_value(&path).with_context(|| format!("failed to read {}, named by {file_name}", path.display()))?;
    match filled(text) {
        Some(text) => Ok(Some(text)),
        None => bail!("{}, named by {file_name}, is empty", path.display()),
    }
}

/// Largest file that a variable `…_FILE` may name, in bytes.
const LARGEST_VALUE: u64 = 64 * 1024;

/// The text of a file that a variable names; it may be a pipe, such as `/dev/fd/63`.
fn read_value(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST_VALUE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST_VALUE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {LARGEST_VALUE} bytes")));
    }
    Ok(text)
}

/// Variables that hold a secret, or say where one is sent; each may name a file.
const SENSITIVE: [&str; 4] =
    ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CLOUDFLARE_BASE_URL", "ZONEWRIGHT_WEBHOOK"];

/// Warnings of files named by `…_FILE` that other users can read or write. That their group can read them is no finding: that
/// is how secrets are given to a container.
pub(super) fn exposed_files(global: &Global) -> Vec<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let exposed = |name: &str| {
            let variable = format!("{name}_FILE");
            let path = PathBuf::from(raw(global, &variable).filter(|path| !path.is_empty())?);
            let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            let mode = metadata.permissions().mode() & 0o777;
            let what = match mode {
                mode if mode & 0o022 != 0 => "written",
                mode if mode & 0o004 != 0 => "read",
                _ => return None,
            };
            let path = path.display();
            Some(format!(
                "warning: {path}, named by {variable}, can be {what} by other users (mode {mode:04o}); run chmod 600 {path}"
            ))
        };
        SENSITIVE.into_iter().filter_map(exposed).collect()
    }
    #[cfg(not(unix))]
    {
        let _ = (global, SENSITIVE);
        Vec::new()
    }
}

/// A variable as it is: of the surroundings that are given, or of the process.
fn raw(global: &Global, name: &str) -> Option<OsString> {
    match global.surroundings.environment() {
        Some(given) => given.get(name).cloned(),
        None => std::env::var_os(name),
    }
}

/// The policy that is read where none is named, if it is there.
const POLICY: &str = ".zonewright-policy.yaml";

/// Permissions given on the command line and in the policy file.
///
/// The inner error is a code that does not exist, with those that do.
///
/// # Errors
/// The policy file cannot be read.
pub(super) fn consents(args: &ConsentArgs, global: &Global) -> anyhow::Result<Result<Consents, String>> {
    let policy = policy(global)?;
    let mut consents = Consents { deletes: args.allow_deletes, policy, ..Consents::default() };
    for code in args.allow.iter().map(|c| c.trim()).filter(|c| !c.is_empty()) {
        match Danger::by_code(code) {
            Some(danger) => {
                consents.dangers.insert(danger);
            }
            None if code == Danger::Delete.code() => {
                return Ok(Err("deletes are allowed by their exact number: --allow-deletes N".to_owned()));
            }
            None => {
                let known: Vec<_> = Danger::ALL.iter().filter(|d| **d != Danger::Delete).map(|d| d.code()).collect();
                return Ok(Err(format!("there is no danger called {code:?}; known are: {}", known.join(", "))));
            }
        }
    }
    Ok(Ok(consents))
}

/// Largest policy file that is read, in bytes.
const LARGEST_POLICY: u64 = 4 * 1024 * 1024;

/// The text of a policy file.
fn read_policy_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST_POLICY + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST_POLICY {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {LARGEST_POLICY} bytes")));
    }
    Ok(text)
}

/// The policy file, if there is one.
fn policy(global: &Global) -> anyhow::Result<Policy> {
    let usual = PathBuf::from(POLICY);
    let path = match &global.policy {
        Some(path) => path,
        None if usual.is_file() => {
            // Nobody named it, so a link in it must not show somebody else's file to whoever reads the messages.
            if !is_below(&usual, Path::new(".")) {
                bail!(
                    "{POLICY} is a link that leads out of its directory; name the file with --policy if that is meant"
                );
            }
            &usual
        }
        None => return Ok(Policy::default()),
    };
    let text = read_policy_text(path).with_context(|| format!("failed to read the policy {}", path.display()))?;
    let file = read_policy(&text).with_context(|| format!("the policy {} cannot be used", path.display()))?;
    let PolicyFile { most_changes, from_records, allowed } = file;
    let usual = Policy::default();
    let entry = |Allowed { zones, danger, reason }| PolicyEntry { zones, danger, reason };
    Ok(Policy {
        most_changes: most_changes.unwrap_or(usual.most_changes),
        from_records: from_records.unwrap_or(usual.from_records),
        allowed: allowed.into_iter().map(entry).collect(),
    })
}
