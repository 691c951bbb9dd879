//! git as a child process that can run no other program, connect to no other machine and read no
//! other repository.
//!
//! The configuration of a repository is not trusted: many of its keys name commands. The commands
//! used here need none of them; anything that could lead to one is switched off in the environment,
//! where the repository cannot switch it on again (a `protocol.file.allow` of the repository
//! overrides a `protocol.allow` of the command line). git finds the repository itself, because only
//! then does it check the owner and honour the user's `safe.directory`. But it may look into one
//! directory only, and the result is compared with what [`Repository`] found.

use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::repository::{Repository, path_of};
use super::revision_error::RevisionError;

/// Variables that git gets from the caller: the locations of programs, the user's configuration and
/// temporary files, and the user who called `sudo`. Everything else is withheld, including all
/// credentials and everything that would redirect git.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "SUDO_UID",
    "TMPDIR",
    "SYSTEMROOT",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "PROGRAMDATA",
    "PATHEXT",
    "TEMP",
];

/// Used if `PATH` is not set. Without it, the system's library decides whether to search the
/// working directory first, and the working directory is the tree.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Environment variables that are set for git.
const SET: &[(&str, &str)] = &[
    // No transport, whatever the repository allows: no transport is called `none`.
    ("GIT_ALLOW_PROTOCOL", "none"),
    // Objects that a partial clone lacks are not fetched. (Unknown before 2.39.4, where
    // `GIT_ALLOW_PROTOCOL` refuses it.)
    ("GIT_NO_LAZY_FETCH", "1"),
    // An id always means the object with that id; objects are not replaced.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_GRAFT_FILE", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Error messages are parsed.
    ("LC_ALL", "C"),
];

/// Arguments for git; these override the repository's configuration.
const ARGUMENTS: &[&str] = &[
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.alternateRefsCommand=",
    // A commit-graph file could describe a commit differently from the commit itself.
    "-c",
    "core.commitGraph=false",
    "-c",
    "core.warnAmbiguousRefs=true",
];

/// Maximum size of git's error output that is kept, in bytes.
const COMPLAINTS: u64 = 16 * 1024;

/// Time limit of one command.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The variables of the caller's environment that git gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitEnvironment(Vec<(&'static str, OsString)>);

impl GitEnvironment {
    /// Takes the variables from an environment. `PATH` must not contain directories relative to the
    /// working directory: git could then be a program in the tree.
    pub fn of(read: impl Fn(&str) -> Option<OsString>) -> Self {
        Self(PASSED.iter().filter_map(|name| Some((*name, read(name)?))).collect())
    }
}

/// git in one repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    repository: Repository,
    environment: GitEnvironment,
    time_limit: Duration,
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct Ended {
    /// True if it succeeded.
    pub(super) is_success: bool,
    /// Its error output, in one line.
    pub(super) complaint: String,
}

