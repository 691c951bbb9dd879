//! The permissions of credentials, as text: one page, in which zones with equal permissions share a
//! table.

use std::io::{self, Write};

use crate::diagnostic::count;
use crate::document::doctor::{
    Access, Allowed, Check, Clock, Connection, Credentials, Doctor, ManagedRuleset, Owner, Spec,
    Sufficiency, What, Zone,
};
use crate::render::safe::safe;

/// Maximum number of zone names that a table shows; further ones are counted.
const MOST_NAMES: usize = 5;

/// Writes the page.
///
/// # Errors
/// The errors of the writer.
pub fn write_doctor(out: &mut dyn Write, report: &Doctor) -> io::Result<()> {
    write_credentials(out, &report.credentials)?;
    write_connection(out, &report.connection)?;
    if let Some(spec) = &report.spec {
        write_spec(out, spec)?;
    }
    for ManagedRuleset { name, id: _, locked, served } in &report.managed_rulesets {
        let name = safe(name);
        let (sign, words) = match served {
            Some(served) if served == locked => ("✔", format!("version {locked}, as in waf.lock")),
            Some(served) => {
                let advice = "zonewright waf rules --check SPEC shows what changed";
                ("!", format!("version {} instead of {locked} in waf.lock; {advice}", safe(served)))
            }
            None => ("?", format!("version {locked} in waf.lock; Cloudflare does not list it")),
        };
        writeln!(out, "Managed rules  {sign} {name}: {words}")?;
    }
    let mut groups: Vec<(Vec<&Zone>, &[Check])> = Vec::new();
    for zone in &report.zones {
        match groups.iter_mut().find(|(_, checks)| *checks == zone.checks.as_slice()) {
            Some((zones, _)) => zones.push(zone),
            None => groups.push((vec![zone], &zone.checks)),
        }
    }
    for (zones, checks) in groups {
        writeln!(out)?;
        for zone in zones.iter().take(MOST_NAMES) {
            writeln!(out, "{}", heading(zone))?;
        }
        if zones.len() > MOST_NAMES {
            writeln!(
                out,
                "and {} with the same permissions",
                count(zones.len() - MOST_NAMES, "more zone")
            )?;
        }
        write_checks(out, checks)?;
    }
    for account in &report.accounts {
        writeln!(out, "\naccount {}", safe(&account.id))?;
        write_checks(out, &account.checks)?;
    }
    writeln!(out)?;
    if report.zones_left_out > 0 {
        writeln!(
            out,
            "{} more zones were not examined; select some with --zone.",
            report.zones_left_out
        )?;
    }
    for zone in &report.missing_zones {
        writeln!(
            out,
            "✘ {}: Cloudflare does not have this zone, or does not show it to these credentials.",
            safe(zone)
        )?;
    }
    write_conclusion(out, report)
}

/// Writes the validity of the token.
fn write_credentials(out: &mut dyn Write, credentials: &Credentials) -> io::Result<()> {
    let Credentials { owner, status, not_before, expires_on, why } = credentials;
    let what = match owner {
        Owner::User => "API token of a user",
        Owner::Account => "API token of an account",
        Owner::Unknown => "API token",
        Owner::GlobalKey => "global API key",
    };
    let sign = match credentials.is_active() {
        Some(true) => "✔",
        Some(false) => "✘",
        None => "?",
    };
    let mut words = vec![what.to_owned()];
    words.extend(status.iter().map(|status| safe(status).into_owned()));
    words.extend(not_before.iter().map(|date| format!("valid from {}", safe(date))));
    words.extend(expires_on.iter().map(|date| format!("expires on {}", safe(date))));
    if status.is_some() && expires_on.is_none() {
        words.push("does not expire".to_owned());
    }
    words.extend(why.iter().map(|why| format!("state unknown: {}", safe(why))));
    writeln!(out, "Credentials    {sign} {}", words.join(", "))
}

/// Writes the connection to Cloudflare.
fn write_connection(out: &mut dyn Write, connection: &Connection) -> io::Result<()> {
    let Connection { host, proxy, clock, rate_limits } = connection;
    let way = proxy
        .as_ref()
        .map_or_else(|| "without a proxy".to_owned(), |proxy| format!("through {}", safe(proxy)));
    writeln!(out, "Connection     ✔ {}, {way}", safe(host))?;
    match clock {
        Clock::Agrees(_) => writeln!(out, "Clock          ✔ agrees with Cloudflare's")?,
        Clock::Differs(seconds) => {
            let side = if *seconds > 0 { "behind" } else { "ahead of" };
            let seconds = seconds.unsigned_abs();
            writeln!(
                out,
                "Clock          ! {seconds} s {side} Cloudflare's; set it: expiry dates depend on \
                it"
            )?;
        }
        Clock::Unknown => writeln!(out, "Clock          ? Cloudflare's responses have no date")?,
    }
    if rate_limits.is_empty() {
        writeln!(out, "Rate limit     ? Cloudflare does not report how many requests are left")?;
    }
    for limit in rate_limits {
        let remaining =
            limit.remaining.map_or_else(|| "unknown".to_owned(), |requests| requests.to_string());
        let quota = limit.quota.map(|quota| format!(" of {quota}")).unwrap_or_default();
        let reset = limit
            .reset_seconds
            .map(|seconds| format!(", reset in {seconds} s"))
            .unwrap_or_default();
        writeln!(
            out,
            "Rate limit     ✔ {}: {remaining}{quota} requests left{reset}",
            safe(&limit.name)
        )?;
    }
    Ok(())
}

