//! Runs the program once inside another program: arguments, environment and streams are values.
//!
//! The whole program runs, with its exit codes; the caller supplies only what belongs to a process.
//! The run uses the caller's runtime and therefore its clock: no wait takes time if the clock is
//! paused. Standard input is that of the process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use super::as_shown;
use super::embedding_program::{Surroundings, TimeSource};
use super::exit_codes::Exit;
use super::output::{Output, Sink};
use super::{parse_arguments, run_to_end};
use crate::api::{Observer, Stop};

/// A run inside another program.
pub struct Invocation {
    /// Arguments without the name of the program.
    pub arguments: Vec<OsString>,
    /// Environment. Variables of the process are not used.
    pub environment: BTreeMap<String, OsString>,
    /// Receives standard output.
    pub results: Sink,
    /// Receives standard error.
    pub messages: Sink,
    /// Called for each request.
    pub observer: Option<Observer>,
}

impl Invocation {
    /// Runs the command to its end.
    pub async fn run(self) -> Exit {
        self.run_until(Stop::never()).await
    }

    /// Runs the command to its end with another clock than the machine's. Waits still use the clock
    /// of the runtime.
    pub async fn run_by(self, clock: TimeSource) -> Exit {
        self.run_with(Stop::never(), clock).await
    }

    /// Runs the command to its end, or until `stop` is asked: a first or second request has the
    /// effect of a first or second signal.
    pub async fn run_until(self, stop: Stop) -> Exit {
        self.run_with(stop, Arc::new(SystemTime::now)).await
    }

    async fn run_with(self, stop: Stop, clock: TimeSource) -> Exit {
        let Self { arguments, environment, results, messages, observer } = self;
        let program = std::iter::once(OsString::from("zonewright"));
        let arguments: Vec<OsString> = program.chain(arguments).collect();
        let mut cli = match parse_arguments(arguments.iter().cloned()) {
            Ok(cli) => cli,
            Err(error) => {
                let (stream, exit) = if error.use_stderr() {
                    (messages, Exit::Usage)
                } else {
                    (results, Exit::Success)
                };
                let error = as_shown(error, arguments.into_iter());
                // A message that the stream does not accept cannot be shown.
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
