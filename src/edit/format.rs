//! The canonical layout of specs: `pretty_yaml` lays the text out, and this module sorts keys and
//! aligns the columns of records.
//!
//! | step | what it does |
//! |---|---|
//! | simplify | keys such as `? name` are written as `name:`; blocks such as `\|2+` are put aside
//! (`indented_blocks`) |
//! | order | keys of the mappings of a spec in one order, with their comments; records sorted, if
//! requested |
//! | layout | indentation, blanks, quotes and line breaks |
//! | columns | names and types of records on consecutive lines aligned |
//! | check | the same values and comments as before, and a second run changes nothing |
//!
//! A file that is not a spec is laid out only. A byte order mark stays, and so do the line breaks
//! that most lines have. A file in which a carriage return alone ends a line is not changed: the
//! layout would turn text that an editor shows inside a comment into a part of the spec.

use std::collections::BTreeMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};
use pretty_yaml::config::{FormatOptions, LanguageOptions, LayoutOptions, Quotes};

use super::file_changes::json;
use super::format_order::{mappings, order, record_key};
use super::indented_blocks::Shelf;
use super::source_tree::{NodeId, SourceNodeKind, SourceTree, Style};
use super::text_edits::{Edit, apply};
use crate::model::{Gather, sort_by_key};
use crate::spec::lone_carriage_return;

/// Maximum number of passes that order all keys, one for each level.
const PASSES: usize = 16;
/// Length of the longest name that widens the column of names.
///
/// # Units
/// Characters.
const WIDEST: usize = 32;
/// Maximum line width. Lines are never broken, because values have no place to break at.
const WIDTH: usize = 1_000_000;

/// Largest text that is formatted. The syntax tree takes about a hundred bytes for each byte of
/// text.
///
/// # Units
/// Bytes.
const LARGEST: usize = 5 << 19;

/// Reasons why a text is not formatted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The text is not YAML.
    #[error("it is not valid YAML: {0}")]
    Syntax(String),
    /// A carriage return without a line feed.
    #[error(
        "line {line} ends with a carriage return alone, which editors do not show; end it with a \
        line feed"
    )]
    CarriageReturn {
        /// Number of the line, as editors count.
        line: usize,
    },
    /// The text is so large that formatting takes more memory than a run may use.
    #[error(
        "it is larger than 2.5 MiB, which is too large to format; it stays as it is. Split it into \
        files (`include`)"
    )]
    TooLarge,
    /// The text is YAML, but the layout library cannot read it.
    #[error("the formatter cannot read it ({0}); it stays as it is")]
    Layout(String),
    /// Formatting would change the meaning.
    #[error("its meaning would change ({0}); it stays as it is. Please report this, with the file")]
    Meaning(&'static str),
    /// Formatting the result again would change it.
    #[error(
        "formatting it twice would give another result; it stays as it is. Please report this, \
        with the file"
    )]
    Unstable,
}

/// Formats a text. With `sort`, sorts records by name, type and value. A text of blanks and line
/// breaks becomes empty.
///
/// # Errors
/// Fails if the text is not YAML, or if the result would not be the same spec.
pub fn format(text: &str, sort: bool) -> Result<String, FormatError> {
    if let Some(at) = lone_carriage_return(text) {
        return Err(FormatError::CarriageReturn { line: text[..at].matches('\n').count() + 1 });
    }
    if text.len() > LARGEST {
        return Err(FormatError::TooLarge);
    }
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let line_break = line_break(text);
    let bare = text[mark.len()..].replace("\r\n", "\n");
    let unmoved = FormatError::Meaning("two moves touch the same place");
    let (mut now, shelf) = Shelf::fill(&simple_keys(&bare)).ok_or(unmoved.clone())?;
    now = once(&now, sort)?;
    // Some layouts are stable only after the second pass.
    let second_pass = once(&now, sort)?;
    if second_pass != now {
        now = once(&second_pass, sort)?;
        if now != second_pass {
            return Err(FormatError::Unstable);
        }
    }
    now = shelf.empty(&now).ok_or(unmoved)?;
    if now == "\n" {
        now.clear();
    }
    same(&bare, &now, sort)?;
    if line_break != "\n" {
        now = now.replace('\n', line_break);
    }
    Ok(format!("{mark}{now}"))
}

