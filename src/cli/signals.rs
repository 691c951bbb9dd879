//! Handles signals that ask the process to end, depending on the stage of the run.
//!
//! SIGINT (Ctrl-C), SIGTERM, SIGHUP (the terminal or the connection was closed), SIGQUIT and
//! SIGXCPU (a limit of processor time) have the same effect. A signal that was ignored when the
//! process began stays ignored, as `nohup` and background jobs of a script require.
//!
//! | the run | first | second |
//! |---|---|---|
//! | reads, compares, shows | stops at once: nothing was written, exit code 1 | |
//! | asks a question | ends at once: that was a no, exit code 3 | |
//! | writes | begins nothing more and finishes what is under way | ends at once, exit code 5: says what may be left, or where that is noted |
//! | writes to its own sandbox | the same | ends at once, exit code 1: nothing was sent to Cloudflare |
//!
//! A separate thread ends such a run, so that neither a long computation nor a question delays the
//! end. Nothing is lost: the process releases its locks, and files are complete or absent.
//!
//! A run inside another program leaves signals alone: it obeys the stop that it was given. The run
//! is dropped where a process would end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;

use super::exit_codes::Exit;
use super::output::Output;
use super::shared_arguments::Global;
use crate::api::{Stop, Stopper};

/// Stage of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// Reads, compares, or shows.
    Reading,
    /// Asks a question. The message applies if the run ends at once.
    Asking(&'static str),
    /// Writes. The message and the exit code apply if the run ends at once.
    Writing(String, Exit),
}

/// Effect of a request to stop.
enum StopEffect {
    /// Finish the operations in flight.
    Finish,
    /// End the run at once with this message and exit code.
    End(String, Exit),
}

/// Message for finishing the operations in flight.
const FINISHING: &str = "stopping: finishing the requests in flight and starting no others (a \
    second signal stops at once)";

impl Stage {
    /// Returns the effect of the first or a later request to stop.
    fn meaning(&self, is_first: bool) -> StopEffect {
        match self {
            Self::Reading => {
                StopEffect::End("interrupted; nothing was written".to_owned(), Exit::Error)
            }
            Self::Asking(no) => StopEffect::End((*no).to_owned(), Exit::Refused),
            Self::Writing(..) if is_first => StopEffect::Finish,
            Self::Writing(left, exit) => StopEffect::End(format!("stopped at once; {left}"), *exit),
        }
    }
}

/// Handles requests to stop for one run.
pub(super) struct Interrupt {
    stage: Arc<Mutex<Stage>>,
    stop: Stop,
    output: Arc<Output>,
}

impl Interrupt {
    /// Begins to listen: to the stop that the run was given, or else to the signals of the process.
    ///
    /// # Errors
    /// The operating system refuses.
    pub(super) fn begin(global: &Global, output: &Arc<Output>) -> anyhow::Result<Self> {
        let stage = Arc::new(Mutex::new(Stage::Reading));
        let stop = match global.surroundings.stop() {
            Some(stop) => stop,
            None => guard(&stage, output)?,
        };
        Ok(Self { stage, stop, output: Arc::clone(output) })
    }

    /// Creates a handler for a command that handles signals itself.
    pub(super) fn never(output: &Arc<Output>) -> Self {
        Self {
            stage: Arc::new(Mutex::new(Stage::Reading)),
            stop: Stop::never(),
            output: Arc::clone(output),
        }
    }

    /// Runs the work to its end or until the given stop ends it. Signals end the process
    /// themselves.
    pub(super) async fn watch(
        &self,
        global: &Global,
        run: impl Future<Output = anyhow::Result<Exit>>,
    ) -> anyhow::Result<Exit> {
        if global.surroundings.stop().is_none() {
            return run.await;
        }
        tokio::select! {
            biased;
            exit = self.ended() => Ok(exit),
            result = run => result,
        }
    }

    /// Waits until the run must end at once.
    async fn ended(&self) -> Exit {
        let mut times = 0;
        loop {
            times += 1;
            self.stop.asked(times).await;
            let stage = lock_stage(&self.stage).clone();
            match stage.meaning(times == 1) {
                StopEffect::Finish => self.output.message(FINISHING),
                StopEffect::End(words, exit) => {
                    self.output.message(&words);
                    return exit;
                }
            }
        }
    }

    /// Returns the stop that waits and new operations check.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Asks a question. If the run ends meanwhile, `no` is its message.
    pub(super) fn while_asking<T>(&self, no: &'static str, ask: impl FnOnce() -> T) -> T {
        *lock_stage(&self.stage) = Stage::Asking(no);
        let answer = ask();
        *lock_stage(&self.stage) = Stage::Reading;
        answer
    }

    /// Runs a write that a journal records. The run does not end by itself meanwhile.
    pub(super) async fn while_writing<T>(&self, write: impl Future<Output = T>) -> T {
        self.while_leaving("the journal says what may have been written", Exit::Partial, write)
            .await
    }

