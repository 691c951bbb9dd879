//! Plans and findings in the formats that other programs read: their content, and that data is
//! never interpreted as markup.

mod browser;
mod plans;
mod sarif;
mod terminal;

use std::path::Path;

use plans::{case, large, of_words};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, TagEnd};
use zonewright::diagnostic::Severity;
use zonewright::document;
use zonewright::drift::{Report, State, classify};
use zonewright::model::Danger;
use zonewright::plan::Consents;
use zonewright::render::markdown::{Comment, LIMIT, SMALLEST_LIMIT};
use zonewright::render::{DriftView, Findings, github, html, junit, markdown, openmetrics, text};

const PLAN: &str = "tests/cases/render/plan.yaml";

/// A comment of the usual size.
const COMMENT: Comment<'_> = Comment { marker: None, limit: LIMIT };

/// Text with a meaning in some format.
const HOSTILE: &[&str] = &[
    "plain",
    " ",
    "  ",
    "|",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\r\n",
    "\t",
    "    x",
    "- ",
    "1. ",
    "# ",
    "> ",
    "***",
    "===",
    "\\",
    "&lt;",
    "<b>",
    "</b>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "</summary>",
    "</code>",
    "<!--",
    "-->",
    "]]>",
    "@octocat",
    "@org/team",
    "#12",
    "GH-1",
    "deadbeef12",
    "org/repo#3",
    "!7",
    "$x$",
    ":smile:",
    "[x](https://evil.example)",
    "![i](//evil.example/i.png)",
    "[x]: https://evil.example",
    "[^1]",
    "[[wiki]]",
    "https://evil.example",
    "www.evil.example",
    "<https://evil.example>",
    "mail@evil.example",
    "::error::x",
    "%0A",
    "##[error]x",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{200b}",
    "\u{ffff}",
    "\u{0}",
    "é",
    "'",
    "\"",
    "*",
    "_",
    "~",
    "(",
    ")",
    ",",
    ".",
    ":",
];

/// Returns a random text of such pieces.
fn hostile() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(HOSTILE), 1..12)
        .prop_map(|parts| parts.concat())
}

/// Returns the structure of a Markdown text, without its words; panics at markup that only the
/// program may write.
fn skeleton(markdown: &str) -> Vec<String> {
    let mut all = Vec::new();
    for event in Parser::new_ext(markdown, Options::all() - Options::ENABLE_OLD_FOOTNOTES) {
        match event {
            Event::Start(tag) => {
                let name = format!("{:?}", tag.to_end());
                assert!(
                    !name.contains("Link") && !name.contains("Image") && !name.contains("Footnote"),
                    "{markdown}"
                );
                all.push(name);
            }
            Event::End(TagEnd::Link | TagEnd::Image) => panic!("{markdown}"),
            Event::End(end) => all.push(format!("/{end:?}")),
            Event::Text(text) => {
                let quoted = all
                    .iter()
                    .rev()
                    .find(|n| n.ends_with("CodeBlock"))
                    .is_some_and(|n| n == "CodeBlock");
                if !quoted {
                    let bad = ["@", "#", "://", "www.", ":smile", "$", "<", "\u{202e}"];
                    assert!(!bad.iter().any(|b| text.contains(b)), "{text}\n{markdown}");
                    // Issues and commits are made into links where they are words of their own.
                    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
                    assert!(
                        !words.any(|w| w.starts_with("GH-") || w == "deadbeef12"),
                        "{text}\n{markdown}"
                    );
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let rest = [
                    "<details open>",
                    "<details>",
                    "</details>",
                    "<summary>",
                    "</summary>",
                    "<code>",
                    "</code>",
                    "<b>",
                    "</b>",
                ]
                .iter()
                .fold(html.replace("<!-- zonewright:plan -->", ""), |text, tag| {
                    text.replace(tag, "")
                });
                assert!(!rest.contains(['<', '>', '@', '#']), "{html}\n{markdown}");
                all.push(format!("html {}", html.matches('<').count()));
            }
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {
                panic!("{event:?}\n{markdown}")
            }
            Event::Code(_) | Event::SoftBreak | Event::HardBreak => {}
            Event::Rule => all.push("rule".to_owned()),
        }
    }
    all
}

/// Returns the names of the elements of a page, and everything in it that may be dangerous.
fn elements(page: &str) -> Vec<String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(page, options)
        .unwrap_or_else(|e| panic!("{e}\n{page}"));
    let mut names = Vec::new();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            !matches!(name, "script" | "img" | "iframe" | "link" | "object" | "base"),
            "{name}\n{page}"
        );
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "src" && key != "style", "{key}");
            assert!(key != "href" || value.starts_with("#z"), "{value}");
        }
        // The number of differing words determines the number of marked words.
        if !matches!(name, "ins" | "del" | "code") {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns a plan as annotations.
fn annotations(made: &plans::Made) -> String {
    let mut out = Vec::new();
    github::plan(&mut out, &made.review()).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns what was found while planning.
fn findings(made: &plans::Made) -> Findings<'_> {
    Findings {
        command: "validate",
        diagnostics: &made.plan.diagnostics,
        sources: &made.sources,
        holds: None,
    }
}

/// Returns a plan read as a report of drift, an hour after its newest record.
fn drift(made: &plans::Made) -> Report {
    classify(&made.plan, std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_800_000_000))
}

