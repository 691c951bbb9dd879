//! Implements `schema`: prints the JSON Schemas of files that the program reads and writes.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::options_in_help::Matters;
use crate::schema::{Kind, schema};

/// Print the JSON Schema of the spec, or of what the program writes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright schema > spec.schema.json\n  zonewright schema plan > \
        plan.schema.json"
)]
pub(in crate::cli) struct SchemaArgs {
    // The list of all kinds is longer than the rest of the short help.
    /// What the schema describes
    #[arg(value_name = "KIND", default_value = "spec", value_parser = schemas(), hide_possible_values = true, long_help = kinds())]
    kind: String,
}

/// Returns the help of the argument, with all kinds of documents.
fn kinds() -> String {
    let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    format!("What the schema describes: {}", names.join(", "))
}

/// Returns a parser for the kinds of documents that have a schema.
fn schemas() -> PossibleValuesParser {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name()))
}

impl Run for SchemaArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::offline("schema")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let kind = Kind::ALL.iter().find(|kind| kind.name() == self.kind);
        session.output.json(&schema(*kind.unwrap_or(&Kind::Spec)))?;
        Ok(Exit::Success)
    }
}
