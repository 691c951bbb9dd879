//! A zone of a plan on the page: its operations, their effects, its unmanaged objects.

use std::collections::BTreeSet;

use super::drawing::drawings;
use crate::diagnostic::Sources;
use crate::document::place::place;
use crate::plan::Action;
use crate::render::entries::{Entry, ZoneEntries};
use crate::render::escape::{html, html_prose, markup};
use crate::render::names_in_words::in_both_forms;
use crate::render::operation_view::{OperationView, rest, zone_words};
use crate::render::textdiff::{Compared, Part};

/// Number of entries that a browser lays out together, once they come near the screen. Until then,
/// a part costs as much as a single entry.
pub(super) const PART: usize = 50;

/// Returns the anchor of an operation.
pub(super) fn anchor(zone: usize, operation: usize) -> String {
    format!("z{zone}-{operation}")
}

/// Adds a zone. It is open if anything except comments and tags changes.
pub(super) fn write(page: &mut String, zone: &ZoneEntries<'_>, number: usize, sources: &Sources) {
    let dangers = zone.dangers();
    let open = if zone.matters() { " open=\"open\"" } else { "" };
    let loud = if dangers > 0 {
        format!(" <b class=\"badge danger\">{dangers} dangerous</b>")
    } else {
        String::new()
    };
    page.push_str(&format!(
        "<details class=\"zone{}\" id=\"z{number}\"{open}><summary><h2>{}</h2> <span class=\"dim\">{} · {}</span>{loud}</summary>\n",
        classes(zone.all()),
        html(&in_both_forms(zone.zone.name.as_str())),
        html(&zone_words(zone.zone)),
        zone.tally().words()
    ));
    entries(page, &zone.entries, number, sources);
    if let Some((words, names)) = zone.notes_in_a_line() {
        page.push_str(&format!(
            "<details class=\"folded{}\"><summary>{words}: <code>{}</code></summary>\n",
            classes(zone.notes.iter()),
            html(&names)
        ));
        entries(page, &zone.notes, number, sources);
        page.push_str("</details>\n");
    }
    let (impact, notes) = (&zone.zone.impact, &zone.zone.notes);
    let sentences: Vec<String> =
        impact.iter().chain(notes).cloned().chain(zone.sentences()).collect();
    if !sentences.is_empty() {
        page.push_str("<ul class=\"notes\">\n");
        for note in &sentences {
            page.push_str(&format!("<li>{}</li>\n", html_prose(note)));
        }
        page.push_str("</ul>\n");
    }
    drawings(page, zone.pictures());
    page.push_str(&format!("<p class=\"dim\">{}</p>\n</details>\n", html(&rest(zone.zone))));
}

/// Returns labels for the dangers of an operation.
pub(super) fn badges(view: &OperationView<'_>) -> String {
    let mut badges_of_view = String::new();
    if view.weakens() {
        badges_of_view.push_str("<b class=\"badge danger\">WEAKENS PROTECTION</b> ");
    }
    for danger in
        view.dangers.iter().filter(|d| !view.weakens() || d.code() != "weakens-protection")
    {
        badges_of_view.push_str(&format!("<b class=\"badge danger\">{}</b> ", html(danger.code())));
    }
    badges_of_view
}

/// Adds the effects of an operation, the changes that it reverts, and the reasons of accepted
/// dangers.
fn effects(page: &mut String, view: &OperationView<'_>) {
    let mut items: Vec<String> = view.explanations().iter().map(|line| html_prose(line)).collect();
    items.extend(view.cause.as_ref().map(|cause| format!("<b>{}</b>", html(cause))));
    let accepted = view.accepted.iter().filter(|(danger, _)| view.dangers.contains(danger));
    items.extend(accepted.map(|(danger, reason)| {
        format!("<b>{} is accepted in the spec:</b> {}", danger.code(), html_prose(reason))
    }));
    if !items.is_empty() {
        page.push_str(&format!("<ul class=\"effects\"><li>{}</li></ul>", items.join("</li><li>")));
    }
}

