//! Repeated messages: equal failures are counted, notes that are not new are summarized, and
//! `--quiet` prints less.

use std::fmt::Write as _;

use crate::support::workspace::{Ran, Workspace, options, options_on};
use serde_json::json;
use zonewright::sandbox::{Fault, What, When};

/// Writes a spec with this number of new records.
fn many(workspace: &Workspace, number: usize) {
    let records = (0..number).fold(String::new(), |mut text, n| {
        writeln!(text, "      - {{ name: h{n}, type: A, content: 192.0.2.1 }}").unwrap();
        text
    });
    workspace.records_spec(&records);
}

/// Returns the lines of a text that are not empty.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn equal_failures_are_counted() {
    let workspace = Workspace::new(options());
    many(&workspace, 150);
    let path_suffix = "/dns_records/batch".to_owned();
    let when = When::Matching { method: Some("POST".to_owned()), path_suffix, nth: 1 };
    workspace.fault(Fault {
        when,
        what: What::Status { code: 403, html: false, retry_after: None },
        times: 1_000,
    });
    let ran = workspace.run(&["apply", "spec.yaml", "--yes", "--quiet"]).exits(1);
    let said = lines(&ran.stdout);
    assert!(said.len() < 10, "{}", ran.stdout);
    assert!(
        said.iter().any(|line| line.starts_with("  refused  150 operations: ")),
        "{}",
        ran.stdout
    );
    assert_eq!(said.iter().filter(|line| line.starts_with("    example.com/dns/h")).count(), 3);
    assert!(said.iter().any(|line| line.trim() == "and 147 more"), "{}", ran.stdout);
    let ran = workspace.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains(
            "150 operations left, 150 of them refused. Correct what was refused; then run"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn quiet_is_quiet() {
    let workspace = Workspace::new(options());
    many(&workspace, 60);
    let quiet = |arguments: &[&str]| workspace.run(&[arguments, &["--quiet"]].concat());
    let ran = quiet(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        ("example.com  60 of 60 operations done; in sync, read back\n", "")
    );
    let ran = quiet(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert_eq!(lines(&ran.stdout).len(), 1, "{}", ran.stdout);
    assert!(
        ran.stdout.starts_with("In sync") && ran.stderr.is_empty(),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    // With `--quiet`, missing things are reported, and warnings are not.
    workspace.file(
        "spec.yaml",
        "version: 1\nzones: { example.com: { unmanaged: prune, records: [{ name: a, type: CNAME, content: host }] } }\n",
    );
    let ran = quiet(&["apply", "spec.yaml", "--yes"]).exits(3);
    assert!(
        ran.stdout.contains("--allow-deletes 60") && lines(&ran.stdout).len() < 6,
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "");
    assert!(workspace.run(&["plan", "spec.yaml"]).exits(0).stderr.contains("DNS0020"));
    assert_eq!(quiet(&["validate", "spec.yaml"]).exits(0).stderr, "");
    // Errors are reported.
    workspace.file("spec.yaml", "version: 1\nzones: { example.com: { record: [] } }\n");
    assert!(quiet(&["plan", "spec.yaml"]).exits(1).stderr.contains("SPEC0016"));
}

/// Returns a zone on the business plan, whose protection has notes: of the spec alone, and of the
/// spec with the live rulesets.
fn protected() -> (Workspace, String) {
    let workspace = Workspace::new(options_on("business"));
    let spec = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: A, content: 192.0.2.1, proxied: true }\n      \
         - { name: open, type: A, content: 192.0.2.1 }\n    waf:\n      owasp: { paranoia: 1, threshold: 60 }\n";
    workspace.file("spec.yaml", spec);
    (workspace, spec.to_owned())
}

/// Returns the number of complete findings with a code.
fn shown(ran: &Ran, code: &str) -> usize {
    ran.stderr.matches(&format!("[{code}]")).count()
}

#[test]
fn notes_that_are_not_new_are_counted() {
    let (workspace, spec) = protected();
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let full = workspace.run(&["plan", "spec.yaml", "-v"]).exits(0);
    let reach = shown(&full, "PLAN0018");
    assert!(reach > 0 && shown(&full, "LINT0012") == 1, "{}", full.stderr);
    assert_eq!(shown(&workspace.run(&["validate", "spec.yaml"]).exits(0), "LINT0012"), 1);
    for command in ["plan", "drift", "apply"] {
        let ran = workspace.run(&[command, "spec.yaml"]).exits(0);
        assert_eq!((shown(&ran, "PLAN0018"), shown(&ran, "LINT0012")), (0, 0), "{}", ran.stderr);
        let words = format!(
            "are not shown (1 LINT0012, {reach} PLAN0018); -v shows them; --base shows the new ones"
        );
        assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    }
    assert_eq!(workspace.run(&["plan", "spec.yaml", "--quiet"]).exits(0).stderr, "");
    let json = workspace.run(&["plan", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(json["diagnostics"].as_array().unwrap().len(), reach + 1, "documents have all");
    let markdown = workspace.run(&["plan", "spec.yaml", "--format", "markdown"]).exits(0).stdout;
    assert!(
        !markdown.contains("**note**") && markdown.contains("are not shown (1 LINT0012"),
        "{markdown}"
    );

    // With a base, notes about the change are shown in full, in every format.
    workspace.file("before.yaml", &spec);
    workspace.file(
        "spec.yaml",
        spec.replace(
            "name: open,",
            "name: open2, type: A, content: 192.0.2.9 }\n      - { name: open,",
        ),
    );
    let with_base = |format: &str| {
        workspace
            .run(&["plan", "spec.yaml", "--base", "./before.yaml", "--format", format])
            .exits(0)
    };
    let ran = with_base("text");
    assert_eq!((shown(&ran, "PLAN0018"), shown(&ran, "LINT0012")), (0, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("({reach} PLAN0018); -v shows them\n")), "{}", ran.stderr);
    assert_eq!(with_base("markdown").stdout.matches("**note**").count(), 1);
    assert_eq!(json!(with_base("github").stdout.matches("LINT0012").count()), json!(1));
    // In the other direction, one host fewer is not proxied: no note is new.
    let (more, fewer) = ("./spec.yaml", "before.yaml");
    let ran = workspace.run(&["plan", fewer, "--base", more]).exits(0);
    assert_eq!(shown(&ran, "LINT0012"), 0, "{}", ran.stderr);
    // A lower threshold can be reached again: no note is new.
    workspace.file("spec.yaml", spec.replace("threshold: 60", "threshold: 25"));
    assert_eq!(shown(&with_base("text"), "LINT0012"), 0);
}

/// A warning that the base also has is only counted; without a base it may be new, so it is shown.
#[test]
fn warnings_that_are_not_new_are_counted() {
    let workspace = Workspace::new(options());
    let srv = "      - { name: sip, type: SRV, content: 10 5 5060 sip.example.net }\n";
    let spec = workspace.records_spec(srv);
    let warned = |ran: &Ran| shown(ran, "LINT0019");
    assert_eq!(warned(&workspace.run(&["plan", "spec.yaml"]).exits(0)), 1);
    let before = std::fs::read_to_string(spec).unwrap();
    workspace.file("before.yaml", &before);
    let with_base = |more: &[&str]| {
        workspace.run(&[&["plan", "spec.yaml", "--base", "./before.yaml"], more].concat()).exits(0)
    };
    let ran = with_base(&[]);
    assert_eq!(warned(&ran), 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 known finding is not shown (1 LINT0019); -v shows them"),
        "{}",
        ran.stderr
    );
    assert_eq!(warned(&with_base(&["-v"])), 1);
    // Warnings about the change are shown.
    workspace.records_spec(&format!("{srv}{}", srv.replace("sip,", "xmpp,")));
    let ran = with_base(&[]);
    assert!(warned(&ran) == 1 && ran.stderr.contains("xmpp"), "{}", ran.stderr);
    let page = with_base(&["--format", "html"]).stdout;
    assert!(page.contains("1 finding that this change does not bring"), "{page}");
}

/// A change of a profile is shown once for all zones with the same change. Zones with another
/// value, or with more changes, have entries of their own.
#[test]
fn a_change_of_a_profile_is_shown_once() {
    let workspace = Workspace::empty(options_on("business"));
    let names = ["a", "b", "c", "d", "e", "f"].map(|label| format!("{label}.example"));
    let zones: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "plan": "business", "records": [], "rulesets": [] }))
        .collect();
    workspace.plant(&json!({ "zones": zones }));
    let spec = |threshold: u8| {
        let shared = format!("owasp: {{ paranoia: 2, threshold: {threshold}, action: block }}");
        let zone = |name: &String| match name.as_str() {
            "e.example" => {
                format!("  {name}: {{ use: [shared], waf: {{ owasp: {{ threshold: 60 }} }} }}\n")
            }
            "f.example" => format!(
                "  {name}: {{ use: [shared], records: [{{ name: w{threshold}, type: A, content: 192.0.2.1 }}] }}\n"
            ),
            _ => format!("  {name}: {{ use: [shared] }}\n"),
        };
        let zones: String = names.iter().map(zone).collect();
        let profile = format!("version: 1\nprofiles:\n  shared:\n    waf:\n      {shared}\n");
        workspace.file("spec.yaml", format!("{profile}zones:\n{zones}"));
    };
    spec(25);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    spec(40);
    let sentence = "the same in 5 zones: ";
    for format in ["text", "markdown", "html"] {
        let arguments = ["plan", "spec.yaml", "--format", format];
        let shown = workspace.run(&arguments).stdout.replace('`', "");
        assert_eq!(shown.matches(sentence).count(), 1, "{format}: {shown}");
        assert_eq!(shown.matches("threshold 25 → 40").count(), 1, "{format}: {shown}");
        assert!(shown.contains("1 change is the same as in a.example"), "{format}: {shown}");
    }
    let text = workspace.run(&["plan", "spec.yaml"]).stdout;
    assert!(
        text.contains("3 zones change only as shown in a.example: b.example, c.example, d.example"),
        "{text}"
    );
    let full = workspace.run(&["plan", "spec.yaml", "-v"]).stdout;
    assert_eq!(full.matches("threshold 25 → 40").count(), 5, "{full}");
    let json = workspace.run(&["plan", "spec.yaml", "--format", "json"]).json();
    let updates = json["operations"].as_array().expect("a list").iter();
    assert_eq!(updates.filter(|one| one["action"] == "update").count(), 5);
}

/// Forty zones share their mail by one profile. A change of the profile is shown once, and a zone
/// with records of its own keeps them.
#[test]
fn a_change_of_shared_records_is_shown_once() {
    let workspace = Workspace::empty(options_on("business"));
    let names: Vec<String> = (0..40).map(|n| format!("z{n:02}.example")).collect();
    let zones: Vec<_> = names
        .iter()
        .map(|name| json!({ "name": name, "plan": "business", "records": [] }))
        .collect();
    workspace.plant(&json!({ "zones": zones }));
    let spec = |host: &str| {
        let own = "records: [{ name: \"@\", type: MX, priority: 10, content: mx.example.org }]";
        let zone = |name: &String| match name.as_str() {
            "z07.example" => format!("  {name}: {{ use: [mail], {own} }}\n"),
            _ => format!("  {name}: {{ use: [mail] }}\n"),
        };
        let zones: String = names.iter().map(zone).collect();
        workspace.file("zones.yaml", format!("version: 1\ninclude: [mail.yaml]\nzones:\n{zones}"));
        workspace.file(
            "mail.yaml",
            format!(
                "version: 1\nprofiles:\n  mail:\n    records:\n      - {{ name: \"@\", type: MX, priority: 10, content: {host} }}\n      \
                 - {{ name: \"@\", type: TXT, content: \"v=spf1 include:{host} -all\" }}\n      \
                 - {{ name: _dmarc, type: TXT, content: \"v=DMARC1; p=none; rua=mailto:d@${{ZONE}}\" }}\n"
            ),
        );
    };
    spec("mx1.example.net");
    workspace.run(&["apply", "zones.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "zones.yaml", "--detailed-exitcode"]).exits(0);
    spec("mx2.example.net");
    for format in ["text", "markdown", "html"] {
        let shown = workspace.run(&["plan", "zones.yaml", "--format", format]).stdout;
        assert!(shown.contains("the same in 39 zones: "), "{format}: {shown}");
        assert!(shown.contains("the same in 40 zones: "), "{format}: {shown}");
        assert!(shown.len() < 30_000, "{format}: {shown}");
    }
    let json = workspace.run(&["plan", "zones.yaml", "--format", "json"]).json();
    assert_eq!(json["operations"].as_array().map(Vec::len), Some(79));
    assert_eq!(json["operations"][0]["source"]["file"], "mail.yaml", "{json}");
    let printed = workspace.run(&["validate", "zones.yaml", "--print"]).exits(0).stdout;
    assert!(printed.contains("# profile mail, mail.yaml:5\n"), "{printed}");
}
