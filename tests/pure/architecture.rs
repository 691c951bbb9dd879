//! The modules of the crate: their dependencies, operations that only one module may use, and the
//! length of files.  The table below is an architecture decision. Every change of it needs an entry
//! in docs/internals/decisions.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use zonewright::diagnostic::findings;

use super::source::{File, files, modules, named, without_comments};

/// The modules that each module may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    // The Rules language of Cloudflare, with its own requests; an independent package.
    ("expression", &[]),
    ("model", &["diagnostic", "expression"]),
    ("wire", &["model", "diagnostic"]),
    // `recorded` for a request that a spec gives as a `curl` command.
    ("spec", &["model", "diagnostic", "recorded"]),
    // The effect of settings on traffic, for plans, lints and reports.
    ("insight", &["model", "diagnostic"]),
    ("lint", &["insight", "model", "diagnostic"]),
    ("diff", &["model", "diagnostic"]),
    // Files of other tools: `spec` reads their YAML, and `wire` reads their JSON in Cloudflare's
    // form.
    ("import", &["model", "diagnostic", "spec", "wire"]),
    // Exports a spec to the formats of other tools, with the terms that `import` knows.
    ("export", &["model", "diagnostic", "spec", "import"]),
    ("plan", &["diff", "insight", "model", "wire", "diagnostic"]),
    // Edits the files of a spec: `diff` finds the differences, `spec` and `import` write them.
    ("edit", &["spec", "import", "diff", "model", "diagnostic"]),
    // Sorts the operations of a plan by their causes and makes no decisions. `insight` judges
    // expectations.
    ("drift", &["plan", "diff", "insight", "model", "diagnostic"]),
    // Of `model` the names of permissions, for advice.
    ("api", &["model", "wire", "diagnostic"]),
    ("live", &["api", "wire", "model"]),
    // `insight` for the word that a journal has for the direction of a change.
    ("apply", &["plan", "diff", "insight", "live", "api", "wire", "model", "diagnostic"]),
    // The shapes of documents; `live` for the moment of a snapshot and the form of its lines, `api`
    // for the time that requests take.
    (
        "document",
        &[
            "diagnostic",
            "model",
            "insight",
            "wire",
            "diff",
            "plan",
            "drift",
            "api",
            "live",
            "apply",
        ],
    ),
    // `live` for the moment of a snapshot, `api` for the time that requests take, `document` for
    // reports that are one value in every format.
    (
        "render",
        &[
            "diagnostic",
            "model",
            "insight",
            "wire",
            "diff",
            "plan",
            "drift",
            "api",
            "apply",
            "live",
            "document",
        ],
    ),
    // Of all of these the types of their documents.
    ("schema", &["spec", "document", "insight", "live", "apply", "recorded", "sandbox"]),
    // Assumptions about Cloudflare, tried in a real zone: raw requests, as the sandbox would answer
    // them.
    ("conformance", &["model", "wire", "api", "apply", "document"]),
    // Examines credentials: reads through `live`, dry runs of `apply`, and the report of
    // `document`.
    ("doctor", &["model", "insight", "wire", "api", "live", "apply", "document"]),
    // The pipeline as a library: from a spec to a report. `document` for the form of saved plans.
    (
        "reconcile",
        &[
            "diagnostic",
            "model",
            "insight",
            "wire",
            "spec",
            "lint",
            "diff",
            "plan",
            "drift",
            "api",
            "live",
            "apply",
            "document",
            "edit",
            "recorded",
            "crs",
            "seclang",
        ],
    ),
    // ModSecurity's language with its own requests. It knows neither zones nor Cloudflare; an
    // independent package.
    ("seclang", &[]),
    // Rules of that language from the user's files, and their results for requests of the model.
    ("crs", &["seclang", "model", "insight", "recorded"]),
    // Requests as other tools export them; `seclang` for the form that its engine takes.
    ("recorded", &["model", "seclang"]),
    // The sandbox is an independent witness: of the model it may use the facts alone, see
    // `the_sandbox_is_independent`.
    ("sandbox", &["model"]),
    // A copy of what Cloudflare has, in a sandbox, and questions to its name server.
    ("rehearsal", &["diagnostic", "model", "insight", "live", "sandbox"]),
    (
        "cli",
        &[
            "diagnostic",
            "model",
            "insight",
            "import",
            "wire",
            "spec",
            "lint",
            "diff",
            "export",
            "plan",
            "drift",
            "api",
            "live",
            "apply",
            "document",
            "render",
            "schema",
            "reconcile",
            "doctor",
            "conformance",
            "recorded",
            "rehearsal",
            "edit",
            "sandbox",
            "seclang",
            "crs",
        ],
    ),
];

