//! The modules of the crate: which may use which, what only one of them may do, how long a file may be.
//!
//! The table below is a decision. A change of it has an entry in docs/decisions.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules a module may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("diagnostic", &[]),
    ("model", &["diagnostic"]),
    ("wire", &["model", "diagnostic"]),
    ("spec", &["model", "diagnostic"]),
    // What a setting means for traffic, told from the nouns alone; plans, lints and reports say it.
    ("insight", &["model", "diagnostic"]),
    ("lint", &["insight", "model", "diagnostic"]),
    ("diff", &["model", "diagnostic"]),
    // Files of other tools: their YAML is read by `spec`, and what they write in Cloudflare's JSON by `wire`.
    ("import", &["model", "diagnostic", "spec", "wire"]),
    // What a spec says, in the formats of other tools; `import` knows their words.
    ("export", &["model", "diagnostic", "spec", "import"]),
    ("plan", &["diff", "insight", "model", "wire", "diagnostic"]),
    // Texts of the spec's own files: what differs is told by `diff`, and how it is said by `spec` and `import`.
    ("edit", &["spec", "import", "diff", "model", "diagnostic"]),
    // What a plan means to someone who wants to know what happened: it sorts operations and decides nothing.
    // `insight` for what became of an expectation.
    ("drift", &["plan", "diff", "insight", "model", "diagnostic"]),
    // Of `model` the names of permissions, for advice.
    ("api", &["model", "wire", "diagnostic"]),
    ("live", &["api", "wire", "model"]),
    // `insight` for the word that a journal has for the direction of a change.
    ("apply", &["plan", "diff", "insight", "live", "api", "wire", "model", "diagnostic"]),
    // The shapes of documents; `live` for the moment of a snapshot and the form of its lines.
    ("document", &["diagnostic", "model", "insight", "wire", "diff", "plan", "drift", "live", "apply"]),
    // `live` for the moment of a snapshot alone, `document` for reports that are one value in every format.
    ("render", &["diagnostic", "model", "insight", "wire", "diff", "plan", "drift", "apply", "live", "document"]),
    // Of all of these the types of their documents.
    ("schema", &["spec", "document", "render", "insight", "live", "apply", "recorded", "sandbox"]),
    // Assumptions about Cloudflare, tried in a real zone: raw requests, as the sandbox would answer them.
    ("conformance", &["model", "wire", "api", "apply", "document"]),
    // What credentials may do: reads through `live`, dry runs of `apply`, and the report of `document`.
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
    // A language of its own, with requests of its own: it knows neither zones nor Cloudflare.
    ("seclang", &[]),
    // Rules of that language from the user's files, and what they say about requests of the model.
    ("crs", &["seclang", "model", "insight", "recorded"]),
    // Requests as other tools export them; `seclang` for the form that its engine takes.
    ("recorded", &["model", "seclang"]),
    // The sandbox is an independent witness: of the model it may use the facts alone, see `the_sandbox_is_independent`.
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
            "import",
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
    ("process::Command", &["spec"], "git is the only program that is started, and spec/git.rs knows how"),
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

/// Modules without any asynchronous function.
const SYNCHRONOUS: &[&str] = &[
    "diagnostic",
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

/// Lines of a file, tests included.
const MOST_LINES: usize = 600;

/// A source file.
pub(super) struct File {
    pub(super) path: String,
    pub(super) module: String,
    /// Without the unit tests at the bottom.
    pub(super) code: String,
    pub(super) lines: usize,
}

/// Every source file below `src`.
pub(super) fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let file = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let relative = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let module = relative.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let lines = text.lines().count();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        File { path: relative, module, code, lines }
    };
    paths.into_iter().map(file).collect()
}

/// The code without comments.
pub(super) fn without_comments(code: &str) -> String {
    code.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The paths below `crate::` that a text names, groups opened one level.
fn crate_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let inner = group.split('}').next().unwrap_or_default();
            paths.extend(inner.split(',').map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()));
        } else {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            paths.push(rest[..end].to_owned());
        }
    }
    paths
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in files() {
        if matches!(file.module.as_str(), "lib" | "main") {
            continue;
        }
        let allowed =
            table.get(file.module.as_str()).unwrap_or_else(|| panic!("{} has no row in the table", file.path));
        for path in crate_paths(&without_comments(&file.code)) {
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
    let wrong: Vec<_> = files()
        .into_iter()
        .filter(|f| f.module == "sandbox")
        .flat_map(|f| crate_paths(&without_comments(&f.code)).into_iter().map(move |p| (f.path.clone(), p)))
        .filter(|(_, p)| !p.starts_with("model::facts") && !p.starts_with("sandbox"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_api_module_does_not_interpret_bodies() {
    let model = |f: &File| {
        crate_paths(&without_comments(&f.code))
            .iter()
            .any(|p| p.starts_with("wire::record") || p.starts_with("wire::zone"))
    };
    let wrong: Vec<_> = files().into_iter().filter(|f| f.module == "api" && model(f)).map(|f| f.path).collect();
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
        if SYNCHRONOUS.contains(&file.module.as_str()) && (code.contains("async fn") || code.contains(".await")) {
            wrong.push(format!("{}: is asynchronous", file.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_environment_is_read_in_one_file() {
    let reads = |f: &File| without_comments(&f.code).contains("std::env::var");
    let wrong: Vec<_> =
        files().into_iter().filter(|f| reads(f) && f.path != "cli/settings.rs").map(|f| f.path).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn files_stay_readable() {
    let wrong: Vec<_> =
        files().into_iter().filter(|f| f.lines > MOST_LINES).map(|f| format!("{} ({})", f.path, f.lines)).collect();
    assert!(wrong.is_empty(), "longer than {MOST_LINES} lines: {wrong:?}");
    let main = files().into_iter().find(|f| f.path == "main.rs").unwrap();
    assert!(main.lines < 60, "main.rs only starts the library");
}

#[test]
fn every_file_says_what_it_is_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let silent: Vec<_> = files()
        .into_iter()
        .filter(|f| !fs::read_to_string(root.join(&f.path)).unwrap().starts_with("//!"))
        .map(|f| f.path)
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(
        crate_paths("use crate::api::Reader; use crate::{model, wire::Request};"),
        ["api::Reader", "model", "wire::Request"]
    );
    assert!(!files().is_empty());
}
