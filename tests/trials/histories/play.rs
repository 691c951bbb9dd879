//! Plays a history: the whole program, in this process, against a sandbox over real connections.
//!
//! Waits of the program take no time. Its runtime has a paused clock, which jumps to the next timer
//! whenever no task is ready. While a request is under way no task is ready either, so the clock is
//! held for as long as an exchange lasts ([`Held`]): time advances between requests and stands
//! still during one. The result does not depend on how fast the machine is. The sandbox has a
//! runtime and a clock of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use zonewright::api::{ApiEvent, Stopper};
use zonewright::cli::{Invocation, Sink};
use zonewright::model::Danger;
use zonewright::sandbox::{
    self, Fault, ListOrder, LoggedRequest, Profile, Running, SandboxOptions, TxtCuts, What, When,
};

use super::history::{Foreign, History, Strike};
use super::intents::Intents;
use crate::support::virtual_time::Held;

/// The runtime of the sandboxes of all histories.
static SERVICES: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads can be made")
});

/// The result of one run of the program.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    /// Arguments of the command.
    pub(crate) arguments: Vec<String>,
    pub(crate) exit: u8,
    /// The document on standard output, if there is one.
    pub(crate) document: Json,
    pub(crate) messages: String,
    /// The requests that the sandbox received meanwhile.
    pub(crate) requests: Vec<LoggedRequest>,
    /// Content of the sandbox before the run.
    pub(crate) before: Json,
    pub(crate) after: Json,
    /// The journal's lines, if it wrote one.
    pub(crate) journal: Vec<Json>,
    /// Writes that were sent without an intent in the journal.
    pub(crate) unannounced: Vec<String>,
}

impl Ran {
    /// Returns the requests that could change something.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &LoggedRequest> {
        self.requests.iter().filter(|request| request.method != "GET")
    }
}

/// Everything that happened in a history.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    /// The plan that was looked at.
    pub(crate) plan: Ran,
    /// The apply that met the faults.
    pub(crate) first: Ran,
    /// The apply after it.
    pub(crate) second: Ran,
    /// One more.
    pub(crate) third: Ran,
}

/// The program that is run.
#[derive(Debug, Clone)]
pub(crate) enum Program {
    /// This one, in this process: its waits take no time.
    Here,
    /// A binary, whose waits take real time. It is not asked to stop, and its events are not
    /// received.
    Binary(PathBuf),
}

/// A service, a directory and a runtime.
struct Stage {
    program: Program,
    directory: TempDir,
    sandbox: Running,
    runtime: Runtime,
}

/// Plays a history from its beginning to its end.
pub(crate) fn play(history: &History) -> Played {
    play_with(history, Program::Here)
}

/// Plays a history with a program.
pub(crate) fn play_with(history: &History, program: Program) -> Played {
    let stage = Stage::new(history, program);
    let call = &history.call;
    let plan_file = stage.path("plan.json");
    let flags = flags(history, &stage);
    let with = |words: &[&str]| -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).chain(flags.iter().cloned()).collect()
    };
    let spec = stage.path("spec.yaml").display().to_string();
    let saved = plan_file.display().to_string();
    let mut plan = with(&["plan", &spec]);
    if call.is_saved {
        plan.extend(["--out".to_owned(), saved.clone()]);
    }
    let plan = stage.run(stage.dump(), plan);
    let deletes = |ran: &Ran| counted_deletes(&ran.document).to_string();
    for foreign in &history.between {
        stage.write(foreign);
    }
    for strike in &history.script {
        stage.sandbox.add_fault(fault(strike));
    }
    let what = if call.is_saved && plan_file.exists() { &saved } else { &spec };
    let allowed = deletes(&plan);
    let verify = format!("--verify={}", call.verify);
    let mut apply = with(&["apply", what, "--yes", "--allow-deletes", &allowed, &verify]);
    if what == &saved {
        // Histories have a day of their own, which may be long ago.
        apply.push("--max-age=1000000h".to_owned());
    }
    let end = history.interrupt.map(|answers| (answers, if history.is_kill { 2 } else { 1 }));
    let first = stage.run_until(end, stage.dump(), apply);
    SERVICES.block_on(stage.sandbox.clear_faults());
    let again = |before: &Ran| {
        let apply = ["apply", spec.as_str(), "--yes", &verify];
        let ran = stage.run(before.after.clone(), with(&apply));
        // Deletes are allowed by their number, which the refusal tells.
        match ran.exit {
            3 => stage.run(
                ran.after.clone(),
                with(&[&apply[..], &["--allow-deletes", &deletes(&ran)]].concat()),
            ),
            _ => ran,
        }
    };
    let second = again(&first);
    let third = again(&second);
    Played { plan, first, second, third }
}