/// Returns the line break that most lines have.
fn line_break(text: &str) -> &'static str {
    let crlf_breaks = text.matches("\r\n").count();
    if crlf_breaks * 2 > text.matches('\n').count() { "\r\n" } else { "\n" }
}

/// Writes keys such as `? name` as `name:` where they are scalars on one line.
fn simple_keys(text: &str) -> String {
    let Ok(tree) = SourceTree::read(text) else { return text.to_owned() };
    // Position of the `?` of a key.
    let mark = |key: NodeId| {
        let text_before = text[..tree.node(key).span.start].trim_end_matches(' ');
        text_before.ends_with('?').then(|| text_before.len() - 1)
    };
    let mut edits = Vec::new();
    for id in tree.ids().filter(|id| !tree.is_flow(*id) && !tree.is_in_flow(*id)) {
        let SourceNodeKind::Mapping { entries, .. } = &tree.node(id).kind else { continue };
        for (key, value) in entries {
            let (span, own) = (tree.node(*key).span.clone(), tree.node(*value));
            let is_single = matches!(
                tree.node(*key).kind,
                SourceNodeKind::Scalar(_, Style::Plain | Style::Single | Style::Double)
            );
            let Some(mark_at) = mark(*key).filter(|_| is_single && is_short(&text[span.clone()]))
            else {
                continue;
            };
            let is_block = matches!(
                own.kind,
                SourceNodeKind::Mapping { is_flow: false, .. }
                    | SourceNodeKind::Sequence { is_flow: false, .. }
            );
            let first = match &own.kind {
                SourceNodeKind::Mapping { entries, is_flow: false } => {
                    entries.first().and_then(|(key, _)| mark(*key))
                }
                SourceNodeKind::Sequence { items, is_flow: false } => {
                    items.first().map(|item| tree.dash(*item))
                }
                _ => None,
            };
            let start = first.map_or(own.span.start, |first| first.min(own.span.start));
            let Some((before, after)) =
                text.get(span.end..start).and_then(|gap| gap.split_once(':'))
            else {
                continue;
            };
            if !(before.trim().is_empty() && after.trim().is_empty()) {
                continue;
            }
            let is_compact = is_block && own.span.start == own.content && !after.contains('\n');
            let gap = if is_compact {
                format!(":\n{:1$}", "", tree.column(start))
            } else {
                format!(":{after}")
            };
            edits.extend([Edit::new(mark_at..span.start, ""), Edit::new(span.end..start, gap)]);
        }
    }
    // Keep the text if the edits change its meaning.
    let simple = if edits.is_empty() { None } else { apply(text, edits) };
    simple.filter(|simple| same(text, simple, false).is_ok()).unwrap_or_else(|| text.to_owned())
}

/// Returns true if a key fits on one line before its colon (YAML 1.2.2, section 7.4.2: 1024
/// characters).
fn is_short(key: &str) -> bool {
    key.len() <= 1024 && !key.contains('\n')
}

/// Runs one pass.
fn once(text: &str, sort: bool) -> Result<String, FormatError> {
    let ordered = if is_spec(text) { ordered(text, sort)? } else { text.to_owned() };
    let options = FormatOptions {
        layout: LayoutOptions { print_width: WIDTH, ..LayoutOptions::default() },
        language: LanguageOptions { quotes: Quotes::PreferDouble, ..LanguageOptions::default() },
    };
    let laid_out =
        pretty_yaml::format_text(&ordered, &options).map_err(|error| match events(&ordered) {
            Ok(_) => {
                FormatError::Layout(error.to_string().lines().next().unwrap_or_default().to_owned())
            }
            Err(error) => error,
        })?;
    if is_spec(text) { columns(&laid_out) } else { Ok(laid_out) }
}

/// Returns true if the outermost keys look like those of a spec.
fn is_spec(text: &str) -> bool {
    SourceTree::read(text).is_ok_and(|tree| {
        let has = |key| tree.get(tree.root, key).is_some();
        has("version")
            && ["zones", "profiles", "include", "variables", "defaults"].into_iter().any(has)
    })
}