/// Text that only the named modules may contain, and why.
const ONLY_IN: &[(&str, &[&str], &str)] = &[
    ("serde_yaml::", &["spec"], "only spec knows YAML"),
    ("pretty_yaml::", &["edit"], "only edit lays YAML out"),
    ("granit_parser::", &["spec", "edit"], "spec knows what YAML means, edit how it is laid out"),
    ("reqwest::", &["api", "sandbox"], "only api speaks HTTP"),
    (
        "similar::",
        &["diff"],
        "each kind of sequence that it compares gets a copy of all its algorithms, which takes long to build",
    ),
    (
        "psl::",
        &["model"],
        "each place that searches the public suffix list gets a copy of it, which takes long to build",
    ),
    (
        "process::Command",
        &["spec"],
        "git is the only program that is started, and spec/git.rs knows how",
    ),
    ("std::env::", &["cli"], "the environment is read in cli only"),
    ("anyhow::", &["cli"], "libraries have typed errors"),
    ("SystemTime::now", &["api", "cli", "sandbox"], "time comes in as a value"),
    ("println!", &[], "printing goes through cli/output.rs"),
    ("eprintln!", &[], "printing goes through cli/output.rs"),
    ("std::io::stdout", &["cli"], "only cli prints"),
    ("std::io::stderr", &["cli"], "only cli prints"),
    (
        "std::fs::",
        &["spec", "import", "apply", "reconcile", "crs", "recorded", "cli", "sandbox"],
        "files are touched at the ends only",
    ),
];

/// Modules without async functions.
const SYNCHRONOUS: &[&str] = &[
    "diagnostic",
    "expression",
    "import",
    "export",
    "model",
    "insight",
    "wire",
    "spec",
    "lint",
    "diff",
    "plan",
    "drift",
    "edit",
    "document",
    "render",
    "recorded",
    "seclang",
];

/// The limit for the lines of a file, tests included.
const MOST_LINES: usize = 720;

