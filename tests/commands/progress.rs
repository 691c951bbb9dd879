//! Progress output on a terminal made by `script` of util-linux, and what `-q` suppresses.

use serde_json::json;

use crate::asking::Asking;
use crate::support::workspace::{Workspace, options};

/// Zones of the spec.
const ZONES: usize = 60;

/// Returns sixty zones with a record each; `one.yaml` adds a record to one of them, `all.yaml` one
/// to each.
fn workspace() -> Workspace {
    let workspace = Workspace::empty(options());
    let names: Vec<String> = (0..ZONES).map(|n| format!("z{n:02}.example")).collect();
    let record = |name: &str| json!({ "type": "A", "name": format!("x.{name}"), "content": "192.0.2.1", "ttl": 1 });
    let zones = names.iter().map(|name| json!({ "name": name, "records": [record(name)] }));
    workspace.plant(&json!({ "zones": zones.collect::<Vec<_>>() }));
    let spec = |is_changed: fn(usize) -> bool| {
        let zone = |(n, name): (usize, &String)| {
            let more =
                if is_changed(n) { ", { name: y, type: A, content: 192.0.2.2 }" } else { "" };
            format!("  {name}: {{ records: [{{ name: x, type: A, content: 192.0.2.1 }}{more}] }}\n")
        };
        format!("version: 1\nzones:\n{}", names.iter().enumerate().map(zone).collect::<String>())
    };
    workspace.file("one.yaml", spec(|n| n == 7));
    workspace.file("all.yaml", spec(|_| true));
    workspace
}

/// Returns what the terminal shows at the end, without what was shown in between and cleared.
fn screen(shown: &str) -> String {
    let mut parser = vt100::Parser::new(200, 80, 0);
    parser.process(shown.as_bytes());
    parser.screen().contents()
}

/// Returns the progress in each frame of the terminal: the numbers before "of 60".
fn counts(shown: &str) -> Vec<usize> {
    let frames = shown.split(" of 60, about ").collect::<Vec<_>>();
    let (_, before) = frames.split_last().unwrap();
    before
        .iter()
        .map(|frame| {
            frame.rsplit(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{shown}"))
        })
        .collect()
}

#[test]
fn a_terminal_shows_how_much_is_read_and_how_long_it_takes() {
    let workspace = workspace();
    let mut run = Asking::run(&workspace, "plan one.yaml");
    run.waits_for(" of 60, about ");
    run.waits_for(" left  ");
    let (code, shown) = run.types(b"");
    assert_eq!(code, Some(0), "{shown}");
    let counts = counts(&shown);
    assert!(counts.is_sorted() && counts.iter().all(|done| *done <= ZONES), "{counts:?}");
    // The bar of the library before it gets its first text.
    assert!(!shown.contains(" 0/0") && !shown.contains(" of 0,"), "{shown}");
    let screen = screen(&shown);
    assert!(
        screen.contains("59 zones unchanged  (59 objects as wanted; -v lists them)"),
        "{screen}"
    );
    assert!(!screen.contains(" of 60") && screen.lines().count() < 16, "{screen}");
}

#[test]
fn a_terminal_shows_how_much_is_applied() {
    let workspace = workspace();
    let mut run = Asking::run(&workspace, "apply all.yaml --yes");
    run.waits_for("sending 1");
    let (code, shown) = run.types(b"");
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(" 0/0") && !shown.contains(" of 0,"), "{shown}");
    let screen = screen(&shown);
    assert!(!screen.contains(" of 60, about"), "{screen}");
    assert_eq!(workspace.writes().len(), ZONES);
}

#[test]
fn quiet_leaves_the_result_alone() {
    let workspace = workspace();
    // On a terminal as in a log, byte for byte: no bar, no colour, no messages about progress.
    let log = workspace.run(&["plan", "one.yaml", "-q"]).exits(0);
    assert_eq!(log.stderr, "");
    assert!(
        log.stdout.contains("z07.example") && log.stdout.contains("59 zones unchanged"),
        "{}",
        log.stdout
    );
    let (code, shown) = Asking::run(&workspace, "plan one.yaml -q").types(b"");
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(['\u{1b}', '░', '█']) && !shown.contains(" of 60"), "{shown}");
    assert_eq!(
        screen(&shown).split_whitespace().collect::<Vec<_>>(),
        log.stdout.split_whitespace().collect::<Vec<_>>()
    );
    // Errors are still printed, and the confirmation is still asked.
    let wrong = workspace.run(&["plan", "missing.yaml", "-q"]);
    assert!(wrong.code == Some(64) || wrong.code == Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("missing.yaml"), "{wrong:?}");
    let mut asking = Asking::run(&workspace, "apply one.yaml -q");
    asking.waits_for("Apply this operation? [y/N]");
    let (code, shown) = asking.types(b"y\n");
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains('░') && workspace.writes().len() == 1, "{shown}");
    // Without a question, only the completed steps.
    let applied = workspace.run(&["apply", "all.yaml", "--yes", "-q"]).exits(0);
    assert_eq!(applied.stderr, "");
    assert!(
        applied.stdout.lines().count() <= ZONES + 6 && !applied.stdout.contains("192.0.2.2"),
        "{}",
        applied.stdout
    );
}
