//! A zone of a plan on the page: its operations, what each means, what is left alone.

use similar::ChangeTag;

use crate::diagnostic::Sources;
use crate::plan::ZonePlan;
use crate::render::escape::{html, html_prose};
use crate::render::row::{Attention, Mark, Row, Tally, place, rest, zone_words};
use crate::render::textdiff::runs;

/// Zones that are all unfolded; of more, only those with dangers.
const UNFOLDED: usize = 12;

/// The name of an operation in links.
pub(super) fn anchor(zone: usize, operation: usize) -> String {
    format!("z{zone}-{operation}")
}

/// Writes a zone.
pub(super) fn write(
    page: &mut String,
    zone: &ZonePlan,
    number: usize,
    rows: &[Row<'_>],
    zones: usize,
    sources: &Sources,
) {
    let dangers = rows.iter().filter(|r| r.attention() > Attention::Doubt).count();
    let open = if dangers > 0 || (zones <= UNFOLDED && !zone.is_empty()) { " open=\"open\"" } else { "" };
    let loud = if dangers > 0 { format!(" <b class=\"badge danger\">{dangers} dangerous</b>") } else { String::new() };
    page.push_str(&format!(
        "<details class=\"zone\" id=\"z{number}\"{open}><summary><h2>{}</h2> <span class=\"dim\">{} · {}</span>{loud}</summary>\n",
        html(zone.name.as_str()),
        html(&zone_words(zone)),
        Tally::of(rows).words()
    ));
    for (n, row) in rows.iter().enumerate() {
        operation(page, row, &anchor(number, n), sources);
    }
    if !zone.notes.is_empty() {
        page.push_str("<ul class=\"notes\">\n");
        for note in &zone.notes {
            page.push_str(&format!("<li>{}</li>\n", html_prose(note)));
        }
        page.push_str("</ul>\n");
    }
    page.push_str(&format!("<p class=\"dim\">{}</p>\n</details>\n", html(&rest(zone))));
}

/// Words for what is dangerous about an operation.
pub(super) fn badges(row: &Row<'_>) -> String {
    let mut all = String::new();
    if row.weakens() {
        all.push_str("<b class=\"badge danger\">WEAKENS PROTECTION</b> ");
    }
    for danger in row.dangers.iter().filter(|d| !row.weakens() || d.code() != "weakens-protection") {
        all.push_str(&format!("<b class=\"badge danger\">{}</b> ", html(danger.code())));
    }
    all
}

/// What an operation means for traffic, what it takes back, and why dangers are accepted.
pub(super) fn effects(page: &mut String, row: &Row<'_>) {
    let mut items: Vec<String> = row.impact.iter().map(|line| html_prose(line)).collect();
    items.extend(row.cause.as_ref().map(|cause| format!("<b>{}</b>", html(cause))));
    let accepted = row.accepted.iter().filter(|(danger, _)| row.dangers.contains(danger));
    items.extend(
        accepted.map(|(danger, reason)| {
            format!("<b>{} is accepted in the spec:</b> {}", danger.code(), html_prose(reason))
        }),
    );
    if !items.is_empty() {
        page.push_str(&format!("<ul class=\"effects\"><li>{}</li></ul>", items.join("</li><li>")));
    }
}

/// One operation.
fn operation(page: &mut String, row: &Row<'_>, anchor: &str, sources: &Sources) {
    let class = match row.mark {
        Mark::Create => "create",
        Mark::Update | Mark::Move => "update",
        Mark::Delete => "delete",
    };
    let danger = if row.is_loud() { " danger" } else { "" };
    page.push_str(&format!(
        "<article class=\"op {class}{danger}\" id=\"{anchor}\"><h3><span class=\"badge {class}\">{}</span> <span class=\"kind\">{}</span> <code>{}</code> <span class=\"type\">{}</span> {}",
        row.mark.word(),
        row.kind,
        html(if row.name.is_empty() { row.kind } else { &row.name }),
        html(row.type_name),
        badges(row)
    ));
    if let Some(direction) = row.direction.filter(|_| !row.weakens()) {
        page.push_str(&format!("<span class=\"badge {0}\">{0}</span> ", direction.as_str()));
    }
    let place = row.place.and_then(|p| place(p, sources));
    page.push_str(&place.map(|p| format!("<span class=\"place\">{}</span>", html(&p))).unwrap_or_default());
    page.push_str("</h3>\n");
    if !row.why.is_empty() {
        page.push_str(&format!("<p class=\"dim\">{}</p>\n", row.why));
    }
    sides(page, row);
    effects(page, row);
    page.push_str("</article>\n");
}

/// Before and after, side by side.
fn sides(page: &mut String, row: &Row<'_>) {
    let mut lines: Vec<(&str, Option<String>, Option<String>)> = Vec::new();
    let aside = |value: &String| if row.aside.is_empty() { value.clone() } else { format!("{value} ({})", row.aside) };
    if row.before.is_some() || row.after.is_some() {
        lines.push(("value", row.before.as_ref().map(aside), row.after.as_ref().map(aside)));
    }
    lines.extend(row.fields.iter().map(|f| (f.name.as_str(), f.before.clone(), f.after.clone())));
    if lines.is_empty() {
        return;
    }
    page.push_str(
        "<table class=\"sides\"><thead><tr><th scope=\"col\">field</th><th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead><tbody>\n",
    );
    for (name, before, after) in lines {
        let (left, right) = cells(before.as_deref(), after.as_deref());
        page.push_str(&format!("<tr><th scope=\"row\">{}</th>{left}{right}</tr>\n", html(name)));
    }
    page.push_str("</tbody></table>\n");
}

/// The two cells of a line, with the words that differ marked.
fn cells(before: Option<&str>, after: Option<&str>) -> (String, String) {
    let nothing = || "<td class=\"none\">–</td>".to_owned();
    let (Some(left), Some(right)) = (before, after) else {
        let cell = |text: Option<&str>, class, tag| {
            text.map_or_else(nothing, |t| format!("<td class=\"{class}\"><{tag}>{}</{tag}></td>", html(t)))
        };
        return (cell(before, "before", "del"), cell(after, "after", "ins"));
    };
    if left == right {
        return (format!("<td>{}</td>", html(left)), format!("<td>{}</td>", html(right)));
    }
    let Some(runs) = runs(left, right) else {
        return (
            format!("<td class=\"before\"><del>{}</del></td>", html(left)),
            format!("<td class=\"after\"><ins>{}</ins></td>", html(right)),
        );
    };
    let (mut left, mut right) = (String::new(), String::new());
    for (tag, text) in runs {
        let text = html(&text);
        match tag {
            ChangeTag::Equal => {
                left.push_str(&text);
                right.push_str(&text);
            }
            ChangeTag::Delete => left.push_str(&format!("<del>{text}</del>")),
            ChangeTag::Insert => right.push_str(&format!("<ins>{text}</ins>")),
        }
    }
    (format!("<td class=\"before\">{left}</td>"), format!("<td class=\"after\">{right}</td>"))
}
