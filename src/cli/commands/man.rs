//! Implements `man`: prints or writes manual pages.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap_mangen::Man;

use super::help::{TOPICS, Unknown, subcommand};
use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::files::{self, Readers};
use crate::cli::options_in_help::Matters;

/// Print a manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright man plan | man -l -\n  zonewright man --dir \
        /usr/local/share/man/man1")]
pub(in crate::cli) struct ManArgs {
    /// A command; without one, the page is about the program
    #[arg(value_name = "COMMAND", conflicts_with = "directory")]
    words: Vec<String>,
    /// Write a page for each command into this directory, such as zonewright-plan.1
    #[arg(long = "dir", value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl Run for ManArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::offline("man")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let output = session.output;
        let topics: Vec<String> = TOPICS.iter().map(|topic| (topic.text)()).collect();
        let mut program = (session.program)().after_help(topics.join("\n"));
        program.build();
        let Some(directory) = &self.directory else {
            let command = subcommand(&program, &self.words).map_err(|Unknown(word)| {
                Ended::usage(format!(
                    "there is no command {word:?}; `zonewright man --dir DIR` writes the pages \
                    into a directory"
                ))
            })?;
            let (_, page) = manual_page(command)?;
            output.result(|out| out.write_all(&page))?;
            return Ok(Exit::Success);
        };
        files::check_directory(directory, "man --dir")?;
        std::fs::create_dir_all(directory)
            .with_context(|| format!("failed to make {}", directory.display()))?;
        let mut open = vec![&program];
        let mut pages = 0;
        while let Some(command) = open.pop() {
            let (name, page) = manual_page(command)?;
            let path = directory.join(name);
            files::write_file(&path, &page, Readers::Everyone, output)
                .with_context(|| format!("failed to write {}", path.display()))?;
            open.extend(command.get_subcommands());
            pages += 1;
        }
        output.say(&format!("wrote {pages} pages to {}", directory.display()));
        Ok(Exit::Success)
    }
}

/// Returns the file name and the text of a manual page.
fn manual_page(command: &clap::Command) -> anyhow::Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok((man.get_filename(), page))
}
