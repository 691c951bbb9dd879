//! Histories: a spec, a live state, another writer, and faults, all generated from one seed and
//! played with the whole program against the sandbox. The assertions for each of them are in
//! `histories/judge.rs`; docs/internals/histories.md explains the tests.
//!
//! | variable | |
//! |---|---|
//! | `ZONEWRIGHT_HISTORIES` | how many are played |
//! | `ZONEWRIGHT_HISTORY_FIRST` | the first seed |
//! | `ZONEWRIGHT_HISTORY_SEED` | play this one only, and print it |
//! | `ZONEWRIGHT_HISTORY_TEXTS` | `joined` or `apart`: whether texts that differ only in their cuts are identical; both are tried otherwise |
//! | `ZONEWRIGHT_HISTORY_RECORD` | a directory: write what each run showed and sent, one file a seed, to compare two versions |
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints"
)]

mod comparison;
mod consents;
mod draw;
mod facts;
mod history;
mod honesty;
mod intents;
mod judge;
mod lies;
mod permission;
pub(crate) mod play;
mod pool;
mod protection;
mod shrink;
mod tally;
mod transcript;
mod trouble;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use history::History;
use lies::LIES;
use play::{Played, play};
use tally::Tally;

/// The number of histories unless another one is given; `.ci/run` plays [`COMPLETE`].
const USUAL: u64 = 500;

/// The number of histories in which everything that can be generated must have happened.
const COMPLETE: u64 = 2000;

/// The number of histories that are played twice.
const REPEATED: usize = 25;

/// The number of histories in which each falsification must be possible.
const JUDGED: u64 = 120;

/// Number of times that each result is falsified.
const ENOUGH: u32 = 3;

/// Maximum number of failures that are reduced and shown. A single failure explains more than a
/// hundred.
const MOST_FAILURES: usize = 3;

/// Returns a number in the environment.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text:?}")))
}

/// Writes the transcript of a history, if that is requested.
fn record(history: &History, played: &Played) {
    let Some(directory) = std::env::var_os("ZONEWRIGHT_HISTORY_RECORD") else { return };
    let path = std::path::Path::new(&directory).join(format!("{:06}.json", history.seed));
    let text = format!("{:#}\n", transcript::record(history, played));
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Plays a history and judges it; a panic is a problem too.
fn look(history: &History) -> (Option<Played>, Vec<String>) {
    let played = match catch_unwind(AssertUnwindSafe(|| play(history))) {
        Ok(played) => played,
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|w| (*w).to_owned()));
            return (None, vec![format!("a panic: {}", words.unwrap_or_default())]);
        }
    };
    let problems = judge::judge(history, &played);
    (Some(played), problems)
}

/// The results of many histories.
#[derive(Default)]
struct Results {
    /// With the problems: they may not occur when it is played again.
    failed: Vec<(History, Vec<String>)>,
    tally: Tally,
}

/// Plays this number of histories, from a first seed on, on all processors.
fn play_all(first: u64, count: u64, is_shown: bool) -> Results {
    let next = AtomicU64::new(first);
    let results: Mutex<Results> = Mutex::default();
    let has_enough = || results.lock().expect("nobody panics").failed.len() >= MOST_FAILURES;
    let some = || {
        let mut tally = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count || has_enough() {
                break;
            }
            let history = draw::history(seed);
            let (played, problems) = look(&history);
            if is_shown {
                println!("{}", transcript::of(&history, played.as_ref(), &problems));
            }
            if let Some(played) = played {
                record(&history, &played);
                tally.add(&history, &played);
            }
            if !problems.is_empty() {
                results.lock().expect("nobody panics").failed.push((history, problems));
            }
        }
        results.lock().expect("nobody panics").tally.merge(tally);
    };
    // Each waits for the disk now and then, so there are more than processors.
    let threads = 2 * std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(some);
        }
    });
    results.into_inner().expect("nobody panics")
}

/// Shows the problems, and the smallest history that fails in the same way.
fn explain((history, first): &(History, Vec<String>)) {
    println!("history {} went wrong:\n  {}", history.seed, first.join("\n  "));
    let (_, problems) = look(history);
    if problems.is_empty() {
        println!("played again, it is right: it depends on something that its seed does not tell");
        return;
    }
    // It must be the same kind of problem, so that the reduction does not end at another bug.
    let kind = |problem: &String| problem.split(':').next().unwrap_or_default().to_owned();
    let wanted = problems.first().map(kind);
    let small = shrink::shrink(history, |candidate| look(candidate).1.first().map(kind) == wanted);
    let (played, problems) = look(&small);
    println!("{}", transcript::of(&small, played.as_ref(), &problems));
}

#[test]
fn whatever_happens_the_end_is_right() {
    let chosen = number("ZONEWRIGHT_HISTORY_SEED");
    let first = chosen.or_else(|| number("ZONEWRIGHT_HISTORY_FIRST")).unwrap_or(1);
    let count = if chosen.is_some() { 1 } else { number("ZONEWRIGHT_HISTORIES").unwrap_or(USUAL) };
    let begin = Instant::now();
    let Results { failed, tally } = play_all(first, count, chosen.is_some());
    println!("{}", tally.table());
    println!("{count} histories from seed {first} in {:.1} s", begin.elapsed().as_secs_f64());
    failed.iter().for_each(explain);
    let seeds: Vec<u64> = failed.iter().map(|(history, _)| history.seed).collect();
    assert!(failed.is_empty(), "histories that went wrong: {seeds:?}");
    if count >= COMPLETE {
        assert_eq!(tally.gaps(), Vec::<String>::new(), "it never happened");
    }
}

/// Returns a line without where and how an answer stops being JSON. That depends on the length of
/// the sandbox's times, which drop zeros at their end.
fn without_place(line: &str) -> String {
    let mistake =
        line.find("; it begins with").and_then(|end| Some((line[..end].rfind(": ")?, end)));
    mistake.map_or_else(
        || line.to_owned(),
        |(start, end)| format!("{}{}", &line[..start], &line[end..]),
    )
}

#[test]
fn a_seed_is_played_the_same_each_time() {
    // Zones that are processed in parallel reach the sandbox in any order.
    let serial = (1..).map(draw::history).filter(|history| history.call.concurrency == 1);
    for history in serial.take(REPEATED) {
        let told = || {
            let (played, problems) = look(&history);
            let whole = transcript::of(&history, played.as_ref(), &problems);
            // Waits of the program are randomized, so that clients do not all return at the same
            // time.
            whole
                .lines()
                .filter(|line| !line.contains("waiting "))
                .map(without_place)
                .collect::<Vec<_>>()
        };
        assert_eq!(told(), told(), "seed {}", history.seed);
    }
}

#[test]
fn the_judge_sees_through_lies() {
    let mut occasions = vec![0_u32; LIES.len()];
    for history in (1..=JUDGED).map(draw::history) {
        let played = play(&history);
        for (lie, count) in LIES.iter().zip(&mut occasions).filter(|(_, count)| **count < ENOUGH) {
            let mut told = played.clone();
            if !(lie.tell)(&history, &mut told) {
                continue;
            }
            *count += 1;
            let problems = judge::judge(&history, &told);
            let is_caught = problems.iter().any(|problem| problem.contains(lie.caught_by));
            assert!(
                is_caught,
                "seed {}: nobody noticed that {}: {problems:#?}",
                history.seed, lie.name
            );
        }
    }
    for (lie, count) in LIES.iter().zip(occasions) {
        assert!(count > 0, "there was no occasion to tell that {}", lie.name);
    }
}
