//! The confirmation prompt of `apply`, on a terminal made by `script` of util-linux: a yes applies
//! the plan if nothing changed since, and every other input, including a real Ctrl-C, is a no.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::interrupt::listening;
use crate::support::journals::newest;
use crate::support::workspace::{Workspace, options};
use serde_json::json;

/// The timeout of the test; no run takes nearly as long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Ctrl-C, as a terminal sends it.
const CTRL_C: &[u8] = b"\x03";

/// A run on a terminal.
pub(crate) struct Asking {
    child: Child,
    keys: ChildStdin,
    /// Output of the terminal as it arrives.
    shows: Receiver<Vec<u8>>,
    shown: String,
}

impl Asking {
    /// Starts an apply, and waits until it asks whether to apply.
    #[track_caller]
    fn start(workspace: &Workspace) -> Self {
        let mut asking = Self::begin(workspace);
        asking.waits_for("[y/N]");
        asking
    }

    /// Starts an apply.
    fn begin(workspace: &Workspace) -> Self {
        Self::run(workspace, "apply spec.yaml")
    }

    /// Starts the program.
    pub(crate) fn run(workspace: &Workspace, arguments: &str) -> Self {
        Self::shell(
            workspace,
            &format!("exec {} {arguments} --color never", env!("CARGO_BIN_EXE_zonewright")),
        )
    }

    /// Starts a command of the shell.
    pub(crate) fn shell(workspace: &Workspace, run: &str) -> Self {
        let mut command = Command::new("script");
        command
            .args(["-q", "-e", "-c", run, "/dev/null"])
            .current_dir(workspace.path())
            .env_clear();
        command
            .envs(["PATH", "HOME"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command
            .env("TERM", "xterm")
            .env("CLOUDFLARE_BASE_URL", workspace.base_url())
            .env("CLOUDFLARE_API_TOKEN", zonewright::sandbox::TOKEN);
        let mut child =
            listening(&command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (showing, shows) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                drop(showing.send(bytes[..read].to_vec()));
            }
        });
        Self { child, keys, shows, shown: String::new() }
    }

    /// Waits until the terminal shows something.
    #[track_caller]
    pub(crate) fn waits_for(&mut self, text: &str) {
        while !self.shown.contains(text) {
            let Ok(bytes) = self.shows.recv_timeout(TIMEOUT) else {
                panic!("it never shows {text}: {}", self.shown)
            };
            self.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Answers a question when it is asked.
    #[track_caller]
    fn replies(&mut self, question: &str, keys: &str) {
        self.waits_for(question);
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types a text, and waits for the end: the exit code and the output.
    #[track_caller]
    pub(crate) fn types(mut self, keys: &[u8]) -> (Option<i32>, String) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
        loop {
            match self.shows.recv_timeout(TIMEOUT) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    panic!("it does not end: {}", self.shown)
                }
            }
        }
        (self.child.wait().unwrap().code(), self.shown)
    }
}

/// Returns three zones, and a spec of a record in each.
fn workspace() -> Workspace {
    let workspace = Workspace::empty(options());
    let names = ["a.example", "b.example", "c.example"];
    workspace.plant(&json!({ "zones": names.map(|name| json!({ "name": name })) }));
    let zone = |name: &str| {
        format!("  {name}: {{ records: [{{ name: x, type: A, content: 192.0.2.1 }}] }}\n")
    };
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{}", names.map(zone).concat()));
    workspace
}

