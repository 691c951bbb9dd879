//! `schema`, `completions`, `man`: what the program knows about itself.

use clap::CommandFactory;

use crate::cli::args::{Cli, SchemaArgs};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::document::{self, Kind};
use crate::spec;

/// Prints a JSON Schema.
pub(in crate::cli) fn schema(args: &SchemaArgs, output: &Output) -> anyhow::Result<Exit> {
    let kind = Kind::ALL.iter().find(|kind| kind.name() == args.kind);
    output.json(&kind.map_or_else(spec::schema, |kind| document::schema(*kind)))?;
    Ok(Exit::Success)
}

/// Prints a completion script.
pub(in crate::cli) fn completions(shell: clap_complete::Shell, output: &Output) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "zonewright", &mut script);
    output.result(|out| out.write_all(&script))?;
    Ok(Exit::Success)
}

/// Prints the manual page.
pub(in crate::cli) fn man(output: &Output) -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    output.result(|out| out.write_all(&page))?;
    Ok(Exit::Success)
}