    /// Runs a write. The run does not end by itself meanwhile. If the write does not finish, `left`
    /// is the message and `exit` the exit code.
    pub(super) async fn while_leaving<T>(
        &self,
        left: &str,
        exit: Exit,
        write: impl Future<Output = T>,
    ) -> T {
        *lock_stage(&self.stage) = Stage::Writing(left.to_owned(), exit);
        let written = write.await;
        // Waits until a message about a signal is complete.
        drop(lock_stage(&self.stage));
        written
    }
}

/// Listens to signals. The stage of the run decides their effect.
fn guard(stage: &Arc<Mutex<Stage>>, output: &Arc<Output>) -> anyhow::Result<Stop> {
    let stopper = Stopper::new();
    let stop = stopper.listener();
    let (output, asked, stage) = (Arc::clone(output), stop.clone(), Arc::clone(stage));
    listen(move || {
        // The lock lasts to the end of the process, so that no stage begins meanwhile.
        let stage = lock_stage(&stage);
        match stage.meaning(!asked.is_asked()) {
            StopEffect::Finish => {
                // The stop is set before the message, so that readers can rely on the message.
                stopper.ask();
                output.message(FINISHING);
            }
            StopEffect::End(words, exit) => {
                if matches!(*stage, Stage::Asking(_)) {
                    // The terminal shows `^C` after the question.
                    output.end_question();
                }
                output.message(&words);
                std::process::exit(i32::from(exit.code()));
            }
        }
    })?;
    Ok(stop)
}

/// Returns the stop for commands that handle signals themselves.
///
/// # Errors
/// The operating system refuses.
pub(super) fn stop(global: &Global) -> anyhow::Result<Stop> {
    if let Some(stop) = global.surroundings.stop() {
        return Ok(stop);
    }
    let stopper = Stopper::new();
    let stop = stopper.listener();
    listen(move || stopper.ask())?;
    Ok(stop)
}

/// Calls `on_signal` for each signal that asks the process to end.
fn listen(mut on_signal: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use futures_util::StreamExt;
        use futures_util::stream::{SelectAll, unfold};
        use tokio::signal::unix::{SignalKind, signal};
        let ignored = ignored();
        let mut signals = SelectAll::new();
        for kind in [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::quit(),
            SignalKind::from_raw(libc::SIGXCPU),
        ] {
            if !is_set(ignored, kind.as_raw_value()) {
                let signal = signal(kind).context("failed to listen to signals")?;
                signals.push(Box::pin(unfold(signal, async |mut signal| {
                    signal.recv().await.map(|()| ((), signal))
                })));
            }
        }
        tokio::spawn(async move {
            while let Some(()) = signals.next().await {
                on_signal();
            }
        });
    }
    #[cfg(not(unix))]
    {
        let listening = tokio::signal::ctrl_c();
        tokio::spawn(async move {
            let mut result = listening.await;
            while result.is_ok() {
                on_signal();
                result = tokio::signal::ctrl_c().await;
            }
        });
    }
    Ok(())
}

/// Makes a write beyond the limit for file sizes fail like a write to a full disk. The signal would
/// end the process in the middle of a line of the journal.
///
/// # Errors
/// The operating system refuses.
pub(super) fn outlive_file_size_limit() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // The handler stays installed; its events are ignored.
        let kind = SignalKind::from_raw(libc::SIGXFSZ);
        drop(signal(kind).context("failed to listen to signals")?);
    }
    Ok(())
}

/// Returns the signals that were ignored when the process began, one bit for each. Returns 0 if the
/// system does not report them.
///
/// # Sources
/// `SigIgn` in /proc/self/status: man7.org/linux/man-pages/man5/proc_pid_status.5.html, read
/// 2026-11-22.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    digits.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

/// Returns true if a set contains a signal. The lowest bit is signal 1.
#[cfg(unix)]
fn is_set(signals: u64, number: i32) -> bool {
    u32::try_from(number - 1).is_ok_and(|bit| signals.checked_shr(bit).unwrap_or(0) & 1 == 1)
}

/// Locks the stage. Nothing panics while it is locked.
fn lock_stage(stage: &Mutex<Stage>) -> MutexGuard<'_, Stage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writing_is_finished_and_only_once() {
        let code = |stage: Stage, is_first| match stage.meaning(is_first) {
            StopEffect::Finish => None,
            StopEffect::End(_, exit) => Some(exit.code()),
        };
        assert_eq!(
            (code(Stage::Reading, true), code(Stage::Asking("no"), true)),
            (Some(1), Some(3))
        );
        let writing = || {
            Stage::Writing("the journal says what may have been written".to_owned(), Exit::Partial)
        };
        assert_eq!((code(writing(), true), code(writing(), false)), (None, Some(5)));
        let rehearsing =
            || Stage::Writing("nothing was written to Cloudflare".to_owned(), Exit::Error);
        assert_eq!((code(rehearsing(), true), code(rehearsing(), false)), (None, Some(1)));
        // The signal came while the run was reading. The run ends at the next step and begins no
        // write.
        assert_eq!(code(Stage::Reading, false), Some(1));
    }
}
