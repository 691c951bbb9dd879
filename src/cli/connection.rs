//! The connection to Cloudflare, or to the sandbox over the same HTTP.

use std::sync::Arc;

use anyhow::Context;

#[cfg(feature = "sandbox")]
use super::files;
use super::output::Output;
use super::progress::{show_reads, show_request};
use super::ruleset_cache::FileCache;
use super::settings::{Connection, Settings};
use crate::api::{
    self, ApiEvent, CheckClient, Client, Credentials, ReadClient, Stop, WriteClient, proxy_in_use,
};
use crate::doctor::Secret;
use crate::live::CatalogueCache;
use crate::model::ZoneName;
use crate::reconcile::Options;

/// Where the ids of the sandbox begin; the same for every run, so that rehearsals can be repeated.
#[cfg(feature = "sandbox")]
pub(super) const SEED: u64 = 1;

/// What a connection is for.
#[derive(Debug)]
pub(super) enum Access {
    /// Reading: there is no means of writing.
    Read,
    /// Reading, asking and writing, until the user wants to stop.
    Write(Stop),
    /// Reading, and asking whether writes would be accepted.
    Check,
    /// Finding out what works, so that a failure is a result: it is repeated once. Also asking
    /// whether writes would be accepted.
    Probe {
        /// Whether it asks.
        asks: bool,
    },
}

/// An open connection.
pub(super) struct OpenConnection {
    /// The host that it leads to, with its port if that is not the usual one.
    pub(super) host: String,
    /// The proxy that leads there, if there is one.
    pub(super) proxy: Option<String>,
    /// What the credentials are.
    pub(super) secret: Secret,
    /// For reading.
    pub(super) reader: ReadClient,
    /// For writing, if the connection is for that.
    pub(super) writer: Option<WriteClient>,
    /// For asking, if the connection is for that.
    pub(super) checker: Option<CheckClient>,
    /// Counts the requests of all.
    requests: Box<dyn Fn() -> u64 + Send + Sync>,
    /// The account that zones are looked up in.
    account: Option<String>,
    /// Where managed rulesets are kept; not those of the sandbox, which are made up.
    cache: Option<Arc<dyn CatalogueCache>>,
    #[cfg(feature = "sandbox")]
    sandbox: Option<crate::sandbox::Running>,
}

