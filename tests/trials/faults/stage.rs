//! The whole program, in this process, against a sandbox that fails by a script.
//!
//! Waits take no time: the program's runtime has a paused clock, which jumps to the next timer when
//! no task is ready. While a request is under way no task is ready either, so the clock is held
//! until its response arrives. If no response will come, the clock is released, but only after the
//! sandbox has finished: then the program's timeout ends the request.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use zonewright::api::ApiEvent;
use zonewright::cli::{Invocation, Sink};
use zonewright::model::Danger;
use zonewright::sandbox::{self, Fault, LoggedRequest, Running, SandboxOptions, What, When};

use super::subject::Subject;

/// The runtime of the sandboxes.
static SERVICES: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads can be made")
});

/// Longer than the program ever waits for a response.
pub(crate) const FOR_EVER: u64 = 3_600_000;

/// The number of failed attempts before a server that refuses connections accepts them again.
const TRIES: usize = 2;

/// A fault and where it strikes.
#[derive(Debug, Clone)]
pub(crate) struct Strike {
    /// The fault.
    pub(crate) what: What,
    /// The number of the first request that it strikes, from 1.
    pub(crate) first: u64,
    /// The number of requests that it strikes.
    pub(crate) times: u64,
}

impl Strike {
    /// Returns true if a fault can hold requests without a response.
    fn may_hold(&self) -> bool {
        match self.what {
            What::Delay { milliseconds }
            | What::Stall { milliseconds }
            | What::Drip { milliseconds } => milliseconds >= FOR_EVER,
            _ => false,
        }
    }

    /// Returns true if a fault holds a request without a response, and the sandbox has already
    /// handled it.
    fn holds(&self, number: usize, request: &LoggedRequest) -> bool {
        let is_struck = (number as u64).checked_sub(self.first).is_some_and(|n| n < self.times);
        is_struck
            && self.may_hold()
            && (matches!(self.what, What::Delay { .. }) || request.handled.is_some())
    }
}

/// The result of one run of the program.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code.
    pub(crate) exit: u8,
    /// Standard output as JSON; null if it is none.
    pub(crate) document: Json,
    /// Both streams, as text.
    pub(crate) said: String,
    /// The requests that the sandbox received meanwhile.
    pub(crate) requests: Vec<LoggedRequest>,
    /// The journal as text, if it wrote one.
    pub(crate) journal: String,
}

impl Ran {
    /// Returns the requests that could change something.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &LoggedRequest> {
        self.requests.iter().filter(|request| request.method != "GET")
    }
}

/// A service, a directory, and a runtime for the program.
pub(crate) struct Stage {
    directory: TempDir,
    sandbox: Arc<Running>,
    runtime: Runtime,
}

impl Stage {
    /// Returns the initial state of a subject.
    pub(crate) fn new(subject: &Subject) -> Self {
        let options = SandboxOptions {
            profile: subject.profile.clone(),
            seed: 6,
            ..SandboxOptions::default()
        };
        let sandbox = SERVICES.block_on(sandbox::start(options)).expect("a port is free");
        sandbox.seed(&subject.seed).expect("the sandbox takes it");
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let directory = TempDir::new().expect("a directory can be made");
        std::fs::write(directory.path().join("spec.yaml"), &subject.spec)
            .expect("the directory can be written");
        Self {
            directory,
            sandbox: Arc::new(sandbox),
            runtime: runtime.expect("a runtime can be made"),
        }
    }

    /// Returns everything that the sandbox has.
    pub(crate) fn dump(&self) -> Json {
        self.sandbox.dump().expect("the store can be read")
    }

    /// Removes the faults of the sandbox.
    pub(crate) fn mend(&self) {
        SERVICES.block_on(self.sandbox.clear_faults());
    }

    /// Applies under a fault, with consent to this number of deletes and to everything else.
    pub(crate) fn apply(&self, deletes: u64, strike: Option<&Strike>) -> Ran {
        if let Some(Strike { what, first, times }) = strike {
            self.sandbox.add_fault(Fault {
                when: When::Request(*first),
                what: what.clone(),
                times: *times,
            });
        }
        self.run(deletes, strike)
    }

