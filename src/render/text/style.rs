//! The colours of the text outputs, by meaning.

use anstyle::{AnsiColor, Color, Effects, Style};

/// No style.
pub(super) const PLAIN: Style = Style::new();
pub(super) const CREATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
pub(super) const UPDATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
pub(super) const DELETE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
/// Dangers: operations that need consent, and weaker protection.
pub(super) const DANGER: Style = DELETE;
/// A value before its change.
pub(super) const BEFORE: Style = DELETE;
/// A value after its change.
pub(super) const AFTER: Style = CREATE;
/// The additional effects for the part of a value that differs.
pub(super) const EMPHASIS: Effects = Effects::BOLD.insert(Effects::UNDERLINE);
pub(super) const BOLD: Style = Style::new().effects(Effects::BOLD);
/// Less important text.
pub(super) const DIM: Style = Style::new().effects(Effects::DIMMED);

/// Applies a style if `colour` is true.
pub(super) fn styled(text: &str, style: Style, colour: bool) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
