//! Pictures of mail, aliases and delegations: drawn from the answers before and after, and never
//! more than a picture, whatever their words.

use zonewright::diagnostic::Sources;
use zonewright::insight::dns::{Picture, PictureNode, PictureTopic};
use zonewright::insight::expect::Rigor;
use zonewright::model::{Desired, DesiredZone, Fqdn, Live};
use zonewright::plan::{Consents, Plan, explain_records, plan_zone_with_base};
use zonewright::render::markdown::{self, Comment, LIMIT};
use zonewright::render::{Review, html};

use crate::scenarios::{live, load};

/// Returns the plan from one list of records to another.
fn plan(before: &str, after: &str) -> Plan {
    let zone = |records: &str| {
        load(&format!(
            "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    records:\n{records}"
        ))
    };
    let (base, desired) = (zone(before), zone(after));
    let zone = live(&base);
    let (plan, diagnostics) = plan_zone_with_base(&desired, &base, &zone);
    let spec = |zone: &DesiredZone| Desired {
        zones: [(zone.name.clone(), zone.clone())].into(),
        ..Desired::default()
    };
    let live = Live { zones: [(zone.name.clone(), zone)].into() };
    let mut zones = vec![plan];
    explain_records(&mut zones, &spec(&desired), Some(&spec(&base)), &live, Rigor::default());
    Plan { zones, diagnostics, ..Plan::default() }
}

/// Returns the picture of a plan as lines: the topic, and each node behind the one before it.
fn drawn(plan: &Plan) -> Vec<String> {
    let side = |nodes: &[PictureNode]| {
        let texts = nodes.iter().map(|node| match node.from {
            Some(from) => format!("{from} > {}", node.text),
            None => node.text.clone(),
        });
        texts.collect::<Vec<_>>().join(" | ")
    };
    let pictures = plan.zones.iter().flat_map(|zone| &zone.pictures);
    pictures
        .map(|picture| {
            format!(
                "{}: {} → {}",
                picture.topic.about(),
                side(&picture.before),
                side(&picture.after)
            )
        })
        .collect()
}

/// Returns both documents about a plan.
fn documents(plan: &Plan) -> [String; 2] {
    let verdict = plan.verdict(&Consents::default());
    let sources = Sources::default();
    let review = Review { plan, verdict: &verdict, requests_to_apply: 1, sources: &sources };
    let comment = Comment { marker: None, limit: LIMIT };
    [markdown::plan(&review, comment), html::plan(&review)]
}

const MAIL: &str = "      - { name: mx1, type: A, content: 192.0.2.1 }\n";

#[test]
fn what_changes_is_drawn_before_and_after() {
    let mail = |priority: u8, host: &str| {
        format!("{MAIL}      - {{ name: '@', type: MX, priority: {priority}, content: {host} }}\n")
    };
    assert_eq!(
        drawn(&plan(&mail(10, "mx1.example.com"), &mail(20, "mx.example.net"))),
        [
            "mail: example.com | 0 > mx1.example.com (10) | 1 > 192.0.2.1 → example.com | 0 > mx.example.net (20)"
        ]
    );
    let alias =
        |target: &str| format!("{MAIL}      - {{ name: www, type: CNAME, content: {target} }}\n");
    assert_eq!(
        drawn(&plan(&alias("mx1.example.com"), &alias("gone.example.com"))),
        [
            "alias: www.example.com | 0 > mx1.example.com | 1 > 192.0.2.1 → www.example.com | 0 > gone.example.com | 1 > no such name"
        ]
    );
    let delegation =
        |server: &str| format!("      - {{ name: sub, type: NS, content: {server} }}\n");
    assert_eq!(
        drawn(&plan(&delegation("ns1.example.net"), &delegation("ns1.example.org"))),
        [
            "delegation: sub.example.com | 0 > ns1.example.net → sub.example.com | 0 > ns1.example.org"
        ]
    );
}

#[test]
fn what_is_new_or_stays_is_not_drawn() {
    let alias = "      - { name: www, type: CNAME, content: example.net }\n";
    assert_eq!(drawn(&plan(MAIL, &format!("{MAIL}{alias}"))), Vec::<String>::new());
    let noted = alias.replace(" }", ", comment: new }");
    assert_eq!(drawn(&plan(alias, &noted)), Vec::<String>::new());
}