/// Returns the same with what its outputs need.
fn view<'a>(made: &'a plans::Made, report: &'a Report) -> DriftView<'a> {
    DriftView {
        report,
        plan: &made.plan,
        asked: &[State::Unknown, State::Unmanaged],
        sources: &made.sources,
    }
}

/// Returns such a report as text.
fn drift_text(made: &plans::Made) -> String {
    let mut out = Vec::new();
    text::write_drift(&mut out, &view(made, &drift(made)), false, true).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_report_of_drift_in_each_form() {
    let made = case(Path::new(PLAN));
    let report = drift(&made);
    let view = view(&made, &report);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("drift_text", drift_text(&made));
        insta::assert_snapshot!("drift_markdown", markdown::drift(&view, COMMENT));
        insta::assert_snapshot!("drift_metrics", openmetrics::drift(&report, 3));
        let DriftView { report, plan, asked, sources } = view;
        let document = document::drift::Drift::of(report, plan, asked, sources);
        insta::assert_snapshot!("drift_json", document::text(&document));
    });
}

#[test]
fn a_plan_in_each_form() {
    let made = case(Path::new(PLAN));
    let page = html::plan(&made.review());
    let body = page.split_once("<main>").unwrap().1;
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("outputs_markdown", markdown::plan(&made.review(), COMMENT));
        insta::assert_snapshot!("outputs_github", annotations(&made));
        insta::assert_snapshot!("outputs_html", body);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever names, values, comments and messages contain, the structure of the document is the
    /// same.
    #[test]
    fn data_is_never_markup(word in hostile()) {
        let (made, plain) = (of_words(&word), of_words("words"));
        let text = markdown::plan(&made.review(), COMMENT);
        prop_assert_eq!(skeleton(&text), skeleton(&markdown::plan(&plain.review(), COMMENT)), "{}", text);
        let report = markdown::report(&findings(&made), COMMENT).replace("zonewright:validate", "zonewright:plan");
        let expected = markdown::report(&findings(&plain), COMMENT).replace("zonewright:validate", "zonewright:plan");
        prop_assert_eq!(skeleton(&report), skeleton(&expected), "{}", report);

        let of = |made: &plans::Made| markdown::drift(&view(made, &drift(made)), COMMENT).replace("zonewright:drift", "zonewright:plan");
        prop_assert_eq!(skeleton(&of(&made)), skeleton(&of(&plain)), "{}", of(&made));
        let told = drift_text(&made);
        prop_assert_eq!(told.lines().count(), drift_text(&plain).lines().count(), "{}", told);

        let page = html::plan(&made.review());
        prop_assert_eq!(elements(&page), elements(&html::plan(&plain.review())));
        elements(&html::report(&findings(&made)));

        let lines = annotations(&made);
        prop_assert_eq!(lines.lines().count(), annotations(&plain).lines().count(), "{}", lines);
        for line in lines.lines() {
            let properties = line.strip_prefix("::").unwrap().split_once("::").unwrap().0;
            prop_assert!(["error ", "warning ", "notice "].iter().any(|w| properties.starts_with(w)), "{}", line);
        }

        let tests = junit::report(&findings(&made), &[]);
        prop_assert!(roxmltree::Document::parse(&tests).is_ok(), "{}", tests);
        for shown in [text, of(&made), told, page, lines, tests] {
            let hidden = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
            prop_assert!(!shown.chars().any(hidden), "{}", shown);
        }
    }
}

#[test]
fn a_comment_is_never_longer_than_wanted_and_never_cut() {
    for (zones, operations) in [(1, 5_000), (40, 100), (1_500, 2)] {
        let made = large(zones, operations);
        for limit in [SMALLEST_LIMIT, 20_000, LIMIT, 1_000_000] {
            let text = markdown::plan(&made.review(), Comment { marker: None, limit });
            let size = text.chars().count();
            assert!(size <= limit, "{size} > {limit}");
            let report = drift(&made);
            let told = markdown::drift(&view(&made, &report), Comment { marker: None, limit });
            assert!(told.chars().count() <= limit, "{limit}: {told}");
            assert_eq!(told.matches("<details").count(), told.matches("</details>").count());
            let lines = zones * operations + zones;
            assert_eq!(
                told.contains("**Shortened**"),
                told.matches("\n- ").count() < lines,
                "{limit}: {told}"
            );
            let skeleton = skeleton(&text);
            let code_blocks = skeleton.iter().filter(|n| *n == "CodeBlock").count();
            assert_eq!(text.matches("<details").count(), text.matches("</details>").count());
            assert_eq!(text.matches("```").count(), 2 * code_blocks);
            assert_eq!(
                text.contains("**Shortened**"),
                !says_all(&text, zones * operations),
                "{limit}: {text}"
            );
            if limit == LIMIT && zones == 1 {
                // All dangers are shown, even if other content is cut.
                assert_eq!(text.matches("danger: delete").count(), operations / 100);
            }
        }
    }
}