#[test]
fn a_yes_applies() {
    let workspace = workspace();
    let (code, shown) = Asking::start(&workspace).types(b"y\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("Apply these 3 operations? [y/N]"), "{shown}");
    assert_eq!(workspace.writes().len(), 3);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn zones_are_chosen_for_a_first_spec() {
    let workspace = workspace();
    let mut asking = Asking::run(&workspace, "init");
    asking.replies("or none:", "1, z.example\n");
    asking.waits_for("\"z.example\" is neither a number of the list, nor the name of a zone in it");
    let (code, shown) = asking.types(b"2-3\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("   1  a.example") && shown.contains("Imported 2 zones."), "{shown}");
    let is_there = |name: &str| workspace.path().join(name).exists();
    assert!(
        !is_there("zones/a.example.yaml")
            && is_there("zones/b.example.yaml")
            && is_there("zones/c.example.yaml")
    );
    std::fs::remove_dir_all(workspace.path().join("zones")).unwrap();
    let mut asking = Asking::run(&workspace, "init --pipeline none");
    asking.waits_for("or none:");
    let (code, shown) = asking.types(b"none\n");
    assert_eq!(code, Some(3), "{shown}");
    assert!(
        shown.contains("No zone was chosen. Nothing was written.") && !is_there("zones"),
        "{shown}"
    );
}

#[test]
fn everything_else_is_a_no() {
    for keys in [b"n\n" as &[u8], b"\n", b"yesterday\n", CTRL_C] {
        let workspace = workspace();
        let (code, shown) = Asking::start(&workspace).types(keys);
        assert_eq!(code, Some(3), "{keys:?}: {shown}");
        assert!(shown.contains("Nothing was applied.") && !shown.contains("u{a}"), "{shown}");
        assert_eq!(workspace.writes().len(), 0, "{keys:?}");
        // The lock is released with the end of the run.
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    }
}

/// The end of a question has one exit code, whatever the question is.
#[test]
fn an_interrupt_at_any_question_is_a_no() {
    let workspace = workspace();
    let mut asking = Asking::run(&workspace, "init");
    asking.waits_for("or none:");
    let (code, shown) = asking.types(CTRL_C);
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("Nothing was written.") && !shown.contains("u{a}"), "{shown}");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let mut asking = Asking::run(&workspace, "undo");
    asking.waits_for("Enter for none:");
    let (code, shown) = asking.types(CTRL_C);
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("Nothing was undone."), "{shown}");
}

#[test]
fn an_apply_is_chosen_and_undone() {
    let workspace = workspace();
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let mut asking = Asking::run(&workspace, "undo --allow-deletes 3 --allow removes-last-address");
    asking.replies("Enter for none:", "1\n");
    asking.waits_for("[y/N]");
    let (code, shown) = asking.types(b"y\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("a.example, b.example, c.example: 3 created"), "{shown}");
    assert!(workspace.records("a.example").is_empty());
    for keys in ["\n", "0\n", "9\n", "y\n"] {
        let mut asking = Asking::run(&workspace, "undo");
        asking.waits_for("Enter for none:");
        let (code, shown) = asking.types(keys.as_bytes());
        assert_eq!(code, Some(3), "{keys:?}: {shown}");
    }
}

#[test]
fn a_change_during_the_question_is_refused() {
    let workspace = workspace();
    let asking = Asking::start(&workspace);
    let zones = workspace.dump()["zones"].clone();
    let id =
        zones.as_array().unwrap().iter().find(|zone| zone["name"] == "b.example").unwrap()["id"]
            .clone();
    let body = json!({ "type": "A", "name": "x.b.example", "content": "192.0.2.1", "ttl": 300 });
    workspace.write("POST", &format!("/zones/{}/dns_records", id.as_str().unwrap()), &body);
    let (code, shown) = asking.types(b"y\n");
    assert_eq!(code, Some(4), "{shown}");
    assert!(
        shown.contains("b.example/dns/x/A") && !shown.contains("a.example/dns/x/A:"),
        "{shown}"
    );
    assert_eq!(workspace.writes().len(), 0);
}

/// Returns a zone with mail and two addresses that the spec no longer wants, at names that keep
/// their texts.
fn dangerous() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.plant_records(json!([
        { "type": "MX", "name": "example.com", "content": "mx1.example.net", "priority": 10 },
        { "type": "A", "name": "a.example.com", "content": "192.0.2.1" },
        { "type": "A", "name": "b.example.com", "content": "192.0.2.2" },
        { "type": "TXT", "name": "a.example.com", "content": "\"text\"" },
        { "type": "TXT", "name": "b.example.com", "content": "\"text\"" },
    ]));
    workspace.records_spec(
        "      - { name: \"@\", type: MX, priority: 10, content: mx2.example.net }\n      - { name: a, type: A, state: absent }\n      - { name: b, type: A, state: absent }",
    );
    workspace
}

const OF_DELETES: &str = "type their number:";
const OF_MAIL: &str = "type changes-mail:";
const OF_ADDRESSES: &str = "type removes-last-address:";
const OF_FOREIGN: &str = "type overwrites-foreign:";

#[test]
fn missing_consents_are_asked_for_one_by_one() {
    let workspace = dangerous();
    let mut asking = Asking::begin(&workspace);
    asking.replies(OF_DELETES, "2\n");
    asking.replies(OF_MAIL, "changes-mail\n");
    asking.replies(OF_ADDRESSES, "removes-last-address\n");
    asking.replies(OF_FOREIGN, "overwrites-foreign\n");
    asking.waits_for("Apply these 3 operations? [y/N]");
    let (code, shown) = asking.types(b"y\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains(
            "To allow all of them: --allow-deletes 2 --allow changes-mail,removes-last-address,overwrites-foreign"
        ),
        "{shown}"
    );
    assert_eq!(workspace.records("example.com").len(), 3);
    let journal = std::fs::read_to_string(newest(&workspace)).unwrap();
    assert!(journal.contains("typed at the terminal, 2"), "{journal}");
}

