//! A run of the binary that is sent signals while it is under way. Nothing here waits for a time: what is waited for is a line
//! that the run says, a request that comes to the service's gate, or the end.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::workspace::{Ran, Workspace};

/// After this the test fails; no run takes near as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run under way.
pub(crate) struct UnderWay {
    child: Child,
    /// Lines of standard error, as they come.
    lines: Receiver<String>,
    /// Those that were taken.
    said: Vec<String>,
    /// All of standard output.
    results: Receiver<String>,
}

impl UnderWay {
    /// Starts the binary.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Self {
        let mut command = workspace.command();
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (errors, mut output) = (child.stderr.take().unwrap(), child.stdout.take().unwrap());
        let (said, lines) = channel();
        std::thread::spawn(move || {
            // Whoever took enough lines has gone away.
            BufReader::new(errors).lines().map_while(Result::ok).for_each(|line| drop(said.send(line)));
        });
        let (printed, results) = channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            output.read_to_string(&mut text).unwrap();
            drop(printed.send(text));
        });
        Self { child, lines, said: Vec::new(), results }
    }

    /// Sends a signal, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(status.success(), "{name}");
    }

    /// Waits until it says a line with these words.
    #[track_caller]
    pub(crate) fn says(&mut self, words: &str) {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("it never says {words:?}, but {:#?}", self.said)
            };
            let is_it = line.contains(words);
            self.said.push(line);
            if is_it {
                return;
            }
        }
    }

    /// Waits for the end.
    #[track_caller]
    pub(crate) fn ends(mut self) -> Ran {
        // Both streams end with the process.
        let stdout =
            self.results.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it does not end: {:#?}", self.said));
        self.said.extend(self.lines.iter());
        let code = self.child.wait().unwrap().code();
        Ran { code, stdout, stderr: self.said.join("\n") }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
