//! A zone of a plan on the page: its operations, what each means, what is unmanaged.

use similar::ChangeTag;

use crate::diagnostic::Sources;
use crate::plan::{Action, ZonePlan};
use crate::render::escape::{html, html_prose};
use crate::render::textdiff::runs;
use crate::render::view::{Attention, OperationView, Tally, place, rest, zone_words};

/// Up to this number of zones, all are unfolded; of more, only those with dangers.
const UNFOLDED: usize = 12;

/// The anchor of an operation.
pub(super) fn anchor(zone: usize, operation: usize) -> String {
    format!("z{zone}-{operation}")
}

/// Writes a zone.
pub(super) fn write(
    page: &mut String,
    zone: &ZonePlan,
    number: usize,
    operations: &[OperationView<'_>],
    zones: usize,
    sources: &Sources,
) {
    let dangers = operations.iter().filter(|r| r.attention() > Attention::Doubt).count();
    let open = if dangers > 0 || (zones <= UNFOLDED && !zone.is_empty()) { " open=\"open\"" } else { "" };
    let loud = if dangers > 0 { format!(" <b class=\"badge danger\">{dangers} dangerous</b>") } else { String::new() };
    page.push_str(&format!(
        "<details class=\"zone\" id=\"z{number}\"{open}><summary><h2>{}</h2> <span class=\"dim\">{} · {}</span>{loud}</summary>\n",
        html(zone.name.as_str()),
        html(&zone_words(zone)),
        Tally::of(operations).words()
    ));
    for (n, view) in operations.iter().enumerate() {
        operation(page, view, &anchor(number, n), sources);
    }
    if !zone.notes.is_empty() || !zone.impact.is_empty() {
        page.push_str("<ul class=\"notes\">\n");
        for note in zone.impact.iter().chain(&zone.notes) {
            page.push_str(&format!("<li>{}</li>\n", html_prose(note)));
        }
        page.push_str("</ul>\n");
    }
    page.push_str(&format!("<p class=\"dim\">{}</p>\n</details>\n", html(&rest(zone))));
}

/// Labels for the dangers of an operation.
pub(super) fn badges(view: &OperationView<'_>) -> String {
    let mut all = String::new();
    if view.weakens() {
        all.push_str("<b class=\"badge danger\">WEAKENS PROTECTION</b> ");
    }
    for danger in view.dangers.iter().filter(|d| !view.weakens() || d.code() != "weakens-protection") {
        all.push_str(&format!("<b class=\"badge danger\">{}</b> ", html(danger.code())));
    }
    all
}

/// The effect of an operation on traffic, what it reverts, and why dangers are accepted.
pub(super) fn effects(page: &mut String, view: &OperationView<'_>) {
    let mut items: Vec<String> = view.impact.iter().map(|line| html_prose(line)).collect();
    items.extend(view.cause.as_ref().map(|cause| format!("<b>{}</b>", html(cause))));
    let accepted = view.accepted.iter().filter(|(danger, _)| view.dangers.contains(danger));
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
fn operation(page: &mut String, view: &OperationView<'_>, anchor: &str, sources: &Sources) {
    let class = match view.action {
        Action::Create => "create",
        Action::Update | Action::Move => "update",
        Action::Delete => "delete",
    };
    let danger = if view.is_loud() { " danger" } else { "" };
    page.push_str(&format!(
        "<article class=\"op {class}{danger}\" id=\"{anchor}\"><h3><span class=\"badge {class}\">{}</span> <span class=\"kind\">{}</span> <code>{}</code> <span class=\"type\">{}</span> {}",
        view.action.as_str(),
        view.kind,
        html(if view.name.is_empty() { view.kind } else { &view.name }),
        html(view.type_name),
        badges(view)
    ));
    if let Some(direction) = view.direction.filter(|_| !view.weakens()) {
        page.push_str(&format!("<span class=\"badge {0}\">{0}</span> ", direction.as_str()));
    }
    let place = view.place.and_then(|p| place(p, sources));
    page.push_str(&place.map(|p| format!("<span class=\"place\">{}</span>", html(&p))).unwrap_or_default());
    page.push_str("</h3>\n");
    if !view.why.about.is_empty() {
        page.push_str(&format!("<p class=\"dim\">{}</p>\n", html(&view.why.about)));
    }
    sides(page, view);
    effects(page, view);
    page.push_str("</article>\n");
}

/// Before and after, side by side.
fn sides(page: &mut String, view: &OperationView<'_>) {
    let mut lines: Vec<(&str, Option<String>, Option<String>)> = Vec::new();
    let aside =
        |value: &String| if view.aside.is_empty() { value.clone() } else { format!("{value} ({})", view.aside) };
    if view.before.is_some() || view.after.is_some() {
        lines.push(("value", view.before.as_ref().map(aside), view.after.as_ref().map(aside)));
    }
    lines.extend(
        view.fields.iter().map(|f| (f.name.as_str(), f.before.words().map(str::to_owned), Some(f.after.clone()))),
    );
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

/// The two cells of a line, with the words that differ highlighted.
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
