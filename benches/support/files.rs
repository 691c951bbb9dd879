//! Cases about files: includes, journals, snapshots, saved plans.

use std::fs;
use std::io::Write as _;

use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{SHA256, digest};
use tempfile::TempDir;
use zonewright::apply::{Journal, JournalRun, JournalText, StepFate};
use zonewright::diagnostic::Sources;
use zonewright::live::snapshot::Snapshot;
use zonewright::plan::{Lowering, lower};
use zonewright::spec;

use super::case::Case;
use super::{pure, zones};

/// Adds all cases about files.
pub(crate) fn all(all: &mut Vec<Case>) {
    includes(all);
    journals(all);
    all.push(Case::new("file/snapshot", 200, |n| {
        let bytes = snapshot(n);
        move || Snapshot::from_bytes(&bytes).expect("it is a snapshot").about().zones.len()
    }));
    all.push(Case::new("file/snapshot written", 200, |n| {
        let snapshot = Snapshot::from_bytes(&snapshot(n)).expect("it is a snapshot");
        move || snapshot.to_bytes().expect("memory takes everything").len()
    }));
}

/// A directory with a spec of several files.
struct Tree(TempDir);

impl Tree {
    /// Makes a main file and this number of included files.
    fn new(files: usize, main: &str, included: impl Fn(usize) -> String) -> Self {
        let directory = TempDir::new().expect("there is room");
        let path = directory.path().join("zones");
        fs::create_dir(&path).expect("there is room");
        fs::write(directory.path().join("main.yaml"), main).expect("there is room");
        for n in 0..files {
            fs::write(path.join(format!("{n:05}.yaml")), included(n)).expect("there is room");
        }
        Self(directory)
    }

    /// Reads it, from the main file or as a directory.
    fn load(&self, file: &str) -> usize {
        let inputs = [spec::Input::Path(self.0.path().join(file))];
        let outcome = spec::load(&inputs, &spec::Options::default(), &mut Sources::default());
        assert!(outcome.desired.is_some(), "{:?}", outcome.diagnostics.iter().next());
        outcome.files
    }
}

/// Returns the entry of a spec for one more zone.
fn own(n: usize) -> String {
    format!(
        "version: 1\nzones:\n  bench-{n}.example:\n    records: [{{ name: www, type: A, content: 192.0.2.1 }}]\n"
    )
}

/// Returns records for one file of the shared zone.
fn part(n: usize) -> String {
    format!(
        "version: 1\nzones:\n  {}:\n    records: [{{ name: w{n}, type: A, content: 192.0.2.1 }}]\n",
        zones::NAME
    )
}

/// Cases about specs of many files.
fn includes(all: &mut Vec<Case>) {
    let mut case = |name: &str, file: &'static str, tree: fn(usize) -> Tree| {
        all.push(Case::new(format!("files/{name}"), 50, move |n| {
            let tree = tree(n);
            move || tree.load(file)
        }));
    };
    const GLOB: &str = "version: 1\ninclude: [zones/*.yaml]\n";
    case("included by a glob", "main.yaml", |n| Tree::new(n, GLOB, own));
    case("fragments of one zone", "main.yaml", |n| Tree::new(n, GLOB, part));
    case("of a directory", "zones", |n| Tree::new(n, "version: 1\n", own));
    case("included one by one", "main.yaml", |n| {
        let items: String = (0..n).map(|n| format!("  - zones/{n:05}.yaml\n")).collect();
        Tree::new(n, &format!("version: 1\ninclude:\n{items}"), own)
    });
    case("including one and the same", "main.yaml", |n| {
        let tree =
            Tree::new(n, GLOB, |n| format!("{}include: [../main.yaml, common/all.yaml]\n", own(n)));
        let common = tree.0.path().join("zones/common");
        fs::create_dir(&common).expect("there is room");
        let shared = "version: 1\nvariables: { WEB: 192.0.2.9 }\ndefaults: { ttl: 300 }\n";
        fs::write(common.join("all.yaml"), shared).expect("there is room");
        tree
    });
    case("including the next one", "main.yaml", |n| {
        let include = move |k: usize| match k + 1 {
            next if next < n => format!("{}include: [{next:05}.yaml]\n", own(k)),
            _ => own(k),
        };
        Tree::new(n, "version: 1\ninclude: [zones/00000.yaml]\n", include)
    });
}

/// Returns a journal in which each operation is one request, or all are in batches.
fn journal(n: usize, lowering: Lowering) -> String {
    let directory = TempDir::new().expect("there is room");
    let (desired, _) = pure::load(&pure::spec_of(&zones::zone(zones::NAME, n, 1)));
    let plan = pure::plan(pure::only(&desired), &pure::empty());
    let journal = Journal::begin(directory.path(), "0", || std::time::SystemTime::UNIX_EPOCH)
        .expect("there is room");
    for step in lower(&plan, lowering, None) {
        let number = journal.intent(&plan, &step).expect("there is room");
        journal.outcome(number, StepFate::Done, None, None);
    }
    fs::read_to_string(journal.path()).expect("it is there")
}

/// Cases about journals.
fn journals(all: &mut Vec<Case>) {
    let kinds =
        [("file/journal", Lowering::Single), ("file/journal of batches", Lowering::Batches(3_500))];
    for (name, lowering) in kinds {
        all.push(Case::new(name, 200, move |n| {
            let text = journal(n, lowering);
            move || {
                let mut sources = Sources::default();
                let text = JournalText::of(&text).expect("it is a journal");
                let source = sources.add("journal", text.outline().to_owned());
                JournalRun::read(text, source).expect("it is a journal").zones.len()
            }
        }));
    }
}

/// Returns a snapshot of a zone.
fn snapshot(n: usize) -> Vec<u8> {
    let records = zones::zone(zones::NAME, n, 1).answers();
    let id = "0".repeat(32);
    let mut text = format!(
        "{{\"format\":1,\"kind\":\"snapshot\",\"tool\":\"bench\",\"taken_at\":\"2026-01-01T00:00:00Z\",\"service\":\"bench\",\"account\":null,\"zones\":[{{\"name\":\"{}\",\"pinned\":null,\"id\":\"{id}\",\"records\":{n}}}]}}\n",
        zones::NAME
    );
    text.push_str(&format!("{{\"path\":\"/zones/{id}/dns_records\",\"items\":{n}}}\n"));
    records.iter().for_each(|record| text.push_str(&format!("{record}\n")));
    let sum = HEXLOWER.encode(digest(&SHA256, text.as_bytes()).as_ref());
    text.push_str(&format!("{{\"sha256\":\"{sum}\"}}\n"));
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).expect("memory takes everything");
    out.finish().expect("memory takes everything")
}
