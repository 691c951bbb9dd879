//! The zones of a plan in a comment: each folded, with its operations as a code block in the style
//! of patches.
//!
//! ```text
//! @@ update record www A @@ zones/example.com.yaml:12
//! - 192.0.2.2
//! + 192.0.2.1
//! - ttl: auto
//! + ttl: 300
//! ```
//!
//! Every line begins with a sign of this format, so that no foreign text can end the block or be
//! read as another sign.

use std::cmp::Reverse;

use super::budget::{Budget, Piece};
use super::mermaid::diagrams;
use crate::diagnostic::Sources;
use crate::diagnostic::count;
use crate::model::sort_by_key;
use crate::render::entries::{BESIDE, Entry, ZoneEntries};
use crate::render::escape::{html, prose};
use crate::render::names_in_words::{in_both_forms, in_words};
use crate::render::operation_view::{Attention, Tally, rest, zone_words};
use crate::render::safe::safe;
use crate::render::same_in_zones::repeating_zones_in_words;
use crate::render::textdiff::{Compared, Part, abridged};

/// A rendered entry.
struct Block {
    attention: Attention,
    tally: Tally,
    /// The number of its operations.
    operations: usize,
    piece: Piece,
}

/// A rendered zone, which is shown in full, in part, or as a count.
struct Shown {
    tally: Tally,
    attention: Attention,
    /// Number of its dangerous operations.
    dangers: usize,
    head: Piece,
    entries: Vec<Block>,
    /// The changes of comments and tags, in a nested fold; shown only together with all entries.
    notes: Piece,
    /// The pictures, which are shown if there is space after everything else.
    pictures: Piece,
    tail: Piece,
    line: Piece,
    /// The indices of the entries to show.
    chosen: Option<Vec<usize>>,
    has_pictures: bool,
}

impl Shown {
    /// Renders every part of a zone once.
    fn new(zone: &ZoneEntries<'_>, sources: &Sources, is_told: bool) -> Self {
        let (tally, dangers) = (zone.tally(), zone.dangers());
        let entries = zone.entries.iter().map(|entry| Block {
            attention: entry.view.attention(),
            tally: entry.tally(),
            operations: entry.members.len(),
            piece: Piece::new(block(entry, sources, is_told)),
        });
        let name = in_both_forms(zone.zone.name.as_str());
        Self {
            tally,
            attention: zone.attention(),
            dangers,
            head: Piece::new(head(zone, tally, dangers)),
            notes: Piece::new(notes(zone, sources, is_told)),
            pictures: Piece::new(diagrams(zone.pictures())),
            tail: Piece::new(tail(zone)),
            line: Piece::new(format!(
                "- <code>{}</code>: {}\n",
                html(&name),
                words(tally, dangers)
            )),
            entries: entries.collect(),
            chosen: None,
            has_pictures: false,
        }
    }

    /// Returns its size in full.
    fn size(&self) -> usize {
        let entries = self.entries.iter().map(|block| block.piece.size).sum::<usize>();
        self.head.size + self.notes.size + self.tail.size + entries
    }

    /// Takes the size of all entries, of the most dangerous ones, or of none. The size of the
    /// zone's own line is already part of the budget.
    fn choose(&mut self, budget: &mut Budget) {
        let full = self.size().saturating_sub(self.line.size);
        if budget.take(full) {
            self.chosen = Some((0..self.entries.len()).collect());
            return;
        }
        /// Size of the line that counts the missing entries.
        const MISSING: usize = 120;
        let around = (self.head.size + self.tail.size + MISSING).saturating_sub(self.line.size);
        let first = self.entries.iter().map(|block| block.piece.size).min().unwrap_or(0);
        if around + first > budget.free() || !budget.take(around) {
            return;
        }
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        sort_by_key(&mut order, |n| Reverse(self.entries[*n].attention));
        let mut chosen: Vec<usize> =
            order.into_iter().filter(|n| budget.take(self.entries[*n].piece.size)).collect();
        chosen.sort_unstable();
        self.chosen = Some(chosen);
    }

