//! A plan, or the findings about a spec, as one self-contained page without scripts and requests.
//!
//! Verdict, missing consents and dangers come first, then every zone with its operations, before
//! and after side by side. Form controls select the shown parts, and the style sheet reads them, so
//! no script is needed; a browser that does not support this shows everything. A policy in the page
//! forbids everything that the page does not need.
//!
//! The page is also well-formed XML, so that a test can parse it strictly.

mod drawing;
mod style;
mod zone;

use super::document::Document;
use super::entries::ZoneEntries;
use super::escape::{html, html_prose};
use super::findings::{Findings, Region, detail};
use super::names_in_words::in_both_forms;
use super::operation_view::{OperationView, Review, rest, zone_dangers};
use super::same_in_zones::entries_of_zones;
use crate::api::time_at_limit;
use crate::diagnostic::count;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources};
use crate::document::place::place;
use crate::insight::traffic::Report;
use crate::model::sort_by_key;
use crate::plan::{GivenConsent, MissingConsent};

/// Maximum number of zones that can be selected one by one; each needs a line in the style sheet.
const CHOICES: usize = 500;

pub(super) const DOCUMENT: Document = Document {
    name: "html",
    findings: |out, found, _| out.write_all(report(found).as_bytes()),
    is_for_validate: false,
    plan: Some(|out, review, _| out.write_all(plan(review).as_bytes())),
    drift: None,
    expectations: None,
    patch: None,
    requests: Some(|out, report| out.write_all(requests(report).as_bytes())),
};

/// Returns the page of a plan.
#[must_use]
pub fn plan(review: &Review<'_>) -> String {
    let (unchanged, zones): (Vec<_>, Vec<_>) =
        entries_of_zones(review.plan).into_iter().partition(is_unchanged);
    let mut page = start(
        &format!("zonewright plan: {}", review.verdict_words()),
        &style::zone_choices(choices(&zones)),
    );
    header(&mut page, review);
    consents(&mut page, review);
    dangers(&mut page, &zones, review);
    findings(&mut page, &review.plan.diagnostics, review.sources);
    filters(&mut page, &zones);
    for (number, zone) in zones.iter().enumerate() {
        zone::write(&mut page, zone, number, review.sources);
    }
    unchanged_zones(&mut page, &unchanged);
    end(page)
}

/// Returns true for a zone of which a plan says nothing but numbers.
fn is_unchanged(zone: &ZoneEntries<'_>) -> bool {
    zone.zone.operations.is_empty() && zone.zone.notes.is_empty() && zone.zone.impact.is_empty()
}

