//! The outcomes of recorded requests, as the content of a page. Charts are SVG in the page; it has
//! no scripts.

use super::super::escape::{html, html_prose};
use super::{caveats, cells, doubt, listed, meaning, setting, threshold};
use crate::diagnostic::count;
use crate::insight::traffic::{Counts, Group, Matrix, Outcomes, Report};

/// Sizes in pixels: of a cell of the matrix, and of the margins to its left and above it.
const WIDTH: usize = 108;
const HEIGHT: usize = 44;
const LEFT: usize = 70;
const TOP: usize = 26;

/// Returns the title and the content of a page.
pub(in crate::render) fn page(report: &Report) -> (String, String) {
    let title = "zonewright waf replay".to_owned();
    let requests: u64 = report.sets.iter().map(|outcomes| outcomes.requests).sum();
    let stopped: u64 = report.zones.iter().map(|zone| zone.stopped).sum();
    let through: u64 = report.zones.iter().map(|zone| zone.let_through).sum();
    let mut out = format!(
        "<header><h1>Rehearsal of {}</h1>\n<ul class=\"counts\"><li><b>{stopped}</b> newly \
        stopped</li><li><b>{through}</b> \
         newly let through</li></ul></header>\n",
        count(requests, "recorded request")
    );
    for zone in &report.zones {
        let (before, after) = (setting(zone.before), setting(zone.after));
        out.push_str(&format!(
            "<p><code>{}</code>: OWASP ruleset now: {before}; planned: {after}</p>\n",
            html(&zone.name)
        ));
    }
    for outcomes in &report.sets {
        add_set(&mut out, outcomes, report);
    }
    out.push_str("<section><h2>Requests with another outcome</h2>\n");
    if report.changes.is_empty() {
        out.push_str("<p>None.</p>\n");
    }
    for group in &report.changes {
        add_group(&mut out, group);
    }
    out.push_str("</section>\n<section><h2>What is unknown</h2>\n<ul>\n");
    for (what, names) in [
        ("Unknown outcomes depend on", &report.depends_on),
        ("Not evaluated", &report.not_evaluated),
    ] {
        for named in names {
            let requests = count(named.requests, "request");
            out.push_str(&format!("<li>{what}: {} ({requests})</li>\n", html_prose(&named.name)));
        }
    }
    out.push_str("</ul></section>\n");
    (title, out)
}

fn add_set(out: &mut String, outcomes: &Outcomes, report: &Report) {
    out.push_str(&format!("<section><h2>{}</h2>\n", html(outcomes.set.words())));
    out.push_str(&format!("<p>{} evaluated.</p>\n", count(outcomes.requests, "request")));
    for caveat in caveats(outcomes) {
        out.push_str(&format!("<p class=\"dim\">{}.</p>\n", html(&caveat)));
    }
    add_bars(out, outcomes);
    if let Some(matrix) = &outcomes.matrix {
        out.push_str(&format!(
            "<h3>{}, of {}</h3>\n",
            html(meaning(outcomes.set)),
            count(matrix.scored, "request")
        ));
        add_matrix(out, matrix, report);
        if let Some(words) = doubt(matrix) {
            out.push_str(&format!("<p class=\"dim\">{}.</p>\n", html(words)));
        }
    }
    out.push_str("</section>\n");
}

/// Adds the outcomes as two bars.
fn add_bars(out: &mut String, outcomes: &Outcomes) {
    const LENGTH: u64 = 560;
    let words = |counts: Counts| {
        let Counts { pass, block, challenge, unknown } = counts;
        format!("{pass} pass, {block} blocked, {challenge} challenged, {unknown} unknown")
    };
    out.push_str(
        "<svg viewBox=\"0 0 720 88\" width=\"720\" role=\"img\" style=\"max-width:100%\" \
        aria-label=\"Outcomes\">\n",
    );
    for (top, when, counts) in [(0, "now", outcomes.before), (44, "planned", outcomes.after)] {
        let Counts { pass, block, challenge, unknown } = counts;
        let mut x = LEFT as u64;
        let parts = [
            (pass, "var(--good)"),
            (challenge, "var(--note)"),
            (block, "var(--bad)"),
            (unknown, "var(--dim)"),
        ];
        out.push_str(&format!(
            "<text x=\"0\" y=\"{}\" fill=\"currentColor\" font-size=\"13\">{when}</text>\n",
            top + 15
        ));
        for (number, colour) in parts {
            let length = (number * LENGTH)
                .checked_div(outcomes.requests)
                .unwrap_or(0)
                .max(u64::from(number > 0));
            out.push_str(&format!(
                "<rect x=\"{x}\" y=\"{top}\" width=\"{length}\" height=\"20\" fill=\"{colour}\"/>\n"
            ));
            x += length;
        }
        out.push_str(&format!(
            "<text x=\"{LEFT}\" y=\"{}\" fill=\"currentColor\" font-size=\"12\">{}</text>\n",
            top + 36,
            words(counts)
        ));
    }
    out.push_str("</svg>\n");
}

