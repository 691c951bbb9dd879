//! The matrix of paranoia levels and thresholds: the number of requests on which the OWASP ruleset
//! would act.

use schemars::JsonSchema;
use serde::Serialize;

use super::anomaly_score::ScoreSpan;

/// The thresholds of the matrix, from the least strict to the strictest: those with a keyword, and
/// those that the Core Rule Set uses.
pub(super) const THRESHOLDS: [u32; COLUMNS] = [60, 40, 25, 15, 10, 5];
/// The number of thresholds.
pub const COLUMNS: usize = 6;

/// The number of requests on which the OWASP ruleset would act at each paranoia level and
/// threshold, with the exceptions and disabled rules of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Matrix {
    /// The thresholds of the columns.
    pub thresholds: [u32; COLUMNS],
    /// One row for each level from 1 to 4, with one number for each threshold.
    pub rows: [[u64; COLUMNS]; 4],
    /// The number of further requests on which it may act, depending on rules without a result.
    pub unknown: [[u64; COLUMNS]; 4],
    /// Requests that reach the OWASP ruleset, or would if it were deployed.
    pub scored: u64,
    /// Requests that do not reach it, because another rule acts first or lets them bypass it.
    pub not_scored: u64,
}

impl Matrix {
    /// Counts a request with its scores at the levels.
    pub(super) fn add(&mut self, levels: [ScoreSpan; 4]) {
        self.scored += 1;
        for ((row, unknown), score) in self.rows.iter_mut().zip(&mut self.unknown).zip(levels) {
            for ((cell, unknown), threshold) in row.iter_mut().zip(unknown).zip(THRESHOLDS) {
                let reaches = score.reaches(threshold);
                *cell += u64::from(reaches == Some(true));
                *unknown += u64::from(reaches.is_none());
            }
        }
    }
}