/// Writes the result of reading the spec.
fn write_spec(out: &mut dyn Write, spec: &Spec) -> io::Result<()> {
    let Spec { files, base, why_no_base } = spec;
    match (base, why_no_base) {
        (Some(base), _) => {
            writeln!(out, "Spec           ✔ {}, base {}", count(*files, "file"), safe(base))
        }
        (None, why) => {
            let why = why.as_deref().unwrap_or("none is named");
            writeln!(out, "Spec           ! {}, no base: {}", count(*files, "file"), safe(why))
        }
    }
}

/// Describes a zone with its plan and quotas.
fn heading(zone: &Zone) -> String {
    let Zone { name, id: _, status, plan, records, record_quota, batch_size, checks: _ } = zone;
    let mut words = Vec::new();
    words.extend(plan.iter().map(|plan| format!("{} plan", safe(plan))));
    words.extend(status.iter().map(|status| safe(status).into_owned()));
    match (records, record_quota) {
        (Some(records), Some(quota)) => words.push(format!("{records} of {quota} records")),
        (None, Some(quota)) => words.push(format!("up to {quota} records")),
        (Some(records), None) => words.push(format!("{records} records")),
        (None, None) => {}
    }
    if plan.is_some() {
        words.push(format!("batches of {batch_size}"));
    }
    let about = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    format!("{}{about}", safe(name))
}

/// Returns the sign and word of a result.
fn sign(allowed: Allowed) -> &'static str {
    match allowed {
        Allowed::Yes => "✔ yes",
        Allowed::No => "✘ no",
        Allowed::Unknown => "? unknown",
    }
}

/// Returns the name of a check.
fn name(what: What) -> &'static str {
    match what {
        What::Zone => "zone",
        What::Records => "records",
        What::Dnssec => "DNSSEC",
        What::Settings => "settings",
        What::DnsSettings => "DNS settings",
        What::Rulesets => "rulesets",
        What::AccountRulesets => "account rulesets",
        What::Lists => "lists",
    }
}

/// Writes the table of checks, and the reasons of required checks that failed.
fn write_checks(out: &mut dyn Write, checks: &[Check]) -> io::Result<()> {
    writeln!(
        out,
        "  {:<16} {:<10} {:<10} {:<10} permission to write",
        "", "read", "write", "needed"
    )?;
    for of_kind in checks.chunk_by(|a, b| a.what == b.what) {
        let find = |access: Access| of_kind.iter().find(|check| check.access == access);
        let (Some(read), Some(write)) = (find(Access::Read), find(Access::Write)) else { continue };
        let needed = match (read.is_needed, write.is_needed) {
            (_, true) => "write",
            (true, false) => "read",
            (false, false) => "",
        };
        let kind = name(read.what);
        let permission = &write.permission.dashboard;
        writeln!(
            out,
            "  {kind:<16} {:<10} {:<10} {needed:<10} {permission}",
            sign(read.allowed),
            sign(write.allowed)
        )?;
    }
    let refused = checks.iter().filter(|check| check.is_needed && check.allowed == Allowed::No);
    for check in refused {
        let (kind, permission) = (name(check.what), &check.permission.dashboard);
        let access = match check.access {
            Access::Read => "reading",
            Access::Write => "writing",
        };
        let why = check.why.as_deref().unwrap_or("refused");
        writeln!(out, "  ✘ {access} {kind} needs {permission}; Cloudflare says: {}", safe(why))?;
    }
    let failed = checks
        .iter()
        .filter(|check| check.allowed == Allowed::Unknown && check.access == Access::Read);
    // One line for each reason.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for check in failed {
        let why = check.why.as_deref().unwrap_or("unknown");
        match reasons.iter_mut().find(|(of, _)| *of == why) {
            Some((_, kinds)) => kinds.push(name(check.what)),
            None => reasons.push((why, vec![name(check.what)])),
        }
    }
    for (why, kinds) in reasons {
        writeln!(out, "  ? reading {}: {}", kinds.join(", "), safe(why))?;
    }
    Ok(())
}

fn write_conclusion(out: &mut dyn Write, report: &Doctor) -> io::Result<()> {
    if !report.smallest_token.is_empty() {
        let names: Vec<&str> =
            report.smallest_token.iter().map(|permission| permission.dashboard.as_str()).collect();
        writeln!(out, "Smallest token for this spec, limited to its zones: {}.", names.join(", "))?;
    }
    if !report.is_usable() {
        return writeln!(
            out,
            "✘ The token is not active: create another one, or enable it in the dashboard."
        );
    }
    if report.spec.is_none() && report.verdict == Sufficiency::Insufficient {
        return writeln!(
            out,
            "✘ These credentials may not read zones, which every command needs: see the line with \
            ✘."
        );
    }
    if !report.is_answered() && report.verdict != Sufficiency::Insufficient {
        return writeln!(
            out,
            "? Cloudflare did not answer every request: see the lines with ?, and run this again \
            later."
        );
    }
    if report.spec.is_none() {
        return writeln!(out, "Name a spec to see what it needs: zonewright doctor SPEC");
    }
    let unknown = report
        .checks()
        .filter(|check| check.is_needed && check.allowed == Allowed::Unknown)
        .count();
    match report.verdict {
        Sufficiency::Sufficient => {
            writeln!(out, "✔ These credentials may do everything that the spec needs.")
        }
        Sufficiency::Unknown => writeln!(
            out,
            "✔ Nothing that the spec needs is refused. Reading cannot tell about {}; \
            --probe-writes asks about rulesets.",
            count(unknown, "needed permission")
        ),
        Sufficiency::Insufficient => {
            writeln!(
                out,
                "✘ These credentials may not do everything that the spec needs: see the lines with \
                ✘."
            )
        }
    }
}
