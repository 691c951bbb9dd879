//! The connection to the service: the real one, or the embedded one over the same HTTP.

use std::sync::Arc;

use anyhow::Context;

use super::args::Global;
use super::cache::FileCache;
use super::output::Output;
use super::settings;
use crate::api::{ApiEvent, CheckClient, Client, ReadClient, Reader, Settings, Stop, WaitReason, WriteClient};
use crate::live::CatalogueCache;
use crate::model::ZoneName;

/// What a connection is for.
#[derive(Debug)]
pub(super) enum Access {
    /// Reading: there is no means of writing.
    Read,
    /// Reading and writing, until the user wants to stop.
    Write(Stop),
    /// Reading, and asking whether writes would be accepted.
    Check,
}

/// Where live state is read from: the service, or a snapshot of it.
pub(super) trait Origin {
    /// What reads.
    type Reader: Reader;

    /// What reads.
    fn reader(&self) -> &Self::Reader;

    /// The account that zones are looked up in.
    fn account(&self) -> Option<String>;

    /// Where managed rulesets are kept between runs, if anywhere.
    fn cache(&self) -> Option<Arc<dyn CatalogueCache>>;

    /// Requests made so far.
    fn requests(&self) -> u64;
}

impl Origin for Service {
    type Reader = ReadClient;

    fn reader(&self) -> &ReadClient {
        &self.reader
    }

    fn account(&self) -> Option<String> {
        self.account.clone()
    }

    fn cache(&self) -> Option<Arc<dyn CatalogueCache>> {
        self.cache.clone()
    }

    fn requests(&self) -> u64 {
        Self::requests(self)
    }
}

/// An open connection.
pub(super) struct Service {
    /// The host that it leads to, with its port if that is not the usual one.
    pub(super) host: String,
    /// For reading.
    pub(super) reader: ReadClient,
    /// For writing, if the connection is for that.
    pub(super) writer: Option<WriteClient>,
    /// For asking, if the connection is for that.
    pub(super) checker: Option<CheckClient>,
    /// Counts the requests of all.
    requests: Box<dyn Fn() -> u64 + Send + Sync>,
    /// The account that zones are looked up in.
    pub(super) account: Option<String>,
    /// Where managed rulesets are kept; not those of the embedded service, which are made up.
    pub(super) cache: Option<Arc<dyn CatalogueCache>>,
    #[cfg(feature = "sandbox")]
    sandbox: Option<crate::sandbox::Running>,
}

impl Service {
    /// Connects as the flags and the environment say.
    ///
    /// The embedded service is started here; zones of the spec that it does not have yet are made, empty, so that a spec can
    /// be rehearsed without preparation.
    pub(super) async fn open<'z>(
        global: &Global,
        access: Access,
        output: &Arc<Output>,
        zones: impl Iterator<Item = (&'z ZoneName, &'static str)>,
    ) -> anyhow::Result<Self> {
        #[cfg(feature = "sandbox")]
        if let Some(directory) = &global.sandbox {
            return Self::embedded(global, access, output, directory, zones).await;
        }
        #[cfg(not(feature = "sandbox"))]
        {
            drop(zones);
            anyhow::ensure!(global.sandbox.is_none(), "this build has no embedded service (feature `sandbox`)");
        }
        let credentials = settings::credentials(global)?;
        let base_url = settings::base_url(global)?;
        let cache = FileCache::new(&global.cache, &base_url, credentials.clone());
        let host = host(&base_url);
        let client = client(global, &access, output, base_url, credentials)?;
        Ok(Self { cache: Some(Arc::new(cache)), host, ..Self::new(client, &access, settings::account(global)?) })
    }

    /// Starts the embedded service and connects to it.
    #[cfg(feature = "sandbox")]
    async fn embedded<'z>(
        global: &Global,
        access: Access,
        output: &Arc<Output>,
        directory: &std::path::Path,
        zones: impl Iterator<Item = (&'z ZoneName, &'static str)>,
    ) -> anyhow::Result<Self> {
        use secrecy::SecretString;

        use crate::sandbox;

        let store = super::commands::sandbox::store(directory)?;
        for (zone, tier) in zones {
            let made = sandbox::ensure_zone(&store, zone.as_str(), tier, super::commands::sandbox::SEED)
                .with_context(|| format!("failed to prepare the sandbox in {}", directory.display()))?;
            if made {
                output.say(&format!("sandbox: made the empty zone {zone} ({tier} plan)"));
            }
        }
        let seed = super::commands::sandbox::SEED;
        let options = sandbox::Options { store, seed, remembered: 0, ..sandbox::Options::default() };
        let token = SecretString::from(options.credentials.token.clone());
        let running = sandbox::start(options)
            .await
            .with_context(|| format!("failed to start the sandbox in {}", directory.display()))?;
        let client = client(global, &access, output, running.base_url(), crate::api::Credentials::Token(token))?;
        Ok(Self { sandbox: Some(running), host: "the embedded service".to_owned(), ..Self::new(client, &access, None) })
    }

    /// Hands out the halves of a client that the access allows.
    fn new(client: Client, access: &Access, account: Option<String>) -> Self {
        Self {
            host: String::new(),
            reader: client.reader(),
            writer: matches!(access, Access::Write(_)).then(|| client.writer()),
            checker: matches!(access, Access::Check).then(|| client.checker()),
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

    /// Ends the connection; the embedded service writes everything out.
    pub(super) async fn close(self) {
        #[cfg(feature = "sandbox")]
        if let Some(running) = self.sandbox {
            running.shutdown().await;
        }
    }
}

/// The host in a base URL: neither scheme nor path, and nothing that could be a password.
fn host(base_url: &str) -> String {
    let rest = base_url.trim().split_once("://").map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

/// A client that tells the user why it waits.
fn client(
    global: &Global,
    access: &Access,
    output: &Arc<Output>,
    base_url: String,
    credentials: crate::api::Credentials,
) -> anyhow::Result<Client> {
    let output = Arc::clone(output);
    let hears = global.surroundings.hears();
    let show = move |event: &ApiEvent| match event {
        ApiEvent::Waiting { reason, duration } => {
            let why = match reason {
                WaitReason::Budget => "for API budget",
                WaitReason::Others => "at most: others use the API budget as well",
                WaitReason::RetryAfter => "because the service asked to",
                WaitReason::BackOff => "before trying again",
            };
            // Waits of a fraction of a second are no news.
            if duration.as_secs() >= 1 {
                output.news(&format!("waiting {:.0} s {why}", duration.as_secs_f64()));
            }
        }
        ApiEvent::Retrying { request, attempt, cause } => {
            output.news(&format!("{request}: {cause}; attempt {attempt}"));
        }
        _ => {}
    };
    let observer = move |event: &ApiEvent| {
        show(event);
        if let Some(hears) = &hears {
            hears(event);
        }
    };
    let settings = Settings {
        max_rps: global.max_rps,
        timeout: global.timeout,
        at_once: usize::from(global.concurrency),
        stop: match access {
            Access::Write(stop) => stop.clone(),
            // Who only reads is ended from outside.
            Access::Read | Access::Check => Stop::never(),
        },
        observer: Arc::new(observer),
        ..Settings::new(base_url, credentials)
    };
    Client::new(settings).context("failed to connect")
}
