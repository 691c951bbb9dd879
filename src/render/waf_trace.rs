//! The rules that a request meets, as text.

use std::io::{self, Write};

use super::safe::safe;
use crate::diagnostic::Sources;
use crate::document::place::place;
use crate::document::waf_trace::Trace;
use crate::insight::traffic::RuleAt;
use crate::model::request::{Request, without_secrets};

/// Writes verdicts on a request.
///
/// # Errors
/// The errors of the writer.
pub fn write_traces(
    out: &mut dyn Write,
    request: &Request,
    traces: &[Trace],
    sources: &Sources,
) -> io::Result<()> {
    writeln!(out, "{}", safe(&without_secrets(request).to_string()))?;
    for Trace { zone, what, verdict, serving } in traces {
        let by = verdict
            .by
            .as_ref()
            .map_or_else(String::new, |by| format!(" by {}", named(by, sources)));
        writeln!(out, "\n{zone} ({what}): {}{by}", verdict.outcome.as_str())?;
        for step in &verdict.trace {
            writeln!(
                out,
                "  {}: {} {}",
                step.rule.phase.about(),
                named(&step.rule, sources),
                safe(&step.what)
            )?;
        }
        for reason in &verdict.depends_on {
            writeln!(out, "  depends on: {}", safe(reason))?;
        }
        for what in &verdict.not_evaluated {
            writeln!(out, "  not evaluated: {}", safe(what))?;
        }
        if let Some(serving) = serving {
            writeln!(out, "  note: {}", safe(serving))?;
        }
    }
    Ok(())
}

/// Formats a rule with its place.
pub(super) fn named(rule: &RuleAt, sources: &Sources) -> String {
    let name = safe(&rule.name);
    match rule.place.and_then(|at| place(at, sources)) {
        Some(at) => format!("{name} ({at})"),
        None => name.into_owned(),
    }
}