#[test]
fn a_picture_has_at_most_a_dozen_nodes() {
    let servers = |domain: &str| -> String {
        let line = |n: usize| {
            format!("      - {{ name: '@', type: MX, priority: {n}, content: mx{n}.{domain} }}\n")
        };
        (1..=9).map(line).collect()
    };
    let plan = plan(&servers("example.net"), &servers("example.org"));
    let [picture] = plan.zones[0].pictures.as_slice() else { panic!("{:?}", drawn(&plan)) };
    assert_eq!(picture.before.len() + picture.after.len(), 12);
    assert_eq!(picture.after[5].text, "and 5 more");
}

#[test]
fn pictures_are_folded_in_both_documents() {
    let mail =
        |host: &str| format!("      - {{ name: '@', type: MX, priority: 10, content: {host} }}\n");
    let plan = plan(&mail("mx.example.net"), &mail("mx.example.org"));
    let [comment, page] = documents(&plan);
    assert!(
        comment.contains(
            "\n<details><summary>Picture: mail, before and after</summary>\n\n\
             ```mermaid\nflowchart LR\n  subgraph before\n    before0[\"example.com\"]\n"
        ),
        "{comment}"
    );
    assert!(comment.contains("    before0 --> before1\n"), "{comment}");
    // The text stays complete.
    assert!(
        comment.contains("mx.example.net (10) → mx.example.org (10)")
            || comment.contains("mx.example.org")
    );
    assert!(
        page.contains(
            "<details class=\"folded\"><summary>Picture: mail, before and after <code>example.com</code>"
        )
    );
    let svg = page.split("<svg").nth(1).unwrap().split("</svg>").next().unwrap();
    assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
}

#[test]
fn no_words_leave_a_picture() {
    for word in [
        "a\"] --> b[\"c",
        "\"]\n  click before0 \"javascript:alert(1)\"",
        "%%{init: {\"securityLevel\": \"loose\"}}%%",
        "```\n</details>\n# heading",
        "<script>alert(1)</script>",
        "</text></svg><script>alert(1)</script>",
        "`markdown` **bold** [link](https://example.com)",
        "end; style before0 fill:red",
        "#quot;#35;&quot;",
        "\u{202e}\u{0}\u{1b}[31m",
        "@octocat #12",
    ] {
        let node = |text: &str, from| PictureNode { text: text.to_owned(), from };
        let picture = |word: &str| Picture {
            topic: PictureTopic::Mail,
            name: Fqdn::reported(word),
            before: vec![node(word, None), node(word, Some(0))],
            after: vec![node(word, None), node("other", Some(0))],
        };
        let with = |word: &str| {
            let mut plan = plan(MAIL, &MAIL.replace(".1 }", ".2 }"));
            plan.zones[0].pictures = vec![picture(word)];
            documents(&plan)
        };
        let ([comment, page], [plain, plain_page]) = (with(word), with("word"));
        assert_eq!(comment.lines().count(), plain.lines().count(), "{comment}");
        let block = comment.split("```mermaid\n").nth(1).unwrap().split("```").next().unwrap();
        for (line, plain) in block.lines().zip(plain.split("```mermaid\n").nth(1).unwrap().lines())
        {
            let outside = |line: &str| {
                let (start, rest) = line.split_once('"').unwrap_or((line, ""));
                let end = rest.rsplit_once('"').map_or("", |(_, end)| end).to_owned();
                format!("{start}{end}")
            };
            assert_eq!(outside(line), outside(plain), "{block}");
            let label = line.split('"').nth(1).unwrap_or_default();
            let is_label = |c: char| c.is_ascii_alphanumeric() || " .,-#;".contains(c);
            assert!(label.chars().all(is_label), "{line}");
        }
        let elements = |page: &str| {
            let page = page.strip_prefix("<!DOCTYPE html>").unwrap();
            let document =
                roxmltree::Document::parse(page).unwrap_or_else(|e| panic!("{e}: {page}"));
            let names = document.descendants().filter(|n| n.is_element());
            names.map(|n| n.tag_name().name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(elements(&page), elements(&plain_page));
    }
}