/// Returns true if every operation is shown.
fn says_all(text: &str, operations: usize) -> bool {
    text.matches("\n@@ ").count() == operations
}

/// A plan with dangers never only says that it is ready: each danger is named with its consent and
/// explained.
#[test]
fn a_plan_with_dangers_is_never_just_ready() {
    let mut made = case(Path::new(PLAN));
    let dangers = Danger::ALL.iter().copied().collect();
    let consents = Consents { deletes: Some(1), dangers, ..Consents::default() };
    made.verdict = made.plan.verdict(&consents);
    made.plan.consents_given = made.plan.consents(&consents);
    assert_eq!(made.verdict.as_str(), "ready");
    for text in [markdown::plan(&made.review(), COMMENT), html::plan(&made.review())] {
        assert!(text.contains("ready to apply, with consent for every danger"), "{text}");
        assert_eq!(text.matches("on the command line").count(), 3, "{text}");
        for danger in [Danger::Delete, Danger::ChangesProtected, Danger::WeakensProtection] {
            let about = danger.about().split('`').next().unwrap();
            assert!(text.contains(about), "{about}: {text}");
        }
    }
}

#[test]
fn size_grows_with_the_plan() {
    let (half, whole) = (large(1, 2_500), large(1, 5_000));
    let (a, b) = (html::plan(&half.review()), html::plan(&whole.review()));
    assert_eq!((a.matches("<article").count(), b.matches("<article").count()), (2_500, 5_000));
    assert!(b.len() < a.len() * 21 / 10, "{} {}", a.len(), b.len());
    let (a, b) = (annotations(&half), annotations(&whole));
    assert!(b.len() < a.len() * 21 / 10);
}

/// How long a browser takes for a page of thousands of operations depends on few things, see
/// docs/internals/benchmarks.md: entries are laid out in groups of fifty, and no selector matches
/// against the whole page.
#[test]
fn a_large_page_is_laid_out_in_parts() {
    let page = html::plan(&large(1, 5_000).review());
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    for (at, _) in style.match_indices(":has(") {
        let before = &style[..at];
        assert!(
            before.ends_with(".filters") || before.ends_with("@supports selector("),
            "{}",
            &style[at..at + 40]
        );
    }
    assert!(
        style.contains(".filters:has(#show-all:checked)~.zone .part{content-visibility:auto;"),
        "{style}"
    );
    assert_eq!(page.matches("<div class=\"part").count(), 5_000 / 50);
    let longest =
        page.split("<div class=\"part").map(|part| part.matches("class=\"op ").count()).max();
    assert_eq!(longest, Some(50));
}

#[test]
fn a_page_asks_for_nothing() {
    let page = html::plan(&case(Path::new(PLAN)).review());
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'"));
    for outside in ["http:", "https:", "url(", "@import", "<script", "javascript:"] {
        assert_eq!(
            page.matches(outside).count(),
            page.matches("https://e.example").count() * usize::from(outside == "https:"),
            "{outside}"
        );
    }
    elements(&page);
}

#[test]
fn comments_are_told_apart_by_their_first_line() {
    let made = case(Path::new(PLAN));
    let first = |marker| {
        let text = markdown::plan(&made.review(), Comment { marker, limit: LIMIT });
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(first(None), "<!-- zonewright:plan -->");
    assert_eq!(first(Some("prod.eu-1")), "<!-- zonewright:plan:prod.eu-1 -->");
    // The flag refuses these before.
    for wrong in ["", "a--b", "a b", "-->", "é", &"x".repeat(65)] {
        assert!(!markdown::is_marker(wrong));
        assert_eq!(first(Some(wrong)), "<!-- zonewright:plan -->");
    }
}

#[test]
fn a_report_of_tests_fails_by_errors_only() {
    let made = of_words("words");
    let found = findings(&made);
    assert_eq!(found.diagnostics.count(Severity::Error), 0);
    let document = junit::report(&found, &[]);
    let tree = roxmltree::Document::parse(&document).unwrap();
    let root = tree.root_element();
    assert_eq!(
        (root.attribute("tests"), root.attribute("failures")),
        (Some("2"), Some("0")),
        "{document}"
    );
    assert!(
        document.contains(
            "<system-out>words:2:1: warning PLAN0030: the zone may exceed its record quota: words"
        ),
        "{document}"
    );
}
