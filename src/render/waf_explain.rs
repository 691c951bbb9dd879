//! Explains why a request is stopped, and the ways to let it through, as text and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::safe::{safe, shortened};
use super::waf_trace::named;
use crate::diagnostic::{Sources, count, first_of};
use crate::document::FORMAT;
use crate::document::waf_explain::{Document, HitDocument, Part, WayDocument};
use crate::insight::traffic::{
    CountedHit, Hit, HitTreatment, Hits, RequestVerdict, Scored, Way, WayKind, WayScope, Ways,
};
use crate::insight::waf::DecidedBy;
use crate::model::Gather;
use crate::model::facts::owasp::THRESHOLD_KEYWORDS;

/// Maximum number of characters shown of the text that a rule matched.
const MOST_OF_MATCH: usize = 60;
/// Maximum number of characters shown of the description of a rule.
const MOST_OF_MESSAGE: usize = 60;
/// Maximum number of characters of a line of an edit: more than an expression can have.
pub(super) const MOST_OF_EDIT: usize = 8192;
/// Maximum number of rules that one line names.
const MOST_RULES: usize = 6;

/// An explanation with all its parts.
#[derive(Debug)]
pub struct Explained<'e> {
    /// The request, if it is known.
    pub request: Option<String>,
    /// The zone, and the origin of its settings: `spec` or `live`.
    pub zone: Option<(&'e str, &'static str)>,
    /// The matches of the public rules.
    pub hits: &'e Hits,
    /// The descriptions of the rules.
    pub messages: &'e BTreeMap<u32, &'e str>,
    /// The parts that rules matched, by rule.
    pub parts: Vec<(u32, Part)>,
    /// The verdict on the request.
    pub verdict: Option<&'e RequestVerdict>,
    /// The ways to let the request through.
    pub ways: &'e Ways,
    /// The edits of the ways.
    pub edits: &'e [String],
    /// The number of the way whose edit is shown, counted from 1.
    pub chosen: usize,
    /// True if the ways were tried on the user's own attacks.
    pub has_own_attacks: bool,
    /// True if the request is known.
    pub is_request_known: bool,
    /// Further notes.
    pub notes: &'e [String],
}

/// Writes the explanation.
///
/// # Errors
/// The errors of the writer.
pub fn write_explained(
    out: &mut dyn Write,
    explained: &Explained<'_>,
    sources: &Sources,
) -> io::Result<()> {
    let Explained { request, hits, verdict, ways, .. } = explained;
    if let Some(request) = request {
        writeln!(out, "{}", shortened(request, 200))?;
    }
    if let (Some((zone, whose)), Some(verdict)) = (explained.zone, verdict) {
        let by = verdict
            .by
            .as_ref()
            .map_or_else(String::new, |by| format!(" by {}", named(by, sources)));
        writeln!(out, "{zone} ({whose}): {}{by}{}", verdict.outcome.as_str(), reason(verdict))?;
    }
    write_hits(out, explained, sources)?;
    write_levels(out, hits)?;
    for note in explained.notes {
        writeln!(out, "  note: {}", safe(note))?;
    }
    if let Some(verdict) = verdict {
        for reason in &verdict.depends_on {
            writeln!(out, "  depends on: {}", safe(reason))?;
        }
        for what in &verdict.not_evaluated {
            writeln!(out, "  not evaluated: {}", safe(what))?;
        }
    }
    if !ways.ways.is_empty() {
        write_ways(out, explained)?;
    }
    Ok(())
}

/// Describes the score and the threshold.
fn reason(verdict: &RequestVerdict) -> String {
    let Some(Scored { total, threshold, action, level, .. }) = &verdict.score else {
        return String::new();
    };
    let sign = if total >= threshold { "≥" } else { "<" };
    let level = level.map_or_else(String::new, |level| format!(", level {level}"));
    format!("; score {total} {sign} threshold {threshold}{level}, action {action}")
}

