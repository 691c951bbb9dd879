//! The sandbox: an embedded server with the documented HTTP API over a SQLite store, for rehearsals
//! and tests.
//!
//! ```text
//!  HTTP ──────server─▶ faults ▶ rate limit ▶ router ─▶ auth ─▶ zones · records · batch · list · export
//!                                                            │ dnssec · dns_settings · settings · rulesets
//!                                                            │ value · record_attributes · record_conflicts (checks)
//!                                                            ▼
//!  DNS ───────dns ─────────────────────────────────▶  zone · record · setting ⇄ store (SQLite)
//! ```
//!
//! It is independent: it shares only the facts of the record types (`model::facts`) with the
//! client, so that a mistake in our reading or writing of records is not repeated here. Every
//! behaviour cites where it is documented or was observed; what is unknown is marked `ASSUMED:`,
//! and where it matters it can be switched in the [`Profile`].

mod auth;
mod batch;
mod clock;
mod concurrency;
mod cross_origin;
mod cut_connection;
mod dns;
mod dns_settings;
mod dnssec;
mod document;
mod envelope;
mod export;
mod faults;
mod list_records;
mod listener;
mod listener_switch;
mod name;
mod new_zones;
mod profile;
mod query_string;
mod rate_limit;
mod recent_deletions;
mod record_attributes;
mod record_conflicts;
mod record_requests;
mod record_value;
mod reply;
mod request_context;
mod request_hold;
mod request_log;
mod resources;
mod router;
mod rulesets;
mod server;
mod setting_values;
mod settings;
mod startup_error;
mod store;
mod stored_record;
mod svc_params;
mod token;
mod token_permissions;
mod txt;
mod unproxiable_addresses;
mod zone;
mod zones;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use rusqlite::Connection;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use cut_connection::Link;
use listener::SwitchedListener;
use server::Service;

pub use auth::{Credentials, EMAIL, KEY, Scheme, TOKEN};
pub use concurrency::Traffic;
pub use dns::is_edge;
#[doc(hidden)]
pub use document::Document;
pub use document::{RefusedPart, SeedReport};
pub use faults::{Fault, FaultFileError, Gzip, What, When};
pub use profile::{
    DsWithoutNs, ErrorStyle, ListOrder, NsNeighbours, OldSrvMembers, OwnNetwork, Profile,
    ProxiedTtl, RecordMembers, TxtCuts, TxtQuotes, UnknownData,
};
pub use rate_limit::RateLimit;
pub use request_log::LoggedRequest;
pub use startup_error::SandboxError;
pub use store::StoreLocation;
pub use token::{Token, TokenOwner};
pub use token_permissions::{Permissions, permission_by_name};
pub use zone::{ACCOUNT_ID, NAME_SERVERS};

/// Longest wait for open requests when a sandbox shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The options of a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxOptions {
    /// The location of the state.
    pub store: StoreLocation,
    /// The address to listen on; port 0 for any free port.
    pub listen: SocketAddr,
    /// The behaviour of the sandbox.
    pub profile: Profile,
    /// The accepted credentials.
    pub credentials: Credentials,
    /// Further tokens, each with its own limits.
    pub tokens: Vec<Token>,
    /// Seed of the identifiers.
    pub seed: u64,
    /// Scripted failures.
    pub faults: Vec<Fault>,
    /// Number of requests that [`Running::requests`] keeps; 0 if nobody reads them.
    pub remembered: usize,
    /// The address of its name server, over UDP and TCP; port 0 for any free port, `None` for no
    /// name server.
    pub dns: Option<SocketAddr>,
    /// Host names that it accepts in addition to loopback addresses and `localhost`, such as the
    /// name of a tunnel.
    pub hosts: Vec<String>,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            store: StoreLocation::Memory,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            profile: Profile::default(),
            credentials: Credentials::default(),
            tokens: Vec::new(),
            seed: 0,
            faults: Vec::new(),
            remembered: 10_000,
            dns: None,
            hosts: Vec::new(),
        }
    }
}

