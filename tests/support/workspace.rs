//! The real binary against a sandbox, over real HTTP, in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use zonewright::render::{DOCUMENTS, Document};
use zonewright::sandbox::{self, LoggedRequest, Profile, Running, SandboxOptions, Traffic};

/// The timeout of tests that wait for something.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A sandbox and a directory.
pub(crate) struct Workspace {
    directory: TempDir,
    runtime: Runtime,
    sandbox: Option<Running>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Fails the test unless the run ended with this exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Parses standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Returns the formats that are documents of their own and that a command has.
pub(crate) fn document_formats(command: &str) -> Vec<&'static str> {
    let has = |document: &&Document| document.commands().contains(&command);
    let formats: Vec<_> = DOCUMENTS.iter().filter(has).map(|document| document.name).collect();
    assert!(!formats.is_empty(), "no format for `{command}`");
    formats
}

/// Returns a sandbox without a limit on requests, as most tests need it.
pub(crate) fn options() -> SandboxOptions {
    SandboxOptions {
        profile: Profile { rate_limit: None, ..Profile::default() },
        ..SandboxOptions::default()
    }
}

/// Returns the same with zones on this Cloudflare plan.
pub(crate) fn options_on(tier: &str) -> SandboxOptions {
    let mut options = options();
    options.profile.tier = tier.to_owned();
    options
}

/// Returns the binary with only the environment variables that it needs to run.
pub(crate) fn binary(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonewright"));
    command.current_dir(directory).env_clear().stdin(Stdio::null());
    for name in ["PATH", "HOME", "SystemRoot", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

impl Workspace {
    /// Creates a workspace with the zone example.com on the profile's plan.
    pub(crate) fn new(options: SandboxOptions) -> Self {
        let tier = options.profile.tier.clone();
        let workspace = Self::empty(options);
        workspace
            .plant(&json!({ "zones": [{ "name": "example.com", "plan": tier, "records": [] }] }));
        workspace
    }

    /// Creates a workspace without zones.
    pub(crate) fn empty(options: SandboxOptions) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let sandbox = runtime.block_on(sandbox::start(options)).unwrap();
        Self { directory: TempDir::new().unwrap(), runtime, sandbox: Some(sandbox) }
    }

    fn sandbox(&self) -> &Running {
        self.sandbox.as_ref().unwrap()
    }

    /// Adds zones and records to the sandbox.
    pub(crate) fn plant(&self, document: &Value) {
        self.sandbox().seed(document).unwrap();
    }

    /// Adds records to example.com.
    pub(crate) fn plant_records(&self, records: Value) {
        self.plant(&json!({ "zones": [{ "name": "example.com", "records": records }] }));
    }

    /// Adds a fault.
    pub(crate) fn fault(&self, fault: sandbox::Fault) {
        self.sandbox().add_fault(fault);
    }

    /// Waits until this number of requests were held at the gate, counted from the beginning.
    #[track_caller]
    pub(crate) fn until_held(&self, requests: u64) {
        let held = async { tokio::time::timeout(TIMEOUT, self.held(requests)).await };
        assert!(
            self.runtime.block_on(held).is_ok(),
            "{requests} requests never came: {:#?}",
            self.requests()
        );
    }

    /// Waits until this number of requests are held at the gate, without a timeout.
    pub(crate) async fn held(&self, requests: u64) {
        self.sandbox().until_held(requests).await;
    }

    /// Releases the held requests.
    pub(crate) fn release(&self) {
        self.sandbox().release();
    }

    /// Returns the highest number of concurrent requests.
    pub(crate) fn traffic(&self) -> Traffic {
        self.sandbox().traffic()
    }

    /// Returns the address of the sandbox.
    pub(crate) fn base_url(&self) -> String {
        self.sandbox().base_url()
    }

    /// Returns requests received so far.
    pub(crate) fn requests(&self) -> Vec<LoggedRequest> {
        self.sandbox().requests()
    }

    /// Returns the requests so far that could change something.
    pub(crate) fn writes(&self) -> Vec<LoggedRequest> {
        self.requests().into_iter().filter(|r| r.method != "GET").collect()
    }

    /// Writes to the sandbox, as someone else would.
    #[track_caller]
    pub(crate) fn write(&self, method: &str, path: &str, body: &Value) {
        assert!(self.sandbox().write_as_another(method, path, body), "{method} {path} was refused");
    }

    /// Sends a write that the sandbox may refuse, as someone else would. Returns true if it was
    /// accepted.
    pub(crate) fn try_write(&self, method: &str, path: &str, body: &Value) -> bool {
        self.sandbox().write_as_another(method, path, body)
    }

    /// Returns the whole state of the sandbox.
    pub(crate) fn dump(&self) -> Value {
        self.sandbox().dump().unwrap()
    }

    /// Returns the records of a zone, as the sandbox would dump them, without ids and times.
    pub(crate) fn records(&self, zone: &str) -> Vec<Value> {
        let dump = self.sandbox().dump().unwrap();
        let zones = dump["zones"].as_array().unwrap();
        let zone =
            zones.iter().find(|z| z["name"] == zone).unwrap_or_else(|| panic!("no zone {zone}"));
        zone["records"].as_array().unwrap().clone()
    }

    /// Returns the rules of example.com in a phase, as the sandbox would dump them.
    pub(crate) fn rules(&self, phase: &str) -> Vec<Value> {
        let dump = self.dump();
        let zone = dump["zones"]
            .as_array()
            .unwrap()
            .iter()
            .find(|z| z["name"] == "example.com")
            .unwrap()
            .clone();
        let rulesets = zone["rulesets"].as_array().cloned().unwrap_or_default();
        let found = rulesets.into_iter().find(|r| r["phase"] == phase);
        found.and_then(|r| r["rules"].as_array().cloned()).unwrap_or_default()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a spec of example.com with these record lines, as `spec.yaml`.
    pub(crate) fn records_spec(&self, records: &str) -> PathBuf {
        self.file(
            "spec.yaml",
            format!("version: 1\nzones:\n  example.com:\n    records:\n{records}\n"),
        )
    }

    /// Returns the directory.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the binary, connected to the sandbox.
    pub(crate) fn command(&self) -> Command {
        let mut command = binary(self.path());
        command
            .env("CLOUDFLARE_BASE_URL", self.base_url())
            .env("CLOUDFLARE_API_TOKEN", sandbox::TOKEN);
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.command().args(arguments).output().unwrap().into()
    }

    /// Starts the binary.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command().args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Asserts that the spec is applied, that the zone is in sync, and that a second apply writes
    /// nothing.
    #[track_caller]
    pub(crate) fn settles(&self, spec: &str) {
        self.run(&["apply", spec, "--yes"]).exits(0);
        let before = self.writes().len();
        let again = self.run(&["plan", spec, "--detailed-exitcode", "--format", "json"]).exits(0);
        assert_eq!(again.json()["verdict"], "in-sync");
        assert_eq!(self.writes().len(), before);
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Some(sandbox) = self.sandbox.take() {
            self.runtime.block_on(sandbox.shutdown());
        }
    }
}
