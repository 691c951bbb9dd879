//! The matrix of paranoia levels and thresholds: how many requests the OWASP ruleset would act on.

use schemars::JsonSchema;
use serde::Serialize;

use super::anomaly_score::Span;

/// The thresholds of the matrix, from the least strict to the strictest: those with a word, and
/// those that the Core Rule Set uses.
pub(super) const THRESHOLDS: [u32; COLUMNS] = [60, 40, 25, 15, 10, 5];
/// How many thresholds there are.
pub const COLUMNS: usize = 6;

/// How many requests the OWASP ruleset would act on at each paranoia level and threshold, with the
/// exceptions and disabled rules of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Matrix {
    /// The thresholds of the columns.
    pub thresholds: [u32; COLUMNS],
    /// One row for each level from 1 to 4, with one number for each threshold.
    pub rows: [[u64; COLUMNS]; 4],
    /// How many more it may act on: rules that could not be decided make the difference.
    pub unknown: [[u64; COLUMNS]; 4],
    /// Requests that reach the OWASP ruleset, or would if it were deployed.
    pub scored: u64,
    /// Requests that do not, because another rule acts first or lets them bypass it.
    pub not_scored: u64,
}

impl Matrix {
    /// Counts a request with its scores at the levels.
    pub(super) fn add(&mut self, levels: [Span; 4]) {
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
