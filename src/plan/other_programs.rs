//! Finds records that pruning would delete, and that other programs seem to maintain.

use super::subject::RecordSubject;
use super::zone_plan::ZonePlan;
use crate::diagnostic::{self, Diagnostics, findings};
use crate::diff::DeleteReason;
use crate::model::{DesiredZone, Rdata};

/// Reports records that pruning would delete and that look as if another program maintains them.
/// This is a suggestion, never a silent rule.
pub(super) fn check(desired: &DesiredZone, plan: &ZonePlan, found: &mut Diagnostics) {
    let pruned = || {
        let records = plan.records().map(|(_, _, record)| record);
        records.filter(|record| record.change.deletes_for(DeleteReason::Pruned))
    };
    let text = |record: &RecordSubject| match &record.form().data {
        Rdata::Txt(text) => String::from_utf8_lossy(text.as_bytes()).into_owned(),
        _ => String::new(),
    };
    let certificates = |r: &&RecordSubject| {
        r.form().name.as_str().starts_with("_acme-challenge.") && !text(r).is_empty()
    };
    let external_dns = |r: &&RecordSubject| text(r).contains("heritage=external-dns");
    let robots: [(&str, usize, &str); 2] = [
        (
            "a certificate client (ACME challenges)",
            pruned().filter(certificates).count(),
            "{ name: \"_acme-challenge*\", type: TXT, reason: written by the certificate client }",
        ),
        (
            "external-dns (ownership records)",
            pruned().filter(external_dns).count(),
            "{ type: TXT, content: \"heritage=external-dns*\", reason: written by external-dns }",
        ),
    ];
    for (robot, number, ignore) in robots.into_iter().filter(|(_, number, _)| *number > 0) {
        found.push(
            findings::OTHER_PROGRAMS_RECORDS
                .at(
                    desired.place,
                    format!(
                        "the plan deletes {}, apparently of {robot}",
                        diagnostic::count(number, "record")
                    ),
                )
                .about(desired.name.to_string())
                .help(format!("to leave them alone, add to `ignore`: {ignore}")),
        );
    }
}
