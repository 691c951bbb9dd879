//! Committed files that are generated are up to date. `UPDATE_GENERATED=1 cargo test --test pure
//! generated` writes them again.

use std::fs;

use zonewright::insight::{PROVIDERS, Provider};
use zonewright::model::Danger;
use zonewright::model::facts::TIERS;
use zonewright::model::facts::rule_features::RULE_FEATURES;
use zonewright::schema::{Kind, schema};
use zonewright::{document, lint};

/// Compares a committed file with its generated content, or writes it.
pub(super) fn up_to_date(path: &str, expected: &str) {
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(path, expected).unwrap();
    }
    let committed = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == expected,
        "{path} is out of date: run UPDATE_GENERATED=1 cargo test --test pure generated"
    );
}

#[test]
fn the_schemas_of_documents() {
    for kind in Kind::ALL {
        up_to_date(
            &format!("schema/{}.schema.json", kind.name()),
            &(document::text(&schema(*kind)) + "\n"),
        );
    }
}

#[test]
fn the_page_about_findings() {
    up_to_date("docs/findings.md", &lint::findings_page());
}

/// The table of dangers on the page about safety.
#[test]
fn the_dangers_on_the_page_about_safety() {
    let path = "docs/safety.md";
    let page = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let (head, rest) = page.split_once("cargo test --test pure generated -->\n").unwrap();
    let (_, tail) = rest.split_once("<!-- /dangers -->").unwrap();
    let mut table = String::from(
        "| danger | what happens | consent: to … | on the command line | committed |\n|---|---|---|---|---|\n",
    );
    for danger in Danger::ALL {
        let code = danger.code();
        let (flag, committed) = match Danger::by_code(code) {
            Some(_) => (format!("`--allow {code}`"), "spec, policy"),
            None => ("`--allow-deletes N`, the exact number".to_owned(), "never"),
        };
        table += &format!(
            "| `{code}` | {} | {} | {flag} | {committed} |\n",
            danger.about(),
            danger.consent()
        );
    }
    up_to_date(
        path,
        &format!("{head}cargo test --test pure generated -->\n{table}<!-- /dangers -->{tail}"),
    );
}

/// The table of features on the page about limits.
#[test]
fn the_features_of_plans_on_the_page_about_limits() {
    let path = "docs/limits.md";
    let page = fs::read_to_string(path).unwrap();
    let (start, end) = (
        "<!-- features: UPDATE_GENERATED=1 cargo test --test pure generated -->\n",
        "<!-- /features -->",
    );
    let (before, rest) = page.split_once(start).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let mut table =
        "| what | from the plan | source at developers.cloudflare.com |\n|---|---|---|\n"
            .to_owned();
    for facts in RULE_FEATURES {
        let (about, plan) = (facts.about.trim_end_matches(','), TIERS[facts.lowest_plan].name);
        table.push_str(&format!("| {about} | {plan} | {} |\n", facts.source));
    }
    up_to_date(path, &[before, start, &table, end, after].concat());
}

#[test]
fn the_page_about_providers() {
    let path = "docs/providers.md";
    let page = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let begin = "<!-- providers: UPDATE_GENERATED=1 cargo test --test pure generated -->\n";
    let (head, rest) = page.split_once(begin).unwrap();
    let (_, tail) = rest.split_once("<!-- /providers -->").unwrap();
    let mut table = String::from(
        "| hosts end with | provider | each account has hosts below | anyone can claim | token | source |\n|---|---|---|---|---|---|\n",
    );
    for Provider { suffix, name, is_per_account, claims, token, source } in PROVIDERS {
        let own = if *is_per_account { "yes" } else { "" };
        let claims = claims.unwrap_or_default();
        let token = token.map(|token| format!("`{token}`")).unwrap_or_default();
        table += &format!("| `{suffix}` | {name} | {own} | {claims} | {token} | {source} |\n");
    }
    up_to_date(path, &format!("{head}{begin}{table}<!-- /providers -->{tail}"));
}

#[test]
fn the_page_about_scenarios() {
    let path = "docs/internals/scenarios.md";
    let page = fs::read_to_string(path).unwrap().replace("\r\n", "\n");
    let begin = "<!-- scenarios: UPDATE_GENERATED=1 cargo test --test pure generated -->\n";
    let (head, rest) = page.split_once(begin).unwrap();
    let (_, tail) = rest.split_once("<!-- /scenarios -->").unwrap();
    let tables = super::scenarios::tables();
    up_to_date(path, &format!("{head}{begin}{tables}<!-- /scenarios -->{tail}"));
}
