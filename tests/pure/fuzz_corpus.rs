//! All inputs of the fuzz targets, run with the stable compiler: corpora, and inputs that once
//! failed.

#[path = "../../fuzz/properties/mod.rs"]
mod properties;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The limit for one target's corpus, in bytes: people read it, and every test run uses it.
const MOST_BYTES: u64 = 32 * 1024;

/// Returns a directory of the fuzz crate.
fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// Returns the files of a directory, in order; none if it does not exist.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// Runs a target on files and on damaged copies of each; returns the files on which it fails.
fn failures(target: properties::Target, files: &[PathBuf]) -> Vec<String> {
    let mut failed = Vec::new();
    for file in files {
        let whole = fs::read(file).unwrap();
        let cut = whole[..whole.len() / 2].to_vec();
        let twice = [whole.as_slice(), whole.as_slice()].concat();
        let mut flipped = whole.clone();
        if let Some(byte) = flipped.get_mut(whole.len() / 3) {
            *byte ^= 0x11;
        }
        for (what, bytes) in
            [("whole", whole), ("cut", cut), ("twice", twice), ("flipped", flipped)]
        {
            if catch_unwind(AssertUnwindSafe(|| target(&bytes))).is_err() {
                failed.push(format!("{} ({what})", file.display()));
            }
        }
    }
    failed
}

/// Returns the function of a target.
fn target(name: &str) -> properties::Target {
    properties::ALL.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no target {name}")).1
}

/// One test for each target, so that they run in parallel and fail separately.
macro_rules! targets {
    ($($name:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($name)),+];
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                let corpus = files(&directory("corpus").join(name));
                assert!(!corpus.is_empty(), "{name} has no corpus");
                let bytes: u64 = corpus.iter().map(|file| file.metadata().unwrap().len()).sum();
                assert!(bytes <= MOST_BYTES, "the corpus of {name} has {bytes} bytes");
                let regressions = files(&directory("regressions").join(name));
                let failed = failures(target(name), &[corpus, regressions].concat());
                assert!(failed.is_empty(), "{}", failed.join("\n"));
            }
        )+
    };
}

targets! {
    access_log answer archive caa dkim dmarc exchange expression headers journal lock name plan policy record recorded_lines snapshot
    spec spf transport txt wire_request
}

#[test]
fn specs_of_the_cases_and_examples_hold_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = files(&root.join("tests/cases/spec"));
    for example in fs::read_dir(root.join("examples")).unwrap() {
        all.extend(
            files(&example.unwrap().path())
                .into_iter()
                .filter(|f| f.extension().is_some_and(|e| e == "yaml")),
        );
    }
    assert!(all.len() > 20);
    let failed = failures(target("spec"), &all);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Targets, properties and tests have the same names.
#[test]
fn every_target_is_tested() {
    let names = |of: Vec<PathBuf>| -> BTreeSet<String> {
        of.iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    let tested: BTreeSet<String> = TESTED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names(files(&directory("fuzz_targets"))), tested);
    assert_eq!(
        properties::ALL.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(),
        tested
    );
}

/// A property that does not hold is noticed.
#[test]
fn a_property_that_does_not_hold_is_noticed() {
    let file = directory("corpus/name/plain");
    assert_eq!(failures(|bytes| assert!(bytes.len() < 4), &[file]).len(), 4);
}

/// Inputs that fuzzing found on this machine: thousands of them, checked with the current
/// properties.
#[test]
#[ignore = "there is something to read only where fuzz/run.sh ran"]
fn what_was_learnt_holds() {
    for (name, target) in properties::ALL {
        let learnt = files(&directory("target/learnt").join(name));
        // A fuzzer that runs at the same time may remove inputs.
        let there = learnt.iter().filter_map(|file| Some((file, fs::read(file).ok()?)));
        let fails = |bytes: &[u8]| catch_unwind(AssertUnwindSafe(|| target(bytes))).is_err();
        let failed: Vec<_> =
            there.filter(|(_, bytes)| fails(bytes)).map(|(file, _)| file).collect();
        assert!(failed.is_empty(), "{name}: {failed:#?}");
    }
}

/// Inputs that are combined from the corpus and the dictionary, for machines without a fuzzer:
/// `ZONEWRIGHT_FUZZ_ROUNDS` is the number for each target.
#[test]
fn records_of_mail_and_certificates_hold_when_they_are_mixed() {
    let rounds = std::env::var("ZONEWRIGHT_FUZZ_ROUNDS")
        .map_or(1_000, |text| text.parse().expect("a number of rounds"));
    let dictionary = fs::read_to_string(directory("dictionaries").join("mail.dict")).unwrap();
    let words: Vec<Vec<u8>> = dictionary
        .lines()
        .map(|line| line.trim_matches('"').replace("\\x0a", "\n").into_bytes())
        .collect();
    for name in ["caa", "dkim", "dmarc", "spf", "transport"] {
        let seeds: Vec<Vec<u8>> = files(&directory("corpus").join(name))
            .iter()
            .map(|file| fs::read(file).unwrap())
            .collect();
        let mut random = fastrand::Rng::with_seed(14);
        let target = target(name);
        for round in 0..rounds {
            let mut input = seeds[random.usize(..seeds.len())].clone();
            for _ in 0..random.usize(1..6) {
                let at = random.usize(..=input.len());
                match random.u8(..4) {
                    0 => drop(
                        input.splice(at..at, words[random.usize(..words.len())].iter().copied()),
                    ),
                    1 => drop(input.drain(at..input.len().min(at + random.usize(..9)))),
                    2 => input.insert(at, random.u8(..)),
                    _ => {
                        let other = &seeds[random.usize(..seeds.len())];
                        let from = random.usize(..=other.len());
                        let to = other.len().min(from + random.usize(..30));
                        drop(input.splice(at..at, other[from..to].iter().copied()));
                    }
                }
            }
            let text = String::from_utf8_lossy(&input).into_owned();
            assert!(
                catch_unwind(AssertUnwindSafe(|| target(&input))).is_ok(),
                "{name}, round {round}: {text:?}"
            );
        }
    }
}
