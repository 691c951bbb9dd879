//! Writes results and messages. No other module prints.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::shared_arguments::{Colour, Format, Global};
use crate::api::ApiError;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources};
use crate::document;
use crate::live::FetchError;
use crate::plan::Plan;
use crate::render;
use crate::render::safe::{visible, visible_json};
use crate::render::wrapped_lines::{Wrapping, report_rows};
use crate::spec::PolicyError;

/// A stream that a run shares with its reader.
pub type Sink = Arc<Mutex<dyn Write + Send>>;

/// The two streams of a run and their settings.
pub(super) struct Output {
    /// Format of results.
    pub(super) format: Format,
    /// True if results are coloured.
    pub(super) colour: bool,
    colour_of_messages: bool,
    quiet: bool,
    /// Level of verbosity.
    pub(super) verbose: u8,
    bar: Option<ProgressBar>,
    /// Replacements for standard output and standard error.
    sinks: Option<(Sink, Sink)>,
}

impl Output {
    /// Creates the output that the flags and the streams demand.
    pub(super) fn new(global: &Global) -> Self {
        let colour = |choice: anstream::ColorChoice| match global.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => choice != anstream::ColorChoice::Never,
        };
        let terminal = io::stderr().is_terminal() && !global.quiet;
        Self {
            format: global.format,
            colour: global.format == Format::Text
                && colour(anstream::AutoStream::choice(&io::stdout())),
            colour_of_messages: colour(anstream::AutoStream::choice(&io::stderr())),
            quiet: global.quiet,
            verbose: global.verbose,
            bar: terminal
                .then(|| ProgressBar::no_length().with_finish(indicatif::ProgressFinish::AndClear)),
            sinks: None,
        }
    }

    /// Creates an output on the given streams for results and messages. They are no terminals:
    /// there is no bar, and colour only on demand.
    pub(super) fn on(global: &Global, results: Sink, messages: Sink) -> Self {
        let colour = global.color == Colour::Always;
        Self {
            format: global.format,
            colour: colour && global.format == Format::Text,
            colour_of_messages: colour,
            quiet: global.quiet,
            verbose: global.verbose,
            bar: None,
            sinks: Some((results, messages)),
        }
    }

    /// Returns the width of the terminal for results, in columns; `None` if results go elsewhere.
    pub(super) fn width(&self) -> Option<usize> {
        let is_shown = self.sinks.is_none() && io::stdout().is_terminal();
        columns(terminal_size::terminal_size_of(io::stdout()).filter(|_| is_shown))
    }

    /// Returns the width of the terminal for messages, in columns; `None` if messages go elsewhere.
    fn width_of_messages(&self) -> Option<usize> {
        let is_shown = self.sinks.is_none() && io::stderr().is_terminal();
        columns(terminal_size::terminal_size_of(io::stderr()).filter(|_| is_shown))
    }

    /// Returns true if a user can answer questions.
    pub(super) fn can_ask(&self) -> bool {
        self.sinks.is_none() && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a question and waits for a line. The terminal stays in line mode, so that an interrupt
    /// leaves it intact.
    ///
    /// # Errors
    /// The question cannot be shown, or the answer cannot be read.
    pub(super) fn ask(&self, question: &str) -> io::Result<String> {
        self.hide();
        write!(io::stderr(), "{question} ")?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(answer)
    }

    /// Ends the line of a question that gets no answer.
    pub(super) fn end_question(&self) {
        let _ = self.on_messages(|out| writeln!(out));
    }

    /// Writes a result to stdout. A closed pipe is no error: the run continues without its reader.
    ///
    /// # Errors
    /// Stdout fails in any other way.
    pub(super) fn result(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut write = Some(write);
        self.write_result(&mut |out| write.take().map_or(Ok(()), |write| write(out)))
    }

    /// Writes a result once. It is not generic, so it is compiled once.
    fn write_result(
        &self,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        self.hide();
        if let Some((results, _)) = &self.sinks {
            return write(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let mut out = io::BufWriter::new(io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The buffered rest cannot be written anywhere.
                let _ = out.into_parts();
                Ok(())
            }
            other => other,
        }
    }

    /// Writes a result for people. On a terminal, long lines are wrapped.
    ///
    /// # Errors
    /// As [`Output::result`].
    pub(super) fn report(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let width = self.width();
        self.result(|out| match width {
            None => write(out),
            Some(width) => {
                let mut lines = Wrapping::new(out, width);
                write(&mut lines)?;
                lines.finish()
            }
        })
    }

    /// Writes a JSON document to stdout.
    ///
    /// # Errors
    /// As [`Output::result`].
    pub(super) fn json(&self, document: &impl Serialize) -> io::Result<()> {
        self.result(|out| writeln!(out, "{}", visible_json(&document::text(document))))
    }

    /// Prints a message unless quiet output is wanted.
    pub(super) fn say(&self, line: &str) {
        if !self.quiet {
            self.message(line);
        }
    }

    /// Prints a message on one line, even if quiet output is wanted.
    pub(super) fn message(&self, line: &str) {
        self.hide();
        // If stderr is closed, there is no place for an error message.
        let line = visible(line);
        let shown = match self.width_of_messages() {
            Some(width) => line
                .lines()
                .flat_map(|line| report_rows(line, width))
                .collect::<Vec<_>>()
                .join("\n"),
            None => line.into_owned(),
        };
        let _ = self.on_messages(|out| writeln!(out, "{shown}"));
    }

    /// Writes bytes unchanged to the stream of messages, for a file argument that names this
    /// stream.
    ///
    /// # Errors
    /// The stream fails.
    pub(super) fn raw_message(&self, bytes: &[u8]) -> io::Result<()> {
        self.hide();
        self.on_messages(|out| out.write_all(bytes))
    }

    /// Writes to the stream of messages.
    fn on_messages(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match &self.sinks {
            Some((_, messages)) => {
                write(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner))
            }
            None => write(&mut io::stderr().lock()),
        }
    }

    /// Reports an error with its causes, and how to fix it.
    pub(super) fn error(&self, error: &anyhow::Error) {
        if let Some(PolicyError { diagnostics, sources }) =
            error.chain().find_map(|cause| cause.downcast_ref())
        {
            self.diagnostics(diagnostics, sources);
        }
        let advice = error.chain().find_map(|cause| {
            let of_read = cause.downcast_ref::<FetchError>().and_then(FetchError::advice);
            of_read.or_else(|| cause.downcast_ref::<ApiError>()?.advice())
        });
        let mut causes: Vec<String> = Vec::new();
        for cause in error.chain() {
            let text = render::safe::safe(&cause.to_string()).into_owned();
            // A layer that repeats its source adds nothing.
            if causes.last().is_none_or(|last| !last.contains(&text)) {
                causes.push(text);
            }
        }
        self.message(&format!("error: {}", causes.join(": ")));
        if let Some(advice) = advice {
            self.message(&format!("help: {}", render::safe::safe(&advice)));
        }
    }

    /// Reports findings on stderr, or errors only if quiet output is wanted.
    pub(super) fn diagnostics(&self, diagnostics: &Diagnostics, sources: &Sources) {
        self.hide();
        let is_wanted = |d: &&Diagnostic| !self.quiet || d.severity == Severity::Error;
        let visible_diagnostics = diagnostics.iter().filter(is_wanted);
        let _ = self.on_messages(|out| {
            render::diagnostics::write(
                out,
                visible_diagnostics,
                sources,
                self.colour_of_messages,
                self.width_of_messages(),
            )
        });
    }

    /// Reports the findings of planning that are not shown yet. With a base, no findings were shown
    /// earlier. Findings that the change does not introduce are only counted, unless verbose output
    /// is wanted.
    pub(super) fn plan_diagnostics(&self, plan: &Plan, shown: &Diagnostics, sources: &Sources) {
        let was_shown = |d: &&Diagnostic| d.severity != Severity::Note && plan.base.is_none();
        let shown: Vec<_> = shown.iter().filter(was_shown).collect();
        let (counted, new): (Vec<_>, Vec<_>) =
            (plan.diagnostics.iter().filter(|d| !shown.contains(d)))
                .partition(|d| d.is_known && self.verbose == 0);
        self.diagnostics(&new.into_iter().cloned().collect(), sources);
        if let Some(words) = render::known_findings(counted.into_iter()) {
            let hint = if plan.base.is_some() { "" } else { "; --base shows the new ones" };
            self.say(&format!("note: {words}; -v shows them{hint}"));
        }
    }

    /// Returns true if only results and errors are wanted.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Shows the current activity in the bar; nothing if stderr is no terminal.
    pub(super) fn status(&self, line: &str) {
        self.draw(None, line);
    }

    /// Shows the progress in the bar; nothing if stderr is no terminal.
    pub(super) fn count(&self, done: usize, total: usize, line: &str) {
        self.draw(Some((done, total)), line);
    }

    /// Prints a message that stays visible: above the bar on a terminal, as a line elsewhere.
    pub(super) fn news(&self, line: &str) {
        if self.quiet {
            return;
        }
        let line = render::safe::safe(line);
        match &self.bar {
            Some(bar) if !bar.is_finished() => bar.println(line),
            _ => {
                let _ = self.on_messages(|out| writeln!(out, "{line}"));
            }
        }
    }

    /// Prints a message that a bar shows as well, if there is no bar.
    pub(super) fn log(&self, line: &str) {
        if self.bar.is_none() {
            self.news(line);
        }
    }

    fn draw(&self, count: Option<(usize, usize)>, line: &str) {
        let Some(bar) = &self.bar else { return };
        // Each of these calls draws. The style comes first, and a hidden bar is filled before it is
        // shown.
        bar.set_style(style(match count {
            // The remaining time is unknown until one item is done.
            Some((0, _)) => "{bar:20} {pos} of {len}  {wide_msg}",
            Some(_) => "{bar:20} {pos} of {len}, about {eta} left  {wide_msg}",
            None => "{spinner} {wide_msg}",
        }));
        let (done, total) = count.unwrap_or_default();
        if bar.is_finished() {
            bar.set_length(total as u64);
            bar.set_message(render::safe::safe(line).into_owned());
            bar.reset();
        }
        bar.update(|state| {
            state.set_len(total as u64);
            state.set_pos(done as u64);
        });
        bar.set_message(render::safe::safe(line).into_owned());
    }

    /// Hides the bar until the next update.
    pub(super) fn hide(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Writes the log to standard error with control characters made visible.
#[derive(Default)]
pub(super) struct LogWriter;

impl Write for LogWriter {
    /// Receives one whole event with each call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let shown = format!("{}\n", visible(text.trim_end_matches('\n')));
        io::stderr().lock().write_all(shown.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

fn columns(size: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(terminal_size::Width(columns), _)| usize::from(columns))
        .filter(|columns| *columns > 0)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