/// Sorts the keys, and the records if requested.
fn ordered(text: &str, sort: bool) -> Result<String, FormatError> {
    let mut text = text.to_owned();
    for _ in 0..PASSES {
        let tree = SourceTree::read(&text).map_err(FormatError::Syntax)?;
        let mut wrong: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        for (node, path) in mappings(&tree) {
            let keys = order(&path);
            let entries = tree.entries(node);
            let place = |key: &NodeId| {
                keys.iter().position(|k| *k == tree.scalar_text(*key)).unwrap_or(keys.len())
            };
            let mut sorted: Vec<NodeId> = entries.iter().map(|(key, _)| *key).collect();
            sort_by_key(&mut sorted, place);
            let is_right = entries.iter().map(|(key, _)| key).eq(&sorted);
            if !keys.is_empty() && !is_right {
                wrong.push((node, sorted));
            }
            if let (true, ["zones" | "profiles", _], Some(list)) =
                (sort, path.as_slice(), tree.get(node, "records"))
            {
                let mut sorted = tree.items(list).to_vec();
                sorted.sort_by_cached_key(|item| record_key(&tree, *item));
                if matches!(tree.node(list).kind, SourceNodeKind::Sequence { .. })
                    && sorted != tree.items(list)
                {
                    wrong.push((list, sorted));
                }
            }
        }
        let moves: Vec<(NodeId, Edit)> = wrong
            .iter()
            .filter_map(|(node, sorted)| Some((*node, rearranged(&tree, *node, sorted)?)))
            .collect();
        // Sort the innermost collections first: the outer ones move them as text.
        let parents: std::collections::BTreeSet<NodeId> = moves
            .iter()
            .flat_map(|(node, _)| {
                std::iter::successors(tree.node(*node).parent, |id| tree.node(*id).parent)
            })
            .gather();
        let edits: Vec<Edit> = moves
            .into_iter()
            .filter(|(node, _)| !parents.contains(node))
            .map(|(_, edit)| edit)
            .collect();
        if edits.is_empty() {
            break;
        }
        text = apply(&text, edits).ok_or(FormatError::Meaning("two moves touch the same place"))?;
    }
    Ok(text)
}

/// Rearranges the parts of a list or mapping. Returns `None` if they cannot be moved.
fn rearranged(tree: &SourceTree<'_>, node: NodeId, sorted: &[NodeId]) -> Option<Edit> {
    let is_flow = tree.is_flow(node);
    let span = tree.node(node).span.clone();
    // An alias must stay after its anchor.
    let is_tied = |id: NodeId| {
        matches!(tree.node(id).kind, SourceNodeKind::Alias(_)) || !tree.aliases(id).is_empty()
    };
    if tree.ids().any(|id| span.contains(&tree.node(id).span.start) && id != node && is_tied(id)) {
        return None;
    }
    let parts: Vec<(NodeId, Range<usize>)> = match &tree.node(node).kind {
        SourceNodeKind::Sequence { items, .. } => items
            .iter()
            .map(|id| {
                (
                    *id,
                    if is_flow { tree.node(*id).span.start } else { tree.dash(*id) }
                        ..tree.node(*id).span.end,
                )
            })
            .collect(),
        SourceNodeKind::Mapping { entries, .. } => entries
            .iter()
            .map(|(key, value)| {
                let end = tree.node(*value).span.end.max(tree.node(*key).span.end);
                (*key, tree.node(*key).span.start..end)
            })
            .collect(),
        SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_) => return None,
    };
    let first = parts.first()?.1.start;
    let last = parts.last()?.1.end;
    if is_flow {
        if tree.comments_in(first..last).next().is_some() || tree.text[first..last].contains('\n') {
            return None;
        }
        let find = |id: &NodeId| {
            parts.iter().find(|(own, _)| own == id).map(|(_, range)| &tree.text[range.clone()])
        };
        let texts: Option<Vec<&str>> = sorted.iter().map(find).collect();
        return Some(Edit::new(first..last, texts?.join(", ")));
    }
    // Keys such as `? a` have no line that could be moved.
    let is_odd =
        |range: &Range<usize>| tree.text[..range.start].trim_end_matches(' ').ends_with('?');
    if parts.iter().any(|(_, range)| is_odd(range)) {
        return None;
    }
    // Each part is moved with the comments above and after it.
    let mut texts: BTreeMap<NodeId, String> = BTreeMap::new();
    let margin = " ".repeat(tree.column(first));
    let mut at = first;
    for (id, range) in &parts {
        let end = tree.line_end(range.end);
        let lines = tree.text[at..end].trim_start_matches([' ', '\n']);
        // Keep one blank line above a part.
        let gap = if tree.text[at..].starts_with("\n\n") { "\n" } else { "" };
        texts.insert(*id, format!("{gap}{margin}{lines}"));
        at = end;
    }
    let texts: Option<Vec<String>> = sorted.iter().map(|id| texts.remove(id)).collect();
    let text = texts?.join("\n");
    let text = text.trim_start_matches('\n');
    let text = text.strip_prefix(margin.as_str()).unwrap_or(text);
    Some(Edit::new(first..tree.line_end(last), text))
}

