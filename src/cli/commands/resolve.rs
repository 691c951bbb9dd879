//! Implements `resolve`: shows the authoritative reply for a name, under a spec or live, and the
//! records behind it. The connection cannot write.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::default_spec::in_help;
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Format;
use crate::cli::zone_source;
use crate::diagnostic::{Place, Sources};
use crate::document::dns_answer::{AnswerView, json};
use crate::insight::dns::{End, Entry, Serving, ZoneIndex, Zones};
use crate::live::{Fetched, MissingZone, ZoneQuery};
use crate::model::{Desired, Fqdn, Live, NameError, Rdata, RecordType, Unmanaged, ZoneName};
use crate::reconcile::Goal;
use crate::render::dns_answer::write_answers;

/// Show the authoritative answer for a name, and the records it comes from
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright resolve www.example.com --spec zones/\n  zonewright \
        resolve example.com MX --live"
)]
pub(in crate::cli) struct ResolveArgs {
    /// Name to look up, or an address for a reverse lookup
    #[arg(value_name = "NAME")]
    name: String,
    /// Record type; ANY is the default: A, AAAA, and every type that the name has
    #[arg(value_name = "TYPE")]
    record_type: Option<String>,
    #[arg(long, value_name = "SPEC", help = in_help("Answer from a spec: a file, a directory, or \
        `-`; repeatable. With --live or --against, show its lines"))]
    spec: Vec<PathBuf>,
    /// Answer from the live zones
    #[arg(long, conflicts_with = "against")]
    live: bool,
    /// Answer from a snapshot: no credentials, no requests
    #[arg(long, value_name = "SNAPSHOT")]
    against: Option<PathBuf>,
}

impl Run for ResolveArgs {
    const MATTERS: Matters = Matters { connection: true, ..Matters::SPEC };

    fn matters(&self) -> Matters {
        let is_without_spec = self.spec.is_empty() && (self.live || self.against.is_some());
        if is_without_spec { Matters::ONLINE } else { Self::MATTERS }
    }

    fn facts(&self) -> Facts<'_> {
        zone_source::facts("resolve", &self.spec, self.live, self.against.as_ref())
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        (self.spec.is_empty() && !self.live && self.against.is_none()).then_some(&mut self.spec)
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let (name, kind) = question(self).map_err(Ended::Usage)?;
        let goal = zone_source::goal("resolve", &self.spec, settings, output)?;
        let fetched = fetched(self, &name, goal.as_ref(), settings, output).await?;
        let live = fetched.as_ref().map(|fetched| &fetched.live);
        output.hide();
        let nothing = Desired::default();
        let desired = goal.as_ref().map_or(&nothing, |goal| &goal.desired);
        let zones = match live {
            None => Zones::new(desired.zones.values().map(ZoneIndex::of_spec).collect()),
            Some(live) => of_live(live, desired),
        };
        let Some(zone) = zones.zone_of(&name) else {
            match &fetched {
                None => {
                    let example = desired
                        .zones
                        .keys()
                        .next()
                        .map(|zone| format!("; give a whole name, such as www.{zone}"));
                    bail!("no zone of the spec has the name {name}{}", example.unwrap_or_default())
                }
                Some(_) if self.against.is_some() => bail!(
                    "the snapshot has no zone with the name {name}: check the name, or take a \
                    snapshot from a spec that names \
                     the zone"
                ),
                Some(Fetched { account, .. }) => {
                    return Err(MissingZone::containing(name.as_str(), account.as_deref()).into());
                }
            }
        };
        let is_partial = live.is_none()
            && desired.zones.get(zone.name()).is_some_and(|z| z.unmanaged == Unmanaged::Keep);
        let kinds = kind.map_or_else(|| zones.types_of(&name), |kind| vec![kind]);
        let view = |kind: &RecordType| {
            let answer = zones.answer(&name, *kind);
            let mut notes = answer.unseen(&zones, *kind);
            if matches!(answer.end, End::Elsewhere) {
                notes.push(format!(
                    "{} is in none of these zones, so other name servers answer for it",
                    answer.name
                ));
            }
            if is_partial {
                notes.push(
                    "only the spec is looked at: there can be live records that it does not name"
                        .to_owned(),
                );
            }
            AnswerView { kind: *kind, answer, notes }
        };
        let answers: Vec<AnswerView<'_>> = kinds.iter().map(view).collect();
        let no_sources = Sources::default();
        let sources = goal.as_ref().map_or(&no_sources, |goal| &goal.sources);
        match output.format {
            Format::Json => output.json(&json(&name, &answers, sources))?,
            Format::Text | Format::Document(_) => {
                output.report(|out| write_answers(out, &name, &answers, sources))?;
            }
        }
        Ok(Exit::Success)
    }
}

