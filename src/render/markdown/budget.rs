//! The size of a comment, in characters: its limits, and the remaining size.

/// Default size of a comment: GitHub's limit (65,536), minus some characters for additions of a
/// pipeline.
///
/// # Units
/// Characters.
pub const LIMIT: usize = 60_000;

/// Smallest size that can be requested; the parts that are never omitted fit into it.
///
/// # Units
/// Characters.
pub const SMALLEST_LIMIT: usize = 4_000;

/// Size reserved for the list of omitted parts.
///
/// # Units
/// Characters.
const RESERVE: usize = 1_000;

/// A piece of Markdown that is never cut, with its size.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Its size in characters.
    pub(super) size: usize,
}

impl Piece {
    /// Measures a text.
    pub(super) fn new(text: String) -> Self {
        Self { size: text.chars().count(), text }
    }
}

/// The remaining size.
///
/// # Units
/// Characters.
#[derive(Debug)]
pub(super) struct Budget {
    free: usize,
    /// True if the next list may use all of the remaining size.
    alone: bool,
}

impl Budget {
    /// Subtracts the written text from a limit.
    pub(super) fn new(limit: usize, written: &str) -> Self {
        Self { free: limit.saturating_sub(written.chars().count() + RESERVE), alone: false }
    }

    /// Allows the next list to use all of the remaining size.
    pub(super) fn give_all(&mut self) {
        self.alone = true;
    }

    /// Returns the remaining size.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// Takes this size, and returns true, if it is available.
    pub(super) fn take(&mut self, size: usize) -> bool {
        let fits = size <= self.free;
        if fits {
            self.free -= size;
        }
        fits
    }

    /// Writes a heading and pieces in order while they fit into a share of the remaining size.
    /// Returns the number of pieces that did not fit.
    ///
    /// A piece that does not fit is omitted; smaller pieces after it may still fit.
    pub(super) fn list(
        &mut self,
        out: &mut String,
        heading: Piece,
        pieces: impl Iterator<Item = Piece>,
        (part, whole): (usize, usize),
    ) -> usize {
        let share = if self.alone { self.free } else { self.free / whole * part };
        let mut free_bytes = share;
        let mut omitted = 0;
        free_bytes = free_bytes.saturating_sub(heading.size);
        out.push_str(&heading.text);
        for piece in pieces {
            if piece.size <= free_bytes {
                free_bytes -= piece.size;
                out.push_str(&piece.text);
            } else {
                omitted += 1;
            }
        }
        self.free -= share - free_bytes;
        omitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut budget = Budget::new(RESERVE + 20, "");
        let mut out = String::new();
        let pieces = ["12345", "123456", "12"].map(|t| Piece::new(t.to_owned()));
        assert_eq!(
            budget.list(&mut out, Piece::new("h:".to_owned()), pieces.into_iter(), (1, 2)),
            1
        );
        assert_eq!((out.as_str(), budget.free()), ("h:1234512", 11));
        assert!(budget.take(11) && !budget.take(1));
    }
}