#[test]
fn modules_use_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut wrong = Vec::new();
    let files = files();
    let modules = modules(&files);
    for file in &files {
        if matches!(file.module.as_str(), "lib" | "main") {
            continue;
        }
        let allowed = table
            .get(file.module.as_str())
            .unwrap_or_else(|| panic!("{} has no row in the table", file.path));
        for path in named(file, &modules) {
            let module = path.split("::").next().unwrap_or_default();
            if table.contains_key(module) && module != file.module && !allowed.contains(&module) {
                wrong.push(format!("{}: uses crate::{path}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_sandbox_is_independent() {
    let files = files();
    let modules = modules(&files);
    let wrong: Vec<_> = files
        .iter()
        .filter(|f| f.module == "sandbox")
        .flat_map(|f| named(f, &modules).into_iter().map(|p| (f.path.clone(), p)))
        .filter(|(_, p)| !p.starts_with("model::facts") && !p.starts_with("sandbox"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_api_module_does_not_interpret_bodies() {
    let files = files();
    let modules = modules(&files);
    let interprets = |f: &&File| {
        named(f, &modules)
            .iter()
            .any(|p| p.starts_with("wire::record") || p.starts_with("wire::zone"))
    };
    let wrong: Vec<_> =
        files.iter().filter(|f| f.module == "api").filter(interprets).map(|f| &f.path).collect();
    assert!(wrong.is_empty(), "api interprets bodies: {wrong:?}");
}

#[test]
fn some_things_are_done_in_one_module_only() {
    let mut wrong = Vec::new();
    for file in files() {
        let code = without_comments(&file.code);
        for (text, modules, why) in ONLY_IN {
            if code.contains(text) && !modules.contains(&file.module.as_str()) {
                wrong.push(format!("{}: {text} ({why})", file.path));
            }
        }
        if SYNCHRONOUS.contains(&file.module.as_str())
            && (code.contains("async fn") || code.contains(".await"))
        {
            wrong.push(format!("{}: is asynchronous", file.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_environment_is_read_in_one_file() {
    let reads = |f: &File| without_comments(&f.code).contains("std::env::var");
    let wrong: Vec<_> = files()
        .into_iter()
        .filter(|f| reads(f) && f.path != "cli/settings.rs")
        .map(|f| f.path)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The only files of `render` that use operations; the other outputs use views.
const KNOW_OPERATIONS: &[&str] =
    &["render/operation_view.rs", "render/entries.rs", "render/display_order.rs"];

#[test]
fn outputs_know_views_of_operations_only() {
    let knows = |file: &File| {
        let code = without_comments(&file.code);
        code.contains("Subject::")
            || code.contains("plan::Operation")
            || code.contains("&Operation,")
    };
    let found: Vec<_> = files()
        .into_iter()
        .filter(|file| file.module == "render" && knows(file))
        .map(|file| file.path)
        .collect();
    assert!(found.iter().all(|path| KNOW_OPERATIONS.contains(&path.as_str())), "{found:?}");
    assert!(found.len() > 1, "{found:?}");
}

#[test]
fn files_stay_readable() {
    let wrong: Vec<_> = files()
        .into_iter()
        .filter(|f| f.lines > MOST_LINES)
        .map(|f| format!("{} ({})", f.path, f.lines))
        .collect();
    assert!(wrong.is_empty(), "longer than {MOST_LINES} lines: {wrong:?}");
    let main = files().into_iter().find(|f| f.path == "main.rs").unwrap();
    assert!(main.lines < 60, "main.rs only starts the library");
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = files()
        .into_iter()
        .filter(|f| !fs::read_to_string(&f.place).unwrap().starts_with("//!"))
        .map(|f| f.path)
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// Returns the names in the columns `file` and `files` of the tables at the top of a source.
fn files_in_tables(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut columns: Option<Vec<bool>> = None;
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.trim();
        let Some(row) = line.strip_prefix("| ") else {
            columns = columns.filter(|_| line.starts_with("|-"));
            continue;
        };
        let cells: Vec<&str> = row.split(" | ").map(|cell| cell.trim_end_matches(" |")).collect();
        match &columns {
            None => {
                columns = Some(cells.iter().map(|cell| ["file", "files"].contains(cell)).collect())
            }
            Some(is_file) => {
                let cells = cells.iter().zip(is_file).filter(|(_, is_file)| **is_file);
                let spans = cells.flat_map(|(cell, _)| cell.split('`').skip(1).step_by(2));
                let is_name =
                    |span: &&str| span.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                names.extend(spans.filter(is_name).map(str::to_owned));
            }
        }
    }
    names
}

#[test]
fn tables_of_files_name_files_that_exist() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for file in files() {
        let folder = file.place.parent().unwrap().to_owned();
        for name in files_in_tables(&fs::read_to_string(&file.place).unwrap()) {
            checked += 1;
            if !folder.join(format!("{name}.rs")).exists() && !folder.join(&name).is_dir() {
                wrong.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "there is no such file:\n{}", wrong.join("\n"));
    assert!(checked >= 80, "{checked}");
}

/// The schema check reports all mistakes with other codes. This code is for mistakes that it might
/// miss.
const NOT_RAISED: &[&str] = &["SPEC0035"];

#[test]
fn every_finding_is_raised_by_a_test() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut text = String::new();
    let mut folders = vec![tests];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                // Outputs are tested with findings that are made up.
                path if path.ends_with("pure/architecture.rs")
                    || path.to_string_lossy().contains("pure/outputs") => {}
                path if path.extension().is_some_and(|e| e == "rs" || e == "snap") => {
                    text.push_str(&fs::read_to_string(path).unwrap());
                }
                _ => {}
            }
        }
    }
    // Lints are not among these: their own tests run their examples.
    let missing: Vec<&str> =
        findings::all().map(|finding| finding.code).filter(|code| !text.contains(code)).collect();
    assert_eq!(missing, NOT_RAISED, "no test has the code");
}

#[test]
fn the_checks_can_fail() {
    let file = |path: &str, code: &str| File {
        path: path.to_owned(),
        place: path.into(),
        module: path.split('/').next().unwrap_or_default().to_owned(),
        code: code.to_owned(),
        lines: 1,
    };
    let files = [
        file("a/mod.rs", "mod b;\nuse super::c::D;\n"),
        file("a/b.rs", "use crate::{c::{D, E}, f};\nfn g() { super::super::f::h() }\n"),
        file("c.rs", "pub struct D;\n"),
        file("f.rs", "// crate::c::D\n"),
    ];
    let found: Vec<_> = files.iter().map(|file| named(file, &modules(&files))).collect();
    assert_eq!(found, [vec!["c::D"], vec!["c::D", "c::E", "f", "f::h"], vec![], vec![]]);
    assert!(!super::source::files().is_empty());
    let text = "//! | step | file |\n//! |---|---|\n//! | one | `a`, `b_c`; `D` |\n//!\n//! | a | b |\n//! | `x` | `y` |\n";
    assert_eq!(files_in_tables(text), ["a", "b_c"]);
}