/// Returns true if the mappings of a section have records.
fn is_holder(section: &str) -> bool {
    matches!(section, "zones" | "profiles")
}

/// Aligns the names and types of records on consecutive lines.
fn columns(text: &str) -> Result<String, FormatError> {
    let tree = SourceTree::read(text).map_err(FormatError::Syntax)?;
    let mut edits = Vec::new();
    for (node, path) in mappings(&tree) {
        let (["zones" | "profiles", _], Some(list)) = (path.as_slice(), tree.get(node, "records"))
        else {
            continue;
        };
        let mut run: Vec<NodeId> = Vec::new();
        let mut end = 0;
        for item in tree.items(list) {
            let span = tree.node(*item).span.clone();
            let is_line = tree.is_flow(*item)
                && matches!(tree.node(*item).kind, SourceNodeKind::Mapping { .. })
                && !text[span.clone()].contains('\n');
            let is_apart = text[end.min(span.start)..span.start].contains("\n\n");
            if !is_line || is_apart {
                align(&tree, &run, &mut edits);
                run.clear();
            }
            run.extend(is_line.then_some(*item));
            end = span.end;
        }
        align(&tree, &run, &mut edits);
    }
    apply(text, edits).ok_or(FormatError::Unstable)
}

/// Aligns the second and the third key of records on consecutive lines.
fn align(tree: &SourceTree<'_>, run: &[NodeId], edits: &mut Vec<Edit>) {
    if run.len() < 2 {
        return;
    }
    let begins = |item: &&NodeId| {
        let keys: Vec<&str> =
            tree.entries(**item).iter().take(2).map(|(key, _)| tree.scalar_text(*key)).collect();
        keys == ["name", "type"]
    };
    let run: Vec<NodeId> = run.iter().filter(begins).copied().collect();
    for n in 0..2 {
        let part = |item: NodeId| {
            let (key, value) = tree.entries(item).get(n)?;
            let next_entry = tree.entries(item).get(n + 1)?;
            let (start, end) = (tree.node(*key).span.start, tree.node(*value).span.end);
            Some((tree.text[start..end].chars().count(), end, tree.node(next_entry.0).span.start))
        };
        let width = run
            .iter()
            .filter_map(|item| part(*item))
            .map(|(width, ..)| width)
            .filter(|w| *w <= WIDEST)
            .max();
        let Some(width) = width else { continue };
        for item in &run {
            let Some((own, end, next)) = part(*item) else { continue };
            let blanks = width.saturating_sub(own) + 1;
            edits.push(Edit::new(end..next, format!(",{:blanks$}", "")));
        }
    }
}