/// Writes the rules that matched.
fn write_hits(out: &mut dyn Write, explained: &Explained<'_>, sources: &Sources) -> io::Result<()> {
    let Explained { hits, verdict, parts, messages, .. } = explained;
    let score = verdict.and_then(|verdict| verdict.score.as_ref());
    if hits.hits.is_empty() && hits.undecided.is_empty() {
        return writeln!(out, "\n  No OWASP rule matches.");
    }
    writeln!(out, "\n  rule    level  adds  sum  looks for")?;
    let (mut sum, mut has_crossed) = (0, false);
    for hit in &hits.hits {
        let fate = score.and_then(|score| score.hits.iter().find(|counted| counted.hit == *hit));
        let counts = fate.is_none_or(|counted| counted.fate == HitTreatment::Counts);
        sum += if counts { hit.score } else { 0 };
        let shown = if counts { sum.to_string() } else { "-".to_owned() };
        let crosses = score.filter(|score| counts && !has_crossed && sum >= score.threshold);
        has_crossed |= crosses.is_some();
        let mark = match (crosses, fate) {
            (Some(score), _) => format!("  ← reaches {}", score.threshold),
            (None, Some(CountedHit { fate, .. })) => why_not(fate, sources),
            (None, None) => String::new(),
        };
        let message = messages.get(&hit.rule).copied().unwrap_or_default();
        let message = cut(message);
        writeln!(
            out,
            "  {:<7} {:<6} +{:<4} {shown:<4} {message}{mark}",
            hit.rule, hit.level, hit.score
        )?;
        let mut parts_of_rule =
            parts.iter().filter(|(rule, _)| *rule == hit.rule).map(|(_, part)| part);
        if let (true, Some(first)) = (counts, parts_of_rule.next()) {
            let other_parts = parts_of_rule.count();
            let others_in_words = if other_parts > 0 {
                format!(" and {}", count(other_parts, "other part"))
            } else {
                String::new()
            };
            writeln!(out, "          {}{others_in_words}", matched(first))?;
        }
    }
    for Hit { rule, level, score } in &hits.undecided {
        writeln!(
            out,
            "  {rule:<7} {level:<6} +{score}? unknown: its pattern takes too many steps on this \
            request"
        )?;
    }
    Ok(())
}

/// Shortens the description of a rule.
fn cut(message: &str) -> String {
    let short: String = message.chars().take(MOST_OF_MESSAGE).collect();
    let end = if short.len() < message.len() { "…" } else { "" };
    format!("{}{end}", safe(&short))
}

/// Describes why a hit does not count.
fn why_not(fate: &HitTreatment, sources: &Sources) -> String {
    match fate {
        HitTreatment::Counts => String::new(),
        HitTreatment::Off(DecidedBy::Level(level)) => format!("  (off: paranoia level {level})"),
        HitTreatment::Off(why) => format!("  (off: {})", why.as_str()),
        HitTreatment::Bypassed(by) => format!("  (bypassed by {})", named(by, sources)),
        HitTreatment::Foreign => "  (not in Cloudflare's ruleset)".to_owned(),
    }
}

/// Describes the part that a rule matched.
fn matched(part: &Part) -> String {
    let Part { collection, key, is_count, text, start, end, length } = part;
    let key = shortened(key, 40);
    let what = match *collection {
        "ARGS" | "ARGS_GET" | "ARGS_POST" if *is_count && key.is_empty() => "arguments".to_owned(),
        "ARGS" | "ARGS_GET" | "ARGS_POST" => format!("argument `{key}`"),
        "ARGS_NAMES" | "ARGS_GET_NAMES" | "ARGS_POST_NAMES" => "name of an argument".to_owned(),
        "REQUEST_HEADERS" => format!("header `{key}`"),
        "REQUEST_COOKIES" => format!("cookie `{key}`"),
        "REQUEST_COOKIES_NAMES" => "name of a cookie".to_owned(),
        "REQUEST_FILENAME" | "REQUEST_BASENAME" | "REQUEST_URI" | "REQUEST_URI_RAW" => {
            "address".to_owned()
        }
        "REQUEST_BODY" | "XML" => "body".to_owned(),
        "REQUEST_LINE" | "REQUEST_METHOD" | "REQUEST_PROTOCOL" => "request line".to_owned(),
        "FILES" | "FILES_NAMES" => format!("file `{key}`"),
        "QUERY_STRING" => "query".to_owned(),
        other if key.is_empty() => other.to_owned(),
        other => format!("{other}:{key}"),
    };
    let bytes = match (*start, *end) {
        _ if *is_count => "number of them".to_owned(),
        (0, end) if end == *length => "all of it".to_owned(),
        (start, end) => format!("bytes {}-{end} of {length}", start + 1),
    };
    match text {
        Some(text) => format!("{what}, {bytes}: {}", shortened(text, MOST_OF_MATCH)),
        None => format!("{what}, {bytes}: not shown"),
    }
}

/// Writes the score at each level and the usual thresholds.
fn write_levels(out: &mut dyn Write, hits: &Hits) -> io::Result<()> {
    let level = |level: u8| {
        let score = hits.score(level);
        let reached: Vec<String> = THRESHOLD_KEYWORDS
            .iter()
            .filter(|(_, t)| score >= *t)
            .map(|(w, t)| format!("{w} {t}"))
            .collect();
        let reached = if reached.is_empty() {
            String::new()
        } else {
            format!(" (reaches {})", reached.join(", "))
        };
        format!("level {level}: {score}{reached}")
    };
    writeln!(out, "\n  all rules, {}", (1..=4).map(level).collect::<Vec<_>>().join(" · "))
}

