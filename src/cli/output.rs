//! Where results and everything else go. The only place that prints.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

use super::args::{Colour, Format, Global};
use crate::diagnostic::{Diagnostics, Sources};
use crate::render;

/// The two streams of a run and how to write on them.
pub(super) struct Output {
    /// How results are printed.
    pub(super) format: Format,
    /// Whether results are coloured.
    pub(super) colour: bool,
    colour_of_messages: bool,
    quiet: bool,
    /// How much more to say.
    pub(super) verbose: u8,
    bar: Option<ProgressBar>,
    last_line: Mutex<String>,
}

impl Output {
    /// As the flags and the streams want it.
    pub(super) fn new(global: &Global) -> Self {
        let colour = |choice: anstream::ColorChoice| match global.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => choice != anstream::ColorChoice::Never,
        };
        let terminal = io::stderr().is_terminal() && !global.quiet;
        Self {
            format: global.format,
            colour: global.format == Format::Text && colour(anstream::AutoStream::choice(&io::stdout())),
            colour_of_messages: colour(anstream::AutoStream::choice(&io::stderr())),
            quiet: global.quiet,
            verbose: global.verbose,
            bar: terminal.then(spinner),
            last_line: Mutex::default(),
        }
    }

    /// Writes a result to stdout. A reader that has gone away is no error: the work goes on without it.
    ///
    /// # Errors
    /// Any other failure of stdout.
    pub(super) fn result(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.hide();
        let mut out = io::BufWriter::new(io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // What is still buffered has nowhere to go.
                let _ = out.into_parts();
                Ok(())
            }
            other => other,
        }
    }

    /// Writes a JSON document to stdout.
    ///
    /// # Errors
    /// As [`Output::result`].
    pub(super) fn json(&self, document: &serde_json::Value) -> io::Result<()> {
        self.result(|out| writeln!(out, "{document:#}"))
    }

    /// Says something that is not a result.
    pub(super) fn say(&self, line: &str) {
        if !self.quiet {
            self.message(line);
        }
    }

    /// Says something even if quiet is wanted.
    pub(super) fn message(&self, line: &str) {
        self.hide();
        // Nobody is left to tell if stderr is closed.
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Reports an error with its causes.
    pub(super) fn error(&self, error: &anyhow::Error) {
        let mut causes: Vec<String> = Vec::new();
        for cause in error.chain() {
            let text = render::safe::safe(&cause.to_string()).into_owned();
            // A layer that repeats its source says nothing new.
            if causes.last().is_none_or(|last| !last.contains(&text)) {
                causes.push(text);
            }
        }
        self.message(&format!("error: {}", causes.join(": ")));
    }

    /// Reports diagnostics on stderr; notes only where more is wanted.
    pub(super) fn diagnostics(&self, diagnostics: &Diagnostics, sources: &Sources) {
        self.hide();
        let _ = render::diagnostics::write(&mut io::stderr().lock(), diagnostics, sources, self.colour_of_messages);
    }

    /// Shows what is happening: on a terminal in place, elsewhere as a line if it is news.
    pub(super) fn progress(&self, line: &str, is_news: bool) {
        let line = render::safe::safe(line);
        match &self.bar {
            Some(bar) => {
                bar.set_message(line.into_owned());
                bar.tick();
            }
            None if is_news && !self.quiet => {
                let mut last = self.last_line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if *last != line {
                    let _ = writeln!(io::stderr(), "{line}");
                    *last = line.into_owned();
                }
            }
            None => {}
        }
    }

    /// Clears the progress display.
    pub(super) fn hide(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
            bar.finish_and_clear();
        }
    }
}

/// A spinner with a message, on stderr.
fn spinner() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}
