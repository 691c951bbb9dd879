//! The protection of zones, as text: the rulesets (`waf status`) and their rules (`waf rules`).

use std::io::{self, Write};

use super::layout::pad;
use super::style::{BOLD, CREATE, DIM, styled};
use crate::diagnostic::{count, cut};
use crate::insight::waf::{
    AccountSurvey, Deployed, FamilyCount, RuleRow, RuleSurvey, RulesetSurvey, SHORT_ID, Survey,
    reach_summary, title,
};
use crate::model::facts::crs::HIGHEST_SCORE;
use crate::model::managed::{CatalogueRule, threshold_keyword};
use crate::render::safe::safe;

/// Maximum width of a title in a table.
pub(super) const WIDEST_TITLE: usize = 56;
/// Width of the first column of a survey.
const LABEL: usize = 12;

/// Writes the rules of one managed ruleset in several zones.
///
/// # Errors
/// The errors of the writer.
pub fn write_waf_rules(
    out: &mut dyn Write,
    zones: &[(&str, &RulesetSurvey, Vec<RuleRow>)],
    colour: bool,
) -> io::Result<()> {
    for (name, ruleset, rows) in zones {
        writeln!(out, "{}  {}", styled(&safe(name), BOLD, colour), heading(ruleset))?;
        table(out, rows, "  ", colour)?;
        let on = rows.iter().filter(|r| r.is_on).count();
        let of = ruleset.catalogue.map_or(0, |c| c.rules.len());
        let line = format!("  {} shown of {of}, {on} on", count(rows.len(), "rule"));
        writeln!(out, "{}\n", styled(&line, DIM, colour))?;
    }
    Ok(())
}

/// Describes a ruleset with its version and its deployment.
fn heading(ruleset: &RulesetSurvey) -> String {
    let version =
        ruleset.catalogue.map(|c| format!(", version {}", safe(&c.version))).unwrap_or_default();
    let state = match ruleset.deployed {
        Deployed::On => String::new(),
        Deployed::No | Deployed::Off => format!(" ({})", ruleset.deployed.as_str()),
    };
    format!("{}{version}{state}", safe(&ruleset.name))
}

/// Writes rules, one per line.
fn table(out: &mut dyn Write, rows: &[RuleRow], indent: &str, colour: bool) -> io::Result<()> {
    let shown = |row: &RuleRow| cut(&safe(title(row.rule)), WIDEST_TITLE);
    let titles =
        rows.iter().map(|r| shown(r).chars().count()).max().unwrap_or(0).max("looks for".len());
    let family = |row: &RuleRow| row.rule.attack_family().map_or("-", |f| f.key);
    let families = rows.iter().map(|r| family(r).len()).max().unwrap_or(0).max("family".len());
    if !rows.is_empty() {
        let (rule, title) = (pad("rule", SHORT_ID), pad("looks for", titles));
        let head = format!("{rule}  {title}  lvl  {}  sc  state", pad("family", families));
        writeln!(out, "{indent}{}", styled(&head, DIM, colour))?;
    }
    for row in rows {
        let level = row.rule.level().map_or("-".to_owned(), |l| format!("PL{}", l.level()));
        let score = row.rule.score().map_or("-".to_owned(), |s| format!("+{s}"));
        let (state, style) = if row.is_on { ("on ", CREATE) } else { ("off", DIM) };
        writeln!(
            out,
            "{indent}{}  {}  {}  {}  {}  {}  {}{}",
            name(row.rule, colour),
            pad(&shown(row), titles),
            pad(&level, 3),
            pad(family(row), families),
            pad(&score, 2),
            styled(state, style, colour),
            safe(&row.action),
            styled(&because(row), DIM, colour),
        )?;
    }
    Ok(())
}

/// Returns the number of a rule, or the beginning of its id, dimmed.
fn name(rule: &CatalogueRule, colour: bool) -> String {
    match rule.number {
        Some(number) => pad(&number.to_string(), SHORT_ID),
        None => {
            let id: String = safe(&rule.id.0).chars().take(SHORT_ID).collect();
            styled(&pad(&id, SHORT_ID), DIM, colour)
        }
    }
}

/// Describes the reason for the state of a rule.
fn because(row: &RuleRow) -> String {
    let mut words = Vec::new();
    match (&row.tag, row.why) {
        (_, "default") => {}
        (Some(tag), _) => words.push(format!("tag {}", safe(tag))),
        (None, "rule") => words.push("override of this rule".to_owned()),
        (None, "ruleset") => words.push("override of the ruleset".to_owned()),
        (None, why) => words.push(why.to_owned()),
    }
    if !row.exceptions.is_empty() {
        let names: Vec<_> = row.exceptions.iter().map(|e| safe(e)).collect();
        words.push(format!("except {}", names.join(", ")));
    }
    if words.is_empty() { String::new() } else { format!("  ({})", words.join("; ")) }
}

/// Writes the protection of a zone.
///
/// # Errors
/// The errors of the writer.
pub fn write_waf_survey(
    out: &mut dyn Write,
    zone: &str,
    (survey, account): (&Survey, &AccountSurvey),
    with_rules: bool,
    colour: bool,
) -> io::Result<()> {
    writeln!(out, "{}\n", styled(&safe(zone), BOLD, colour))?;
    write_account(out, account, colour)?;
    for ruleset in &survey.rulesets {
        write_ruleset(out, ruleset, with_rules, colour)?;
    }
    for (phase, rules) in &survey.own {
        write_own(out, phase.list().heading, rules, colour)?;
    }
    writeln!(out)
}

/// Writes a line of a survey: label and value.
fn line(out: &mut dyn Write, label: &str, value: &str, colour: bool) -> io::Result<()> {
    writeln!(out, "    {}{value}", styled(&pad(label, LABEL), DIM, colour))
}