    /// Writes the chosen entries. Returns the number of operations that are not shown.
    fn write(&self, out: &mut String, chosen: &[usize]) -> usize {
        out.push_str(&self.head.text);
        for n in chosen {
            out.push_str(&self.entries[*n].piece.text);
        }
        let mut is_shown = vec![false; self.entries.len()];
        chosen.iter().for_each(|n| is_shown[*n] = true);
        let missing =
            self.entries.iter().zip(is_shown).filter(|(_, shown)| !shown).map(|(block, _)| block);
        let (tally, left) = missing.fold((Tally::default(), 0), |(tally, left), block| {
            (tally.and(block.tally), left + block.operations)
        });
        if left > 0 {
            out.push_str(&format!("# and {}: {}\n", count(left, "more operation"), tally.words()));
        }
        if !self.entries.is_empty() {
            out.push_str("```\n");
        }
        if left == 0 {
            out.push_str(&self.notes.text);
        }
        if self.has_pictures {
            out.push_str(&self.pictures.text);
        }
        out.push_str(&self.tail.text);
        left
    }
}

/// Writes the zones. Zones with dangers take their share first. `is_told` is true if the page
/// explains every dangerous entry above. Describes the omitted parts in `left_out`.
pub(super) fn write(
    out: &mut String,
    zones: &[ZoneEntries<'_>],
    sources: &Sources,
    budget: &mut Budget,
    is_told: bool,
    left_out: &mut Vec<String>,
) {
    // Zones in sync without notes are only counted.
    let (quiet, others): (Vec<_>, Vec<_>) = zones.iter().partition(|zone| zone.is_quiet());
    let (repeating, busy): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|zone| zone.is_repeated());
    let mut zones: Vec<Shown> =
        busy.into_iter().map(|zone| Shown::new(zone, sources, is_told)).collect();
    let mut order: Vec<usize> = (0..zones.len()).collect();
    sort_by_key(&mut order, |n| Reverse(zones[*n].attention));
    // First the size of one line per zone is taken; then the zones take the remaining size, in the
    // order of their dangers.
    let listed: Vec<usize> =
        order.iter().copied().take_while(|n| budget.take(zones[*n].line.size)).collect();
    for n in &listed {
        zones[*n].choose(budget);
    }
    for zone in zones.iter_mut().filter(|zone| zone.chosen.is_some()) {
        zone.has_pictures = budget.take(zone.pictures.size);
    }
    if !zones.is_empty() {
        out.push_str(&format!("\n#### {}\n\n", count(zones.len(), "zone")));
    }
    let mut lines = String::new();
    let (mut folded, mut cut) = (0, 0);
    let mut is_listed = vec![false; zones.len()];
    listed.iter().for_each(|n| is_listed[*n] = true);
    for (zone, _) in zones.iter().zip(&is_listed).filter(|(_, listed)| **listed) {
        match &zone.chosen {
            Some(chosen) => cut += zone.write(out, chosen),
            None => {
                folded += 1;
                lines.push_str(&zone.line.text);
            }
        }
    }
    if folded > 0 {
        out.push_str(&format!("\nOnly counted:\n\n{lines}"));
        left_out.push(format!("the operations of {}", count(folded, "zone")));
    }
    if cut > 0 {
        left_out.push(format!("{} of zones shown in part", count(cut, "operation")));
    }
    let unlisted: Vec<&Shown> = zones
        .iter()
        .zip(&is_listed)
        .filter(|(_, listed)| !**listed)
        .map(|(zone, _)| zone)
        .collect();
    if !unlisted.is_empty() {
        let tally = unlisted.iter().fold(Tally::default(), |tally, zone| tally.and(zone.tally));
        let dangers = unlisted.iter().map(|z| z.dangers).sum();
        left_out.push(format!(
            "{} not listed ({})",
            count(unlisted.len(), "zone"),
            words(tally, dangers)
        ));
    }
    if let Some(words) = repeating_zones_in_words(&repeating) {
        out.push_str(&format!("\n{}.\n", prose(&words)));
    }
    if !quiet.is_empty() {
        out.push_str(&format!("\n{} unchanged.\n", count(quiet.len(), "zone")));
    }
}

/// Describes the counts of a zone.
fn words(tally: Tally, dangers: usize) -> String {
    let loud = if dangers > 0 { format!(" · <b>{dangers} dangerous</b>") } else { String::new() };
    format!("{}{loud}", tally.words())
}

/// Returns the beginning of a zone, open if anything except comments and tags changes.
fn head(zone: &ZoneEntries<'_>, tally: Tally, dangers: usize) -> String {
    let (open, fence) = if zone.matters() { (" open", "```diff\n") } else { ("", "") };
    format!(
        "<details{open}><summary><code>{}</code> ({}): {}</summary>\n\n{fence}",
        html(&in_both_forms(zone.zone.name.as_str())),
        html(&zone_words(zone.zone)),
        words(tally, dangers)
    )
}

