//! Which variables of the environment hold credentials, and what is said if none does.

use anyhow::bail;
use secrecy::SecretString;

use super::settings::{Settings, raw, variable};
use crate::api::Credentials;

/// Variables of other programs that hold credentials, and ours.
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

impl Settings<'_> {
    /// Who we are to the API.
    ///
    /// # Errors
    /// None given, half of a pair given, or a file that cannot be read.
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
            (Some(_), _, _) => bail!("--key-fallback needs CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY beside the token"),
            (None, Some(email), Some(key)) => Credentials::Key { email, key },
            (None, Some(_), None) => bail!("CLOUDFLARE_EMAIL is set without CLOUDFLARE_API_KEY"),
            (None, None, Some(_)) => bail!("CLOUDFLARE_API_KEY is set without CLOUDFLARE_EMAIL"),
            (None, None, None) => {
                let is_set = |(other, _): &&(&str, &str)| raw(global, other).is_some_and(|value| !value.is_empty());
                if let Some((other, own)) = FOREIGN_NAMES.iter().find(is_set) {
                    bail!(
                        "no credentials: {other} is set, but zonewright reads {own}; set it: export {own}=\"${other}\""
                    );
                }
                bail!(
                    "no credentials: set CLOUDFLARE_API_TOKEN (or CLOUDFLARE_EMAIL and CLOUDFLARE_API_KEY), \
                     or rehearse in the sandbox with --sandbox"
                )
            }
        })
    }

    /// Whether nothing says who we are.
    pub(super) fn has_no_credentials(&self) -> bool {
        let names = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_EMAIL", "CLOUDFLARE_API_KEY"];
        self.flags.sandbox.is_none() && names.iter().all(|name| matches!(variable(self.flags, name), Ok(None)))
    }
}