    /// Runs the program.
    fn run(&self, deletes: u64, strike: Option<&Strike>) -> Ran {
        let seen = self.sandbox.requests().len();
        let known = self.journals();
        let path = |name: &str| self.directory.path().join(name).display().to_string();
        let codes: Vec<_> =
            Danger::ALL.iter().filter(|d| **d != Danger::Delete).map(|d| d.code()).collect();
        let flags = [
            "apply".to_owned(),
            path("spec.yaml"),
            "--yes".to_owned(),
            format!("--allow-deletes={deletes}"),
            "--format=json".to_owned(),
            "--concurrency=1".to_owned(),
            "--batch-size=3".to_owned(),
            "--today=2026-11-20".to_owned(),
            format!("--allow={}", codes.join(",")),
            format!("--base-url={}", self.sandbox.base_url()),
            format!("--journal={}", path("journal")),
            format!("--cache={}", path("cache")),
        ];
        let (results, messages) =
            (Arc::<Mutex<Vec<u8>>>::default(), Arc::<Mutex<Vec<u8>>>::default());
        let held = Held::new(Arc::clone(&self.sandbox), seen, strike.cloned());
        let invocation = Invocation {
            arguments: flags.iter().map(OsString::from).collect(),
            environment: BTreeMap::from([(
                "CLOUDFLARE_API_TOKEN".to_owned(),
                OsString::from(sandbox::TOKEN),
            )]),
            results: Arc::clone(&results) as Sink,
            messages: Arc::clone(&messages) as Sink,
            observer: Some(Arc::new(move |event| held.hear(event))),
        };
        let exit = self.runtime.block_on(invocation.run()).code();
        let text = |sink: &Mutex<Vec<u8>>| {
            String::from_utf8_lossy(&sink.lock().expect("nobody panics")).into_owned()
        };
        let new = self.journals().into_iter().find(|path| !known.contains(path));
        Ran {
            exit,
            document: serde_json::from_str(&text(&results)).unwrap_or_default(),
            said: format!("{}{}", text(&results), text(&messages)),
            requests: self.sandbox.requests().split_off(seen),
            journal: new
                .map(|path| std::fs::read_to_string(path).expect("it can be read"))
                .unwrap_or_default(),
        }
    }

    /// Returns the journals so far.
    fn journals(&self) -> Vec<PathBuf> {
        let entries =
            std::fs::read_dir(self.directory.path().join("journal")).into_iter().flatten();
        let paths = entries.map(|entry| entry.expect("the directory can be read").path());
        paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect()
    }
}

/// Holds the clock of the program's runtime while requests are under way.
///
/// A paused clock does not jump while work is under way on a thread for blocking work, so such a
/// thread waits for the end of the exchange.
struct Held {
    sandbox: Arc<Running>,
    strike: Option<Strike>,
    /// Requests that the sandbox had received before.
    seen: usize,
    /// Requests sent.
    sent: AtomicUsize,
    /// Tries in vain.
    tries: AtomicUsize,
    /// Requests under way, and what ends the wait for them.
    open: Mutex<(usize, Option<Sender<()>>)>,
}

impl Held {
    fn new(sandbox: Arc<Running>, seen: usize, strike: Option<Strike>) -> Self {
        let (sent, tries) = (AtomicUsize::default(), AtomicUsize::default());
        Self { sandbox, strike, seen, sent, tries, open: Mutex::default() }
    }

    fn hear(&self, event: &ApiEvent) {
        let mut open = self.open.lock().expect("nobody panics");
        match event {
            ApiEvent::Sent { .. } => {
                let number = self.sent.fetch_add(1, Ordering::SeqCst) + 1;
                open.0 += 1;
                let (end, wait) = channel();
                open.1 = Some(end);
                let (sandbox, strike, seen) =
                    (Arc::clone(&self.sandbox), self.strike.clone(), self.seen);
                if !strike.as_ref().is_some_and(Strike::may_hold) {
                    tokio::task::spawn_blocking(move || wait.recv());
                    return;
                }
                tokio::task::spawn_blocking(move || {
                    let holds = || {
                        let log = sandbox.requests();
                        let request = log.get(seen + number - 1);
                        strike
                            .as_ref()
                            .zip(request)
                            .is_some_and(|(strike, request)| strike.holds(number, request))
                    };
                    while wait.recv_timeout(Duration::from_millis(2))
                        == Err(RecvTimeoutError::Timeout)
                        && !holds()
                    {}
                });
            }
            ApiEvent::Over => {
                open.0 -= 1;
                if open.0 == 0 {
                    open.1 = None;
                }
            }
            ApiEvent::Retrying { .. } => {
                let is_refused = |strike: &Strike| {
                    strike.times == 1 && matches!(strike.what, What::ConnectionRefused { .. })
                };
                let tries = self.tries.fetch_add(1, Ordering::SeqCst) + 1;
                if tries == TRIES && self.strike.as_ref().is_some_and(is_refused) {
                    let sandbox = Arc::clone(&self.sandbox);
                    let (end, wait) = channel();
                    SERVICES.spawn(async move {
                        sandbox.reopen().await;
                        end.send(()).expect("it is waited for");
                    });
                    wait.recv().expect("it is told");
                }
            }
            _ => {}
        }
    }
}