/// Returns the class by which the controls select an entry.
fn class(view: &OperationView<'_>) -> &'static str {
    match view.action {
        Action::Create => "create",
        Action::Update | Action::Move => "update",
        Action::Delete => "delete",
    }
}

/// Returns the classes by which the controls select an element with these entries, each after a
/// space. The style sheet could inspect each element instead (`:has`), but then a browser would do
/// so again for every entry that it loads.
fn classes<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> String {
    let mut class_names = BTreeSet::new();
    for Entry { view, .. } in entries {
        class_names.extend(view.is_loud().then_some("danger"));
        class_names.insert(class(view));
    }
    class_names.into_iter().flat_map(|class| [" ", class]).collect()
}

/// Adds entries, in parts.
fn entries(page: &mut String, all: &[Entry<'_>], zone: usize, sources: &Sources) {
    let parts = all.chunks_exact(PART);
    let remainder = parts.remainder();
    for part in parts {
        page.push_str(&format!("<div class=\"part{}\">\n", classes(part.iter())));
        part.iter().for_each(|one| entry(page, one, zone, sources));
        page.push_str("</div>\n");
    }
    remainder.iter().for_each(|one| entry(page, one, zone, sources));
}

/// Adds one entry. The operations of an entry for several records are listed below it.
fn entry(page: &mut String, entry: &Entry<'_>, zone: usize, sources: &Sources) {
    let view = &entry.view;
    let class = class(view);
    let danger = if view.is_loud() { " danger" } else { "" };
    let anchors: Vec<String> =
        entry.members.iter().map(|member| anchor(zone, member.number)).collect();
    let (element, id) =
        if entry.is_same_change() { ("div", "") } else { ("article", anchors[0].as_str()) };
    let id = if id.is_empty() { String::new() } else { format!(" id=\"{id}\"") };
    page.push_str(&format!(
        "<{element} class=\"op {class}{danger}\"{id}><h3><span class=\"badge {class}\">{}</span> <span class=\"kind\">{}</span> <code>{}</code> <span class=\"type\">{}</span> {}",
        view.verb,
        view.kinds(),
        html(if view.name.is_empty() { view.kind } else { &view.name }),
        html(view.type_name),
        badges(view)
    ));
    if let Some(direction) = view.direction.filter(|_| !view.weakens()) {
        page.push_str(&format!("<span class=\"badge {0}\">{0}</span> ", direction.as_str()));
    }
    let shown = |view: &OperationView<'_>| {
        let place = view.place.and_then(|p| place(p, sources));
        place.map(|p| format!("<span class=\"place\">{}</span>", html(&p))).unwrap_or_default()
    };
    if !entry.is_same_change() {
        page.push_str(&shown(view));
    }
    page.push_str("</h3>\n");
    if !view.why.about.is_empty() {
        page.push_str(&format!("<p class=\"dim\">{}</p>\n", html(&view.why.about)));
    }
    sides(page, view);
    if !entry.beside.is_empty() {
        let values: Vec<String> =
            entry.beside.iter().map(|value| format!("<code>{}</code>", html(value))).collect();
        page.push_str(&format!(
            "<p class=\"dim\">unchanged beside it: {}</p>\n",
            values.join(" · ")
        ));
    }
    effects(page, view);
    if entry.is_same_change() {
        page.push_str("<details class=\"members\" open=\"open\"><summary>each of them</summary>\n");
        let members: Vec<_> = entry.members.iter().zip(&anchors).collect();
        for part in members.chunks(PART) {
            page.push_str("<div>\n");
            for (member, anchor) in part {
                let value = member.view.after.as_ref().or(member.view.before.as_ref());
                page.push_str(&format!(
                    "<article id=\"{anchor}\"><code>{}</code> <code>{}</code> {}</article>\n",
                    html(&member.view.name),
                    value.map(|value| html(value)).unwrap_or_default(),
                    shown(&member.view)
                ));
            }
            page.push_str("</div>\n");
        }
        page.push_str("</details>\n");
    }
    page.push_str(&format!("</{element}>\n"));
}

/// Adds both versions, side by side.
fn sides(page: &mut String, view: &OperationView<'_>) {
    let mut lines: Vec<(&str, Option<String>, Option<String>)> = Vec::new();
    let aside = |value: &String| {
        if view.aside.is_empty() { value.clone() } else { format!("{value} ({})", view.aside) }
    };
    if view.before.is_some() || view.after.is_some() {
        lines.push(("value", view.before.as_ref().map(aside), view.after.as_ref().map(aside)));
    }
    lines.extend(
        view.fields
            .iter()
            .map(|f| (f.name.as_str(), f.before.words().map(str::to_owned), Some(f.after.clone()))),
    );
    if lines.is_empty() {
        return;
    }
    // What weakens the protection is not shown in the colour of what is good.
    let weaker = if view.weakens() { " weaker" } else { "" };
    page.push_str(&format!(
        "<table class=\"sides{weaker}\"><thead><tr><th scope=\"col\">field</th><th scope=\"col\">before</th><th scope=\"col\">after</th></tr></thead><tbody>\n",
    ));
    for (name, before, after) in lines {
        let (left, right) = cells(before.as_deref(), after.as_deref());
        page.push_str(&format!("<tr><th scope=\"row\">{}</th>{left}{right}</tr>\n", html(name)));
    }
    page.push_str("</tbody></table>\n");
}

/// Returns the two cells of a line, with highlighted differences.
fn cells(before: Option<&str>, after: Option<&str>) -> (String, String) {
    let cell = |text: Option<&str>, class, tag| match text {
        Some(text) => format!("<td class=\"{class}\"><{tag}>{}</{tag}></td>", html(text)),
        None => "<td class=\"none\">–</td>".to_owned(),
    };
    match (before, after) {
        (Some(left), Some(right)) if left == right => {
            let right = format!("<td>{}<span class=\"lengths\"></span></td>", html(right));
            (format!("<td>{}</td>", html(left)), right)
        }
        (Some(left), Some(right)) => {
            let compared = Compared::of(left, right);
            // The element exists for short values as well, so that the structure of the page does
            // not depend on the data.
            let lengths = compared.lengths().unwrap_or_default();
            let (left, right) = (parts(&compared.before, "del"), parts(&compared.after, "ins"));
            let right =
                format!("<td class=\"after\">{right}<span class=\"lengths\">{lengths}</span></td>");
            (format!("<td class=\"before\">{left}</td>"), right)
        }
        _ => (cell(before, "before", "del"), cell(after, "after", "ins")),
    }
}

/// Returns the parts of a value; parts that differ are in an element `tag`.
fn parts(parts: &[Part], tag: &str) -> String {
    let shown = parts.iter().map(|Part { text, differs }| {
        let text = markup(text);
        if *differs { format!("<{tag}>{text}</{tag}>") } else { text }
    });
    shown.collect()
}