/// A running sandbox, which stops when this value is dropped.
pub struct Running {
    /// The address of the HTTP server.
    address: SocketAddr,
    /// The state that requests share.
    service: Arc<Service>,
    /// The name server, if there is one.
    dns: Option<dns::Listener>,
    /// Stops the server when it is sent or dropped.
    stop: oneshot::Sender<()>,
    /// The task that serves requests.
    task: JoinHandle<()>,
}

/// Starts a sandbox.
///
/// # Errors
/// Fails if the store cannot be opened, the address is in use, or the plan of the profile does not
/// exist.
pub async fn start(options: SandboxOptions) -> Result<Running, SandboxError> {
    let SandboxOptions {
        store,
        listen,
        profile,
        credentials,
        tokens,
        seed,
        faults,
        remembered,
        dns,
        hosts,
    } = options;
    if profile::tier(&profile.tier).is_none() {
        return Err(SandboxError::Plan(profile.tier));
    }
    let connection = store::open_store(&store)?;
    let accepted_credentials = auth::AcceptedCredentials { credentials, tokens };
    let service =
        Service::new(connection, profile, accepted_credentials, seed, faults::Script::new(faults));
    let service = Arc::new(service.remembering(remembered).named(hosts));
    let refused = |error| SandboxError::Listen(listen, error);
    let listener = tokio::net::TcpListener::bind(listen).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let router = Router::new().fallback(server::receive).with_state(Arc::clone(&service));
    let listener = SwitchedListener::new(listener, address, Arc::clone(&service));
    let dns = match dns {
        Some(address) => {
            let server = dns::NameServer::new(Arc::clone(&service));
            let refused = |error| SandboxError::Listen(address, error);
            Some(dns::listen(address, server).await.map_err(refused)?)
        }
        None => None,
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let task = tokio::spawn(async move {
        let server = axum::serve(listener, router.into_make_service_with_connect_info::<Link>());
        // A send and a drop have the same effect; serving itself never fails.
        let stopped = async { stopped.await.unwrap_or(()) };
        let _ = server.with_graceful_shutdown(stopped).await;
    });
    Ok(Running { address, service, dns, stop, task })
}

impl Running {
    /// Returns the URL for clients, such as `http://127.0.0.1:4321/client/v4`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}{}", self.address, router::BASE)
    }

    /// Returns the address of the HTTP server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of its name server, if it has one.
    #[must_use]
    pub fn dns_address(&self) -> Option<SocketAddr> {
        self.dns.as_ref().map(|listener| listener.address)
    }

    /// Returns the latest requests, at most [`SandboxOptions::remembered`], in the order of arrival;
    /// fewer if their bodies are large.
    #[must_use]
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.service.requests()
    }

    /// Returns the total number of requests, including those that are no longer kept.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        self.service.request_count()
    }

    /// Adds a scripted failure, which counts requests from now on.
    pub fn add_fault(&self, fault: Fault) {
        self.service.push_fault(fault);
    }

    /// Removes all scripted failures, releases held requests, and accepts connections again.
    pub async fn clear_faults(&self) {
        self.service.clear_faults();
        self.release();
        self.reopen().await;
    }

    /// Accepts connections again after [`What::ConnectionRefused`].
    pub async fn reopen(&self) {
        self.service.listener_switch.open().await;
    }

    /// Waits until [`What::Held`] has held this many requests, counted from the start.
    pub async fn until_held(&self, requests: u64) {
        self.service.request_hold.until_came(requests).await;
    }

    /// Releases the requests that [`What::Held`] holds; later ones are held again.
    pub fn release(&self) {
        self.service.request_hold.release();
    }

    /// Returns the largest concurrency so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.service.traffic.seen()
    }

    /// Sends requests as another client: they count against the rate limit and have no other
    /// effect. Returns the number of answered requests. Requests over the limit are refused, and
    /// then block all clients.
    #[must_use]
    pub fn compete(&self, requests: u32) -> u32 {
        (0..requests).map(|_| u32::from(!matches!(self.service.take_budget(), Some(Err(_))))).sum()
    }

    /// Writes as another client: a request that takes effect and is not logged. Returns true if it
    /// was accepted.
    #[must_use]
    pub fn write_as_another(&self, method: &str, path: &str, body: &Value) -> bool {
        self.service.as_another(method, path, body)
    }

    /// Loads a document, as [`seed`] does.
    ///
    /// # Errors
    /// The errors of [`seed`].
    pub fn seed(&self, document: &Value) -> Result<SeedReport, SandboxError> {
        self.service.transact(0, |context| document::plant_document(context, document))
    }

    /// Loads the parts of a document that the sandbox accepts. Returns the refused parts.
    ///
    /// # Errors
    /// Fails if the store cannot be used, or the value is not such a document.
    pub fn copy(&self, document: &Value) -> Result<(SeedReport, Vec<RefusedPart>), SandboxError> {
        self.service.transact(0, |context| document::copy(context, document))
    }

    /// Returns the state as a document, as [`dump`] does.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn dump(&self) -> Result<Value, SandboxError> {
        self.service.read(0, document::dump)
    }

    /// Returns a managed ruleset in the form of the API; `None` if it does not exist.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn managed_ruleset(&self, id: &str) -> Result<Option<Value>, SandboxError> {
        self.service.read(0, |context| rulesets::managed(context, id))
    }

    /// Replaces the managed ruleset with the same `id`, as Cloudflare does when it changes its
    /// rules.
    ///
    /// The form is that of a response. Lower versions stay readable. The default `version` is the
    /// next one.
    ///
    /// # Errors
    /// Fails if the store cannot be used, or the value is not a ruleset.
    pub fn replace_managed_ruleset(&self, ruleset: &Value) -> Result<(), SandboxError> {
        self.service
            .transact(0, |context| rulesets::plant_managed(context, ruleset, "managed_rulesets[0]"))
    }

    /// Stops the sandbox when the current requests have ended, or after a short time.
    pub async fn shutdown(self) {
        let Self { stop, mut task, .. } = self;
        drop(stop);
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// Creates a service without a listener, for working on the store.
fn offline(location: &StoreLocation, seed: u64) -> Result<Service, SandboxError> {
    let connection = store::open_store(location)?;
    let accepted_credentials =
        auth::AcceptedCredentials { credentials: Credentials::default(), tokens: Vec::new() };
    Ok(Service::new(
        connection,
        Profile::default(),
        accepted_credentials,
        seed,
        faults::Script::default(),
    ))
}

/// Creates an empty, active zone unless a zone with this name exists. Returns true if it was
/// created.
///
/// # Errors
/// Fails if the store cannot be used, the name is invalid, or the plan does not exist.
pub fn ensure_zone(
    location: &StoreLocation,
    name: &str,
    tier: &str,
    seed: u64,
) -> Result<bool, SandboxError> {
    let document = serde_json::json!({ "zones": [{ "name": name, "plan": tier }] });
    let report = offline(location, seed)?
        .transact(0, |context| document::plant_document(context, &document))?;
    Ok(report.zones > 0)
}

/// Loads a document of zones and records, completely or not at all.
///
/// # Errors
/// Fails if the store cannot be used, or the sandbox refuses a record.
pub fn seed(location: &StoreLocation, document: &Value) -> Result<SeedReport, SandboxError> {
    offline(location, 0)?.transact(0, |context| document::plant_document(context, document))
}

/// Returns the state as a document for [`seed`].
///
/// # Errors
/// Fails if the store cannot be read.
pub fn dump(location: &StoreLocation) -> Result<Value, SandboxError> {
    offline(location, 0)?.read(0, document::dump)
}

/// Empties the store.
///
/// # Errors
/// Fails if the store cannot be used.
pub fn reset(location: &StoreLocation) -> Result<(), SandboxError> {
    let mut connection: Connection = store::open_store(location)?;
    Ok(store::clear(&mut connection)?)
}