/// Returns the number of deletes that need consent. Replacements are not counted.
pub(crate) fn counted_deletes(document: &Json) -> u64 {
    let operations = document["operations"].as_array().into_iter().flatten();
    let is_counted =
        |o: &&Json| o["dangers"].as_array().is_some_and(|all| all.contains(&"delete".into()));
    operations.filter(is_counted).count() as u64
}

/// Returns the flags that every run has.
fn flags(history: &History, stage: &Stage) -> Vec<String> {
    let call = &history.call;
    let codes: Vec<&str> =
        Danger::ALL.iter().filter(|d| **d != Danger::Delete).map(|d| d.code()).collect();
    let path = |name: &str| stage.path(name).display().to_string();
    let mut flags = vec![
        "--format=json".to_owned(),
        format!("--allow={}", codes.join(",")),
        format!("--base-url={}", stage.sandbox.base_url()),
        format!("--concurrency={}", call.concurrency),
        format!("--journal={}", path("journal")),
        format!("--cache={}", path("cache")),
        "--today=2026-11-20".to_owned(),
    ];
    flags.extend(call.batch_size.map(|size| format!("--batch-size={size}")));
    flags.extend(call.has_base.then(|| format!("--base={}", path("base.yaml"))));
    flags
}

/// Returns a strike as the sandbox knows it.
fn fault(strike: &Strike) -> Fault {
    match strike {
        Strike::Fault(fault) => fault.clone(),
        Strike::Foreign { number, is_after, foreign: Foreign { method, path, body, .. } } => {
            let (method, path, body) = ((*method).to_owned(), path.clone(), body.clone());
            let what = match is_after {
                true => What::AnotherWriterAfter { method, path, body },
                false => What::AnotherWriter { method, path, body },
            };
            Fault { when: When::Request(*number), what, times: 1 }
        }
    }
}

impl Stage {
    /// Returns everything as it is at the beginning.
    fn new(history: &History, program: Program) -> Self {
        let directory = TempDir::new().expect("a directory can be made");
        let profile = if history.service.is_old {
            Profile::previous_generation()
        } else {
            Profile::default()
        };
        let profile = Profile {
            batch: history.service.batches && profile.batch,
            page_limit: history.service.page_limit.min(profile.page_limit),
            list_order: if history.service.is_unordered {
                ListOrder::Hostile
            } else {
                ListOrder::Stable
            },
            txt_cuts: if history.service.joins_texts { TxtCuts::Joined } else { TxtCuts::Apart },
            rate_limit: None,
            ..profile
        };
        let options = SandboxOptions { profile, seed: history.seed, ..SandboxOptions::default() };
        let sandbox = SERVICES.block_on(sandbox::start(options)).expect("a port is free");
        sandbox
            .seed(&history.document())
            .unwrap_or_else(|error| panic!("{error:?}\n{:#}", history.document()));
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let stage =
            Self { program, directory, sandbox, runtime: runtime.expect("a runtime can be made") };
        std::fs::write(stage.path("spec.yaml"), history.spec())
            .expect("the directory can be written");
        std::fs::write(stage.path("base.yaml"), history.base())
            .expect("the directory can be written");
        stage
    }

    /// Returns a path in the directory.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes to the sandbox, as someone else would. The sandbox may refuse the write.
    fn write(&self, Foreign { method, path, body, .. }: &Foreign) {
        let _ = self.sandbox.write_as_another(method, path, body);
    }

    /// Returns everything that the sandbox has.
    fn dump(&self) -> Json {
        self.sandbox.dump().expect("the store can be read")
    }

    /// Returns a text without parts that differ in each run: the directory, the port, and the name
    /// of the journal.
    fn timeless(&self, text: &str, journal: Option<&PathBuf>) -> String {
        let file = journal
            .and_then(|path| path.file_name())
            .map(|name| name.to_string_lossy().into_owned());
        let text = text.replace(&self.directory.path().display().to_string(), "DIRECTORY");
        let text = text.replace(&self.sandbox.base_url(), "SERVICE");
        file.map_or(text.clone(), |file| text.replace(&file, "JOURNAL"))
    }

