//! Output at the width of the terminal: the program itself detects the width, and whether to use
//! colour. `script` of util-linux makes the terminal, and `stty` sets its width.

use serde_json::json;

use crate::asking::Asking;
use crate::support::workspace::{Workspace, options};

/// The widths.
const COLUMNS: [u16; 3] = [40, 80, 120];

/// Returns a plan with a rename, a swap, the same change on many records, long and wide values, and
/// names in two forms.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options());
    let mut live = vec![
        json!({ "type": "CNAME", "name": "static", "content": "cdn.example.net", "ttl": 1, "comment": "the CDN of the shop" }),
        json!({ "type": "A", "name": "blue", "content": "192.0.2.10", "ttl": 1, "comment": "team blue, ask before you change it" }),
        json!({ "type": "A", "name": "green", "content": "192.0.2.20", "ttl": 1 }),
        json!({ "type": "A", "name": "xn--r8jz45g", "content": "192.0.2.30", "ttl": 1, "comment": "古い値 新しい値 新しい値 新しい値" }),
        json!({ "type": "TXT", "name": "@", "ttl": 1, "content":
            "v=spf1 include:_spf.example.net include:mailing.example.org ip4:192.0.2.0/24 ip4:198.51.100.0/24 -all" }),
    ];
    let hosts = || (1..9).map(|n| format!("host{n}"));
    live.extend(
        hosts()
            .map(|name| json!({ "type": "A", "name": name, "content": "192.0.2.60", "ttl": 300 })),
    );
    workspace.plant_records(json!(live));
    let hosts = hosts().map(|name| {
        format!("      - {{ name: {name}, type: A, content: 192.0.2.60, ttl: 600 }}\n")
    });
    workspace.file(
        "plan.yaml",
        format!(
            "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    records:\n\
             \x20     - {{ name: assets, type: CNAME, content: cdn.example.net }}\n\
             \x20     - {{ name: blue, type: A, content: 192.0.2.20 }}\n\
             \x20     - {{ name: green, type: A, content: 192.0.2.10 }}\n\
             \x20     - {{ name: 例え, type: A, content: 192.0.2.31, comment: 新しい値 新しい値 新しい値 新しい値 }}\n\
             \x20     - {{ name: a-very-long-name-for-a-host.below-another-name.that-is-long, type: A, content: 192.0.2.41 }}\n\
             \x20     - {{ name: \"@\", type: TXT, content: \"v=spf1 include:_spf.example.net include:mailing.example.org \
             ip4:192.0.2.0/24 ip4:198.51.100.0/24 ~all\" }}\n{}",
            hosts.collect::<String>()
        ),
    );
    workspace.file(
        "wrong.yaml",
        "version: 1\nzones:\n  example.com: { records: [{ name: www, type: A, content: 192.0.2.1 }, { name: api, type: A, content: nonsense, ttl: 7 }] }\n",
    );
    workspace
}

/// Returns what the terminal gets, without messages of progress.
fn shown(workspace: &Workspace, columns: u16, run: &str) -> String {
    let program = env!("CARGO_BIN_EXE_zonewright");
    let run = run.replace("zonewright ", &format!("{program} "));
    let (_, shown) =
        Asking::shell(workspace, &format!("stty cols {columns} rows 50; {run}")).types(b"");
    shown
}

/// Returns the rows of a terminal; panics if it had to divide a line other than flags to copy, in
/// which a line break would end the command.
#[track_caller]
fn rows(shown: &str, columns: u16) -> Vec<String> {
    let mut terminal = vt100::Parser::new(400, columns, 0);
    terminal.process(shown.as_bytes());
    let screen = terminal.screen();
    for (row, text) in (0..400).zip(screen.rows(0, columns)) {
        assert!(
            !screen.row_wrapped(row) || text.starts_with("--allow"),
            "row {row} of {columns} columns is too long:\n{}",
            screen.contents()
        );
    }
    screen.contents().lines().map(str::to_owned).collect()
}

#[test]
fn a_plan_is_as_wide_as_the_terminal() {
    let workspace = workspace();
    let mut lengths = Vec::new();
    for columns in COLUMNS {
        for colour in ["auto", "never"] {
            let shown = shown(
                &workspace,
                columns,
                &format!("zonewright plan plan.yaml --color {colour} 2>/dev/null"),
            );
            let rows = rows(&shown, columns);
            let text = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            for words in [
                "rename static → assets",
                "swap blue ⇄ green",
                "8 A records: host1 … host8",
                "例え (xn--r8jz45g)",
                "Needs consent:",
            ] {
                assert!(text.contains(words), "{columns} {words}: {text}");
            }
            lengths.push((columns, rows.len()));
        }
    }
    // A wide terminal is used.
    assert!(lengths[0].1 > lengths[2].1 && lengths[2].1 > lengths[4].1, "{lengths:?}");
    // A log has no width, whatever the terminal of its reader.
    let log = shown(&workspace, 40, "zonewright plan plan.yaml 2>/dev/null | cat");
    assert!(log.lines().any(|line| line.trim_end().ends_with("-all\"")), "{log}");
}

#[test]
fn messages_are_as_wide_as_the_terminal() {
    let workspace = workspace();
    for columns in COLUMNS {
        let shown = shown(&workspace, columns, "zonewright validate wrong.yaml");
        let text = rows(&shown, columns).join("\n");
        assert!(text.contains("nonsense") && text.contains("wrong.yaml"), "{columns}: {text}");
    }
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let workspace = workspace();
    for (run, is_coloured) in [
        ("zonewright plan plan.yaml", true),
        ("export NO_COLOR=1; zonewright plan plan.yaml", false),
        ("export NO_COLOR=; zonewright plan plan.yaml", true),
        ("export NO_COLOR=1; zonewright plan plan.yaml --color always", true),
        ("export TERM=dumb; zonewright plan plan.yaml", false),
        ("zonewright plan plan.yaml --color never", false),
        ("zonewright plan plan.yaml | cat", false),
        ("zonewright plan plan.yaml --color always | cat", true),
        ("zonewright plan plan.yaml --format markdown --color always", false),
        ("zonewright validate wrong.yaml", true),
        ("export NO_COLOR=1; zonewright validate wrong.yaml", false),
    ] {
        // The bar moves the cursor and is not part of this test.
        let run =
            if run.contains("validate") { run.to_owned() } else { format!("({run}) 2>/dev/null") };
        let shown = shown(&workspace, 80, &run);
        assert_eq!(shown.contains("\u{1b}["), is_coloured, "{run}: {shown}");
    }
}
