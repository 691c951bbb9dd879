//! Many records of every type, in random spellings, in each profile of the sandbox.

use std::fmt::Write as _;

use crate::support::generators::presentation;
use crate::support::workspace::{Workspace, options};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::json;
use zonewright::model::RecordType;
use zonewright::sandbox::{ListOrder, Profile, ProxiedTtl, RecordMembers, TxtQuotes};

/// The number of records of each type.
const EACH: usize = 30;

/// Returns a spec with [`EACH`] records of each type, the same for every run. DS records are beside
/// NS records, as Cloudflare requires.
fn spec() -> String {
    let mut runner = TestRunner::deterministic();
    let mut text = "version: 1\nzones:\n  example.com:\n    allow: { changes-mail: drawn values name hosts without an address, breaks-delegation: so do name servers }\n    records:\n".to_owned();
    for record_type in RecordType::ALL.iter().copied() {
        for n in 0..EACH {
            let value = presentation(record_type)
                .new_tree(&mut runner)
                .expect("it can be generated")
                .current();
            let name = match record_type.as_str() {
                "NS" | "DS" => format!("delegated-{n}"),
                other => format!("{}-{n}", other.to_lowercase()),
            };
            writeln!(
                text,
                "      - {{ name: {name}, type: {record_type}, content: {} }}",
                json!(value)
            )
            .expect("it is text");
        }
    }
    text
}

#[test]
fn thirty_of_each_type_settle_in_every_profile() {
    let base = Profile { record_quota: Some(10_000), ..options().profile };
    let profiles: [(&str, Profile); 8] = [
        ("free", base.clone()),
        ("pro", Profile { tier: "pro".into(), ..base.clone() }),
        ("enterprise", Profile { tier: "enterprise".into(), ..base.clone() }),
        ("seed shape", Profile { shape: RecordMembers::Seed, ..base.clone() }),
        ("no batches", Profile { batch: false, ..base.clone() }),
        ("small pages", Profile { page_limit: 50, ..base.clone() }),
        (
            "hostile order, quotes added",
            Profile { list_order: ListOrder::Hostile, txt_quotes: TxtQuotes::Auto, ..base.clone() },
        ),
        ("ttl beside proxied refused", Profile { proxied_ttl: ProxiedTtl::Refuse, ..base }),
    ];
    let text = spec();
    for (name, profile) in profiles {
        println!("{name}");
        let mut options = options();
        options.profile = profile;
        let workspace = Workspace::new(options);
        workspace.file("spec.yaml", &text);
        workspace.settles("spec.yaml");
        assert_eq!(workspace.records("example.com").len(), EACH * RecordType::ALL.len(), "{name}");
    }
}
