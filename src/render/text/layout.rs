//! Colours, widths and short phrases shared by the text outputs.

use anstyle::{AnsiColor, Color, Effects, Style};

use crate::model::{Comment, Facets, RecordForm, Tag};
use crate::render::safe::safe;

/// Created.
pub(super) const CREATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
/// Changed.
pub(super) const UPDATE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
/// Deleted.
pub(super) const DELETE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));
/// Headings.
pub(super) const BOLD: Style = Style::new().effects(Effects::BOLD);
/// Less important text.
pub(super) const DIM: Style = Style::new().effects(Effects::DIMMED);

/// Text in a style, or plain.
pub(super) fn styled(text: &str, style: Style, colour: bool) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Pads to a width in characters; longer text is left as it is.
pub(super) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// The attributes of a record beside its value, in a few words.
pub(in crate::render) fn facets(form: &RecordForm) -> String {
    let Facets { ttl, proxied, comment, tags, settings } = &form.facets;
    let mut words = Vec::new();
    match proxied {
        Some(true) => words.push("proxied".to_owned()),
        Some(false) if form.data.record_type().is_some_and(|t| t.facts().proxiable) => {
            words.push("DNS only".to_owned())
        }
        Some(false) | None => {}
    }
    if let Some(ttl) = ttl.filter(|_| *proxied != Some(true)) {
        words.push(format!("ttl {ttl}"));
    }
    if let Some(text) = comment.as_ref().and_then(Comment::text) {
        words.push(format!("comment \"{}\"", safe(&text.replace('"', "\\\""))));
    }
    if let Some(tags) = tags.as_ref().filter(|t| !t.is_empty()) {
        let list: Vec<_> = tags.iter().map(Tag::as_str).map(safe).collect();
        words.push(format!("tags {}", list.join(", ")));
    }
    for (name, value) in settings.named() {
        if let Some(value) = value {
            words.push(format!("{name} {}", if value { "on" } else { "off" }));
        }
    }
    words.join(", ")
}
