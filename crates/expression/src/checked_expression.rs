//! The state that all checks of an expression share.

use crate::expression_setting::ExpressionSetting;
use crate::problem::{Problems, quoted};
use crate::syntax::Span;

/// An expression being checked.
pub(super) struct Check<'c> {
    pub(super) text: &'c str,
    /// The kind of rule that it belongs to.
    pub(super) setting: ExpressionSetting<'c>,
    pub(super) problems: &'c mut Problems,
}

impl Check<'_> {
    /// Returns the text of a place, for messages.
    pub(super) fn shown(&self, span: &Span) -> String {
        quoted(&self.text[span.clone()])
    }
}
