//! Writes saved plans, and reads a saved plan in place of a spec.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::base::Base;
use super::changed_zones::ChangedZones;
use super::goal::{Goal, Source};
use super::plan::Planned;
use crate::diagnostic::{Diagnostics, Severity, Sources};
use crate::document::plan::Plan as PlanDocument;
use crate::document::saved_plan::{self, Basis, SavedPlan};
use crate::insight::Overview;
use crate::model::time::{NotATime, age, parse_rfc3339, rfc3339};
use crate::model::{Danger, Desired, Only};
use crate::plan::{Consents, Verdict};
use crate::spec;
use crate::wire::Request;

/// Number of bytes that distinguish a saved plan from a spec.
const HEAD: u64 = 64 * 1024;

/// The reason why a saved plan cannot be applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SavedPlanError {
    /// The plan cannot be read.
    #[error("failed to read {name}")]
    Io {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The file has the name of a spec.
    #[error(
        "{name} is a saved plan under the name of a spec; nothing was sent. A plan brings its own \
        base and consents, so it must not \
         take the place of a spec: rename it, for example to plan.json"
    )]
    NamedLikeASpec {
        /// The file.
        name: String,
    },
    /// The file is truncated, was changed, or is of another kind or format.
    #[error("{name} cannot be applied")]
    File {
        /// The file.
        name: String,
        /// The reason.
        #[source]
        source: saved_plan::SavedPlanError,
    },
    /// The plan does not say when it was made.
    #[error("{name} does not say when it was made")]
    Undated {
        /// The file.
        name: String,
        /// The error in the time.
        #[source]
        source: NotATime,
    },
    /// The plan was made later than the current time.
    #[error(
        "{name} was made at {created}, and this machine's clock says {now}: one of the two clocks \
        is wrong, so its age is \
         unknown. Set the clock, and plan again"
    )]
    FromTheFuture {
        /// The file.
        name: String,
        /// The time at which it was made, according to the file.
        created: String,
        /// The current time.
        now: String,
    },
    /// The plan is too old.
    #[error("{name} was made {age} ago, and --max-age is {most}; plan again")]
    Old {
        /// The file.
        name: String,
        /// Its age.
        age: humantime::FormattedDuration,
        /// The maximum age.
        most: humantime::FormattedDuration,
    },
    /// The plan has no valid day for deciding expiry.
    #[error("{name} does not say by which day it was judged what has expired")]
    WithoutDay {
        /// The file.
        name: String,
        /// The error in the day.
        #[source]
        source: NotATime,
    },
    /// Expiry was decided on a day on which it may no longer be applied.
    #[error(
        "{name} was judged by the day {day}, so what has expired since, or not yet, is not in it; \
        with --max-age {most}, \
         that day is too far from now. Plan again"
    )]
    OtherDay {
        /// The file.
        name: String,
        /// The day.
        day: String,
        /// The maximum age of the plan.
        most: humantime::FormattedDuration,
    },
    /// The plan has errors.
    #[error("{name} was incomplete when it was saved: it holds errors. Plan again")]
    Incomplete {
        /// The file.
        name: String,
    },
    /// The spec in it has mistakes.
    #[error("{name} holds a spec that this version refuses: {first}; plan again")]
    Spec {
        /// The file.
        name: String,
        /// The first mistake.
        first: String,
    },
}

/// The time and the program of a saved plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// The program with its version.
    pub tool: String,
    /// The current time.
    pub now: SystemTime,
    /// The day on which expiry was decided, `YYYY-MM-DD`.
    pub today: String,
}

/// Returns a plan as a file, with everything that it was made from.
#[must_use]
pub(crate) fn save(
    planned: &Planned<'_>,
    (verdict, consents): (&Verdict, &Consents),
    requests: &[Request],
    stamp: Stamp,
) -> String {
    let Planned { goal, plan, .. } = planned;
    let Stamp { tool, now, today } = stamp;
    let basis = Basis {
        tool,
        created_at: rfc3339(now),
        today,
        desired: spec::print(&goal.desired),
        base: goal.base().map(|base| (base.source.clone(), spec::print(&base.desired))),
        spec_digest: goal.digest.clone(),
        deletes: consents.deletes,
        dangers: consents.dangers.iter().copied().collect(),
        only: plan.only.clone(),
        changed: plan.is_of_changed,
        zones: planned.saved_zones().collect(),
    };
    let document = PlanDocument::of(plan, verdict, requests.len(), &goal.sources);
    saved_plan::seal(document, requests, &basis) + "\n"
}

/// Returns true if a file is a saved plan rather than a spec.
#[must_use]
pub(crate) fn is_saved_plan(path: &Path) -> bool {
    // The content of a pipe can be read only once.
    if !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && saved_plan::looks_like_plan(&String::from_utf8_lossy(&head))
}

