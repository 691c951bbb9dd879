//! Mail exchanges, name servers and services whose host is an alias.

use crate::diagnostic::{Finding, Severity};
use crate::lint::zone_lookup::{Found, ZoneLookup};
use crate::lint::{Findings, Rule};
use crate::model::{DesiredRecord, RecordType, Value};

/// The rule.
pub(in crate::lint) static RULE: Rule = Rule {
    finding: Finding {
        code: "LINT0010",
        summary: "the target is an alias",
        severity: Severity::Warning,
        why: "The hosts that MX, NS and SRV records name must have addresses of their own, not a CNAME. Some mail servers refuse to \
              deliver, and resolvers may not follow. Resolvers do not see aliases that Cloudflare flattens, so these are \
              not reported.",
        fix: "Name the host that the alias leads to.",
    },
    sources: &["RFC 2181 section 10.3 (MX, NS)", "RFC 2782 (SRV)"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: MX, content: 10 mx.example.net }
      - { name: mail, type: CNAME, content: mx.example.net }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: MX, content: 10 mail.example.com }
      - { name: mail, type: CNAME, content: mx.example.net }
",
    check,
};

fn check(lookup: &ZoneLookup<'_>, findings: &mut Findings) {
    for (zone, record) in lookup.records() {
        if !matches!(
            record.data.record_type(),
            Some(RecordType::Mx | RecordType::Ns | RecordType::Srv)
        ) {
            continue;
        }
        let Some(target) = record.data.target().filter(|t| !t.is_root()) else { continue };
        let Found::Records { zone: place, owner, wildcard } = lookup.look_up(target) else {
            continue;
        };
        let home = &lookup.zones[place];
        // A name covered by a wildcard may have its own live record.
        if wildcard && !home.knows_all(RecordType::ALL) {
            continue;
        }
        let flattened = |alias: &&DesiredRecord| {
            let everything = home.zone.settings.dns_settings.get("flatten_all_cnames");
            home.is_apex(&alias.name)
                || alias.facets.settings.flatten_cname == Some(true)
                || everything.is_some_and(|(value, _)| *value == Value::Bool(true))
        };
        let alias = lookup.owner(place, owner).of_type(RecordType::Cname).next();
        let Some(alias) = alias.filter(|a| !flattened(a)) else { continue };
        let leads = alias.data.presentation();
        let how = if wildcard { " by a wildcard" } else { "" };
        findings.push(
            RULE.at(record.spelling.place, format!("`{target}` is an alias of `{leads}`{how}"))
                .and_at(alias.spelling.place, "the alias")
                .about(zone.address(record))
                .help(format!(
                    "write `{leads}`, or give `{target}` an A or AAAA record in place of the CNAME"
                )),
        );
    }
}
