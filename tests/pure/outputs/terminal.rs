//! Plans in a terminal of 80 and 120 columns, with and without colour.

use std::fmt::Write as _;
use std::path::Path;

use zonewright::diagnostic::{Diagnostics, findings};
use zonewright::render::text::{Extent, PlanView, write_plan};
use zonewright::render::{diagnostics, html};

use super::plans::{Made, case, zones};

/// A plan with every form of an entry.
const PLAN: &str = "tests/cases/render/terminal.yaml";

/// Returns a plan as text.
fn text(made: &Made, width: Option<usize>, colour: bool, verbose: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let (plan, verdict) = (&made.plan, &made.verdict);
    let view = PlanView {
        plan,
        verdict,
        requests_to_apply: 2,
        colour,
        width,
        verbose,
        extent: Extent::Whole,
    };
    write_plan(&mut out, &view).unwrap();
    out
}

/// Returns what a terminal shows of a text, with the styles of its cells as tags; panics if it has
/// to wrap a line other than flags to copy, in which a line break would end the command.
fn screen(text: &[u8], columns: u16) -> String {
    let lines = text.split(|b| *b == b'\n').count();
    let mut terminal = vt100::Parser::new(u16::try_from(lines * 2).unwrap(), columns, 0);
    terminal.process(String::from_utf8_lossy(text).replace('\n', "\r\n").as_bytes());
    let screen = terminal.screen();
    let (rows, columns) = screen.size();
    let mut shown = String::new();
    for (row, text) in (0..rows).zip(screen.rows(0, columns)) {
        assert!(
            !screen.row_wrapped(row) || text.starts_with("--allow"),
            "row {row} of {columns} columns is too long:\n{}",
            screen.contents()
        );
        let mut style = String::new();
        let mut line = String::new();
        for cell in (0..columns)
            .filter_map(|column| screen.cell(row, column))
            .filter(|cell| !cell.is_wide_continuation())
        {
            let mut words = Vec::new();
            match cell.fgcolor() {
                vt100::Color::Default => {}
                vt100::Color::Idx(number) => {
                    words.push(["black", "red", "green", "yellow"][usize::from(number)])
                }
                vt100::Color::Rgb(..) => words.push("rgb"),
            }
            words.extend(cell.bold().then_some("bold"));
            words.extend(cell.dim().then_some("dim"));
            words.extend(cell.underline().then_some("underlined"));
            let own = words.join(" ");
            if own != style {
                write!(line, "<{own}>").unwrap();
                style = own;
            }
            line.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        writeln!(shown, "{}", line.trim_end()).unwrap();
    }
    format!("{}\n", shown.trim_end())
}

/// The words, at each width, with and without colour.
#[test]
fn a_terminal_shows_every_form() {
    let made = case(Path::new(PLAN));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        for columns in [80_u16, 120] {
            for colour in [false, true] {
                let name = format!("terminal_{columns}{}", if colour { "_colour" } else { "" });
                let text = text(&made, Some(usize::from(columns)), colour, false);
                insta::assert_snapshot!(name, screen(&text, columns));
            }
        }
        insta::assert_snapshot!("terminal_verbose", screen(&text(&made, Some(100), false, true), 100));
    });
}

/// The structure alone: the order of the entries, their members, and the folds.
#[test]
fn entries_have_an_order() {
    let page = html::plan(&case(Path::new(PLAN)).review());
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let mut shown = String::new();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let class = node.attribute("class").unwrap_or_default();
        if let Some(class @ ("zone" | "folded")) = class.split(' ').next() {
            let open = if node.attribute("open").is_some() { "open" } else { "closed" };
            writeln!(shown, "{class}: {open}").unwrap();
        }
        if class.split(' ').any(|word| word == "op") {
            let all = |tag: &str| node.descendants().filter(|n| n.has_tag_name(tag)).count();
            let verb = node
                .descendants()
                .find(|n| n.attribute("class").is_some_and(|c| c.starts_with("badge")));
            let kind = node
                .descendants()
                .find(|n| n.attribute("class") == Some("type"))
                .and_then(|n| n.text());
            let members = if node.has_tag_name("div") { all("article") } else { 0 };
            let [verb, kind] = [verb.and_then(|n| n.text()), kind].map(Option::unwrap_or_default);
            let loud = if class.contains("danger") { "! " } else { "" };
            writeln!(
                shown,
                "  {loud}{verb} {kind}{}",
                if members > 0 { format!(" × {members}") } else { String::new() }
            )
            .unwrap();
        }
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("entries", shown);
    });
}

/// A log has no width: nothing is wrapped there, and each value is on one line.
#[test]
fn a_log_is_not_wrapped() {
    let made = case(Path::new(PLAN));
    let log = String::from_utf8(text(&made, None, false, false)).unwrap();
    assert!(log.contains("a-very-long-name-for-a-host.below-another-name.that-is-long\n"), "{log}");
    for columns in [1, 2, 7, 20, 33] {
        let narrow = text(&made, Some(columns), false, true);
        assert!(String::from_utf8(narrow).unwrap().lines().count() > log.lines().count());
    }
}

/// Zones in which nothing changes are counted; `-v` names them.
#[test]
fn unchanged_zones_are_one_line() {
    let made = zones(60, 1);
    let shown = String::from_utf8(text(&made, None, false, false)).unwrap();
    assert!(
        shown.contains("59 zones unchanged  (59 objects as wanted; -v lists them)\n"),
        "{shown}"
    );
    assert!(shown.lines().count() < 12, "{shown}");
    let shown = String::from_utf8(text(&made, None, false, true)).unwrap();
    assert_eq!(shown.matches(".example  ").count(), 60, "{shown}");
}

/// Findings end at the edge of the terminal.
#[test]
fn findings_fit_the_terminal() {
    let mut sources = zonewright::diagnostic::Sources::default();
    let text =
        format!("records: [{}]\n", "{ name: www, type: A, content: 192.0.2.1 }, ".repeat(20));
    let file = sources.add("zones/example.com.yaml", text);
    let place = |start| zonewright::diagnostic::Place {
        source: file,
        span: zonewright::diagnostic::Span::new(start, start + 4),
    };
    let long = "a sentence with many words in it that says what is wrong and goes on for longer than a terminal is wide";
    let finding = findings::QUOTA_UNCERTAIN
        .nowhere(long)
        .at(place(400), long)
        .and_at(place(20), long)
        .help(long);
    let found: Diagnostics = [finding].into_iter().collect();
    for (columns, colour) in [(80_u16, false), (80, true), (120, true), (40, false)] {
        let mut out = Vec::new();
        diagnostics::write(&mut out, &found, &sources, colour, Some(usize::from(columns))).unwrap();
        let lines = out.split(|b| *b == b'\n').count();
        let mut terminal = vt100::Parser::new(u16::try_from(lines * 2).unwrap(), columns, 0);
        terminal.process(String::from_utf8_lossy(&out).replace('\n', "\r\n").as_bytes());
        let wrapped = (0..terminal.screen().size().0).any(|row| terminal.screen().row_wrapped(row));
        assert!(!wrapped, "{}", terminal.screen().contents());
    }
}