/// Writes the ways to let the request through, and the edit of one.
fn write_ways(out: &mut dyn Write, explained: &Explained<'_>) -> io::Result<()> {
    let Explained { ways, edits, chosen, has_own_attacks, is_request_known, .. } = explained;
    let attacks = if *has_own_attacks { "your attacks" } else { "built-in attacks" };
    writeln!(
        out,
        "\nWays to let it through, least damage first ({} of {} {attacks} are stopped now):",
        ways.stopped, ways.attacks
    )?;
    for (n, way) in ways.ways.iter().enumerate() {
        let cost = match (way.lets_through, way.scope()) {
            (0, _) => "lets none of them through".to_owned(),
            (n, WayScope::Path) => format!("lets {n} of them through, on this path"),
            (n, WayScope::Host) => format!("lets {n} of them through, on this host"),
            (n, WayScope::Zone) => format!("lets {n} of them through, everywhere"),
        };
        writeln!(
            out,
            "  {}. {}: score {} < {}; {cost}",
            n + 1,
            about(way),
            way.total,
            way.threshold
        )?;
    }
    writeln!(
        out,
        "  Two edits are not listed, `action: log` and a `when` of the deployment that leaves \
        requests out: each switches the whole"
    )?;
    writeln!(out, "  ruleset off for these requests, and all {} attacks pass.", ways.stopped)?;
    if !is_request_known {
        writeln!(out, "  The exceptions are for the start page, as the request is not known.")?;
    }
    let Some(edit) = chosen.checked_sub(1).and_then(|n| edits.get(n)) else { return Ok(()) };
    writeln!(
        out,
        "\nEdit {chosen} (merge it into the spec; an exception can be a file of its own beside \
        it):\n"
    )?;
    for line in edit.lines() {
        writeln!(out, "  {}", shortened(line, MOST_OF_EDIT))?;
    }
    writeln!(
        out,
        "\nNext: `zonewright apply SPEC`; to revert it: `zonewright undo JOURNAL`, with the \
        journal that apply names."
    )
}

/// Describes a way.
fn about(way: &Way) -> String {
    let rules = first_of(&way.rules, MOST_RULES);
    match way.kind {
        WayKind::Exception(WayScope::Path) => format!("exception for {rules} on this path"),
        WayKind::Exception(WayScope::Host | WayScope::Zone) => {
            format!("exception for {rules} on this host")
        }
        WayKind::Off => format!("{rules} off"),
        WayKind::Level(level) => format!("paranoia level {level}"),
        WayKind::Threshold(threshold) => format!("threshold {threshold}"),
    }
}

/// Returns the form of the JSON output.
#[must_use]
pub fn document<'e>(explained: &'e Explained<'e>, sources: &Sources) -> Document<'e> {
    let Explained { request, zone, hits, messages, parts, verdict, ways, edits, notes, .. } =
        explained;
    let score = verdict.and_then(|verdict| verdict.score.as_ref());
    let texts = |set: Option<&'e std::collections::BTreeSet<String>>| {
        set.into_iter().flatten().map(String::as_str).collect()
    };
    let hit = |hit: &crate::insight::traffic::Hit| {
        let fate = score
            .and_then(|score| score.hits.iter().find(|counted| counted.hit == *hit))
            .map(|c| &c.fate);
        let why_not = fate
            .filter(|fate| **fate != HitTreatment::Counts)
            .map(|fate| why_not(fate, sources).trim().to_owned());
        HitDocument {
            rule: hit.rule,
            level: hit.level,
            score: hit.score,
            counts: why_not.is_none(),
            why_not,
            looks_for: messages.get(&hit.rule).copied(),
            matched: parts
                .iter()
                .filter(|(rule, _)| *rule == hit.rule)
                .map(|(_, part)| part)
                .collect(),
        }
    };
    let way = |(way, edit): (&'e Way, &'e String)| WayDocument {
        kind: match way.kind {
            WayKind::Exception(_) => "exception",
            WayKind::Off => "disable",
            WayKind::Level(_) => "paranoia",
            WayKind::Threshold(_) => "threshold",
        },
        scope: match way.scope() {
            WayScope::Path => "path",
            WayScope::Host => "host",
            WayScope::Zone => "zone",
        },
        rules: &way.rules,
        score: way.total,
        threshold: way.threshold,
        lets_through: way.lets_through,
        edit,
    };
    Document {
        format: FORMAT,
        kind: "waf_explain",
        request: request.as_deref(),
        zone: zone.map(|(zone, _)| zone),
        settings: zone.map(|(_, whose)| whose),
        verdict: verdict.map(|verdict| verdict.outcome.as_str()),
        by: verdict.and_then(|verdict| verdict.by.as_ref()).map(|by| named(by, sources)),
        score: score.map(|score| score.total),
        threshold: score.map(|score| score.threshold),
        action: score.map(|score| score.action.as_str()),
        level: score.and_then(|score| score.level),
        hits: hits.hits.iter().map(hit).collect(),
        undecided: hits.undecided.iter().map(|hit| hit.rule).collect(),
        scores: (1..=4).map(|level| (level, hits.score(level))).gather(),
        attacks: ways.attacks,
        stopped: ways.stopped,
        ways: ways.ways.iter().zip(edits.iter()).map(way).collect(),
        not_evaluated: texts(verdict.map(|verdict| &verdict.not_evaluated)),
        depends_on: texts(verdict.map(|verdict| &verdict.depends_on)),
        notes,
    }
}
