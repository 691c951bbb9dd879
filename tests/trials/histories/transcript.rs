//! A history and its events as text.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value as Json, json};
use zonewright::sandbox::LoggedRequest;

use super::history::{History, Strike};
use super::play::{Played, Ran};
use super::trouble;

/// Characters of a body that are shown.
const SHOWN: usize = 600;

/// Returns the problems, and everything that is needed to understand them.
pub(crate) fn of(history: &History, played: Option<&Played>, problems: &[String]) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("a text takes everything");
    line(format!("──── history {}", history.seed));
    problems.iter().for_each(|problem| line(format!("WRONG  {problem}")));
    line(format!("\n{:?}\n{:?}", history.service, history.call));
    line(format!("\nspec:\n{}", history.spec()));
    if history.call.has_base {
        line(format!("spec before:\n{}", history.base()));
    }
    line("Cloudflare has:".to_owned());
    for zone in &history.zones {
        let state = if zone.is_new { ", which it lacks" } else { "" };
        line(format!("  {} ({}), {}{state}", zone.name, zone.plan, zone.id()));
        zone.existing.iter().for_each(|record| line(format!("    {record:?}")));
        zone.protection.iter().for_each(|protection| line(format!("    {protection:?}")));
    }
    history.between.iter().for_each(|foreign| line(format!("between: {foreign:?}")));
    for strike in &history.script {
        line(match strike {
            Strike::Fault(fault) => format!("script: {fault:?}"),
            Strike::Foreign { number, is_after, foreign } => {
                format!(
                    "script: {} request {number}: {foreign:?}",
                    if *is_after { "after" } else { "before" }
                )
            }
        });
    }
    let end = if history.is_kill { "killed" } else { "asked to stop" };
    history.interrupt.iter().for_each(|answers| line(format!("{end} after {answers} answers")));
    if let Some(Played { plan, first, second, third }) = played {
        for (name, ran) in [
            ("plan", plan),
            ("first apply", first),
            ("second apply", second),
            ("third apply", third),
        ] {
            line(format!("\n── {name}\n{}", run(ran)));
        }
    }
    line(format!(
        "\nagain: ZONEWRIGHT_HISTORY_SEED={} cargo test --test trials histories",
        history.seed
    ));
    text
}

/// Returns the results of each run for programs: the document, the messages, the requests, the
/// journal, the exit code.
///
/// # Order
/// Requests and lines of the journal are in the order of their arrival. If a run works on several
/// zones at a time, only the order within a zone is certain. Then requests are sorted, lines of the
/// journal are ordered by zone, and ids are hidden because the sandbox assigns them in the order of
/// the requests.
pub(crate) fn record(history: &History, Played { plan, first, second, third }: &Played) -> Json {
    let run = |ran: &Ran| {
        let one = |r: &LoggedRequest| json!({ "method": r.method, "path": r.path, "body": r.body, "status": r.status });
        let mut requests: Vec<Json> = ran.requests.iter().map(one).collect();
        let mut journal = ran.journal.clone();
        if history.call.concurrency > 1 {
            requests = requests.iter().map(without_ids).collect();
            requests.sort_by_key(Json::to_string);
            journal = zone_after_zone(journal.iter().map(without_ids).collect());
        }
        json!({
            "arguments": ran.arguments, "exit": ran.exit, "document": ran.document,
            "messages": ran.messages.lines().collect::<Vec<_>>(), "requests": requests, "journal": journal,
        })
    };
    json!({ "seed": history.seed, "concurrency": history.call.concurrency, "plan": run(plan), "first": run(first), "second": run(second), "third": run(third) })
}

/// Returns the same without what looks like an id.
fn without_ids(value: &Json) -> Json {
    static ID: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b[0-9a-f]{32}\b").expect("the expression is right"));
    serde_json::from_str(&ID.replace_all(&value.to_string(), "ID")).expect("an id is within a text")
}

/// Returns the lines of a journal zone after zone, with steps counted in this order. Lines about no
/// zone stay first.  The line that ends the journal is about no zone; its place says nothing here,
/// and that it is there is compared.
fn zone_after_zone(mut lines: Vec<Json>) -> Vec<Json> {
    let zone_of_step: HashMap<u64, String> = lines
        .iter()
        .filter_map(|line| Some((line["step"].as_u64()?, line["zone"].as_str()?.to_owned())))
        .collect();
    let zone = |line: &Json| match (line["zone"].as_str(), line["step"].as_u64()) {
        (Some(zone), _) => zone.to_owned(),
        (None, Some(step)) => zone_of_step.get(&step).cloned().unwrap_or_default(),
        (None, None) => String::new(),
    };
    lines.sort_by_cached_key(zone);
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    for line in &mut lines {
        if let Some(step) = line["step"].as_u64() {
            let next = numbers.len() + 1;
            line["step"] = (*numbers.entry(step).or_insert(next)).into();
        }
    }
    lines
}

/// Returns one run.
fn run(ran: &Ran) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("a text takes everything");
    line(format!("zonewright {}\nends with {}", ran.arguments.join(" "), ran.exit));
    ran.messages.lines().for_each(|message| line(format!("  says {message}")));
    for operation in ran.document["operations"].as_array().into_iter().flatten() {
        line(format!(
            "  plans {} {} {}",
            operation["action"], operation["address"], operation["effect"]
        ));
    }
    for request in &ran.requests {
        let status = request.status.map_or("no answer".to_owned(), |status| status.to_string());
        let body = request.body.as_ref().map(clipped).unwrap_or_default();
        let fault = request
            .fault
            .as_ref()
            .map(|what| format!("({}) ", trouble::name(what)))
            .unwrap_or_default();
        line(format!("  {} {} → {fault}{status}  {body}", request.method, request.path));
    }
    for entry in &ran.journal {
        let fields = ["event", "step", "outcome", "detail", "remaining"];
        let shown: Vec<String> = fields
            .iter()
            .filter(|f| !entry[**f].is_null())
            .map(|f| format!("{f} {}", entry[*f]))
            .collect();
        let addresses: Vec<&str> = entry["operations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|o| o["address"].as_str())
            .collect();
        line(format!("  journal {} {}", shown.join(", "), addresses.join(" ")));
    }
    if !ran.document["result"].is_null() {
        line(format!("  result {}", ran.document["result"]));
    }
    text
}

/// Returns a body, shortened.
fn clipped(body: &Json) -> String {
    let text = body.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
