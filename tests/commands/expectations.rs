//! Expectations in the program: offline, in a plan, removed by a change, and checked against the
//! live state.

use crate::support::workspace::{Workspace, document_formats, options};
use serde_json::json;

const RECORDS: &str = "\
- { name: \"@\", type: MX, priority: 10, content: mx1.example.com }
- { name: mx1, type: A, content: 192.0.2.25 }
- { name: \"@\", type: TXT, content: \"v=spf1 ip4:192.0.2.25 -all\" }
- { name: _dmarc, type: TXT, content: \"v=DMARC1; p=reject\" }
- { name: shop, type: A, content: 198.51.100.7, proxied: true }";

const EXPECT: &str = "\
- { name: our mail, mail: { by: [mx1], spf_pass: [192.0.2.25], dmarc: at least quarantine } }
- { name: the origin stays hidden, hidden: [198.51.100.0/24] }";

/// Writes a spec of these records and expectations.
fn spec(workspace: &Workspace, name: &str, records: &str, expect: &str) {
    let lines = |text: &str| text.lines().map(|line| format!("      {line}\n")).collect::<String>();
    let expect =
        if expect.is_empty() { String::new() } else { format!("    expect:\n{}", lines(expect)) };
    let text = format!(
        "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n{expect}    records:\n{}",
        lines(records)
    );
    workspace.file(name, text);
}

#[test]
fn mail_and_hidden_addresses_are_checked_in_a_plan_and_live() {
    let workspace = Workspace::new(options());
    spec(&workspace, "zone.yaml", RECORDS, EXPECT);
    workspace.run(&["test", "zone.yaml"]).exits(0);
    workspace.run(&["apply", "zone.yaml", "--yes"]).exits(0);
    let look = workspace.run(&["drift", "zone.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(look["verdict"], "in-sync");
    let outcomes: Vec<_> = look["zones"][0]["expectations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["passed", "passed"]);

    let worse = RECORDS.replace("proxied: true", "proxied: false").replace("p=reject", "p=none");
    spec(&workspace, "worse.yaml", &worse, EXPECT);
    let junit = workspace.run(&["test", "worse.yaml", "--format", "junit"]).exits(2).stdout;
    assert!(junit.contains("tests=\"2\" failures=\"2\""), "{junit}");
    for format in ["text", "json"].into_iter().chain(document_formats("test")) {
        let shown = workspace.run(&["test", "worse.yaml", "--format", format]).exits(2).stdout;
        assert!(
            shown.contains("our mail") && shown.contains("the origin stays hidden"),
            "{format}: {shown}"
        );
    }
    let plan = workspace.run(&["plan", "worse.yaml"]).exits(0).stdout;
    for line in [
        "→ expectation fails: our mail: DMARC for example.com: none",
        "→ expectation fails: the origin stays hidden: shop.example.com A publishes 198.51.100.7",
        "fails-expectation",
    ] {
        assert!(plan.contains(line), "{line}\n{plan}");
    }
    // A change that removes an expectation which it would break is reported, too.
    spec(&workspace, "dropped.yaml", &worse, "");
    let plan = workspace.run(&["plan", "dropped.yaml", "--base", "./zone.yaml"]).exits(0).stdout;
    assert!(
        plan.contains("the origin stays hidden (of the previous spec; this change drops it)"),
        "{plan}"
    );
    let offline = |more: &[&str]| workspace.run(&[&["test", "dropped.yaml"], more].concat());
    offline(&[]).exits(0);
    let said = offline(&["--base", "./zone.yaml"]).exits(2).stdout;
    assert!(
        said.contains(
            "failed   the origin stays hidden (of the previous spec; this change drops it)\n"
        ),
        "{said}"
    );
    assert!(said.contains("2 expectations: 0 passed, 2 failed, 0 unknown"), "{said}");
    // A removed expectation that would pass is not reported.
    spec(&workspace, "fewer.yaml", RECORDS, "");
    let said = workspace.run(&["test", "fewer.yaml", "--base", "./zone.yaml"]).exits(0).stdout;
    assert!(said.contains("0 expectations"), "{said}");
    let others = ["exposes-origin", "breaks-mail-authentication"].join(",");
    workspace
        .run(&["apply", "dropped.yaml", "--base", "./zone.yaml", "--yes", "--allow", &others])
        .exits(3);

    // Changes by someone else are noticed when they break an expectation.
    let all = format!("{others},fails-expectation");
    workspace
        .run(&["apply", "dropped.yaml", "--base", "./zone.yaml", "--yes", "--allow", &all])
        .exits(0);
    let live = EXPECT.lines().next().unwrap_or_default();
    spec(&workspace, "same.yaml", &worse, live);
    let look = workspace.run(&["drift", "same.yaml"]).exits(2).stdout;
    assert!(
        look.contains(
            "expectation fails: our mail: DMARC for example.com: none; expected at least quarantine (same.yaml:6"
        ),
        "{look}"
    );
    assert!(look.contains("1 expectation failed"), "{look}");
    let comment = workspace.run(&["drift", "same.yaml", "--format", "markdown"]).exits(2).stdout;
    assert!(comment.contains("Expectations that fail, or are unknown"), "{comment}");
    let json = workspace
        .run(&["drift", "same.yaml", "--format", "json", "--metrics", "m.txt"])
        .exits(2)
        .json();
    assert_eq!(json["verdict"], "drift");
    let expected = &json["zones"][0]["expectations"][0];
    assert_eq!((&expected["outcome"], &expected["source"]["line"]), (&json!("failed"), &json!(6)));
    let metrics = std::fs::read_to_string(workspace.path().join("m.txt")).unwrap();
    assert!(
        metrics.contains("zonewright_expectations{zone=\"example.com\",outcome=\"failed\"} 1"),
        "{metrics}"
    );
}
