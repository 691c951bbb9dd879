//! A run of the binary that receives signals. Nothing here waits for a fixed time: tests wait for a
//! line of output, for a request at the sandbox's gate, or for the end.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::workspace::{Ran, Workspace};

/// The timeout of the test; no run takes nearly as long.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A run under way.
pub(crate) struct UnderWay {
    child: Child,
    /// Lines of standard error, as they come.
    lines: Receiver<String>,
    /// The lines that were read.
    said: Vec<String>,
    /// All of standard output.
    results: Receiver<String>,
}

impl UnderWay {
    /// Starts the binary.
    pub(crate) fn start(workspace: &Workspace, arguments: &[&str]) -> Self {
        Self::of(listening(&workspace.command()), arguments)
    }

    /// Starts the binary from a shell, after it ran these commands.
    pub(crate) fn after(commands: &str, workspace: &Workspace, arguments: &[&str]) -> Self {
        let binary = workspace.command();
        let script = format!("{commands}; exec \"$0\" \"$@\"");
        Self::of(listening(&wrapped(&binary, "sh", &["-c", &script])), arguments)
    }

    /// Starts a command.
    fn of(mut command: Command, arguments: &[&str]) -> Self {
        let mut child =
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (errors, mut output) = (child.stderr.take().unwrap(), child.stdout.take().unwrap());
        let (said, lines) = channel();
        std::thread::spawn(move || {
            // A test that has read enough lines stops reading.
            BufReader::new(errors)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| drop(said.send(line)));
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
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success(), "{name}");
    }

    /// Waits until it says a line with these words.
    #[track_caller]
    pub(crate) fn says(&mut self, words: &str) {
        loop {
            let Ok(line) = self.lines.recv_timeout(TIMEOUT) else {
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
        let stdout = self
            .results
            .recv_timeout(TIMEOUT)
            .unwrap_or_else(|_| panic!("it does not end: {:#?}", self.said));
        self.said.extend(self.lines.iter());
        let code = self.child.wait().unwrap().code();
        Ran { code, stdout, stderr: self.said.join("\n") }
    }
}

/// Returns a command that is started through another one, which gets it as its last argument and
/// stays the same process.
fn wrapped(command: &Command, by: &str, arguments: &[&str]) -> Command {
    let mut wrapped = Command::new(by);
    wrapped
        .args(arguments)
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .stdin(Stdio::null());
    wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(directory) = command.get_current_dir() {
        wrapped.current_dir(directory);
    }
    wrapped
}

/// Returns the command with no signal ignored, for every test that sends one: a background job of a
/// script ignores some signals, and its children inherit that. Streams of the command must be set
/// afterwards.
pub(crate) fn listening(command: &Command) -> Command {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0);
    // HUP, INT and QUIT are 1 to 3, TERM is 15, XCPU is 24.
    let arguments: &[&str] =
        if ignored & 0x80_4007 == 0 { &[] } else { &["--default-signal=HUP,INT,QUIT,TERM,XCPU"] };
    wrapped(command, "env", arguments)
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