/// Parses the name and the type.
///
/// # Errors
/// The name or the type is invalid.
fn question(args: &ResolveArgs) -> Result<(Fqdn, Option<RecordType>), String> {
    if let Ok(address) = args.name.parse::<IpAddr>() {
        let kind = args.record_type.as_ref().filter(|kind| !kind.eq_ignore_ascii_case("PTR"));
        return match kind {
            Some(kind) => Err(format!(
                "{address} is an address, which has no {kind} record; leave the type out for a \
                reverse lookup"
            )),
            None => Ok((reverse(address), Some(RecordType::Ptr))),
        };
    }
    let name = asked_name(&args.name)
        .map_err(|error| format!("{:?} is not a domain name: {error}", args.name))?;
    let is_any = |text: &&String| text.eq_ignore_ascii_case("ANY") || *text == "*";
    let parse = |text: &String| {
        RecordType::parse(text).or_else(|| numbered(text)).ok_or_else(|| {
            if ["SOA", "TYPE6"].iter().any(|soa| text.eq_ignore_ascii_case(soa)) {
                return "Cloudflare answers SOA itself; its values are the setting `soa` of the zone".to_owned();
            }
            let types: Vec<_> = RecordType::ALL.iter().map(|kind| kind.as_str()).collect();
            format!("{text:?} is not a supported record type; use one of {}", types.join(", "))
        })
    };
    Ok((name, args.record_type.as_ref().filter(|text| !is_any(text)).map(parse).transpose()?))
}

/// Parses the name of a question. Unlike in a record, `*` may be any of its labels (RFC 4592 section
/// 2.1.1).
///
/// # Errors
/// What is wrong with it.
fn asked_name(text: &str) -> Result<Fqdn, NameError> {
    let plain = |label| if label == "*" { "x" } else { label };
    let without_asterisks = text.split('.').map(plain).collect::<Vec<_>>().join(".");
    match Fqdn::parse(text) {
        Err(NameError::Wildcard) => Fqdn::parse(&without_asterisks).map(|_| Fqdn::reported(text)),
        parsed => parsed,
    }
}

/// Parses a type by its number: `TYPE65` (RFC 3597 section 5).
fn numbered(text: &str) -> Option<RecordType> {
    let (word, number) = text.split_at_checked(4)?;
    let number: u16 = number.parse().ok().filter(|_| word.eq_ignore_ascii_case("TYPE"))?;
    RecordType::ALL.iter().copied().find(|kind| *kind as u16 == number)
}

/// Returns the reverse name of an address (RFC 1035 section 3.5, RFC 3596 section 2.5).
fn reverse(address: IpAddr) -> Fqdn {
    let labels: Vec<String> = match address {
        IpAddr::V4(a) => a.octets().iter().rev().map(ToString::to_string).collect(),
        IpAddr::V6(a) => a
            .octets()
            .iter()
            .rev()
            .map(|octet| format!("{:x}.{:x}", octet & 15, octet >> 4))
            .collect(),
    };
    let zone = if address.is_ipv4() { "in-addr.arpa" } else { "ip6.arpa" };
    Fqdn::reported(&format!("{}.{zone}", labels.join(".")))
}

/// Reads the zone from Cloudflare or a snapshot; `None` if only the spec is asked.
async fn fetched(
    args: &ResolveArgs,
    name: &Fqdn,
    goal: Option<&Goal>,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Option<Fetched>> {
    let of_spec =
        goal.map(|goal| goal.desired.zones.values().map(ZoneQuery::of).collect::<Vec<_>>());
    if let Some(file) = &args.against {
        return Ok(Some(zone_source::of_snapshot(file, |_| true, settings).await?));
    }
    if !args.live {
        return Ok(None);
    }
    // Without a spec, the zone is the name or a parent of the name.
    let above = || {
        std::iter::successors(Some(name.as_str()), |text| {
            text.split_once('.').map(|(_, rest)| rest)
        })
    };
    let candidates =
        || above().filter(|text| text.contains('.')).filter_map(|text| ZoneName::parse(text).ok());
    let zones = of_spec.unwrap_or_else(|| candidates().map(ZoneQuery::new).collect());
    Ok(Some(zone_source::of_cloudflare(&zones, settings, output).await?))
}

/// Returns live zones with the lines of the spec that declare their records.
fn of_live<'a>(live: &'a Live, desired: &'a Desired) -> Zones<'a> {
    let zone = |zone: &'a crate::model::LiveZone| {
        let records = desired.zones.get(&zone.name).into_iter().flat_map(|zone| &zone.records);
        let places: HashMap<(&Fqdn, &Rdata), Place> =
            records.map(|record| ((&record.name, &record.data), record.spelling.entry)).collect();
        let entry = |record| {
            let entry = Entry::of_live(record);
            Entry { place: places.get(&(entry.name, entry.data)).copied(), ..entry }
        };
        ZoneIndex::with(&zone.name, Serving::of_live(zone), zone.records.iter().map(entry))
    };
    Zones::new(live.zones.values().map(zone).collect())
}
