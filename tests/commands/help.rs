//! Help, examples and manual pages: `-h` is short, `--help` is complete, and both are up to date.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Command;
use tempfile::TempDir;

use crate::support::workspace::{Ran, binary};
use zonewright::model::Danger;

fn alone(arguments: &[&str]) -> Ran {
    binary(TempDir::new().unwrap().path()).args(arguments).output().unwrap().into()
}

/// Returns every command, with its words; the first is the program itself.
fn commands() -> Vec<(Vec<String>, Command)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), zonewright::cli::command())];
    while let Some((words, command)) = open.pop() {
        for below in command.get_subcommands() {
            let words: Vec<String> =
                words.iter().cloned().chain([below.get_name().to_owned()]).collect();
            open.push((words, below.clone()));
        }
        found.push((words, command));
    }
    found
}

/// Returns the command lines below `Examples:` in the help of a command.
fn examples(command: &Command) -> Vec<String> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = text.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
}

/// Returns a command line as the program receives it: without redirections, pipes and comments of
/// the shell.
fn arguments(line: &str) -> Vec<String> {
    let words = shlex::split(line.split("   ").next().unwrap()).unwrap_or_else(|| panic!("{line}"));
    words.into_iter().take_while(|word| word != "|" && !word.starts_with(['<', '>'])).collect()
}

#[test]
fn every_command_has_examples_that_it_understands() {
    let mut seen = BTreeSet::new();
    for (words, command) in commands() {
        let examples = examples(&command);
        assert!((2..=4).contains(&examples.len()), "{words:?}: {examples:?}");
        for example in examples {
            let arguments = arguments(&example);
            assert_eq!(arguments[0], "zonewright", "{example}");
            assert!(
                words.iter().all(|word| arguments.contains(word)),
                "{example} is not about {words:?}"
            );
            if let Err(error) = zonewright::cli::command().try_get_matches_from(&arguments) {
                panic!("{example}: {error}");
            }
            seen.insert(example);
        }
    }
    assert!(seen.len() > 60, "{}", seen.len());
}

/// The maximum number of lines of `-h`: it has two or three examples and all common options, and
/// fits on a screen.
const MOST_LINES: usize = 48;

#[test]
fn short_help_is_short_and_shows_what_matters() {
    // The help of the program lists the commands, and has a test of its own.
    for (words, _) in commands().into_iter().filter(|(words, _)| !words.is_empty()) {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["-h"]).collect();
        let ran = alone(&arguments).exits(0);
        let lines = ran.stdout.lines().count();
        assert!(lines <= MOST_LINES, "{arguments:?} has {lines} lines:\n{}", ran.stdout);
    }
    let short = |command: &str| alone(&[command, "-h"]).exits(0).stdout;
    let schema = short("schema");
    assert!(schema.lines().count() <= 16 && !schema.contains("--zone"), "{schema}");
    let plan = short("plan");
    for option in ["--zone", "--base", "--format", "--sandbox", "--quiet"] {
        assert!(plan.contains(option), "{option}: {plan}");
    }
    assert!(!plan.contains("--page-size") && !plan.contains("--cache"), "{plan}");
    assert!(!short("validate").contains("--sandbox"), "validate has no connection");
    // All options that have an effect are in `--help`, but for those of the connection.
    let long = alone(&["plan", "--help"]).exits(0).stdout;
    assert!(long.contains("--comment-limit") && long.contains("--base-url"), "{long}");
    let connection = alone(&["help", "connection"]).exits(0).stdout;
    for option in ["--page-size", "--cache", "--journal", "--timeout"] {
        assert!(!long.contains(option) && connection.contains(option), "{option}: {long}");
    }
    // Hidden options about the output and the connection are accepted; others are refused.
    alone(&["schema", "--page-size", "100", "--quiet"]).exits(0);
    alone(&["schema", "--zone", "example.com"]).exits(64);
}

/// The maximum number of lines of `--help` at 80 columns.
const MOST_LINES_OF_ALL_OPTIONS: usize = 90;

#[test]
fn the_whole_help_fits_on_two_screens_and_names_the_formats_of_the_command() {
    for (words, _) in commands() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let ran: Ran = binary(TempDir::new().unwrap().path())
            .args(&arguments)
            .env("COLUMNS", "80")
            .output()
            .unwrap()
            .into();
        let lines = ran.stdout.lines().count();
        assert!(lines <= MOST_LINES_OF_ALL_OPTIONS, "{arguments:?}: {lines} lines\n{}", ran.stdout);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    }
    let formats = |command: &[&str]| {
        let help = alone(&[command, &["--help"]].concat()).exits(0).stdout;
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(
        formats(&["plan"]).contains("Output format: text, json, markdown, github, sarif, html [")
    );
    assert!(formats(&["pull"]).contains("Output format: text, json, diff ["));
    assert!(formats(&["resolve"]).contains("Output format: text, json ["));
    // The meaning of a value stays in the help.
    assert!(formats(&["apply"]).contains("- answers: Trust responses that confirm every change"));
}

