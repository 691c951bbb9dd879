//! Connects to Cloudflare, or to the sandbox over the same HTTP.

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

/// Seed for the ids of the sandbox. It is constant, so that rehearsals can be repeated.
#[cfg(feature = "sandbox")]
pub(super) const SEED: u64 = 1;

/// Purpose of a connection.
#[derive(Debug)]
pub(super) enum Access {
    /// Reads. The connection has no write client.
    Read,
    /// Reads, checks and writes, until the user stops the run.
    Write(Stop),
    /// Reads, and checks whether Cloudflare would accept writes.
    Check,
    /// Probes what works, so a failure is a result and is retried only once.
    Probe {
        /// True if the probe also checks whether Cloudflare would accept writes.
        asks: bool,
    },
}

pub(super) struct OpenConnection {
    /// Host of the API, with its port unless that is the default.
    pub(super) host: String,
    /// Proxy to the host.
    pub(super) proxy: Option<String>,
    /// Kind of the credentials.
    pub(super) secret: Secret,
    pub(super) reader: ReadClient,
    /// Present if the access allows writes.
    pub(super) writer: Option<WriteClient>,
    /// Present if the access allows checks.
    pub(super) checker: Option<CheckClient>,
    /// Returns the number of requests of all clients.
    requests: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Account whose zones are looked up.
    account: Option<String>,
    /// Cache of managed rulesets. The rulesets of the sandbox are invented and not cached.
    cache: Option<Arc<dyn CatalogueCache>>,
    #[cfg(feature = "sandbox")]
    sandbox: Option<crate::sandbox::Running>,
}

impl OpenConnection {
    /// Connects to the API that the flags and the environment name.
    ///
    /// Starts the sandbox if it is embedded, and creates missing zones of the spec, so that a spec
    /// can be rehearsed without preparation.
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
                    "--sandbox={directory} needs the sandbox, and this build has none; build it \
                    with the feature `sandbox`"
                )
            }
            Connection::Remote { base_url, credentials, account } => {
                let cache = FileCache::new(&settings.flags.cache, &base_url, credentials.clone());
                let (host, proxy) = (host_of_url(&base_url), proxy_in_use(&base_url));
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
            let is_created =
                sandbox::ensure_zone(&store, zone.as_str(), tier, SEED).with_context(|| {
                    format!("failed to prepare the sandbox in {}", directory.display())
                })?;
            if is_created {
                output.say(&format!("sandbox: created the empty zone {zone} ({tier} plan)"));
            }
        }
        let options = sandbox::SandboxOptions {
            store,
            seed: SEED,
            remembered: 0,
            ..sandbox::SandboxOptions::default()
        };
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

    /// Creates the clients that the access allows.
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

    /// Returns the number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        (self.requests)()
    }

    /// Returns the options for reading zones over this connection. The output shows the progress.
    pub(super) fn options(&self, settings: &Settings<'_>, output: &Arc<Output>) -> Options {
        let mut options = settings.options();
        options.read.account.clone_from(&self.account);
        options.read.cache.clone_from(&self.cache);
        options.progress = Some(show_reads(output));
        options
    }

    /// Closes the connection. An embedded sandbox writes its state to disk.
    pub(super) async fn close(self) {
        #[cfg(feature = "sandbox")]
        if let Some(running) = self.sandbox {
            running.shutdown().await;
        }
    }
}

/// Opens the state file of the sandbox in a directory, which is created if it is missing.
#[cfg(feature = "sandbox")]
pub(super) fn store(directory: &std::path::Path) -> anyhow::Result<crate::sandbox::StoreLocation> {
    files::check_directory(directory, "--sandbox=DIR")?;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("failed to make {}", directory.display()))?;
    let file = directory.join("sandbox.sqlite");
    // Other users who can write to this directory must not be able to have another file
    // overwritten.
    anyhow::ensure!(!file.is_symlink(), "{} is a link; remove it", file.display());
    Ok(crate::sandbox::StoreLocation::File(file))
}

/// Returns the host in a base URL, without scheme, path and anything that could be a password.
fn host_of_url(base_url: &str) -> String {
    let authority_and_path =
        base_url.trim().split_once("://").map_or(base_url, |(_, address)| address);
    let authority = authority_and_path.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

/// Creates a client that reports its waits to the user.
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
            // The signal handler ends a read-only run.
            Access::Read | Access::Check | Access::Probe { .. } => Stop::never(),
        },
        attempts: if matches!(access, Access::Probe { .. }) { 2 } else { api::Settings::ATTEMPTS },
        observer: Arc::new(observer),
        ..api::Settings::new(base_url, credentials)
    };
    Client::new(settings).context("failed to connect")
}
