//! Implements `waf trace`: shows the rules that a request meets, and the verdict. The connection
//! cannot write.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;

use super::protection::{self, SettingArgs};
use super::request_argument::read_request;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::options_in_help::Matters;
use crate::cli::recordings::{ReadingArgs, check_standard_input};
use crate::cli::shared_arguments::{Format, Global};
use crate::cli::zone_source;
use crate::crs;
use crate::diagnostic::Sources;
use crate::document::waf_trace::{Trace, document};
use crate::insight::traffic::{FindsHits, Protection, RequestVerdict};
use crate::model::ZoneName;
use crate::model::request::{Given, Rate, Request};
use crate::reconcile::protection_in_spec;
use crate::render::waf_trace::write_traces;

/// Show the rules that a request meets, and what happens to it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf trace 'POST https://www.example.com/login' --spec zones/ --times '6 in 1m'\n  zonewright waf trace \"curl https://www.example.com/wp-login.php -A scanner\" --live example.com --ip 203.0.113.9"
)]
pub(super) struct WafTraceArgs {
    /// A `curl` command, or a method and an address, in one argument; a file with a request (HAR,
    /// raw, JSON line), or - for standard input
    #[arg(value_name = "REQUEST")]
    request: String,
    /// The entry of a file with several requests, from 1 on
    #[arg(long, value_name = "N")]
    entry: Option<usize>,
    /// How a file is read.
    #[command(flatten)]
    reading: ReadingArgs,
    /// Whose rules; of a spec and of a live zone, each has its verdict.
    #[command(flatten)]
    settings: SettingArgs,
    /// Address of the client
    #[arg(long, value_name = "ADDRESS")]
    ip: Option<std::net::IpAddr>,
    /// A field of the rules language, such as ip.src.country=DE or cf.bot_management.score=30;
    /// repeatable
    #[arg(long, value_name = "FIELD=VALUE")]
    field: Vec<String>,
    /// How often the request is made: a number in a time, such as '6 in 1m'
    #[arg(long, value_name = "N in TIME")]
    times: Option<String>,
}

impl Run for WafTraceArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

    fn matters(&self) -> Matters {
        self.settings.matters(Self::MATTERS)
    }

    fn facts(&self) -> Facts<'_> {
        self.settings.facts()
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.settings.missing()
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        check_standard_input([&PathBuf::from(&self.request)].into_iter().chain(&self.settings.spec))
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let sample = read_request(&self.request, self.entry, &self.reading.options())?;
        let (request, rate) = complete_request(self, sample.request)
            .map_err(|error| Ended::Usage(error.to_string()))?;
        let goal = zone_source::goal("waf", &self.settings.spec, settings, output)?;
        let desired = goal.as_ref().map(|goal| &goal.desired);
        let rules = self.settings.rules.available()?;
        let hits = rules.as_deref().map(|rules| rules.hits(&request));
        let lists = self.settings.lists.read()?;
        let mut traces = Vec::new();
        let mut add = |name: &ZoneName,
                       what: &'static str,
                       protection: Protection,
                       serving: Option<String>| {
            let protection = protection.with_lists(&lists);
            let verdict: RequestVerdict = protection.verdict(&request, rate, hits.as_ref());
            traces.push(Trace { zone: name.to_string(), what, verdict, serving });
        };
        if let Some(live) = &self.settings.live {
            let zones = protection::of_names(std::slice::from_ref(live), settings, output).await?;
            zones.iter().for_each(|zone| add(&zone.name, "live", zone.for_requests(), None));
        }
        if let Some(desired) = desired {
            let zone = protection::zone_of(desired, &request)?;
            let catalogue = rules.as_deref().map(|rules| Arc::new(crs::catalogue(rules)));
            add(
                &zone.name,
                "spec",
                protection_in_spec(zone, catalogue.as_ref()),
                protection::serving(desired, &request),
            );
        }
        let no_sources = Sources::default();
        let sources = goal.as_ref().map_or(&no_sources, |goal| &goal.sources);
        output.hide();
        match output.format {
            Format::Json => output.json(&document(&request, &traces, sources))?,
            Format::Text | Format::Document(_) => {
                output.report(|out| write_traces(out, &request, &traces, sources))?;
            }
        }
        Ok(Exit::Success)
    }
}

/// Adds what the arguments state to the request, and parses its rate.
fn complete_request(args: &WafTraceArgs, mut request: Request) -> anyhow::Result<(Request, Rate)> {
    request.address = args.ip.or(request.address);
    for field in &args.field {
        let Some((name, value)) = field.split_once('=') else {
            bail!("`--field` needs a field and a value, such as ip.src.country=DE");
        };
        request.state(name.trim(), &Given::Text(value.to_owned()))?;
    }
    let rate = match &args.times {
        None => Rate { times: 1, seconds: 1 },
        Some(text) => Rate::parse(text)
            .ok_or_else(|| anyhow!("`--times` needs a number in a time, such as '6 in 1m'"))?,
    };
    Ok((request, rate))
}