impl Git {
    /// Opens the repository of a directory.
    ///
    /// # Errors
    /// Fails if there is none, git cannot be run, git does not trust it, or git finds another one.
    pub(super) fn open(
        directory: &Path,
        environment: &GitEnvironment,
    ) -> Result<Self, RevisionError> {
        let repository = Repository::find(directory)?;
        let git = Self { repository, environment: environment.clone(), time_limit: TIME_LIMIT };
        let (found, ended) = git.text(&["rev-parse", "--absolute-git-dir"])?;
        if !ended.is_success {
            let top = git.repository.top.clone();
            let is_trust = ended.complaint.contains("dubious ownership")
                || ended.complaint.contains("safe.directory");
            return Err(if is_trust {
                RevisionError::Untrusted(top)
            } else {
                RevisionError::Refused(ended.complaint)
            });
        }
        let found_path =
            path_of(found.strip_suffix(b"\n").unwrap_or(&found)).map_err(RevisionError::Git)?;
        let is_same = Path::new(&found_path)
            .canonicalize()
            .is_ok_and(|found_path| found_path == git.repository.git_directory);
        if is_same {
            Ok(git)
        } else {
            Err(RevisionError::Another(found_path.into(), git.repository.git_directory))
        }
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Runs a command with a short output.
    ///
    /// # Errors
    /// Fails if git cannot be run, prints too much, or takes too long.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<(Vec<u8>, Ended), RevisionError> {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        self.run(&arguments, Vec::new(), |answer| {
            let mut bytes = Vec::new();
            answer.take(COMPLAINTS).read_to_end(&mut bytes).map_err(RevisionError::Git)?;
            Ok(bytes)
        })
    }

    /// Runs a command and reads its output as it arrives. Unread output ends the command.
    ///
    /// # Errors
    /// Fails if git cannot be run, prints too much, takes too long, or the reader rejects the
    /// output.
    pub(super) fn run<T>(
        &self,
        arguments: &[OsString],
        input: Vec<u8>,
        read: impl FnOnce(&mut dyn std::io::BufRead) -> Result<T, RevisionError>,
    ) -> Result<(T, Ended), RevisionError> {
        let mut child = self.command(arguments).spawn().map_err(RevisionError::Git)?;
        let missing = || RevisionError::Answer("start");
        let mut stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let mut stderr = child.stderr.take().ok_or_else(missing)?;
        let (ended, is_ended) = channel();
        let time_limit = self.time_limit;
        // git blocks until its output and its errors are read, so each has its own thread.
        let complaints = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = (&mut stderr).take(COMPLAINTS).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            bytes
        });
        let asks = thread::spawn(move || drop(stdin.write_all(&input)));
        let watches = thread::spawn(move || {
            let in_time = is_ended.recv_timeout(time_limit) != Err(RecvTimeoutError::Timeout);
            (in_time, wait_or_kill(child, in_time))
        });
        let mut answer = BufReader::new(stdout);
        let result = read(&mut answer);
        // Dropping the unread output closes the pipe, which ends git.
        drop(answer);
        let _ = ended.send(());
        let (in_time, status) = watches.join().map_err(|_| RevisionError::Answer("end"))?;
        if !in_time {
            return Err(RevisionError::Late(time_limit));
        }
        let _ = asks.join();
        let complaints = complaints.join().unwrap_or_default();
        let complaint =
            String::from_utf8_lossy(&complaints).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_success = status.is_ok_and(|status| status.success());
        match result {
            Err(_) if !is_success && complaint.contains("promisor remote") => {
                Err(RevisionError::Missing(self.repository.top.clone()))
            }
            Ok(_) if complaint.contains("promisor remote") => {
                Err(RevisionError::Missing(self.repository.top.clone()))
            }
            result => Ok((result?, Ended { is_success, complaint })),
        }
    }

    /// Returns the command with a minimal environment.
    fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new("git");
        command.env_clear().env("PATH", USUAL_PATH);
        command
            .envs(self.environment.0.iter().map(|(name, value)| (name, value)))
            .envs(SET.iter().copied());
        // git must not search above this directory.
        if let Some(above) = self.repository.top.parent() {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        command.current_dir(&self.repository.top).args(ARGUMENTS).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Waits for a child to end. Kills it if the time limit is exceeded.
fn wait_or_kill(mut child: Child, in_time: bool) -> std::io::Result<ExitStatus> {
    if !in_time {
        child.kill()?;
    }
    child.wait()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A directory with its own repository, and with a `git` that is a script.
    fn with_git(script: &str) -> (tempfile::TempDir, Git) {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("git");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(directory.path().join(".git")).unwrap();
        fs::write(directory.path().join(".git/HEAD"), "").unwrap();
        let path =
            std::env::join_paths([directory.path(), Path::new("/bin"), Path::new("/usr/bin")])
                .unwrap();
        let environment = GitEnvironment::of(|name| (name == "PATH").then(|| path.clone()));
        let repository = Repository::find(directory.path()).unwrap();
        (directory, Git { repository, environment, time_limit: TIME_LIMIT })
    }

    #[test]
    fn what_does_not_end_is_ended() {
        let (_directory, mut git) = with_git("exec sleep 1000");
        git.time_limit = Duration::from_millis(50);
        assert!(matches!(git.text(&["x"]), Err(RevisionError::Late(_))));
        // Endless output is read only as far as it is needed.
        let (_directory, git) = with_git("exec yes");
        let (answer, _) = git.text(&["x"]).unwrap();
        assert_eq!(answer.len() as u64, COMPLAINTS);
        let (_directory, git) = with_git("yes | head -c 1000000 >&2; exit 3");
        let (_, ended) = git.text(&["x"]).unwrap();
        assert!(!ended.is_success && ended.complaint.len() as u64 <= COMPLAINTS);
    }

    #[test]
    fn another_repository_than_the_one_found_is_refused() {
        let (directory, git) = with_git("echo /");
        assert!(matches!(
            Git::open(directory.path(), &git.environment),
            Err(RevisionError::Another(found, _)) if found.as_path() == Path::new("/")
        ));
    }
}
