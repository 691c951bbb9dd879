//! Reads credentials from the environment. Reports missing credentials, and files with credentials
//! that other users can read.

#[cfg(unix)]
use std::fs;
#[cfg(unix)]
use std::path::PathBuf;

use anyhow::bail;
use secrecy::SecretString;

use super::settings::{Settings, raw_variable, variable};
use crate::api::Credentials;

/// Variables of other programs that hold credentials, and our names for them.
const FOREIGN_NAMES: [(&str, &str); 8] = [
    ("CF_API_TOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CLOUDFLARE_TOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CF_TOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CF_DNS_API_TOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CLOUDFLARE_DNS_API_TOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CLOUDFLARE_APITOKEN", "CLOUDFLARE_API_TOKEN"),
    ("CF_API_KEY", "CLOUDFLARE_API_KEY"),
    ("CLOUDFLARE_APIKEY", "CLOUDFLARE_API_KEY"),
];

/// Variables that hold a secret or the address to which one is sent. Each may name a file instead.
const SENSITIVE: [&str; 4] =
    ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CLOUDFLARE_BASE_URL", "ZONEWRIGHT_WEBHOOK"];

impl Settings<'_> {
    /// Returns the credentials for the API.
    ///
    /// # Errors
    /// There are no credentials, half of a pair is missing, or a file cannot be read.
    pub(super) fn credentials(&self) -> anyhow::Result<Credentials> {
        let global = self.flags;
        let secret = |name| anyhow::Ok(variable(global, name)?.map(SecretString::from));
        let token = secret("CLOUDFLARE_API_TOKEN")?;
        let (email, key) = (secret("CLOUDFLARE_EMAIL")?, secret("CLOUDFLARE_API_KEY")?);
        Ok(match (token, email, key) {
            (Some(token), Some(email), Some(key)) if global.key_fallback => {
                Credentials::TokenThenKey { token, email, key }
            }
            (Some(token), _, _) if !global.key_fallback => Credentials::Token(token),
            (Some(_), _, _) => bail!(
                "--key-fallback needs CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY beside the token"
            ),
            (None, Some(email), Some(key)) => Credentials::Key { email, key },
            (None, Some(_), None) => {
                bail!(
                    "CLOUDFLARE_EMAIL is set without CLOUDFLARE_API_KEY: set both, or \
                    CLOUDFLARE_API_TOKEN alone"
                )
            }
            (None, None, Some(_)) => {
                bail!(
                    "CLOUDFLARE_API_KEY is set without CLOUDFLARE_EMAIL: set both, or \
                    CLOUDFLARE_API_TOKEN alone"
                )
            }
            (None, None, None) => {
                let is_set = |(other, _): &&(&str, &str)| {
                    raw_variable(global, other).is_some_and(|value| !value.is_empty())
                };
                if let Some((other, own)) = FOREIGN_NAMES.iter().find(is_set) {
                    bail!(
                        "no credentials: {other} is set, but zonewright reads {own}; set it: \
                        export {own}=\"${other}\""
                    );
                }
                bail!(
                    "no credentials: set CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL and \
                    CLOUDFLARE_API_KEY), \
                     or rehearse in the sandbox with --sandbox"
                )
            }
        })
    }

    /// Returns true if no variable for credentials is set.
    pub(super) fn has_no_credentials(&self) -> bool {
        let names = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_EMAIL", "CLOUDFLARE_API_KEY"];
        self.flags.sandbox.is_none()
            && names.iter().all(|name| matches!(variable(self.flags, name), Ok(None)))
    }

    /// Returns warnings about files named by `…_FILE` that other users can read or write. Access by
    /// the group of the file is fine, because containers get secrets in this way.
    pub(super) fn exposed_files(&self) -> Vec<String> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let exposed = |name: &str| {
                let variable = format!("{name}_FILE");
                let path = PathBuf::from(
                    raw_variable(self.flags, &variable).filter(|path| !path.is_empty())?,
                );
                let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
                let mode = metadata.permissions().mode() & 0o777;
                let what = match mode {
                    mode if mode & 0o022 != 0 => "written",
                    mode if mode & 0o004 != 0 => "read",
                    _ => return None,
                };
                Some(format!(
                    "warning: the file that {variable} names can be {what} by other users (mode \
                    {mode:04o}); run chmod 600 \
                     \"${variable}\""
                ))
            };
            SENSITIVE.into_iter().filter_map(exposed).collect()
        }
        #[cfg(not(unix))]
        {
            let _ = (self, SENSITIVE);
            Vec::new()
        }
    }
}