    /// Runs the program on a service that has this.
    fn run(&self, before: Json, arguments: Vec<String>) -> Ran {
        self.run_until(None, before, arguments)
    }

    /// Runs the program on a service that has this, and asks it to stop after so many answers, so
    /// many times: the second time, it ends at once.
    fn run_until(&self, end: Option<(u64, u32)>, before: Json, arguments: Vec<String>) -> Ran {
        let requests = self.sandbox.requests().len();
        let journals = self.path("journal");
        let known = journal_files(&journals);
        let Heard { exit, results, messages, unannounced } = match &self.program {
            Program::Here => self.run_here(end, &arguments),
            Program::Binary(path) => run_binary(path, self.directory.path(), &arguments),
        };
        let new = journal_files(&journals).into_iter().find(|path| !known.contains(path));
        let text = |bytes: &[u8]| self.timeless(&String::from_utf8_lossy(bytes), new.as_ref());
        Ran {
            arguments: arguments.iter().map(|argument| self.timeless(argument, None)).collect(),
            exit,
            document: serde_json::from_str(&text(&results)).unwrap_or_default(),
            messages: text(&messages),
            requests: self.sandbox.requests().split_off(requests),
            before,
            after: self.dump(),
            journal: new.map(|path| super::intents::lines(&path)).unwrap_or_default(),
            unannounced,
        }
    }

    /// Runs the program in this process.
    fn run_here(&self, end: Option<(u64, u32)>, arguments: &[String]) -> Heard {
        let results: Arc<Mutex<Vec<u8>>> = Arc::default();
        let messages: Arc<Mutex<Vec<u8>>> = Arc::default();
        let intents = Arc::new(Intents::new(self.path("journal")));
        let held = Arc::new(Held::default());
        let environment = [("CLOUDFLARE_API_TOKEN".to_owned(), OsString::from(sandbox::TOKEN))];
        let heard = Arc::clone(&intents);
        let (stopper, over) = (Stopper::new(), AtomicU64::new(0));
        let stop = stopper.listener();
        let invocation = Invocation {
            arguments: arguments.iter().map(OsString::from).collect(),
            environment: BTreeMap::from(environment),
            results: Arc::clone(&results) as Sink,
            messages: Arc::clone(&messages) as Sink,
            observer: Some(Arc::new(move |event| {
                heard.hear(event);
                held.hear(event);
                let is_over = matches!(event, ApiEvent::Over);
                let answers = if is_over { over.fetch_add(1, Ordering::SeqCst) + 1 } else { 0 };
                if let Some((_, times)) = end.filter(|(number, _)| *number == answers) {
                    (0..times).for_each(|_| stopper.ask());
                }
            })),
        };
        let exit = self.runtime.block_on(invocation.run_until(stop)).code();
        let bytes = |sink: &Mutex<Vec<u8>>| sink.lock().expect("nobody panics").clone();
        Heard {
            exit,
            results: bytes(&results),
            messages: bytes(&messages),
            unannounced: intents.unannounced(),
        }
    }
}

/// The observed events of a run.
pub(super) struct Heard {
    pub(super) exit: u8,
    pub(super) results: Vec<u8>,
    pub(super) messages: Vec<u8>,
    unannounced: Vec<String>,
}

/// Runs a binary in a directory, whose files it is given by paths that do not tell where that is.
pub(super) fn run_binary(path: &Path, directory: &Path, arguments: &[String]) -> Heard {
    let below = format!("{}/", directory.display());
    let mut command = Command::new(path);
    command
        .current_dir(directory)
        .args(arguments.iter().map(|argument| argument.replace(&below, "")));
    command.env_clear().env("CLOUDFLARE_API_TOKEN", sandbox::TOKEN).stdin(Stdio::null());
    let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let exit =
        output.status.code().and_then(|code| u8::try_from(code).ok()).expect("it ends with a code");
    Heard { exit, results: output.stdout, messages: output.stderr, unannounced: Vec::new() }
}

/// Returns the journals of a directory.
fn journal_files(directory: &PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("the directory can be read").path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect()
}
