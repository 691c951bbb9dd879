//! The colours of the text outputs, by meaning.

use anstyle::{AnsiColor, Color, Effects, Style};

/// Without style.
pub(super) const PLAIN: Style = Style::new();
/// Created.
pub(super) const CREATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
/// Changed.
pub(super) const UPDATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
/// Deleted.
pub(super) const DELETE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
/// Dangerous: what an operation needs consent for, and protection that gets weaker.
pub(super) const DANGER: Style = DELETE;
/// A value before its change.
pub(super) const BEFORE: Style = DELETE;
/// A value after its change.
pub(super) const AFTER: Style = CREATE;
/// What is added to the style of the part of a value that differs.
pub(super) const EMPHASIS: Effects = Effects::BOLD.insert(Effects::UNDERLINE);
/// Headings.
pub(super) const BOLD: Style = Style::new().effects(Effects::BOLD);
/// Less important text.
pub(super) const DIM: Style = Style::new().effects(Effects::DIMMED);

/// Text in a style, or plain.
pub(super) fn styled(text: &str, style: Style, colour: bool) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}
