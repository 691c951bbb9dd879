//! The whole program and a sandbox in one runtime whose clock is paused: waits of minutes take no
//! time.
//!
//! A paused clock jumps to the next timer whenever no task is ready. While a request is on its way
//! over a real connection, no task is ready either, so the clock is held for as long as an exchange
//! lasts ([`Held`]): time advances between requests and stands still during one. The result does
//! not depend on how fast the machine is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;
use zonewright::api::{ApiEvent, WaitReason};
use zonewright::cli::{Invocation, Sink};
use zonewright::sandbox::{self, Running, SandboxOptions};

/// A sandbox, a directory, and a paused clock.
pub(crate) struct Stage {
    directory: TempDir,
    pub(crate) sandbox: Running,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: u8,
    pub(crate) results: String,
    pub(crate) messages: String,
    /// Duration of the run, by the paused clock.
    pub(crate) took: Duration,
    /// Requests sent.
    pub(crate) requests: u64,
    /// Waits that were announced.
    pub(crate) waits: Vec<(WaitReason, Duration)>,
    /// Requests that had to be sent again.
    pub(crate) retries: Vec<String>,
}

/// The events of a run.
#[derive(Default)]
struct Heard {
    requests: u64,
    waits: Vec<(WaitReason, Duration)>,
    retries: Vec<String>,
}

impl Stage {
    /// Starts a client with these zones. Needs a runtime with one thread and a paused clock.
    pub(crate) async fn new(options: SandboxOptions, document: &Value) -> Self {
        let sandbox = sandbox::start(options).await.expect("a port is free");
        sandbox.seed(document).unwrap_or_else(|error| panic!("{error:?}"));
        Self { directory: TempDir::new().expect("a directory can be made"), sandbox }
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the directory can be written");
    }

    /// Returns a path in the directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the program on `spec.yaml`.
    pub(crate) async fn run(&self, command: &str, flags: &[&str]) -> Ran {
        let (results, messages) =
            (Arc::<Mutex<Vec<u8>>>::default(), Arc::<Mutex<Vec<u8>>>::default());
        let (held, heard) = (Held::default(), Arc::<Mutex<Heard>>::default());
        let notes = Arc::clone(&heard);
        let path = |flag: &str, name: &str| {
            OsString::from(format!("{flag}={}", self.path(name).display()))
        };
        let mut arguments = vec![command.into(), self.path("spec.yaml").into()];
        arguments.extend(flags.iter().map(OsString::from));
        arguments.extend([path("--journal", "journal"), path("--cache", "cache")]);
        arguments.push(format!("--base-url={}", self.sandbox.base_url()).into());
        let invocation = Invocation {
            arguments,
            environment: BTreeMap::from([(
                "CLOUDFLARE_API_TOKEN".to_owned(),
                OsString::from(sandbox::TOKEN),
            )]),
            results: Arc::clone(&results) as Sink,
            messages: Arc::clone(&messages) as Sink,
            observer: Some(Arc::new(move |event| {
                held.hear(event);
                notes.lock().expect("nobody panics").hear(event);
            })),
        };
        let begin = Instant::now();
        let exit = invocation.run().await.code();
        let took = begin.elapsed();
        let text = |sink: &Mutex<Vec<u8>>| {
            String::from_utf8_lossy(&sink.lock().expect("nobody panics")).into_owned()
        };
        let Heard { requests, waits, retries } =
            std::mem::take(&mut *heard.lock().expect("nobody panics"));
        Ran {
            exit,
            results: text(&results),
            messages: text(&messages),
            took,
            requests,
            waits,
            retries,
        }
    }
}

impl Heard {
    /// Notes an event.
    fn hear(&mut self, event: &ApiEvent) {
        match event {
            ApiEvent::Sent { .. } => self.requests += 1,
            ApiEvent::Waiting { reason, duration } => self.waits.push((*reason, *duration)),
            ApiEvent::Retrying { cause, .. } => self.retries.push(cause.clone()),
            _ => {}
        }
    }
}

/// Holds the clock of a runtime while requests are under way.
///
/// A paused clock does not jump while a thread for blocking work is busy, so such a thread waits
/// for the end of the last exchange.
#[derive(Default)]
pub(crate) struct Held(Mutex<(usize, Option<Sender<()>>)>);

impl Held {
    /// Counts exchanges.
    pub(crate) fn hear(&self, event: &ApiEvent) {
        let mut held = self.0.lock().expect("nobody panics");
        match event {
            ApiEvent::Sent { .. } => {
                held.0 += 1;
                held.1.get_or_insert_with(|| {
                    let (end, wait) = channel();
                    tokio::task::spawn_blocking(move || wait.recv());
                    end
                });
            }
            ApiEvent::Over => {
                held.0 -= 1;
                if held.0 == 0 {
                    held.1 = None;
                }
            }
            _ => {}
        }
    }
}
