//! `import`: write a spec of what the service has.

use std::sync::Arc;

use anyhow::{Context, bail};

use crate::api::ReadClient;
use crate::cli::args::ImportArgs;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::service::{Access, Service};
use crate::cli::settings::Settings;
use crate::import::{Imported, from_live};
use crate::live::{self, WafQuery, Wanted, fetch};
use crate::model::{Desired, DesiredSettings, ZoneName};
use crate::reconcile::{AsFound, as_found};
use crate::render::safe::safe;

/// Reads the zones and prints a spec.
pub(in crate::cli) async fn run(
    args: &ImportArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let name = |text: &String| ZoneName::parse(text).with_context(|| format!("failed to read the name {text:?}"));
    let names = args.zones.iter().map(name).collect::<anyhow::Result<Vec<_>>>()?;
    let service = Service::open(settings, Access::Read, output, std::iter::empty()).await?;
    let imported = read(args, &names, &service.reader, &service.options(settings, output).read).await;
    service.close().await;
    let imported = imported?;
    let mut desired = Desired::default();
    for Imported { mut zone, notes } in imported {
        if args.only_waf {
            zone.records.clear();
        }
        for note in notes {
            output.news(&format!("{}: {}", zone.name, safe(&note)));
        }
        desired.zones.insert(zone.name.clone(), zone);
    }
    output.hide();
    let AsFound { text, notes } = as_found(&desired);
    notes.iter().for_each(|note| output.news(&safe(note)));
    output.result(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Success)
}

/// Reads the zones.
async fn read(
    args: &ImportArgs,
    names: &[ZoneName],
    reader: &ReadClient,
    options: &live::Options,
) -> anyhow::Result<Vec<Imported>> {
    let waf = if args.only_dns { WafQuery::default() } else { WafQuery::everything() };
    let wanted = |name: &ZoneName| Wanted {
        name: name.clone(),
        id: None,
        settings: DesiredSettings::default(),
        waf: waf.clone(),
    };
    let wanted: Vec<_> = names.iter().map(wanted).collect();
    let fetched = fetch(reader, &wanted, options, &|_| {}).await?;
    if let Some(missing) = fetched.missing.first() {
        match &options.account {
            Some(account) => bail!(
                "the account {account}, which CLOUDFLARE_ACCOUNT_ID names, does not have the zone {missing}, or these \
                 credentials cannot see it"
            ),
            None => bail!("the zone {missing} does not exist, or these credentials cannot see it"),
        }
    }
    Ok(fetched.live.zones.values().map(from_live).collect())
}