#[test]
fn another_answer_is_no_consent() {
    for (deletes, mail) in [
        ("y\n", None),
        ("3\n", None),
        ("\n", None),
        ("2\n", Some("y\n")),
        ("2\n", Some("changes-much\n")),
    ] {
        let workspace = dangerous();
        let mut asking = Asking::begin(&workspace);
        asking.replies(OF_DELETES, deletes);
        if let Some(mail) = mail {
            asking.replies(OF_MAIL, mail);
        }
        let (code, shown) = asking.types(b"");
        assert_eq!(code, Some(3), "{shown}");
        assert!(shown.contains("No consent. Nothing was applied."), "{shown}");
        assert_eq!(workspace.writes().len(), 0);
    }
}

/// Returns a spec of three records; at Cloudflare, one is changed, one is deleted, and another one
/// is added.
fn meddled_with() -> Workspace {
    let workspace = Workspace::new(options());
    let record = |name: &str, ttl: u32| {
        format!("      - {{ name: {name}, type: A, content: 192.0.2.1, ttl: {ttl} }} # {name}\n")
    };
    workspace.file(
        "spec.yaml",
        format!(
            "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    records:\n{}{}",
            record("a", 300),
            record("b", 300)
        ),
    );
    let live = |name: &str, ttl: u32| json!({ "type": "A", "name": format!("{name}.example.com"), "content": "192.0.2.1", "ttl": ttl });
    workspace.plant_records(json!([live("a", 900), live("c", 60)]));
    workspace
}

#[test]
fn a_pull_asks_about_each_difference() {
    let before = std::fs::read_to_string(meddled_with().path().join("spec.yaml")).unwrap();
    let run = |answers: &[(&str, &str)], code| {
        let workspace = meddled_with();
        let mut asking = Asking::run(&workspace, "pull spec.yaml");
        for (question, keys) in &answers[..answers.len() - 1] {
            asking.replies(question, keys);
        }
        let (question, keys) = answers[answers.len() - 1];
        asking.waits_for(question);
        let (ended, shown) = asking.types(keys.as_bytes());
        assert_eq!(ended, Some(code), "{answers:?}: {shown}");
        assert!(workspace.writes().is_empty());
        (std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap(), shown, workspace)
    };
    let (changed, gone, new) = (
        "take over example.com/dns/a/A (ttl: 300 → 900)? [y/n/a/q]",
        "take over example.com/dns/b/A (Cloudflare does not have it)? [y/n/a/q]",
        " (the spec does not have it)? [y/n/a/q]",
    );
    let (text, shown, _) = run(&[(changed, "y\n"), (gone, "n\n"), (new, "n\n")], 0);
    assert_eq!(text, before.replacen("ttl: 300", "ttl: 900", 1), "{shown}");
    assert!(shown.contains("  example.com/dns/a/A\r\nEdited 1 file: spec.yaml.\r\n"), "{shown}");
    // An input that is not an answer repeats the question.
    let (text, shown, _) =
        run(&[(changed, "what\n"), ("q: leave this", "no\n"), (gone, "n\n"), (new, "YES\n")], 0);
    assert!(text.contains("ttl: 300 } # a") && text.contains("name: c, type: A"), "{text}{shown}");
    assert_eq!(shown.matches(changed).count(), 2, "{shown}");
    // All are chosen, and after that the plan is empty.
    let (_, _, workspace) = run(&[(changed, "a\n")], 0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    // None of the rest, the end of the input, and Ctrl-C, which writes nothing.
    let (text, shown, _) = run(&[(changed, "y\n"), (gone, "q\n")], 0);
    assert!(
        text.contains("ttl: 900") && !shown.contains("the spec does not have it"),
        "{text}{shown}"
    );
    for (keys, code) in [("q\n", 0), ("\u{4}", 0)] {
        let (text, shown, _) = run(&[(changed, keys)], code);
        assert!(text == before && shown.contains("Nothing to take over."), "{shown}");
    }
    let (text, shown, _) = run(&[(changed, "y\n"), (gone, "\u{3}")], 1);
    assert!(text == before && shown.contains("interrupted; nothing was written"), "{shown}");
    // The program does not ask for consents that the command line gives.
    let workspace = meddled_with();
    let (code, shown) = Asking::run(&workspace, "pull spec.yaml --yes").types(b"");
    assert!(code == Some(0) && !shown.contains("take over"), "{shown}");
}
