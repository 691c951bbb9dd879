//! The zones of a plan in a comment: each folded, with its operations as a code block in the style of patches.
//!
//! ```text
//! @@ update record www A @@ zones/example.com.yaml:12
//! - 192.0.2.2
//! + 192.0.2.1
//! - ttl: auto
//! + ttl: 300
//! ```
//!
//! Every line begins with a sign of ours, so that no foreign text can end the block or be taken for another sign.

use std::cmp::Reverse;

use super::budget::{Budget, Piece};
use crate::diagnostic::Sources;
use crate::diagnostic::count;
use crate::plan::ZonePlan;
use crate::render::escape::{html, prose};
use crate::render::safe::safe;
use crate::render::view::{Attention, OperationView, Review, Tally, rest, views, zone_words};

/// Largest number of zones that are unfolded because of a danger; more would be confusing.
const UNFOLDED: usize = 3;

/// A zone, ready to be shown in full, in part, or as a count.
struct Shown {
    tally: Tally,
    attention: Attention,
    /// Number of its dangerous operations.
    dangers: usize,
    head: Piece,
    operations: Vec<(Attention, Tally, Piece)>,
    tail: Piece,
    line: Piece,
    /// The operations to show, by number.
    chosen: Option<Vec<usize>>,
}

impl Shown {
    /// Renders every part of a zone once.
    fn new(zone: &ZonePlan, sources: &Sources) -> Self {
        let all: Vec<OperationView<'_>> = views(zone).collect();
        let tally = Tally::of(&all);
        let attention = all.iter().map(OperationView::attention).max().unwrap_or(Attention::Plain);
        let dangers = all.iter().filter(|r| r.attention() > Attention::Doubt).count();
        let operations: Vec<_> =
            all.iter().map(|r| (r.attention(), Tally::of([r]), Piece::new(block(r, sources)))).collect();
        Self {
            tally,
            attention,
            dangers,
            head: Piece::new(head(zone, tally, dangers)),
            tail: Piece::new(tail(zone, !operations.is_empty())),
            line: Piece::new(format!("- <code>{}</code>: {}\n", html(zone.name.as_str()), words(tally, dangers))),
            operations,
            chosen: None,
        }
    }

    /// Its size in full.
    fn size(&self) -> usize {
        self.head.size + self.tail.size + self.operations.iter().map(|(_, _, piece)| piece.size).sum::<usize>()
    }

    /// Takes the remaining size beyond its line, which is already counted: all operations, the most dangerous ones, or
    /// none.
    fn choose(&mut self, budget: &mut Budget) {
        let full = self.size().saturating_sub(self.line.size);
        if budget.take(full) {
            self.chosen = Some((0..self.operations.len()).collect());
            return;
        }
        /// Size of the line that says how many are missing.
        const MISSING: usize = 120;
        let around = (self.head.size + self.tail.size + MISSING).saturating_sub(self.line.size);
        let first = self.operations.iter().map(|(_, _, piece)| piece.size).min().unwrap_or(0);
        if around + first > budget.free() || !budget.take(around) {
            return;
        }
        let mut order: Vec<usize> = (0..self.operations.len()).collect();
        order.sort_by_key(|n| Reverse(self.operations[*n].0));
        let mut chosen: Vec<usize> = order.into_iter().filter(|n| budget.take(self.operations[*n].2.size)).collect();
        chosen.sort_unstable();
        self.chosen = Some(chosen);
    }

    /// Writes what was chosen; returns how many operations are not shown.
    fn write(&self, out: &mut String, chosen: &[usize], unfold: bool) -> usize {
        let head = &self.head.text;
        out.push_str(&if unfold { head.replacen("<details>", "<details open>", 1) } else { head.clone() });
        for n in chosen {
            out.push_str(&self.operations[*n].2.text);
        }
        let left = self.operations.len() - chosen.len();
        if left > 0 {
            let mut is_shown = vec![false; self.operations.len()];
            chosen.iter().for_each(|n| is_shown[*n] = true);
            let missing = self.operations.iter().zip(is_shown).filter(|(_, shown)| !shown);
            let tally = missing.fold(Tally::default(), |tally, ((_, one, _), _)| tally.and(*one));
            out.push_str(&format!("# and {}: {}\n", count(left, "more operation"), tally.words()));
        }
        out.push_str(&self.tail.text);
        left
    }
}