impl OpenConnection {
    /// Connects as the flags and the environment say.
    ///
    /// The embedded connection is started here; zones of the spec that it does not have yet are
    /// made, empty, so that a spec can be rehearsed without preparation.
    pub(super) async fn open<'z>(
        settings: &Settings<'_>,
        access: Access,
        output: &Arc<Output>,
        zones: impl Iterator<Item = (&'z ZoneName, &'static str)>,
    ) -> anyhow::Result<Self> {
        match settings.connection()? {
            #[cfg(feature = "sandbox")]
            Connection::Sandbox(directory) => {
                Self::embedded(settings, access, output, directory, zones).await
            }
            #[cfg(not(feature = "sandbox"))]
            Connection::Sandbox(directory) => {
                drop(zones);
                let directory = directory.display();
                anyhow::bail!(
                    "--sandbox={directory} needs the sandbox, and this build has none; build it with the feature `sandbox`"
                )
            }
            Connection::Remote { base_url, credentials, account } => {
                let cache = FileCache::new(&settings.flags.cache, &base_url, credentials.clone());
                let (host, proxy) = (host(&base_url), proxy_in_use(&base_url));
                let secret = match &credentials {
                    Credentials::Token(_) | Credentials::TokenThenKey { .. } => Secret::Token,
                    Credentials::Key { .. } => Secret::GlobalKey,
                };
                let client = client(settings, &access, output, base_url, credentials)?;
                Ok(Self {
                    cache: Some(Arc::new(cache)),
                    host,
                    proxy,
                    secret,
                    ..Self::new(client, &access, account)
                })
            }
        }
    }

    /// Starts the sandbox and connects to it.
    #[cfg(feature = "sandbox")]
    async fn embedded<'z>(
        settings: &Settings<'_>,
        access: Access,
        output: &Arc<Output>,
        directory: &std::path::Path,
        zones: impl Iterator<Item = (&'z ZoneName, &'static str)>,
    ) -> anyhow::Result<Self> {
        use secrecy::SecretString;

        use crate::sandbox;

        let store = store(directory)?;
        for (zone, tier) in zones {
            let made =
                sandbox::ensure_zone(&store, zone.as_str(), tier, SEED).with_context(|| {
                    format!("failed to prepare the sandbox in {}", directory.display())
                })?;
            if made {
                output.say(&format!("sandbox: created the empty zone {zone} ({tier} plan)"));
            }
        }
        let options =
            sandbox::Options { store, seed: SEED, remembered: 0, ..sandbox::Options::default() };
        let token = SecretString::from(options.credentials.token.clone());
        let running = sandbox::start(options)
            .await
            .with_context(|| format!("failed to start the sandbox in {}", directory.display()))?;
        let client = client(
            settings,
            &access,
            output,
            running.base_url(),
            crate::api::Credentials::Token(token),
        )?;
        Ok(Self {
            sandbox: Some(running),
            host: "the sandbox".to_owned(),
            ..Self::new(client, &access, None)
        })
    }

    /// Hands out the halves of a client that the access allows.
    fn new(client: Client, access: &Access, account: Option<String>) -> Self {
        Self {
            host: String::new(),
            proxy: None,
            secret: Secret::Token,
            reader: client.reader(),
            writer: matches!(access, Access::Write(_)).then(|| client.writer()),
            checker: (!matches!(access, Access::Read | Access::Probe { asks: false }))
                .then(|| client.checker()),
            requests: Box::new(move || client.requests()),
            account,
            cache: None,
            #[cfg(feature = "sandbox")]
            sandbox: None,
        }
    }

    /// Requests made so far.
    pub(super) fn requests(&self) -> u64 {
        (self.requests)()
    }

    /// How zones are read over this connection; what has been read is shown.
    pub(super) fn options(&self, settings: &Settings<'_>, output: &Arc<Output>) -> Options {
        let mut options = settings.options();
        options.read.account.clone_from(&self.account);
        options.read.cache.clone_from(&self.cache);
        options.progress = Some(show_reads(output));
        options
    }

    /// Ends the connection; the sandbox writes everything out.
    pub(super) async fn close(self) {
        #[cfg(feature = "sandbox")]
        if let Some(running) = self.sandbox {
            running.shutdown().await;
        }
    }
}

/// The file of the sandbox in a directory, which is made if it is missing.
#[cfg(feature = "sandbox")]
pub(super) fn store(directory: &std::path::Path) -> anyhow::Result<crate::sandbox::StoreLocation> {
    files::check_directory(directory, "--sandbox=DIR")?;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("failed to make {}", directory.display()))?;
    let file = directory.join("sandbox.sqlite");
    // Whoever writes to this directory must not have another file filled.
    anyhow::ensure!(!file.is_symlink(), "{} is a link; remove it", file.display());
    Ok(crate::sandbox::StoreLocation::File(file))
}

/// The host in a base URL: neither scheme nor path, and nothing that could be a password.
fn host(base_url: &str) -> String {
    let rest = base_url.trim().split_once("://").map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

/// A client that tells the user why it waits.
pub(super) fn client(
    settings: &Settings<'_>,
    access: &Access,
    output: &Arc<Output>,
    base_url: String,
    credentials: crate::api::Credentials,
) -> anyhow::Result<Client> {
    let output = Arc::clone(output);
    let outer = settings.flags.surroundings.observer();
    let observer = move |event: &ApiEvent| {
        show_request(event, &output);
        if let Some(outer) = &outer {
            outer(event);
        }
    };
    let settings = api::Settings {
        max_rps: settings.flags.max_rps,
        quota: settings.flags.request_quota,
        timeout: settings.flags.timeout.0,
        concurrency: usize::from(settings.flags.concurrency),
        stop: match access {
            Access::Write(stop) => stop.clone(),
            // A read-only run is ended by the signal handler.
            Access::Read | Access::Check | Access::Probe { .. } => Stop::never(),
        },
        attempts: if matches!(access, Access::Probe { .. }) { 2 } else { api::Settings::ATTEMPTS },
        observer: Arc::new(observer),
        ..api::Settings::new(base_url, credentials)
    };
    Client::new(settings).context("failed to connect")
}