/// Returns true if a file has the name of a spec. The content of a file must not make a pipeline
/// apply a plan instead of a spec.
#[must_use]
pub(crate) fn is_named_like_a_spec(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// Reads a saved plan, and refuses one that must not be applied. The consents are those saved with
/// it and those given now.
///
/// # Errors
/// Fails if it cannot be read, is truncated, was changed, is older than `most_age` at the time
/// `now`, or had errors when it was saved.
pub(crate) fn open(
    path: &Path,
    most_age: Duration,
    now: SystemTime,
    given: Consents,
) -> Result<(Goal, Consents), SavedPlanError> {
    let name = path.display().to_string();
    if is_named_like_a_spec(path) {
        return Err(SavedPlanError::NamedLikeASpec { name });
    }
    let file =
        File::open(path).map_err(|source| SavedPlanError::Io { name: name.clone(), source })?;
    let SavedPlan { basis: saved, is_incomplete, operations } = saved_plan::read(file)
        .map_err(|source| SavedPlanError::File { name: name.clone(), source })?;
    let created = parse_rfc3339(&saved.created_at)
        .map_err(|source| SavedPlanError::Undated { name: name.clone(), source })?;
    let Some(age) = age(created, now) else {
        return Err(SavedPlanError::FromTheFuture {
            name,
            created: rfc3339(created),
            now: rfc3339(now),
        });
    };
    if age > most_age {
        return Err(SavedPlanError::Old { name, age: rounded(age), most: rounded(most_age) });
    }
    check_day(&saved.today, most_age, now, &name)?;
    if is_incomplete {
        return Err(SavedPlanError::Incomplete { name });
    }
    let (desired, sources) = read(&saved.desired, &saved.today, &name)?;
    let base = match &saved.base {
        None => None,
        Some((source, text)) => {
            let (desired, _) = read(text, &saved.today, &name)?;
            Some(Base {
                desired,
                source: source.clone(),
                submodule: None,
                notes: Diagnostics::default(),
            })
        }
    };
    let mut consents = given;
    consents.deletes = consents.deletes.or(saved.deletes);
    // Deletes are allowed by their number only.
    consents.dangers.extend(saved.dangers.iter().filter(|danger| **danger != Danger::Delete));
    let records = desired.zones.values().map(|z| z.records.len()).sum();
    let (diagnostics, digest) = (Diagnostics::default(), saved.spec_digest);
    let only =
        saved.only.iter().map(|pattern| glob::Pattern::new(pattern)).collect::<Result<_, _>>();
    let only = only.map_err(|error| saved_plan::SavedPlanError::Malformed(error.to_string()));
    let only = Only::new(only.map_err(|source| SavedPlanError::File { name, source })?);
    let changed = base.as_ref().filter(|_| saved.changed);
    let changed = changed.map(|base| ChangedZones::between(&base.desired, &desired));
    let source =
        Source::SavedPlan { base, today: saved.today, reviewed: operations, zones: saved.zones };
    Ok((
        Goal {
            desired,
            diagnostics,
            sources,
            digest,
            files: 1,
            records,
            source,
            only,
            changed,
            overview: Overview::default(),
        },
        consents,
    ))
}

/// The length of a day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Refuses a plan if its day for expiry ended longer ago than its maximum age, or begins later than
/// today in any time zone. The time of the plan is not sufficient, because `--today` can name any
/// day.
fn check_day(
    day: &str,
    most_age: Duration,
    now: SystemTime,
    name: &str,
) -> Result<(), SavedPlanError> {
    let start = parse_rfc3339(&format!("{day}T00:00:00Z"))
        .map_err(|source| SavedPlanError::WithoutDay { name: name.to_owned(), source })?;
    let since_start = now.duration_since(start);
    let is_near = match since_start {
        Ok(since_start) => since_start.saturating_sub(DAY) <= most_age,
        Err(ahead) => ahead.duration() <= DAY,
    };
    if is_near {
        return Ok(());
    }
    Err(SavedPlanError::OtherDay {
        name: name.to_owned(),
        day: day.to_owned(),
        most: rounded(most_age),
    })
}

/// Returns a duration in its two largest units.
fn rounded(duration: Duration) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_secs(duration.as_secs() / 60 * 60))
}

/// Reads a spec that a plan contains.
fn read(text: &str, today: &str, name: &str) -> Result<(Desired, Sources), SavedPlanError> {
    let mut sources = Sources::default();
    let options = spec::Options { today: Some(today.to_owned()), ..spec::Options::default() };
    let outcome = spec::load(&[spec::Input::Stdin(text.to_owned())], &options, &mut sources);
    let first = outcome
        .diagnostics
        .iter()
        .find(|d| d.severity == Severity::Error)
        .map(|d| d.detail.clone());
    match outcome.desired {
        Some(desired) => Ok((desired, sources)),
        None => {
            Err(SavedPlanError::Spec { name: name.to_owned(), first: first.unwrap_or_default() })
        }
    }
}
