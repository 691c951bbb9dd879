//! The spec as Cloudflare has it: the spec's own files edited in memory, for the commands that
//! write or propose that.

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

/// What is to be taken over, as the command line says it.
pub(super) struct Wish<'a> {
    /// Which addresses.
    pub(super) only: &'a Only,
    /// Whether what the spec does not name is taken over as well.
    pub(super) unmanaged: bool,
    /// The snapshot that stands in for Cloudflare, if one does.
    pub(super) snapshot: Option<&'a OpenSnapshot>,
}

/// Decides whether an edit for a deployment that is weaker than the spec says is wanted.
type IsWeakenedWanted<'w> = dyn Fn(&DeploymentInForce) -> bool + 'w;

/// Edits the files of a spec in memory; `is_wanted` is asked about each difference, and
/// `is_weakened_wanted` about each deployment that is weaker than the spec says.
///
/// # Errors
/// The edits cannot be made, or would do something else than they should.
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
        // A value that took the place of a variable may have been its only use.
        let options = spec::Options { texts, may_leave_variables: true, ..options.clone() };
        let mut again =
            Goal::from_spec(&inputs, &options, selection.clone())?.with_base(goal.base().cloned());
        if let Some(snapshot) = wish.snapshot {
            // What is old or missing has been said.
            let _ = snapshot.limit(&mut again, Duration::MAX);
        }
        Ok(again)
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

/// Whether a spec is in files, which can be edited.
pub(super) fn is_in_files(spec: &SpecArgs) -> bool {
    spec.spec.iter().all(|path| path.as_path() != Path::new("-"))
}

/// The files that change, for a patch.
pub(super) fn changed(pulled: &Pulled) -> Vec<ChangedFile<'_>> {
    pulled
        .files
        .iter()
        .map(|Edited { name, before, after }| ChangedFile { name, before, after })
        .collect()
}