/// Returns the changes of comments and tags, folded.
fn notes(zone: &ZoneEntries<'_>, sources: &Sources, is_told: bool) -> String {
    // Names are only in the blocks: a summary is HTML, in which renderers look for mentions.
    let Some((words, _)) = zone.notes_in_a_line() else { return String::new() };
    let blocks: String = zone.notes.iter().map(|entry| block(entry, sources, is_told)).collect();
    format!("\n<details><summary>{words}</summary>\n\n```diff\n{blocks}```\n\n</details>\n")
}

/// Returns the end of a zone.
fn tail(zone: &ZoneEntries<'_>) -> String {
    let mut tail = String::new();
    let notes = zone.zone.impact.iter().chain(&zone.zone.notes).cloned();
    for note in notes.chain(zone.sentences()) {
        tail.push_str(&format!("\n- {}", prose(&note)));
    }
    tail.push_str(&format!("\n- {}\n\n</details>\n\n", prose(&rest(zone.zone))));
    tail
}

/// Returns an entry as lines of a block. `is_told` is true if the page explains every dangerous
/// entry above.
fn block(entry: &Entry<'_>, sources: &Sources, is_told: bool) -> String {
    let view = &entry.view;
    let is_told = is_told && view.is_loud();
    let mut about: Vec<String> =
        view.place(sources).into_iter().map(|p| safe(&p).into_owned()).collect();
    about.extend(Some(&view.why.about).filter(|w| !w.is_empty()).map(|why| safe(why).into_owned()));
    let mut text = format!("@@ {} {} @@ {}", view.verb, safe(&view.what()), about.join("; "));
    text.truncate(text.trim_end().len());
    text.push('\n');
    let mut line = |sign: char, words: &str| {
        text.push(sign);
        text.push(' ');
        text.push_str(&safe(words));
        text.push('\n');
    };
    let aside = if view.aside.is_empty() { String::new() } else { format!("  ({})", view.aside) };
    match (&view.before, &view.after) {
        (Some(before), Some(after)) if before == after => line(' ', &format!("{before}{aside}")),
        (Some(before), Some(after)) => {
            let compared = Compared::of(before, after);
            let text = |parts: &[Part]| {
                abridged(parts).iter().map(|part| part.text.as_str()).collect::<String>()
            };
            line('-', &format!("{}{aside}", text(&compared.before)));
            line('+', &format!("{}{aside}", text(&compared.after)));
            if let Some(lengths) = compared.lengths() {
                line('#', &lengths);
            }
        }
        (Some(before), None) => line('-', &format!("{before}{aside}")),
        (None, Some(after)) => line('+', &format!("{after}{aside}")),
        (None, None) => {}
    }
    for value in entry.beside.iter().take(BESIDE) {
        line(' ', value);
    }
    if entry.beside.len() > BESIDE {
        line(' ', &format!("and {} more unchanged", entry.beside.len() - BESIDE));
    }
    for field in &view.fields {
        let label = if field.name.is_empty() { String::new() } else { format!("{}: ", field.name) };
        if let Some(before) = field.before.words() {
            line('-', &format!("{label}{before}"));
        }
        line('+', &format!("{label}{}", field.after));
    }
    if let Some(words) = view.live.words().filter(|_| !is_told) {
        line('#', &words);
    }
    let loud = view.weakens() || view.attention() > Attention::Doubt;
    let sign = if loud { '!' } else { '#' };
    if view.weakens() {
        line(sign, "WEAKENS PROTECTION");
    } else if let Some(direction) = view.direction {
        line(sign, direction.as_str());
    }
    for effect in view.impact.iter().filter(|_| !is_told) {
        line(sign, &in_words(effect));
    }
    if let Some(cause) = view.cause.as_ref().filter(|_| !is_told) {
        line('!', cause);
    }
    for danger in view.dangers.iter() {
        match view.accepted.get(danger) {
            Some(_) if is_told => line('!', &format!("{}, accepted in the spec", danger.code())),
            Some(reason) => {
                line('!', &format!("{}, accepted in the spec: {reason}", danger.code()))
            }
            None => line('!', &format!("danger: {}", danger.code())),
        }
    }
    text
}
