//! Edits the files of the spec in memory to match Cloudflare, for commands that write or propose
//! the result.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::load_spec::input;
use super::settings::Settings;
use super::shared_arguments::SpecArgs;
use crate::model::{Live, Only};
use crate::plan::{DeploymentInForce, Operation, Plan};
use crate::reconcile::pull::{Choice, Edited, Pulled, pull};
use crate::reconcile::{Goal, OpenSnapshot};
use crate::render::ChangedFile;
use crate::spec;

/// Differences to take over, as the command line selects them.
pub(super) struct Wish<'a> {
    /// Filter on addresses.
    pub(super) only: &'a Only,
    /// True if records and rules that the spec does not name are taken over, too.
    pub(super) unmanaged: bool,
    /// Snapshot that replaces Cloudflare.
    pub(super) snapshot: Option<&'a OpenSnapshot>,
}

/// Decides about the edit for a deployment that is weaker at Cloudflare than in the spec.
type IsWeakenedWanted<'w> = dyn Fn(&DeploymentInForce) -> bool + 'w;

/// Edits the files of a spec in memory. Calls `is_wanted` for each difference, and
/// `is_weakened_wanted` for each deployment that is weaker at Cloudflare than in the spec.
///
/// # Errors
/// The edits are impossible or would have a different effect than intended.
pub(super) fn edited(
    (goal, plan, live): (&Goal, &Plan, &Live),
    spec: &SpecArgs,
    wish: &Wish<'_>,
    (is_wanted, is_weakened_wanted): (&dyn Fn(&Operation) -> bool, &IsWeakenedWanted<'_>),
    settings: &Settings<'_>,
) -> anyhow::Result<Pulled> {
    let inputs: Vec<_> = spec.spec.iter().map(|path| input(path)).collect::<anyhow::Result<_>>()?;
    let (options, selection) = (settings.spec_options()?, settings.selection()?);
    let reread = |texts: BTreeMap<String, String>| {
        // A value that replaced a variable may have been the only use of the variable.
        let options = spec::Options { texts, may_leave_variables: true, ..options.clone() };
        let mut edited_goal =
            Goal::from_spec(&inputs, &options, selection.clone())?.with_base(goal.base().cloned());
        if let Some(snapshot) = wish.snapshot {
            // The first call has reported an old or incomplete snapshot.
            let _ = snapshot.limit(&mut edited_goal, Duration::MAX);
        }
        Ok(edited_goal)
    };
    let choice = Choice {
        only: wish.only,
        is_wanted,
        is_weakened_wanted,
        unmanaged: wish.unmanaged,
        given: &options.variables,
    };
    Ok(pull(goal, (plan, live), &choice, &reread)?)
}

/// Returns true if a spec consists of files, which can be edited.
pub(super) fn is_in_files(spec: &SpecArgs) -> bool {
    spec.spec.iter().all(|path| path.as_path() != Path::new("-"))
}

/// Returns the changed files, for a patch.
pub(super) fn changed_files(pulled: &Pulled) -> Vec<ChangedFile<'_>> {
    pulled
        .files
        .iter()
        .map(|Edited { name, before, after }| ChangedFile { name, before, after })
        .collect()
}
