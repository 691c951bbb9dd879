//! Implements `explain`: prints the page of a finding or of a danger.

use std::io::{self, Write};

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::options_in_help::Matters;
use crate::lint::{explanation, known_findings};
use crate::model::Danger;

/// Explain a finding or a danger by its code: the reason, an example, the fix
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright explain LINT0010\n  zonewright explain changes-mail\n  \
        zonewright explain"
)]
pub(in crate::cli) struct ExplainArgs {
    /// A code, such as LINT0010 or changes-mail [default: list all codes]
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl Run for ExplainArgs {
    const MATTERS: Matters = Matters::NOTHING;

    fn facts(&self) -> Facts<'_> {
        Facts::offline("explain")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let output = session.output;
        let Some(code) = &self.code else {
            output.report(|out| list_codes(out))?;
            return Ok(Exit::Success);
        };
        let code = code.trim().trim_matches(['[', ']']);
        let finding = known_findings().find(|finding| finding.code.eq_ignore_ascii_case(code));
        let danger = Danger::ALL.iter().find(|danger| danger.code().eq_ignore_ascii_case(code));
        match (finding, danger) {
            (Some(finding), _) => {
                output.report(|out| write!(out, "{}\n\n{}", finding.code, explanation(finding)))?
            }
            (None, Some(danger)) => output.report(|out| {
                let (code, about) = (danger.code(), danger.about());
                writeln!(out, "{code}\n\nDanger: {about}.\n")?;
                writeln!(out, "To allow it ({}): {}", danger.consent(), danger.flag("N"))
            })?,
            (None, None) => {
                return Err(Ended::usage(format!(
                    "there is no finding or danger {code:?}; `zonewright explain` lists all codes"
                )));
            }
        }
        Ok(Exit::Success)
    }
}

/// Lists all codes.
fn list_codes(out: &mut dyn Write) -> io::Result<()> {
    for finding in known_findings() {
        writeln!(
            out,
            "{:<10}  {:<7}  {}",
            finding.code,
            finding.severity.as_str(),
            finding.summary
        )?;
    }
    for danger in Danger::ALL {
        writeln!(out, "{}: {}", danger.code(), danger.about())?;
    }
    Ok(())
}
