//! Checks that every output must pass, whatever the text in it is.

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;

use crate::support::openmetrics::Metrics;
use crate::support::workspace::Ran;

/// Text with everything that has a meaning to a terminal, a CI runner, a forge or a browser.
pub(crate) const EVIL: &str = concat!(
    "EVIL\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\r\n::error file=x,line=1::EVIL\n  ::set-output name=a::b\n##[error]EVIL\n",
    "##vso[task.setvariable variable=a]b\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{85}\u{a0}\u{fe0f}\u{e0041}\u{0}",
    "\n```\n~~~~\n@octocat #12 GH-1 deadbeef12 [x](https://evil.example) https://evil.example www.evil.example\n",
    "<!-- zonewright:plan -->\n--></details></summary></code></pre><img src=x onerror=alert(1)><script>alert(1)</script>]]>",
    "\n# EVIL\n| a | b |\n- EVIL\n\"} 1\nevil_metric 1\n# EOF\n\\\"'`$(evil)%0A%0D&lt;",
);

/// The limit for an output that people read, in bytes.
const MOST: usize = 400_000;

/// Fails unless an output is harmless in its format.
#[track_caller]
pub(crate) fn is_harmless(what: &str, format: &str, ran: &Ran) {
    plain(&format!("{what}: standard error"), &ran.stderr);
    no_command(what, &ran.stderr);
    assert!(ran.stderr.len() <= MOST, "{what}: {} bytes on standard error", ran.stderr.len());
    let shown = &ran.stdout;
    plain(what, shown);
    if !matches!(format, "json" | "sarif" | "yaml") {
        assert!(shown.len() <= MOST, "{what}: {} bytes", shown.len());
    }
    if shown.is_empty() {
        return;
    }
    match format {
        "text" => no_command(what, shown),
        "json" | "sarif" => {
            let read = serde_json::from_str::<Value>(shown);
            assert!(read.is_ok(), "{what}: {read:?}\n{shown}");
            no_command(what, shown);
        }
        "yaml" => {
            let read = serde_yaml::from_str::<Value>(shown);
            assert!(read.is_ok(), "{what}: {read:?}\n{shown}");
            no_command(what, shown);
        }
        "markdown" => markdown(what, shown),
        "html" | "junit" => markup(what, shown),
        "github" => annotations(what, shown),
        "metrics" => drop(Metrics::read(shown)),
        other => panic!("no such format: {other}"),
    }
}

/// Requires that a text has no invisible characters, none that reorder text, and none that control
/// a terminal.
///
/// The list follows from this purpose and is not copied from the program.
#[track_caller]
pub(crate) fn plain(what: &str, shown: &str) {
    let hidden = |c: char| {
        (c.is_control() && c != '\n')
            || (c.is_whitespace() && c != ' ' && c != '\n')
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    };
    if let Some(at) = shown.find(hidden) {
        let start = shown[..at].char_indices().rev().nth(200).map_or(0, |(n, _)| n);
        panic!("{what}: {:?} in …{:?}", shown[at..].chars().next(), &shown[start..at]);
    }
}

/// Requires that no line is a command for a CI runner.
#[track_caller]
fn no_command(what: &str, shown: &str) {
    for line in shown.lines() {
        assert!(!line.trim_start().starts_with("::"), "{what}: {line}");
        assert!(!line.contains("##[") && !line.contains("##vso["), "{what}: {line}");
    }
}

/// Checks a comment: the marker is the program's own, nothing is a link or a mention, and every
/// fold is closed.
#[track_caller]
fn markdown(what: &str, shown: &str) {
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.starts_with("<!-- zonewright:") && first.ends_with(" -->"), "{what}: {first}");
    no_command(what, shown);
    let (mut is_code, mut depth) = (false, 0_i32);
    for event in Parser::new_ext(shown, Options::all() - Options::ENABLE_OLD_FOOTNOTES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_code = false,
            Event::Start(
                Tag::Link { .. } | Tag::Image { .. } | Tag::FootnoteDefinition(_) | Tag::Table(_),
            ) => {
                panic!("{what}: {event:?}\n{shown}")
            }
            Event::Text(text) if !is_code => {
                let acted = ["@", "#12", "://", "www.", "GH-1", "deadbeef12", "EVIL"];
                assert!(!acted.iter().any(|word| text.contains(word)), "{what}: {text}\n{shown}");
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                depth += html.matches("<details").count() as i32
                    - html.matches("</details>").count() as i32;
                let ours = [
                    "<!-- zonewright:",
                    "<details",
                    "</details>",
                    "<summary>",
                    "</summary>",
                    "<code>",
                    "</code>",
                    "<b>",
                    "</b>",
                ];
                let known: usize = ours.iter().map(|tag| html.matches(tag).count()).sum();
                assert_eq!(html.matches('<').count(), known, "{what}: {html}");
                let comments = html.matches("<!--").count();
                assert!(comments == 0 || html.lines().next() == Some(first), "{what}: {html}");
            }
            _ => {}
        }
        assert!(depth >= 0, "{what}: something was closed that is not open\n{shown}");
    }
    assert_eq!(depth, 0, "{what}\n{shown}");
}

/// Checks an HTML or XML document: it is well-formed, and nothing in it runs, loads or links
/// elsewhere.
#[track_caller]
fn markup(what: &str, shown: &str) {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(shown, options)
        .unwrap_or_else(|e| panic!("{what}: {e}\n{shown}"));
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            !matches!(name, "script" | "img" | "iframe" | "link" | "object" | "base"),
            "{what}: {name}"
        );
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(
                !key.starts_with("on") && !matches!(key, "src" | "style" | "action" | "formaction"),
                "{what}: {key}"
            );
            assert!(key != "href" || value.starts_with('#'), "{what}: {value}");
        }
    }
}

/// Checks annotations: every line is one, and no text ends its properties early.
#[track_caller]
fn annotations(what: &str, shown: &str) {
    for line in shown.lines() {
        let (properties, _) = line
            .strip_prefix("::")
            .and_then(|l| l.split_once("::"))
            .unwrap_or_else(|| panic!("{what}: {line}"));
        let (kind, properties) = properties.split_once(' ').unwrap_or((properties, ""));
        assert!(["error", "warning", "notice"].contains(&kind), "{what}: {line}");
        for property in properties.split(',').filter(|p| !p.is_empty()) {
            let name = property.split('=').next().unwrap_or_default();
            assert!(
                ["file", "line", "endLine", "col", "endColumn", "title"].contains(&name),
                "{what}: {line}"
            );
        }
    }
}