/// Writes several lines of a survey under one label.
fn lines(out: &mut dyn Write, label: &str, values: &[String], colour: bool) -> io::Result<()> {
    for (n, value) in values.iter().enumerate() {
        line(out, if n == 0 { label } else { "" }, value, colour)?;
    }
    Ok(())
}

/// Describes the requests of a rule.
fn scope(expression: &str) -> String {
    if matches!(expression, "true" | "") {
        "all requests".to_owned()
    } else {
        format!("`{}`", safe(expression))
    }
}

fn write_ruleset(
    out: &mut dyn Write,
    ruleset: &RulesetSurvey,
    with_rules: bool,
    colour: bool,
) -> io::Result<()> {
    writeln!(out, "  {}", styled(&heading(ruleset), BOLD, colour))?;
    if ruleset.deployed == Deployed::No {
        return writeln!(out);
    }
    line(out, "scope", &scope(&ruleset.scope), colour)?;
    let Some(effective) = &ruleset.effective else {
        let why =
            if ruleset.catalogue.is_some() { "overrides of an unknown form" } else { "not read" };
        line(out, "rules", why, colour)?;
        return writeln!(out);
    };
    if let Some(version) = &effective.version {
        line(out, "pinned to", &format!("version {}", safe(version)), colour)?;
    }
    match (effective.paranoia, &ruleset.strange_levels) {
        (Some(level), _) => line(out, "paranoia", &level.level().to_string(), colour)?,
        (None, Some(why)) => line(out, "paranoia", &format!("custom: {}", safe(why)), colour)?,
        (None, None) => {}
    }
    if let Some(threshold) = effective.threshold() {
        let word = threshold_keyword(threshold).map(|w| format!(" ({w})")).unwrap_or_default();
        let hits = count(
            usize::try_from(threshold.div_ceil(HIGHEST_SCORE)).unwrap_or(usize::MAX),
            "critical hit",
        );
        line(out, "threshold", &format!("{threshold}{word}: {hits} of +{HIGHEST_SCORE}"), colour)?;
    }
    if let Some(action) = effective.action() {
        line(out, "action", &safe(action), colour)?;
    }
    if ruleset.deployed == Deployed::On && !effective.acts() {
        line(out, "off", "the rule that compares the score is off, so nothing is done", colour)?;
    }
    let (on, total) =
        (if effective.is_on { effective.rules_on() } else { 0 }, effective.rules.len());
    line(out, "rules", &format!("{on} of {total} on{}", families(&ruleset.families())), colour)?;
    let made_safe =
        |texts: Vec<String>| texts.iter().map(|t| safe(t).into_owned()).collect::<Vec<_>>();
    lines(out, "overrides", &made_safe(ruleset.rule_overrides()), colour)?;
    let exceptions =
        ruleset.exceptions.iter().map(|e| format!("{}: {} {}", e.name, scope(&e.scope), e.does));
    lines(out, "exceptions", &made_safe(exceptions.collect()), colour)?;
    if let Some(floor) = &ruleset.floor {
        lines(out, "below floor", &made_safe(floor.shortfalls_in_words()), colour)?;
        lines(out, "not known", &made_safe(floor.unknown.clone()), colour)?;
    }
    lines(
        out,
        "never stops",
        &made_safe(reach_summary(&ruleset.unreachable).into_iter().collect()),
        colour,
    )?;
    if with_rules {
        table(out, &ruleset.rows(), "    ", colour)?;
    }
    writeln!(out)
}

/// Describes the number of enabled rules and of all rules, by family.
fn families(counts: &[FamilyCount]) -> String {
    let known_families: Vec<_> = counts
        .iter()
        .filter_map(|FamilyCount { family, on, total }| {
            Some(format!("{} {on}/{total}", family.as_ref()?.name))
        })
        .collect();
    if known_families.is_empty() {
        String::new()
    } else {
        format!(": {}", known_families.join(", "))
    }
}

/// Writes rules with their own expressions.
fn write_own(
    out: &mut dyn Write,
    label: &str,
    rules: &[RuleSurvey],
    colour: bool,
) -> io::Result<()> {
    if rules.is_empty() {
        return writeln!(out, "  {}  none", styled(label, BOLD, colour));
    }
    writeln!(out, "  {}", styled(label, BOLD, colour))?;
    for RuleSurvey { name, id: _, action: _, is_on, scope: expression, does } in rules {
        let off = if *is_on { "" } else { " (off)" };
        writeln!(out, "    {}{off}: {}: {}", safe(name), scope(expression), safe(does))?;
    }
    Ok(())
}

/// Writes the rules of the account, which run before the rules of the zone.
fn write_account(out: &mut dyn Write, account: &AccountSurvey, colour: bool) -> io::Result<()> {
    let heading = styled("account rules", BOLD, colour);
    match account {
        AccountSurvey::Rules(phases) if phases.is_empty() => writeln!(out, "  {heading}  none")?,
        AccountSurvey::Rules(phases) => {
            writeln!(
                out,
                "  {heading}  run before the zone's rules of the same phase, in Enterprise zones"
            )?;
            for (phase, rules) in phases {
                for RuleSurvey { name, id: _, action: _, is_on, scope: expression, does } in rules {
                    let off = if *is_on { "" } else { " (off)" };
                    let about = phase.about();
                    writeln!(
                        out,
                        "    {about}: {}{off}: {}: {}",
                        safe(name),
                        scope(expression),
                        safe(does)
                    )?;
                }
            }
        }
        AccountSurvey::Unknown(why) => {
            writeln!(
                out,
                "  {heading}  unknown: these credentials cannot read them ({})",
                safe(why)
            )?;
        }
    }
    writeln!(out)
}
