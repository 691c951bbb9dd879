//! Implements `plan`: shows the differences. The connection cannot write.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::{Facts, Run, Session};
use crate::api::CheckClient;
use crate::apply::{DryRunResult, note_server_check, server_dry_run};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::files::{self, Readers};
use crate::cli::load_spec::load_with_consents;
use crate::cli::output::Output;
use crate::cli::progress::show_reads;
use crate::cli::recordings::{Foresight, RequestArgs};
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{ConsentArgs, DefaultBaseArgs, Global, PartArgs, SpecArgs};
use crate::cli::show_plan::show_plan;
use crate::cli::snapshot_options::SnapshotOptions;
use crate::live::snapshot::Snapshot;
use crate::model::{Address, Only};
use crate::plan::{Consents, Plan, Verdict};
use crate::reconcile::saved_plan::{self, Stamp};
use crate::reconcile::{self, Goal, Planned};
use crate::render::safe::visible_json;
use crate::render::text::Extent;

/// Show what would change; never writes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright plan zones/\n  zonewright plan zones/ --base origin/main \
        --out plan.zwplan --format markdown\n  zonewright plan --only 'example.com/dns/www/*'"
)]
pub(in crate::cli) struct PlanArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// A part.
    #[command(flatten)]
    part: PartArgs,
    /// The base.
    #[command(flatten)]
    default_base: DefaultBaseArgs,
    /// Plan only the zones that differ from the base, and those that are connected with them
    #[arg(long)]
    changed: bool,
    /// Permissions.
    #[command(flatten)]
    consents: ConsentArgs,
    /// What happens to requests.
    #[command(flatten)]
    requests: RequestArgs,
    /// Exit with 2 if there are differences, with 3 if applying them needs a consent that is
    /// missing
    #[arg(long)]
    detailed_exitcode: bool,
    /// Ask Cloudflare whether it would accept each change of a rule (a dry run; needs a token that
    /// can edit)
    #[arg(long, conflicts_with = "against")]
    server_check: bool,
    /// Save the plan for `apply FILE`
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    out: Option<PathBuf>,
    /// A snapshot.
    #[command(flatten)]
    against: SnapshotOptions,
}

impl Run for PlanArgs {
    fn facts(&self) -> Facts<'_> {
        Facts {
            files: self.against.file().into_iter().chain(self.spec.files()).collect(),
            ..Facts::online("plan")
        }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        self.requests.check(&self.spec)
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        if self.out.as_deref().is_some_and(saved_plan::is_named_like_a_spec) {
            let why = "--out has the name of a spec file, so `apply` would refuse the saved plan: \
                use another ending, \
                       such as .json";
            return Err(Ended::usage(why));
        }
        let base = self.default_base.choice();
        let (goal, consents) =
            load_with_consents(&self.spec, &self.consents, base, settings, output)?;
        let mut goal = goal.with_only(Only::new(self.part.only.clone()));
        if self.changed && !goal.choose_changed() {
            let why = "--changed needs the previous spec: name it with --base, such as --base \
                origin/main";
            return Err(Ended::usage(why));
        }
        let foresight = self.requests.open(output)?;
        if let Some(open) = self.against.open(&mut goal, settings, output)? {
            return plan_snapshot(
                &open.snapshot,
                (&goal, &consents),
                foresight,
                self,
                settings,
                output,
            )
            .await;
        }
        let access = if self.server_check { Access::Check } else { Access::Read };
        let connection =
            OpenConnection::open(settings, access, output, goal.needed_zones()).await?;
        let options = foresight.options(connection.options(settings, output));
        let mut planned = reconcile::plan(&goal, &connection.reader, &options).await;
        let foreseen = match &mut planned {
            Ok(planned) => foresight.add_to(planned, &connection.reader, output).await,
            Err(_) => Ok(()),
        };
        let answers = match (&planned, &connection.checker) {
            (Ok(planned), Some(checker)) => server_check(&planned.plan, checker).await,
            _ => Vec::new(),
        };
        connection.close().await;
        let mut planned = planned?;
        foreseen?;
        output.hide();
        planned.warn_of_applied_before(&settings.flags.journal, settings.now()?);
        let refused = answers.iter().any(|(_, answer)| matches!(answer, DryRunResult::Refused(_)));
        if self.server_check {
            note_server_check(&mut planned.plan, &answers);
        }
        let verdict = planned.judge(&consents);
        let requests = planned.requests();
        if let Some(path) = &self.out {
            let tool = concat!("zonewright ", env!("CARGO_PKG_VERSION")).to_owned();
            let stamp = Stamp { tool, now: settings.now()?, today: settings.today()? };
            let text = saved_plan::save(&planned, (&verdict, &consents), &requests, stamp);
            files::write_file(path, visible_json(&text).as_bytes(), Readers::Owner, output)
                .with_context(|| format!("failed to save the plan as {}", path.display()))?;
        }
        show_plan(&planned, &verdict, requests.len(), Extent::Whole, settings, output)?;
        if let Some(path) = self.out.as_ref().filter(|path| path.is_file()) {
            let path = path.display();
            output.say(&format!(
                "saved as {path}; to show it again: zonewright show {path}; to apply it: \
                zonewright apply {path}"
            ));
            for zone in planned.saved_zones() {
                if zone.id.is_none() && zone.account.is_none() {
                    output.say(&format!(
                        "{}: created in the account of the credentials that apply the plan; to bind the plan to one, set \
                         CLOUDFLARE_ACCOUNT_ID",
                        zone.name
                    ));
                }
            }
        }
        let exit = exit(&verdict, self);
        // The process ends here, and dropping 100,000 records would take a twentieth of the run
        // time. Only the options are dropped, so that their credentials are wiped.
        let Planned { goal: _, plan, live, options: _ } = planned;
        std::mem::forget((plan, live, goal));
        Ok(if refused { Exit::Error } else { exit })
    }
}

/// Plans against a snapshot and prints the plan.
async fn plan_snapshot(
    snapshot: &Snapshot,
    (goal, consents): (&Goal, &Consents),
    foresight: Foresight,
    args: &PlanArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let mut options = settings.options_for(snapshot);
    options.progress = Some(show_reads(output));
    let mut planned = reconcile::plan(goal, snapshot, &foresight.options(options)).await?;
    foresight.add_to(&mut planned, snapshot, output).await?;
    output.hide();
    let verdict = planned.judge(consents);
    show_plan(&planned, &verdict, planned.requests().len(), Extent::Whole, settings, output)?;
    Ok(exit(&verdict, args))
}

/// Maps a verdict to an exit code.
fn exit(verdict: &Verdict, args: &PlanArgs) -> Exit {
    match verdict {
        Verdict::Incomplete => Exit::Error,
        Verdict::Ready if args.detailed_exitcode => Exit::Differences,
        Verdict::NeedsConsent(_) if args.detailed_exitcode => Exit::Refused,
        Verdict::InSync | Verdict::Ready | Verdict::NeedsConsent(_) => Exit::Success,
    }
}

/// Asks Cloudflare whether it would accept each planned change of rules.
async fn server_check(plan: &Plan, checker: &CheckClient) -> Vec<(Address, DryRunResult)> {
    let mut results = Vec::new();
    for zone in &plan.zones {
        let answers = server_dry_run(checker, zone).await;
        results
            .extend(zone.rules().map(|(_, operation, _)| operation.address.clone()).zip(answers));
    }
    results
}