#[test]
fn the_help_of_the_program_has_the_commands_below_headings() {
    let help = alone(&["--help"]).exits(0).stdout;
    let headings: Vec<_> =
        help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let expected =
        ["Start:", "Change:", "Watch:", "Ask:", "Tools:", "Options:", "Examples:", "More help:"];
    assert_eq!(headings, expected, "{help}");
    let at =
        |word: &str| help.find(&format!("\n  {word} ")).unwrap_or_else(|| panic!("{word}: {help}"));
    let order =
        ["init", "import", "validate", "plan", "apply", "undo", "drift", "schema", "completions"];
    assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{help}");
    assert!(help.lines().count() <= 60 && !help.contains("--max-rps"), "{help}");
    assert_eq!(help, alone(&["-h"]).exits(0).stdout);
    assert_eq!(help, alone(&["help"]).exits(0).stdout);
}

#[test]
fn help_takes_commands_and_topics() {
    for (words, _) in commands() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let asked = alone(&[&["help"], words.as_slice()].concat()).exits(0).stdout;
        let long = alone(&[words.as_slice(), &["--help"]].concat()).exits(0).stdout;
        assert_eq!(asked.trim_end(), long.trim_end(), "{words:?}");
    }
    let topic = |name: &str| alone(&["help", name]).exits(0).stdout;
    let codes = topic("exit-codes");
    let listed: Vec<&str> =
        codes.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(
        codes.starts_with("Exit codes:\n") && listed == ["0", "1", "2", "3", "4", "5", "64"],
        "{codes}"
    );
    let environment = topic("environment");
    for variable in ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_EMAIL", "_FILE", "ZONEWRIGHT_WEBHOOK"] {
        assert!(environment.contains(variable), "{environment}");
    }
    let (consents, apply) = (topic("consents"), alone(&["apply", "--help"]).exits(0).stdout);
    assert!(apply.contains("`zonewright help consents`"), "{apply}");
    assert!(consents.contains("--allow-deletes N"), "{consents}");
    // The column starts after the longest flag.
    let columns: Vec<_> =
        consents.lines().filter_map(|line| line.trim_start().find("  ")).collect();
    assert!(
        columns.iter().max() == Some(&"--allow breaks-mail-authentication".len()),
        "{consents}"
    );
    for danger in Danger::ALL.iter().filter(|danger| **danger != Danger::Delete) {
        assert!(consents.contains(&format!("--allow {} ", danger.code())), "{consents}");
    }
    let apply = apply.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(apply.contains("or one plan that `plan --out` saved"), "{apply}");
    let ran = alone(&["help", "plan", "nothing"]).exits(64);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("there is no command \"nothing\""),
        "{ran:?}"
    );
}

#[test]
fn every_command_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .chain([root.join("README.md")]);
    let text: String = pages.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let is_described = |words: &[String]| {
        let name = words.join(" ");
        let names = ["`", " ", "\n"].map(|end| format!("{name}{end}"));
        names.iter().any(|name| {
            text.contains(&format!("zonewright {name}")) || text.contains(&format!("`{name}"))
        })
    };
    let missing: Vec<_> = commands()
        .into_iter()
        .map(|(words, _)| words)
        .filter(|words| !is_described(words))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_command_has_a_manual_page() {
    let directory = TempDir::new().unwrap();
    let target = directory.path().join("share/man1");
    // A second run overwrites the pages.
    for _ in 0..2 {
        let ran = binary(directory.path()).args(["man", "--dir", "share/man1"]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }
    let read = |name: &str| {
        std::fs::read_to_string(target.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let all = commands();
    for (words, command) in &all {
        let name: Vec<&str> =
            std::iter::once("zonewright").chain(words.iter().map(String::as_str)).collect();
        let page = read(&format!("{}.1", name.join("-")));
        assert!(page.starts_with(".ie") && page.contains(".SH SYNOPSIS"), "{page}");
        let about = command.get_about().unwrap().to_string();
        assert!(page.contains(about.split([' ', '-']).next().unwrap()), "{page}");
    }
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), all.len());
    let main = read("zonewright.1");
    for words in ["Exit codes:", "CLOUDFLARE_API_TOKEN", "zonewright\\-plan(1)"] {
        assert!(main.contains(words), "{words}: {main}");
    }
    assert_eq!(main, alone(&["man"]).exits(0).stdout);
    assert_eq!(read("zonewright-waf-trace.1"), alone(&["man", "waf", "trace"]).exits(0).stdout);
    let file = ["man", "--dir", "share/man1/zonewright.1"];
    let ran = binary(directory.path()).args(file).output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    // Earlier versions took the directory without a flag.
    let ran = alone(&["man", "share/man1"]).exits(64);
    assert!(ran.stderr.contains("`zonewright man --dir DIR`"), "{}", ran.stderr);
}
