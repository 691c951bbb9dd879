//! The question whether to apply, on a terminal of its own, which `script` of util-linux makes: a yes applies what is still as it
//! was, and everything else is a no, a real Ctrl-C among it.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::support::workspace::{Workspace, options};
use serde_json::json;

/// After this the test fails; no run takes near as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ctrl-C, as the terminal gets it.
const CTRL_C: &[u8] = b"\x03";

/// A run on a terminal.
struct Asking {
    child: Child,
    keys: ChildStdin,
    /// What the terminal shows, as it comes.
    shows: Receiver<Vec<u8>>,
    shown: String,
}

impl Asking {
    /// Starts an apply, and waits until it asks.
    #[track_caller]
    fn start(workspace: &Workspace) -> Self {
        let run = format!("exec {} apply spec.yaml --color never", env!("CARGO_BIN_EXE_zonewright"));
        let mut command = Command::new("script");
        command.args(["-q", "-e", "-c", &run, "/dev/null"]).current_dir(workspace.path()).env_clear();
        command.envs(["PATH", "HOME"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command
            .env("CLOUDFLARE_BASE_URL", workspace.base_url())
            .env("CLOUDFLARE_API_TOKEN", zonewright::sandbox::TOKEN);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (showing, shows) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                drop(showing.send(bytes[..read].to_vec()));
            }
        });
        let mut asking = Self { child, keys, shows, shown: String::new() };
        while !asking.shown.contains("[y/N]") {
            let Ok(bytes) = asking.shows.recv_timeout(PATIENCE) else { panic!("it never asks: {}", asking.shown) };
            asking.shown.push_str(&String::from_utf8_lossy(&bytes));
        }
        asking
    }

    /// Types, and waits for the end: the exit code and what was shown.
    #[track_caller]
    fn types(mut self, keys: &[u8]) -> (Option<i32>, String) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
        loop {
            match self.shows.recv_timeout(PATIENCE) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("it does not end: {}", self.shown),
            }
        }
        (self.child.wait().unwrap().code(), self.shown)
    }
}

/// Three zones, and a spec of a record in each.
fn workspace() -> Workspace {
    let workspace = Workspace::empty(options());
    let names = ["a.example", "b.example", "c.example"];
    workspace.plant(&json!({ "zones": names.map(|name| json!({ "name": name })) }));
    let zone = |name: &str| format!("  {name}: {{ records: [{{ name: x, type: A, content: 192.0.2.1 }}] }}\n");
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
fn everything_else_is_a_no() {
    for keys in [b"n\n" as &[u8], b"\n", b"yesterday\n", CTRL_C] {
        let workspace = workspace();
        let (code, shown) = Asking::start(&workspace).types(keys);
        assert_eq!(code, Some(3), "{keys:?}: {shown}");
        assert!(shown.contains("Nothing was applied."), "{shown}");
        assert_eq!(workspace.writes().len(), 0, "{keys:?}");
        // The lock went with the run.
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    }
}

#[test]
fn what_moved_while_somebody_thought_is_refused() {
    let workspace = workspace();
    let asking = Asking::start(&workspace);
    let zones = workspace.dump()["zones"].clone();
    let id = zones.as_array().unwrap().iter().find(|zone| zone["name"] == "b.example").unwrap()["id"].clone();
    let body = json!({ "type": "A", "name": "x.b.example", "content": "192.0.2.1", "ttl": 300 });
    workspace.write("POST", &format!("/zones/{}/dns_records", id.as_str().unwrap()), &body);
    let (code, shown) = asking.types(b"y\n");
    assert_eq!(code, Some(4), "{shown}");
    assert!(shown.contains("b.example/dns/x/A") && !shown.contains("a.example/dns/x/A:"), "{shown}");
    assert_eq!(workspace.writes().len(), 0);
}
