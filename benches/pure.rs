//! The cost of each step of the program without network, at three sizes, so that superlinear growth
//! is visible.
//!
//! ```text
//! cargo bench --bench pure                      counts instructions with valgrind, holds them against the baseline
//! cargo bench --bench pure -- FILTER…           only the cases whose names contain one of the words
//! cargo bench --bench pure -- --write           writes the baseline anew: benches/instructions.tsv
//! cargo bench --bench pure -- --seconds [SIZE]  takes the time instead: best of three, at SIZE, twice and four times that
//! ```
//!
//! Only the step is counted, not what makes its inputs. The benchmark fails if a count is further
//! from the baseline than [`TOLERANCE`], or if a step grows faster than [`Case::most_growth`];
//! counts below [`FEWEST_JUDGED`] are only shown. `benches/run.py` measures whole commands.

#[path = "support/case.rs"]
mod case;
#[path = "support/files.rs"]
mod files;
#[path = "support/pure.rs"]
mod pure;
#[path = "support/records.rs"]
mod records;
#[path = "support/requests.rs"]
mod requests;
#[path = "support/rules.rs"]
mod rules;
#[path = "support/valgrind.rs"]
mod valgrind;
#[path = "support/zones.rs"]
mod zones;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use case::{Case, Work};

/// The allowed difference between a count and the baseline, as a fraction. Counts vary because hash
/// tables get a new seed in each run.
const TOLERANCE: f64 = 0.05;

/// Minimum number of instructions at the largest size for a count to be judged. Below it, seeds of
/// hash tables and constant work outweigh the rest.
const FEWEST_JUDGED: u64 = 1_000_000;

/// The sizes at which a case is measured, as multiples of its own size.
const MULTIPLES: [usize; 3] = [1, 2, 4];

/// Returns the file with the baseline.
fn baseline() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.tsv")
}

/// Returns all cases.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    records::usual(&mut all);
    records::one_name(&mut all);
    records::shapes(&mut all);
    records::shown(&mut all);
    rules::all(&mut all);
    requests::all(&mut all);
    files::all(&mut all);
    all
}

/// Returns the exponent of growth of a quantity measured at n, 2n and 4n, without the part that
/// does not depend on n.
fn growth([first, second, third]: [f64; 3]) -> f64 {
    ((third - second) / (second - first).max(f64::MIN_POSITIVE)).log2()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [run, name, size] = arguments.as_slice()
        && run == "run"
    {
        let case = cases().into_iter().find(|c| c.name == *name).expect("a case has this name");
        let mut work = (case.prepare)(size.parse().expect("a size is a number"));
        black_box(measured_step(&mut work));
        return ExitCode::SUCCESS;
    }
    if !arguments.iter().any(|a| a == "--bench") {
        say("nothing is measured without `cargo bench`");
        return ExitCode::SUCCESS;
    }
    let flag = |name: &str| arguments.iter().any(|a| a == name);
    let size = arguments.iter().find_map(|a| a.parse::<usize>().ok());
    let words: Vec<&String> =
        arguments.iter().filter(|a| !a.starts_with("--") && a.parse::<usize>().is_err()).collect();
    let mut chosen = cases();
    chosen.retain(|case| {
        words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str()))
    });
    if flag("--seconds") {
        return seconds(&chosen, size);
    }
    if !valgrind::is_there() {
        say(
            "\n******** SKIPPED: instructions are not counted, as valgrind is not there ********\n",
        );
        return ExitCode::SUCCESS;
    }
    let counts = count(&chosen);
    let verdict = compare(&chosen, &counts);
    if flag("--write") { write(counts) } else { verdict }
}

/// Carries out the step of a case. Instructions are counted within this function, by its name.
#[inline(never)]
fn measured_step(work: &mut Work) -> usize {
    black_box(work())
}

/// Measures the time of each case.
fn seconds(cases: &[Case], size: Option<usize>) -> ExitCode {
    say(&format!(
        "{:<44} {:>8} {:>10} {:>10} {:>10}  growth",
        "case", "n", "n ms", "2n ms", "4n ms"
    ));
    for case in cases {
        let size = size.unwrap_or(case.size);
        let took = MULTIPLES.map(|m| {
            let once = || {
                let mut work = (case.prepare)(size * m);
                let began = cpu();
                black_box(work());
                cpu().saturating_sub(began)
            };
            (0..3).map(|_| once()).min().unwrap_or(Duration::ZERO).as_secs_f64() * 1_000.0
        });
        let [a, b, c] = took;
        say(&format!(
            "{:<44} {size:>8} {a:>10.2} {b:>10.2} {c:>10.2}  n^{:.2}",
            case.name,
            (c / a).log2() / 2.0
        ));
    }
    ExitCode::SUCCESS
}