/// Writes the zones; those with dangers get their share first. Adds what was omitted, in words.
pub(super) fn write(out: &mut String, review: &Review<'_>, budget: &mut Budget, left_out: &mut Vec<String>) {
    // Zones in sync without notes are only counted.
    let (busy, quiet): (Vec<_>, Vec<_>) =
        review.plan.zones.iter().partition(|zone| !zone.is_empty() || !zone.notes.is_empty());
    let mut zones: Vec<Shown> = busy.into_iter().map(|zone| Shown::new(zone, review.sources)).collect();
    let mut order: Vec<usize> = (0..zones.len()).collect();
    order.sort_by_key(|n| Reverse(zones[*n].attention));
    // First every zone gets its line; then the zones get the remaining size, in order of their dangers.
    let listed: Vec<usize> = order.iter().copied().take_while(|n| budget.take(zones[*n].line.size)).collect();
    for n in &listed {
        zones[*n].choose(budget);
    }
    if !zones.is_empty() {
        out.push_str(&format!("\n#### {}\n\n", count(zones.len(), "zone")));
    }
    let mut lines = String::new();
    let (mut folded, mut unfolded, mut cut) = (0, 0, 0);
    let mut is_listed = vec![false; zones.len()];
    listed.iter().for_each(|n| is_listed[*n] = true);
    for (zone, _) in zones.iter().zip(&is_listed).filter(|(_, listed)| **listed) {
        match &zone.chosen {
            Some(chosen) => {
                let unfold = zone.dangers > 0 && unfolded < UNFOLDED;
                unfolded += usize::from(unfold);
                cut += zone.write(out, chosen, unfold);
            }
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
    let unlisted: Vec<&Shown> =
        zones.iter().zip(&is_listed).filter(|(_, listed)| !**listed).map(|(zone, _)| zone).collect();
    if !unlisted.is_empty() {
        let tally = unlisted.iter().fold(Tally::default(), |tally, zone| tally.and(zone.tally));
        let dangers = unlisted.iter().map(|z| z.dangers).sum();
        left_out.push(format!("{} not even named ({})", count(unlisted.len(), "zone"), words(tally, dangers)));
    }
    if !quiet.is_empty() {
        out.push_str(&format!("\n{} in sync.\n", count(quiet.len(), "zone")));
    }
}

/// Counts of a zone.
fn words(tally: Tally, dangers: usize) -> String {
    let loud = if dangers > 0 { format!(" · <b>{dangers} dangerous</b>") } else { String::new() };
    format!("{}{loud}", tally.words())
}

/// The beginning of a zone.
fn head(zone: &ZonePlan, tally: Tally, dangers: usize) -> String {
    let fence = if zone.is_empty() { "" } else { "```diff\n" };
    format!(
        "<details><summary><code>{}</code> ({}): {}</summary>\n\n{fence}",
        html(zone.name.as_str()),
        html(&zone_words(zone)),
        words(tally, dangers)
    )
}

/// The end of a zone.
fn tail(zone: &ZonePlan, has_operations: bool) -> String {
    let mut tail = if has_operations { "```\n".to_owned() } else { String::new() };
    for note in zone.impact.iter().chain(&zone.notes) {
        tail.push_str(&format!("\n- {}", prose(note)));
    }
    tail.push_str(&format!("\n- {}\n\n</details>\n\n", prose(&rest(zone))));
    tail
}

/// An operation as lines of a block.
fn block(view: &OperationView<'_>, sources: &Sources) -> String {
    let mut about: Vec<String> = view.place(sources).into_iter().map(|p| safe(&p).into_owned()).collect();
    about.extend(Some(&view.why.about).filter(|w| !w.is_empty()).map(|why| safe(why).into_owned()));
    let mut text = format!("@@ {} {} @@ {}", view.action.as_str(), safe(&view.what()), about.join("; "));
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
        (Some(before), Some(after)) if before == after => line(' ', before),
        (before, after) => {
            if let Some(before) = before {
                line('-', &format!("{before}{aside}"));
            }
            if let Some(after) = after {
                line('+', &format!("{after}{aside}"));
            }
        }
    }
    for field in &view.fields {
        if let Some(before) = field.before.words() {
            line('-', &format!("{}: {before}", field.name));
        }
        line('+', &format!("{}: {}", field.name, field.after));
    }
    let loud = view.weakens() || view.attention() > Attention::Doubt;
    let sign = if loud { '!' } else { '#' };
    if view.weakens() {
        line(sign, "WEAKENS PROTECTION");
    } else if let Some(direction) = view.direction {
        line(sign, direction.as_str());
    }
    for effect in view.impact {
        line(sign, effect);
    }
    if let Some(cause) = &view.cause {
        line('!', cause);
    }
    for danger in view.dangers {
        match view.accepted.get(danger) {
            Some(reason) => line('!', &format!("{}, accepted in the spec: {reason}", danger.code())),
            None => line('!', &format!("danger: {}", danger.code())),
        }
    }
    text
}