/// Adds the names of the zones without changes, folded.
fn unchanged_zones(page: &mut String, zones: &[ZoneEntries<'_>]) {
    if zones.is_empty() {
        return;
    }
    page.push_str(&format!(
        "<details class=\"folded\"><summary>{} unchanged</summary>\n<ul>\n",
        count(zones.len(), "zone")
    ));
    for zone in zones {
        page.push_str(&format!(
            "<li>{} <span class=\"dim\">{}</span></li>\n",
            html(&in_both_forms(zone.zone.name.as_str())),
            html(&rest(zone.zone))
        ));
    }
    page.push_str("</ul></details>\n");
}

/// Returns the page of the findings about a spec.
#[must_use]
pub fn report(found: &Findings<'_>) -> String {
    let title = format!("zonewright {}: {}", found.command, found.verdict_words());
    let mut page = start(&title, "");
    let words = match found.holds {
        Some(holds) => format!("{holds}: {}", found.words()),
        None => format!("{}; no request was made", found.words()),
    };
    page.push_str(&format!("<header><h1>{}</h1><p>{}.</p></header>\n", html(&title), html(&words)));
    findings(&mut page, found.diagnostics, found.sources);
    end(page)
}

/// Returns the page of the outcomes of recorded requests.
fn requests(report: &Report) -> String {
    let (title, content) = super::waf_rehearsal::page(report);
    end(start(&title, "") + &content)
}

/// Returns the number of zones that can be selected one by one.
fn choices(zones: &[ZoneEntries<'_>]) -> usize {
    if zones.len() > 1 { zones.len().min(CHOICES) } else { 0 }
}

/// Returns everything before the content.
fn start(title: &str, more_style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n\
         <meta name=\"robots\" content=\"noindex\"/>\n\
         <title>{}</title>\n<style>\n{}{more_style}</style>\n</head>\n<body>\n<main>\n",
        html(title),
        style::STYLE,
    )
}

/// Adds everything after the content.
fn end(mut page: String) -> String {
    page.push_str(&format!(
        "</main>\n<footer>Made by zonewright {}. This page holds everything it shows.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    ));
    page
}

/// Adds verdict and counts.
fn header(page: &mut String, review: &Review<'_>) {
    let s = review.plan.summary();
    let base = review
        .plan
        .base
        .as_ref()
        .map(|base| format!(" Compared with {}.", html(&base.to_string())))
        .unwrap_or_default();
    let made = count(usize::try_from(review.plan.requests_made).unwrap_or(usize::MAX), "request");
    page.push_str(&format!(
        "<header class=\"{}\"><h1>Plan: {}</h1>\n<ul class=\"counts\">",
        review.verdict.as_str(),
        review.verdict_words()
    ));
    for (number, word, class) in [
        (s.create, "to create", "create"),
        (s.update, "to update", "update"),
        (s.delete, "to delete", "delete"),
    ] {
        page.push_str(&format!("<li class=\"{class}\"><b>{number}</b> {word}</li>"));
    }
    if s.deletes_to_allow != s.delete {
        page.push_str(&format!(
            "<li><b>{}</b> for <code>--allow-deletes</code></li>",
            s.deletes_to_allow
        ));
    }
    let time = time_at_limit::after_comma(review.plan.requests_made, review.requests_to_apply);
    let part = review.plan.part().map(|part| html(&part.to_string()));
    let part = part
        .map(|words| format!("<p><b>Only a part of the plan:</b> {words}.</p>"))
        .unwrap_or_default();
    let outside =
        review.outside().map(|words| format!("<p><b>{words}.</b></p>")).unwrap_or_default();
    page.push_str(&format!(
        "<li><b>{}</b> unchanged</li></ul>\n{part}{outside}<p class=\"dim\">{made} made, {} to apply{time}. {} unmanaged, {} ignored: left alone.{base}</p></header>\n",
        s.unchanged, review.requests_to_apply, s.unmanaged, s.ignored
    ));
}

/// Adds the missing consents, with the exact flags.
fn consents(page: &mut String, review: &Review<'_>) {
    let given = &review.plan.consents_given;
    if !given.is_empty() {
        page.push_str("<section><h2>Consents given</h2>\n<ul>\n");
        for GivenConsent { danger, by } in given {
            let by = html(by);
            page.push_str(&format!(
                "<li>{} <span class=\"dim\">({by})</span></li>\n",
                html_prose(danger.about())
            ));
        }
        page.push_str("</ul></section>\n");
    }
    let missing = review.missing();
    if missing.is_empty() {
        return;
    }
    page.push_str("<section class=\"loud\"><h2>Needs consent</h2>\n<ul>\n");
    for consent in missing {
        let words = html_prose(&consent.before_flag());
        page.push_str(&format!(
            "<li>{words}<code class=\"flag\">{}</code></li>\n",
            html(&consent.flag)
        ));
    }
    if missing.len() > 1 {
        page.push_str(&format!(
            "<li>To allow all of them: <code class=\"flag\">{}</code></li>\n",
            html(&MissingConsent::flags(missing))
        ));
    }
    page.push_str("</ul></section>\n");
}

/// Adds a link to every entry that needs attention, most dangerous first. The entry itself explains
/// its dangers.
fn dangers(page: &mut String, zones: &[ZoneEntries<'_>], review: &Review<'_>) {
    let of_zones: Vec<_> = review.plan.zones.iter().flat_map(zone_dangers).collect();
    let mut all: Vec<(String, &str, &OperationView<'_>)> = Vec::new();
    for (number, zone) in zones.iter().enumerate() {
        let found = zone.all().filter(|entry| entry.view.is_loud());
        let name = zone.zone.name.as_str();
        all.extend(
            found.map(|entry| (zone::anchor(number, entry.members[0].number), name, &entry.view)),
        );
    }
    let total = all.iter().map(|(_, _, view)| view.number).sum::<usize>() + of_zones.len();
    if total == 0 {
        return;
    }
    all.sort_by_key(|(_, _, view)| view.by_weight());
    page.push_str(&format!("<section class=\"loud\"><h2>{}</h2>\n<ol>\n", count(total, "danger")));
    let mut number = of_zones.len();
    for (zone, code, words) in of_zones {
        page.push_str(&format!(
            "<li><b class=\"badge danger\">{code}</b> {} <span class=\"dim\">in {}</span></li>\n",
            html_prose(&words),
            html(&in_both_forms(zone))
        ));
    }
    for (index, (anchor, zone, view)) in all.into_iter().enumerate() {
        // The first part is visible at once; browsers lay out the other parts when they come near
        // the screen.
        if index > 0 && index % zone::PART == 0 {
            page.push_str(&format!("</ol>\n<ol class=\"part\" start=\"{}\">\n", number + 1));
        }
        number += 1;
        page.push_str(&format!(
            "<li>{} <a href=\"#{anchor}\">{} {}</a> <span class=\"dim\">in {}</span>",
            zone::badges(view),
            view.verb,
            html(&view.what()),
            html(&in_both_forms(zone))
        ));
        let place = view.place.and_then(|p| place(p, review.sources));
        page.push_str(
            &place
                .map(|p| format!(" <span class=\"place\">{}</span>", html(&p)))
                .unwrap_or_default(),
        );
        page.push_str("</li>\n");
    }
    page.push_str("</ol></section>\n");
}

/// Adds findings, worst first.
fn findings(page: &mut String, diagnostics: &Diagnostics, sources: &Sources) {
    if diagnostics.is_empty() {
        return;
    }
    let (known, mut all): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        diagnostics.iter().partition(|d| d.is_known);
    sort_by_key(&mut all, |d| d.severity);
    let open = if diagnostics.has_errors() { " open=\"open\"" } else { "" };
    let errors = diagnostics.count(Severity::Error);
    let class = if errors > 0 { "findings loud" } else { "findings" };
    if !all.is_empty() {
        let number: usize = all.iter().map(|d| d.number()).sum();
        list(page, &all, (class, open), &count(number, "finding"), sources);
    }
    if !known.is_empty() {
        let number: usize = known.iter().map(|d| d.number()).sum();
        let title = format!("{} that this change does not bring", count(number, "finding"));
        list(page, &known, ("findings", ""), &title, sources);
    }
}

/// Adds a folded list of findings.
fn list(
    page: &mut String,
    all: &[&Diagnostic],
    (class, open): (&str, &str),
    title: &str,
    sources: &Sources,
) {
    page.push_str(&format!(
        "<details class=\"{class}\"{open}><summary><h2>{title}</h2></summary>\n<ul>\n"
    ));
    for diagnostic in all {
        let Diagnostic {
            finding,
            severity,
            detail: _,
            address,
            primary: _,
            related,
            help,
            names: _,
            more: _,
            is_known: _,
        } = diagnostic;
        let place =
            Region::of_finding(diagnostic, sources).map(|r| r.shown()).or_else(|| address.clone());
        page.push_str(&format!(
            "<li><b class=\"badge {0}\">{0}</b> <code>{1}</code> <b>{2}</b>: {3}",
            severity.as_str(),
            finding.code,
            html_prose(finding.summary),
            html_prose(&detail(diagnostic))
        ));
        page.push_str(
            &place
                .map(|p| format!(" <span class=\"place\">{}</span>", html(&p)))
                .unwrap_or_default(),
        );
        for label in related.iter().filter(|l| !l.text.is_empty()) {
            if let Some(region) = Region::of(label.place, sources) {
                page.push_str(&format!(
                    "<br/><span class=\"place\">{}</span> {}",
                    html(&region.shown()),
                    html_prose(&label.text)
                ));
            }
        }
        if let Some(help) = help {
            page.push_str(&format!("<br/><span class=\"dim\">help: {}</span>", html_prose(help)));
        }
        page.push_str("</li>\n");
    }
    page.push_str("</ul></details>\n");
}

/// Adds the controls that select the shown parts.
fn filters(page: &mut String, zones: &[ZoneEntries<'_>]) {
    let total: usize = zones.iter().map(|zone| zone.zone.operations.len()).sum();
    if total < 2 {
        return;
    }
    page.push_str(
        "<form class=\"filters\" aria-label=\"Show\"><fieldset aria-label=\"Operations\">\n",
    );
    for (id, words) in [
        ("all", "all"),
        ("danger", "dangerous"),
        ("create", "create"),
        ("update", "update"),
        ("delete", "delete"),
    ] {
        let checked = if id == "all" { " checked=\"checked\"" } else { "" };
        page.push_str(&format!(
            "<label><input type=\"radio\" name=\"show\" id=\"show-{id}\"{checked}/> {words}</label>\n"
        ));
    }
    page.push_str("</fieldset>\n");
    let choices = choices(zones);
    if choices > 0 {
        page.push_str("<label class=\"zones\">Zone <select id=\"zone\"><option value=\"all\">all zones</option>\n");
        for (number, zone) in zones.iter().take(choices).enumerate() {
            let name = in_both_forms(zone.zone.name.as_str());
            let operations = zone.zone.operations.len();
            page.push_str(&format!(
                "<option value=\"{number}\">{} ({operations})</option>\n",
                html(&name)
            ));
        }
        page.push_str("</select></label>\n");
    }
    page.push_str("</form>\n");
}
