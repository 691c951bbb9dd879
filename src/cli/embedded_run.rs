//! One run of the program inside another one: arguments, environment and streams come in as values.
//!
//! It is the whole program, with its exit codes; only what belongs to a process is given by the
//! caller. The caller's runtime is used, so its clock is as well: with a paused one no wait takes
//! time. Standard input is still that of the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use super::as_shown;
use super::embedding_program::{Surroundings, TimeSource};
use super::exit_codes::Exit;
use super::output::{Output, Sink};
use super::{parse, run_to_end};
use crate::api::{Observer, Stop};

/// A run inside another program.
pub struct Invocation {
    /// The arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// The environment; nothing of the process's is seen.
    pub environment: BTreeMap<String, OsString>,
    /// Takes what goes to standard output.
    pub results: Sink,
    /// Takes what goes to standard error.
    pub messages: Sink,
    /// Is called for each request.
    pub observer: Option<Observer>,
}

impl Invocation {
    /// Runs to the end.
    pub async fn run(self) -> Exit {
        self.run_until(Stop::never()).await
    }

    /// Runs to the end by another clock than the machine's. Waits are those of the runtime all the
    /// same.
    pub async fn run_by(self, clock: TimeSource) -> Exit {
        self.run_with(Stop::never(), clock).await
    }

    /// Runs to the end, or until someone wants to stop: then as a process does that is interrupted,
    /// once or twice.
    pub async fn run_until(self, stop: Stop) -> Exit {
        self.run_with(stop, Arc::new(SystemTime::now)).await
    }

    /// Runs to the end, or until someone wants to stop.
    async fn run_with(self, stop: Stop, clock: TimeSource) -> Exit {
        let Self { arguments, environment, results, messages, observer } = self;
        let program = std::iter::once(OsString::from("zonewright"));
        let arguments: Vec<OsString> = program.chain(arguments).collect();
        let mut cli = match parse(arguments.iter().cloned()) {
            Ok(cli) => cli,
            Err(error) => {
                let (stream, exit) = if error.use_stderr() {
                    (messages, Exit::Usage)
                } else {
                    (results, Exit::Success)
                };
                let error = as_shown(error, arguments.into_iter());
                // If the stream takes nothing, the message cannot be shown.
                let _ = write!(
                    stream.lock().unwrap_or_else(PoisonError::into_inner),
                    "{}",
                    error.render()
                );
                return exit;
            }
        };
        cli.global.surroundings = Surroundings::given(environment, observer, stop, clock);
        let output = Arc::new(Output::on(&cli.global, results, messages));
        run_to_end(&mut cli, &output).await
    }
}