/// Returns the processor time of this thread where the system reports it; otherwise the elapsed
/// time.
fn cpu() -> Duration {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGAN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// Counts the instructions of each case at each size.
fn count(cases: &[Case]) -> BTreeMap<String, Result<[u64; 3], String>> {
    let program = std::env::current_exe().expect("this program has a path");
    let of = |case: &Case| -> Result<[u64; 3], String> {
        let mut counts = [0; 3];
        for (count, multiple) in counts.iter_mut().zip(MULTIPLES) {
            let size = (case.size * multiple).to_string();
            *count =
                valgrind::instructions(&program, &["run", &case.name, &size], "measured_step")?;
        }
        Ok(counts)
    };
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let counts = of(case);
                    found.lock().expect("no worker panics").insert(case.name.clone(), counts);
                }
            });
        }
    });
    found.into_inner().expect("no worker panics")
}

/// Returns the baseline.
fn known() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(baseline()).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines.filter_map(|(name, count)| Some((name.to_owned(), count.parse().ok()?))).collect()
}

/// Compares counts with the baseline, and growth with its limit.
fn compare(cases: &[Case], counts: &BTreeMap<String, Result<[u64; 3], String>>) -> ExitCode {
    let known = known();
    say(&format!(
        "{:<44} {:>6} {:>14} {:>14} {:>8}  growth",
        "case", "n", "instructions", "baseline", "change"
    ));
    let mut wrong = 0;
    for case in cases {
        let n = case.size * MULTIPLES[2];
        let [first, second, third] = match &counts[&case.name] {
            Ok(counts) => *counts,
            Err(said) => {
                say(&format!("{:<44} {n:>6} FAILED\n{said}", case.name));
                wrong += 1;
                continue;
            }
        };
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let [a, b, c] = [first, second, third].map(|count| count as f64);
        let growth = growth([a, b, c]);
        let was = known.get(&case.name).copied();
        let is_judged = third.max(was.unwrap_or_default()) >= FEWEST_JUDGED;
        let grows_too_fast = is_judged && growth > case.most_growth;
        let mut verdict = if grows_too_fast { " GROWS TOO FAST".to_owned() } else { String::new() };
        let (was, change) = match was {
            #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
            Some(was) => (was.to_string(), c / was as f64 - 1.0),
            // A step that is not in the baseline has nothing to compare with.
            None => ("none".to_owned(), f64::NAN),
        };
        if is_judged && change.abs() > TOLERANCE {
            verdict.push_str(if change > 0.0 {
                " MORE THAN BEFORE"
            } else {
                " LESS THAN BEFORE: write the baseline"
            });
        }
        wrong += usize::from(!verdict.is_empty());
        let change =
            if change.is_finite() { format!("{:+.1} %", change * 100.0) } else { String::new() };
        say(&format!(
            "{:<44} {n:>6} {third:>14} {was:>14} {change:>8}  n^{growth:.2}{verdict}",
            case.name
        ));
    }
    say(&format!(
        "{} cases, {wrong} beyond a limit; counts depend on the compiler, see docs/internals/benchmarks.md",
        cases.len()
    ));
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes a new baseline. Cases that were not counted keep their values; cases that no longer exist
/// are removed.
fn write(counts: BTreeMap<String, Result<[u64; 3], String>>) -> ExitCode {
    let mut all = known();
    all.retain(|name, _| cases().iter().any(|case| case.name == *name));
    for (name, counts) in counts {
        match counts {
            Ok([_, _, count]) => drop(all.insert(name, count)),
            Err(said) => {
                say(&format!("{name} FAILED\n{said}"));
                return ExitCode::FAILURE;
            }
        }
    }
    let text: String = all.iter().map(|(name, count)| format!("{name}\t{count}\n")).collect();
    std::fs::write(baseline(), text).expect("the repository can be written");
    say(&format!("{} is written", baseline().display()));
    ExitCode::SUCCESS
}

/// Prints a line.
#[allow(clippy::print_stdout, reason = "this is a program of its own")]
fn say(text: &str) {
    println!("{text}");
}