/// Adds the matrix. A darker cell has more requests.
fn add_matrix(out: &mut String, matrix: &Matrix, report: &Report) {
    let (width, height) = (LEFT + 6 * WIDTH, TOP + 4 * HEIGHT);
    out.push_str(&format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" \
        style=\"max-width:100%\" \
         aria-label=\"Requests by paranoia level and threshold\">\n"
    ));
    for (n, number) in matrix.thresholds.iter().enumerate() {
        let x = LEFT + n * WIDTH + WIDTH / 2;
        out.push_str(&format!(
            "<text x=\"{x}\" y=\"16\" text-anchor=\"middle\" fill=\"currentColor\" \
            font-size=\"13\">{}</text>\n",
            threshold(*number)
        ));
    }
    for (n, row) in cells(matrix, report).iter().enumerate() {
        let top = TOP + n * HEIGHT;
        let middle = top + HEIGHT / 2 + 5;
        out.push_str(&format!(
            "<text x=\"0\" y=\"{middle}\" fill=\"currentColor\" font-size=\"13\">level {}</text>\n",
            n + 1
        ));
        for (m, cell) in row.iter().enumerate() {
            let x = LEFT + m * WIDTH;
            // The shade is between 0 % and 75 % of the colour.
            let shade = cell.filled * 3 / 4;
            let border =
                if cell.is_now || cell.is_planned { "currentColor" } else { "var(--line)" };
            let dashes =
                if cell.is_planned && !cell.is_now { " stroke-dasharray=\"5 3\"" } else { "" };
            let words = match (cell.is_now, cell.is_planned) {
                (true, true) => "now, planned",
                (true, false) => "now",
                (false, true) => "planned",
                (false, false) => "",
            };
            out.push_str(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"var(--bad)\" \
                fill-opacity=\"0.{shade:02}\" \
                 stroke=\"{border}\" stroke-width=\"2\"{dashes}/>\n",
                x + 2,
                top + 2,
                WIDTH - 4,
                HEIGHT - 4
            ));
            let middle_of_cell = x + WIDTH / 2;
            let (first, second) = (top + 18, top + 34);
            out.push_str(&format!(
                "<text x=\"{middle_of_cell}\" y=\"{first}\" text-anchor=\"middle\" \
                fill=\"currentColor\" font-size=\"13\">{} \
                 ({})</text>\n<text x=\"{middle_of_cell}\" y=\"{second}\" text-anchor=\"middle\" \
                 fill=\"currentColor\" \
                 font-size=\"11\">{words}</text>\n",
                cell.number, cell.share
            ));
        }
    }
    out.push_str("</svg>\n");
}

/// Adds requests whose outcome changes.
fn add_group(out: &mut String, group: &Group) {
    let (change, requests) = (group.change.words(), count(group.requests, "request"));
    out.push_str(&format!(
        "<h3>{change}: {requests} ({}), by <code>{}</code></h3>\n<ul>\n",
        group.set.words(),
        html(&group.rule)
    ));
    for (what, names) in
        [("OWASP rules", &group.owasp_rules), ("hosts", &group.hosts), ("paths", &group.paths)]
    {
        if !names.is_empty() {
            out.push_str(&format!(
                "<li>{what}: <code>{}</code></li>\n",
                html(&listed(names).join(", "))
            ));
        }
    }
    for example in &group.examples {
        let id = example
            .id
            .as_deref()
            .map_or_else(String::new, |id| format!("<code>{}</code> ", html(id)));
        let score = example.score.map_or_else(String::new, |score| format!(", score {score}"));
        let (request, place) = (html(&example.request), html(&example.place));
        out.push_str(&format!(
            "<li>{id}<code>{request}</code> <span class=\"dim\">({place}{score})</span></li>\n"
        ));
    }
    out.push_str("</ul>\n");
}