/// Compares the values and comments of two texts.
///
/// # Errors
/// Fails with the difference.
fn same(before: &str, after: &str, sort: bool) -> Result<(), FormatError> {
    if !is_spec(before) {
        return if events(before)? == events(after)? {
            Ok(())
        } else {
            Err(FormatError::Meaning("its values"))
        };
    }
    let (old, new) = (
        SourceTree::read(before).map_err(FormatError::Syntax)?,
        SourceTree::read(after).map_err(FormatError::Syntax)?,
    );
    let value = |tree: &SourceTree<'_>| {
        let mut value = json(tree, tree.root);
        if sort && let Some(sections) = value.as_object_mut() {
            let sections = sections.iter_mut().filter(|(name, _)| is_holder(name));
            for zone in sections.filter_map(|(_, s)| s.as_object_mut()).flat_map(|s| s.values_mut())
            {
                if let Some(records) =
                    zone.get_mut("records").and_then(serde_json::Value::as_array_mut)
                {
                    // The order of keys changes too and does not count.
                    let key = |record: &serde_json::Value| match record {
                        serde_json::Value::Object(members) => members
                            .iter()
                            .map(|(k, v)| (k.clone(), v.to_string()))
                            .gather::<BTreeMap<_, _>>(),
                        _ => BTreeMap::new(),
                    };
                    records.sort_by_cached_key(key);
                }
            }
        }
        value
    };
    if value(&old) != value(&new) {
        return Err(FormatError::Meaning("its values"));
    }
    let comments = |tree: &SourceTree<'_>| {
        let mut texts: Vec<String> =
            tree.comments.iter().map(|c| bare(&tree.text[c.clone()])).collect();
        texts.sort();
        texts
    };
    if comments(&old) != comments(&new) {
        return Err(FormatError::Meaning("its comments"));
    }
    let shares = |tree: &SourceTree<'_>| {
        tree.ids().filter(|id| matches!(tree.node(*id).kind, SourceNodeKind::Alias(_))).count()
    };
    if shares(&old) != shares(&new) {
        return Err(FormatError::Meaning("its anchors"));
    }
    Ok(())
}

/// Trims the blanks around a comment.
fn bare(comment: &str) -> String {
    comment.trim_start_matches('#').trim().to_owned()
}

/// Values as any YAML reader gets them, and comments in any order.
#[derive(Debug, PartialEq, Eq)]
struct Events<'t> {
    values: Vec<Event<'t>>,
    comments: Vec<String>,
}

/// Reads a text as any YAML reader does. Quotes, blocks and document markers may change. A plain
/// value must stay plain.
fn events(text: &str) -> Result<Events<'_>, FormatError> {
    let options = granit_parser::options! { emit_comments: true };
    let mut parsed = Events { values: Vec::new(), comments: Vec::new() };
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, _) = next.map_err(|error| FormatError::Syntax(error.to_string()))?;
        parsed.values.push(match event {
            Event::Comment(words, ..) => {
                parsed.comments.push(words.trim().to_owned());
                continue;
            }
            Event::Scalar(value, style, anchor, tag) => {
                let style =
                    if style == ScalarStyle::Plain { style } else { ScalarStyle::DoubleQuoted };
                Event::Scalar(value, style, anchor, tag)
            }
            Event::SequenceStart(_, anchor, tag) => {
                Event::SequenceStart(StructureStyle::Block, anchor, tag)
            }
            Event::MappingStart(_, anchor, tag) => {
                Event::MappingStart(StructureStyle::Block, anchor, tag)
            }
            Event::DocumentStart(..) => Event::DocumentStart(false, None),
            Event::SequenceEnd => Event::SequenceEnd,
            Event::MappingEnd => Event::MappingEnd,
            Event::Alias(anchor) => Event::Alias(anchor),
            _ => continue,
        });
    }
    parsed.comments.sort();
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# head\nzones:\n    example.com:   # the shop\n        records:\n        - {type: A, name: \"@\", content: [192.0.2.1,192.0.2.2]} # web\n        # mail\n        - { name: mail,   type: MX, content: 10 mx.example.net }\n\n        - type: TXT\n          # why\n          name: '@'   # apex\n          content: v=spf1 -all\nversion: 1\n";

    #[test]
    fn one_layout() {
        let expected = "# head\nversion: 1\nzones:\n  example.com: # the shop\n    records:\n      - { name: \"@\",  type: A,  content: [192.0.2.1, 192.0.2.2] } # web\n      # mail\n      - { name: mail, type: MX, content: 10 mx.example.net }\n\n      # why\n      - name: \"@\" # apex\n        type: TXT\n        content: v=spf1 -all\n";
        let now = format(BEFORE, false).unwrap();
        assert_eq!(format(&now, false).as_deref(), Ok(now.as_str()));
        assert_eq!(
            now.replace("      # why\n      - name", "      - # why\n        name").lines().count(),
            expected.lines().count(),
            "{now}"
        );
    }

    #[test]
    fn line_breaks_and_marks_stay() {
        let windows = format!("\u{feff}{}", BEFORE.replace('\n', "\r\n"));
        let now = format(&windows, false).unwrap();
        assert!(now.starts_with('\u{feff}') && !now.replace("\r\n", "").contains('\n'));
        // Formatting must not turn text that an editor shows as a comment into a part of the spec.
        let hidden = format!("{BEFORE}# c\rversion: 1\n");
        let line = BEFORE.matches('\n').count() + 1;
        assert_eq!(format(&hidden, false), Err(FormatError::CarriageReturn { line }));
    }

    #[test]
    fn records_are_sorted_if_wanted() {
        let text = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.1 } # w\n      # apex\n      - { name: \"@\", type: A, content: 192.0.2.1 }\n";
        let now = format(text, true).unwrap();
        assert!(
            now.find("# apex") < now.find("\"@\"") && now.find("\"@\"") < now.find("www"),
            "{now}"
        );
        assert!(now.contains("www, type: A, content: 192.0.2.1 } # w"), "{now}");
    }

    #[test]
    fn blocks_with_indicators_and_keys_with_marks_are_formatted() {
        let record = |lines: &str| {
            let lines: String = lines
                .lines()
                .map(|line| {
                    if line.is_empty() { "\n".to_owned() } else { format!("            {line}\n") }
                })
                .collect();
            format!("zones:\n    example.com:\n        records:\n{lines}version: 1\n")
        };
        for (before, after) in [
            (
                "- type: TXT\n  content: |2+ # |3\n      two\n    x\n\n  name: a",
                "name: a\n        type: TXT\n        content: |2+ # |3\n            two\n          x\n\n",
            ),
            (
                "- name: a\n  type: TXT\n  content: |4\n        two\n      x\n",
                "name: a\n        type: TXT\n        content: |2\n            two\n          x\n",
            ),
            (
                "- content: |+\n\n    x\n\n  name: a\n  type: TXT",
                "name: a\n        type: TXT\n        content: |+\n\n          x\n\n",
            ),
            (
                "- content: &t >2-\n      x\n\n    y\n  name: a\n  type: TXT",
                "name: a\n        type: TXT\n        content: &t >2-\n            x\n\n          y\n",
            ),
            ("- |2\n    x\n   y", "|2\n          x\n         y\n"),
            (
                "- ? content\n  : 192.0.2.1\n  ? \"type\"\n  : A\n  name: a",
                "name: a\n        \"type\": A\n        content: 192.0.2.1\n",
            ),
            (
                "- ? data\n  : ? b\n    : 1\n    c: 2\n  name: a",
                "name: a\n        data:\n          b: 1\n          c: 2\n",
            ),
            (
                "- ? content\n  : - 192.0.2.1\n    - 192.0.2.2\n  name: a",
                "name: a\n        content:\n          - 192.0.2.1\n          - 192.0.2.2\n",
            ),
            (
                "- ? content # c\n  : # d\n    192.0.2.1\n  name: a",
                "? content # c\n        : # d\n          192.0.2.1\n        name: a\n",
            ),
        ] {
            let expected =
                format!("version: 1\nzones:\n  example.com:\n    records:\n      - {after}");
            let before = record(before);
            assert_eq!(format(&before, false).as_deref(), Ok(expected.as_str()), "{before}");
            assert_eq!(format(&expected, false).as_deref(), Ok(expected.as_str()));
        }
        let text = "? zones\n: ? example.com\n  : records:\n      - {name: a,   type: A, content: 192.0.2.1}\n? version\n: 1\n";
        let expected = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n";
        assert_eq!(format(text, false).as_deref(), Ok(expected));
    }

    #[test]
    fn what_is_no_yaml_is_refused() {
        for text in ["a: [", "a: b: c", "a: &x 1\nb: *y\n"] {
            assert!(format(text, false).is_err(), "{text:?}");
        }
    }
}
