//! The files in `examples/pipelines`, as far as they can run without a forge.
//!
//! The scripts are run for real, in a repository of their own against the sandbox: a change is
//! planned and commented, merged and applied; someone else writes in between; a plan is forged.
//! `gh` is a stand-in that keeps comments in files.

mod workflows;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::support::saved_plans::sealed;
use crate::support::workspace::{Ran, Workspace, options};
use serde_json::{Value, json};
use zonewright::model::time::rfc3339;

/// Returns where this project is.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A stand-in for the forge's client, with the calls that our scripts use: comments are files in
/// `comments`, named after their ids.
const GH: &str = r#"#!/bin/sh
set -eu
mkdir -p "$GH_STATE/comments" "$GH_STATE/issues"
expression() { while [ "$1" != --jq ]; do shift; done; printf '%s' "$2"; }
case "$1 $2 $*" in
    api*' --paginate '*/comments*)
        for file in "$GH_STATE"/comments/*; do
            [ -e "$file" ] || continue
            jq -n --arg id "$(basename "$file")" --rawfile body "$file" '[{ id: ($id | tonumber), user: { login: "github-actions[bot]" }, body: $body }]'
        done >"$GH_STATE/all.json"
        # A comment of someone who knows the marker.
        jq -n --arg body "$marker and more" '[{ id: 1, user: { login: "mallory" }, body: $body }]' | cat - "$GH_STATE/all.json" |
            jq -r "$(expression "$@")"
        ;;
    api*' --paginate '*/labels*) printf '%s' "${GH_LABELS:-[]}" | jq -r "$(expression "$@")" ;;
    api*/pulls*) printf '%s' "$GH_PULLS" | jq -r "$(expression "$@")" ;;
    api*'--method PATCH'*) cp "${7#body=@}" "$GH_STATE/comments/${5##*/}" ;;
    api*'--method POST'*) cp "${7#body=@}" "$GH_STATE/comments/$((100 + $(find "$GH_STATE/comments" -type f | wc -l)))" ;;
    'run list '*) printf '[{ "databaseId": 5 }]' | jq -r "$(expression "$@")" ;;
    'run download '*) mkdir -p "$9" && cp "$GH_STATE/$7"/* "$9" ;;
    'issue list '*)
        find "$GH_STATE/issues" -type f -printf '{ "number": %f }' | jq -s . | jq -r "$(expression "$@")"
        ;;
    'label create '*) ;;
    'issue create '*) for last; do :; done; cp "$last" "$GH_STATE/issues/3" ;;
    'issue edit '*) for last; do :; done; cp "$last" "$GH_STATE/issues/$3" ;;
    'issue close '*) rm "$GH_STATE/issues/$3" ;;
    *) echo "unknown call: $*" >&2; exit 1 ;;
esac
"#;

/// A stand-in for an HTTP client, with the calls of `comment-gitlab.sh`: notes are files in
/// `notes`.
const CURL: &str = r#"#!/bin/sh
set -eu
mkdir -p "$GH_STATE/notes"
[ "$1" = --config ] && grep -q 'PRIVATE-TOKEN: glpat-test' "$2"
method=GET
for argument; do
    case $argument in
        PUT | POST) method=$argument ;;
        @*) body=${argument#@} ;;
        http*) url=$argument ;;
    esac
done
case "$method $url" in
    'GET '*/user) echo '{ "id": 9 }' ;;
    'GET '*/notes\?*)
        echo '{ "id": 1, "author": { "id": 4 }, "body": "<!-- zonewright:plan -->" }' >"$GH_STATE/all.json"
        for file in "$GH_STATE"/notes/*; do
            [ -e "$file" ] || continue
            jq --arg id "$(basename "$file")" '{ id: ($id | tonumber), author: { id: 9 }, body }' "$file" >>"$GH_STATE/all.json"
        done
        jq -s . "$GH_STATE/all.json"
        ;;
    'PUT '*) cp "$body" "$GH_STATE/notes/${url##*/}" ;;
    'POST '*) cp "$body" "$GH_STATE/notes/$((100 + $(find "$GH_STATE/notes" -type f | wc -l)))" ;;
esac
"#;

/// A repository with the scripts, a service, and a path with the program and the stand-in.
struct Forge {
    workspace: Workspace,
    repository: PathBuf,
    bin: PathBuf,
}

/// Returns the spec of the rehearsal.
fn spec(records: &[&str]) -> String {
    let lines: String = records.iter().map(|record| format!("      - {{ {record} }}\n")).collect();
    format!("version: 1\nzones:\n  example.com:\n    records:\n{lines}")
}

const WWW: &str = "name: www, type: A, content: 192.0.2.1, ttl: 300";
const WWW_600: &str = "name: www, type: A, content: 192.0.2.1, ttl: 600";
const API: &str = "name: api, type: A, content: 192.0.2.2, ttl: 300";
const NEW: &str = "name: new, type: A, content: 192.0.2.3, ttl: 300";

impl Forge {
    /// Creates a repository with one commit of two records, applied.
    fn new() -> Self {
        let workspace = Workspace::new(options());
        let (repository, bin) = (workspace.path().join("repository"), workspace.path().join("bin"));
        let scripts = repository.join("ci/zonewright");
        fs::create_dir_all(&scripts).unwrap();
        fs::create_dir_all(&bin).unwrap();
        for script in fs::read_dir(root().join("examples/pipelines/scripts")).unwrap() {
            let script = script.unwrap();
            fs::copy(script.path(), scripts.join(script.file_name())).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_zonewright"), bin.join("zonewright")).unwrap();
        for (name, text) in [("gh", GH), ("curl", CURL)] {
            fs::write(bin.join(name), text).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let forge = Self { workspace, repository, bin };
        forge.git(&["init", "-q", "-b", "main"]);
        forge.commit(&spec(&[WWW, API]), "the first spec");
        forge.zonewright(&["apply", "zones", "--yes", "--journal", "../journal"]).exits(0);
        forge
    }

    /// Returns a command in the repository.
    fn command(&self, program: &str) -> Command {
        let command = self.workspace.command();
        let own = command
            .get_envs()
            .map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned)))
            .collect::<Vec<_>>();
        let mut other = Command::new(program);
        other.env_clear().current_dir(&self.repository).stdin(Stdio::null());
        other.envs(own.into_iter().filter_map(|(k, v)| v.map(|v| (k, v))));
        let path = std::env::var("PATH").unwrap_or_default();
        other.env("PATH", format!("{}:{path}", self.bin.display()));
        other.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        other
            .env("GH_STATE", self.workspace.path().join("forge"))
            .env("GITHUB_REPOSITORY", "example/zones");
        other.env("JOURNAL", self.workspace.path().join("journal"));
        other
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let mut command = self.command("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(arguments);
        let ran: Ran = command.output().unwrap().into();
        ran.exits(0).stdout.trim().to_owned()
    }

    fn zonewright(&self, arguments: &[&str]) -> Ran {
        self.command("zonewright").args(arguments).output().unwrap().into()
    }

    /// Runs a script with labels, one a line, on its standard input.
    fn script(&self, name: &str, arguments: &[&str], labels: &str) -> Ran {
        let labels = fs::File::open(self.workspace.file("labels", labels)).unwrap();
        let mut command = self.command("sh");
        command.arg(format!("ci/zonewright/{name}")).args(arguments).stdin(labels);
        command.output().unwrap().into()
    }

    /// Commits a spec on the branch that is checked out.
    fn commit(&self, spec: &str, title: &str) {
        self.workspace.file("repository/zones/example.com.yaml", spec);
        self.git(&["add", "zones", "ci"]);
        self.git(&["commit", "-qm", title]);
    }

    /// Begins a branch with this spec.
    fn branch(&self, name: &str, spec: &str) {
        self.git(&["switch", "-qc", name, "main"]);
        self.commit(spec, name);
    }

    /// Plans the branch that is checked out, as a pull request would.
    fn plan(&self, labels: &str) -> Ran {
        let base = self.git(&["merge-base", "main", "HEAD"]);
        self.script("plan.sh", &[&base, "../out"], labels)
    }

    fn comment(&self) -> String {
        fs::read_to_string(self.workspace.path().join("out/comment.md")).unwrap()
    }

    /// Merges a branch and applies its saved plan, as a pipeline of the main branch would.
    fn merge_and_apply(&self, branch: &str, labels: &str) -> Ran {
        self.git(&["switch", "-q", "main"]);
        let base = self.git(&["merge-base", "main", branch]);
        self.git(&["merge", "-q", "--no-ff", "-m", "merge", branch]);
        self.script("apply.sh", &[&base, "../out/plan.json"], labels)
    }

    /// Returns the objects of a kind on the forge, by id.
    fn kept(&self, kind: &str) -> Vec<(String, String)> {
        let list = fs::read_dir(self.workspace.path().join("forge").join(kind))
            .unwrap()
            .map(|entry| entry.unwrap());
        let one = |e: fs::DirEntry| {
            (e.file_name().into_string().unwrap(), fs::read_to_string(e.path()).unwrap())
        };
        let mut all: Vec<_> = list.map(one).collect();
        all.sort();
        all
    }

    /// Changes a record, as someone else would.
    fn changed_outside(&self, name: &str, body: &Value) {
        let dump = self.workspace.dump();
        let zone = &dump["zones"][0];
        let record =
            zone["records"].as_array().unwrap().iter().find(|r| r["name"] == name).unwrap();
        let path = format!(
            "/zones/{}/dns_records/{}",
            zone["id"].as_str().unwrap(),
            record["id"].as_str().unwrap()
        );
        self.workspace.write("PATCH", &path, body);
    }
}

/// Returns true if a program is installed; the scripts need `jq`, which every hosted runner has.
fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Edit, comment, merge, apply, no drift; then someone else writes, which is reported, refused, and
/// reverted.
#[test]
fn the_whole_loop() {
    assert!(has("jq") && has("git"), "the pipelines need jq and git: install them");
    let forge = Forge::new();
    // A pull request that changes one record and makes another.
    forge.branch("change", &spec(&[WWW_600, API, NEW]));
    forge.plan("").exits(0);
    let comment = forge.comment();
    assert!(comment.starts_with("<!-- zonewright:plan -->\n"), "{comment}");
    assert!(
        comment.contains("300") && comment.contains("600") && comment.contains("192.0.2.3"),
        "{comment}"
    );
    forge.script("comment-github.sh", &["7", "../out/comment.md"], "").exits(0);
    // Pushed once more: the same comment is rewritten.
    forge.commit(&spec(&[WWW_600, API]), "without the new one");
    forge.plan("").exits(0);
    forge.script("comment-github.sh", &["7", "../out/comment.md"], "").exits(0);
    assert_eq!(forge.kept("comments"), [("100".to_owned(), forge.comment())]);
    assert!(!forge.comment().contains("192.0.2.3"));
    let writes = forge.workspace.writes().len();
    let applied = forge.merge_and_apply("change", "").exits(0);
    assert!(applied.stdout.contains("in sync, read back"), "{}", applied.stdout);
    assert_eq!(forge.workspace.writes().len(), writes + 1);
    forge.zonewright(&["plan", "zones", "--detailed-exitcode"]).exits(0);
    drift(&forge, 0, &["<!-- zonewright:drift"]);
    // Between the review and the merge someone else changes the same record.
    forge.branch("late", &spec(&[WWW, API]));
    forge.plan("").exits(0);
    forge.changed_outside("www.example.com", &json!({ "ttl": 900 }));
    forge.git(&["switch", "-q", "main"]);
    drift(
        &forge,
        2,
        &["<!-- zonewright:drift", "drifted", "www", "600", "900", "last changed at Cloudflare"],
    );
    let writes = forge.workspace.writes().len();
    let refused = forge.merge_and_apply("late", "").exits(4);
    assert!(
        refused.stderr.contains("example.com/dns/www/A: it was changed by someone else at 20"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stdout.contains("by someone else as well"),
        "the plan as it would be now: {}",
        refused.stdout
    );
    assert_eq!(forge.workspace.writes().len(), writes, "nothing is sent");
    // A plan of the merged spec simply reverts the change from outside.
    let again = forge.zonewright(&["plan", "zones", "--base", "HEAD"]).exits(0);
    assert!(
        again.stdout.contains("reverts a change made outside the spec (last changed 20"),
        "{}",
        again.stdout
    );
    forge
        .zonewright(&["apply", "zones", "--base", "HEAD", "--yes", "--journal", "../journal"])
        .exits(0);
    forge.zonewright(&["plan", "zones", "--detailed-exitcode"]).exits(0);
    drift(&forge, 0, &["<!-- zonewright:drift"]);
    // The manual change was intended: the apply that reverted it is undone.
    let ttl = || {
        let records = forge.workspace.records("example.com");
        records.iter().find(|r| r["name"] == "www.example.com").unwrap()["ttl"].clone()
    };
    assert_eq!(ttl(), 300);
    let mut journals: Vec<_> = fs::read_dir(forge.workspace.path().join("journal"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    journals.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    journals.sort();
    let newest = journals.pop().unwrap();
    let undone = forge
        .zonewright(&["undo", newest.to_str().unwrap(), "--yes", "--journal", "../journal"])
        .exits(0);
    assert!(undone.stdout.contains("in sync, read back"), "{}", undone.stdout);
    assert_eq!(ttl(), 900);
    drift(&forge, 2, &["drifted", "www", "300", "900"]);
}

/// Runs the drift check against the merged spec.
fn drift(forge: &Forge, code: i32, words: &[&str]) {
    let mut command = forge.command("sh");
    command
        .args(["ci/zonewright/drift.sh", "../drift.md"])
        .env("BASE", "main")
        .env("METRICS", "../metrics.txt");
    Ran::from(command.output().unwrap()).exits(code);
    let report = fs::read_to_string(forge.workspace.path().join("drift.md")).unwrap();
    for words in words {
        assert!(report.contains(words), "{words:?} is not in the report:\n{report}");
    }
    let metrics = fs::read_to_string(forge.workspace.path().join("metrics.txt")).unwrap();
    assert!(metrics.contains("zonewright_drift_objects"), "{metrics}");
}

/// A delete waits for its labels, and a label only counts for the consent that it names.
#[test]
fn consents_are_labels() {
    let forge = Forge::new();
    // The name is still in use.
    forge.branch("delete", &spec(&[WWW, "name: api, type: TXT, content: in use"]));
    forge.plan("bug\n").exits(3);
    let comment = forge.comment();
    assert!(
        comment.contains("--allow-deletes 1") && comment.contains("removes-last-address"),
        "{comment}"
    );
    forge.plan("allow-deletes-1\n").exits(3);
    forge.plan("allow-deletes-2\nallow-removes-last-address\n").exits(3);
    let labels = "allow-deletes-1\nneeds review\nallow-removes-last-address\n";
    forge.plan(labels).exits(0);
    // Labels that went away, or that came after the plan was saved, make another plan.
    let writes = forge.workspace.writes().len();
    forge.merge_and_apply("delete", "allow-deletes-1\n").exits(4);
    assert_eq!(forge.workspace.writes().len(), writes);
    let base = forge.git(&["rev-parse", "HEAD^1"]);
    forge.script("apply.sh", &[&base, "../out/plan.json"], labels).exits(0);
    assert_eq!(forge.workspace.records("example.com").len(), 2);
    // Consents that a label cannot give.
    let hostile = "allow-deletes-1 --yes\nallow-$(id)\nallow---yes\nallow-\nallow-deletes-\nallow-a,b\n--allow=x\nallow-\u{e9}\n";
    assert_eq!(forge.script("consents.sh", &[], hostile).exits(0).stdout, "");
    assert_eq!(
        forge.script("consents.sh", &[], "allow-deletes-07").exits(0).stdout,
        "--allow-deletes=07\n"
    );
}

/// Whoever can write artifacts can create any plan with a matching checksum. It is refused because
/// it differs from the merged spec.
#[test]
fn a_forged_plan_is_not_applied() {
    let forge = Forge::new();
    forge.branch("harmless", &spec(&[WWW_600, API]));
    forge.plan("").exits(0);
    let honest = fs::read(forge.workspace.path().join("out/plan.json")).unwrap();
    // The same branch with another spec, consents given, saved under the name of the reviewed plan.
    forge.workspace.file(
        "repository/zones/example.com.yaml",
        spec(&["name: www, type: A, content: 203.0.113.66"]),
    );
    forge
        .zonewright(&[
            "plan",
            "zones",
            "--base",
            "main",
            "--allow-deletes",
            "2",
            "--allow",
            "removes-last-address",
            "--out",
            "../out/plan.json",
        ])
        .exits(0);
    forge.git(&["checkout", "-q", "--", "zones"]);
    let writes = forge.workspace.writes().len();
    let refused = forge.merge_and_apply("harmless", "").exits(4);
    assert!(
        refused.stderr.contains("what was merged is not what was reviewed"),
        "{}",
        refused.stderr
    );
    // Other consents alone make another plan, too.
    let base = forge.git(&["rev-parse", "HEAD^1"]);
    forge
        .zonewright(&[
            "plan",
            "zones",
            "--base",
            &base,
            "--allow",
            "exposes-origin",
            "--out",
            "../out/plan.json",
        ])
        .exits(0);
    forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(4);
    forge.workspace.file("out/plan.json", "{}");
    forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(4);
    assert_eq!(forge.workspace.writes().len(), writes, "nothing is sent");
    forge.workspace.file("out/plan.json", honest);
    forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(0);
}

/// All inputs of a saved plan are compared, not only a fixed list of them: a part of the plan, the
/// day, the zone.
#[test]
fn a_resealed_plan_is_not_applied() {
    let forge = Forge::new();
    forge.branch("harmless", &spec(&[WWW_600, API, NEW]));
    forge.plan("").exits(0);
    let honest = fs::read_to_string(forge.workspace.path().join("out/plan.json")).unwrap();
    forge.git(&["switch", "-q", "main"]);
    let base = forge.git(&["merge-base", "main", "harmless"]);
    forge.git(&["merge", "-q", "--no-ff", "-m", "merge", "harmless"]);
    let writes = forge.workspace.writes().len();
    type Forgery = fn(&mut Value);
    let forgeries: [(&str, Forgery); 10] = [
        ("only", |plan| {
            plan["saved"]["only"] = json!(["example.com/dns/new/A"]);
            let operations = plan["operations"].as_array_mut().unwrap();
            operations.retain(|operation| operation["address"] == "example.com/dns/new/A");
        }),
        ("only", |plan| plan["saved"]["only"] = json!(["*"])),
        ("zones", |plan| plan["saved"]["zones"][0]["id"] = json!("f".repeat(32))),
        ("zones", |plan| plan["saved"]["zones"] = json!([])),
        ("tool", |plan| plan["saved"]["tool"] = json!("zonewright 0.0.1")),
        ("spec_digest", |plan| plan["saved"]["spec_digest"] = json!("0".repeat(64))),
        ("spec", |plan| {
            let spec = plan["saved"]["spec"].as_str().unwrap().replace("192.0.2.3", "203.0.113.66");
            plan["saved"]["spec"] = json!(spec);
        }),
        ("consents", |plan| plan["saved"]["consents"]["deletes"] = json!(1)),
        ("base", |plan| plan["saved"]["base"]["commit"] = json!("0".repeat(40))),
        ("later", |plan| plan["saved"]["later"] = json!(true)),
    ];
    for (member, forge_plan) in forgeries {
        let mut plan: Value = serde_json::from_str(&honest).unwrap();
        forge_plan(&mut plan);
        forge.workspace.file("out/plan.json", sealed(plan));
        let refused = forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(4);
        let says = format!("what was merged is not what was reviewed: these differ: {member}.");
        assert!(refused.stderr.contains(&says), "{member}: {}", refused.stderr);
    }
    // A day on which other things have expired; one that is no day; one of which the program could
    // take an option.
    for (day, code, says) in [
        ("2020-01-01", 1, "was judged by the day 2020-01-01"),
        ("2999-01-01", 1, "was judged by the day 2999-01-01"),
        ("2026-02-31", 64, "2026-02-31"),
        ("--yes", 4, "does not say by which day"),
        ("2026-11-26\nx", 4, "does not say by which day"),
    ] {
        let mut plan: Value = serde_json::from_str(&honest).unwrap();
        plan["saved"]["today"] = json!(day);
        forge.workspace.file("out/plan.json", sealed(plan));
        let refused = forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(code);
        assert!(refused.stderr.contains(says), "{day}: {}", refused.stderr);
    }
    // Requests are for readers, and follow from the rest.
    let mut plan: Value = serde_json::from_str(&honest).unwrap();
    plan["saved"]["requests"] = json!([]);
    forge.workspace.file("out/plan.json", sealed(plan));
    forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(4);
    assert_eq!(forge.workspace.writes().len(), writes, "nothing is sent");
    // When it was made, and under which name the base was given, are no part of it.
    let mut plan: Value = serde_json::from_str(&honest).unwrap();
    plan["saved"]["base"]["name"] = json!("main");
    plan["base"]["name"] = json!("main");
    forge.workspace.file("out/plan.json", sealed(plan));
    forge.script("apply.sh", &[&base, "../out/plan.json"], "").exits(0);
}

/// A plan that was reviewed yesterday is planned again with its day, so an expiry in between does
/// not change it.
#[test]
fn a_plan_of_yesterday_is_planned_again_by_its_day() {
    let forge = Forge::new();
    forge.branch("change", &spec(&[WWW_600, API]));
    let base = forge.git(&["merge-base", "main", "HEAD"]);
    let now = SystemTime::now();
    let yesterday =
        rfc3339(now - Duration::from_secs(24 * 60 * 60))[.."YYYY-MM-DD".len()].to_owned();
    let out = ["--today", &yesterday, "--out", "../out/plan.json"];
    fs::create_dir_all(forge.workspace.path().join("out")).unwrap();
    forge
        .zonewright(&[&["plan", "zones", "--base", &base, "--changed"][..], &out].concat())
        .exits(0);
    let refused = forge.zonewright(&["apply", "../out/plan.json", "--yes", "--max-age", "1ns"]);
    refused.exits(1);
    forge.merge_and_apply("change", "").exits(0);
}

/// A pull request from a fork: no credentials, no access to Cloudflare, but still a plan.
#[test]
fn a_fork_plans_against_a_snapshot() {
    let forge = Forge::new();
    forge.zonewright(&["snapshot", "zones", "--out", "../snapshot.gz"]).exits(0);
    forge.branch("fork", &spec(&[WWW_600, API]));
    let requests = forge.workspace.requests().len();
    let mut command = forge.command("zonewright");
    command.env_remove("CLOUDFLARE_API_TOKEN").env_remove("CLOUDFLARE_BASE_URL");
    command.args([
        "plan",
        "zones",
        "--against",
        "../snapshot.gz",
        "--base",
        "main",
        "--format",
        "markdown",
    ]);
    let ran: Ran = command.output().unwrap().into();
    let comment = ran.exits(0).stdout;
    assert!(comment.contains("300") && comment.contains("600"), "{comment}");
    assert_eq!(forge.workspace.requests().len(), requests);
}

/// One issue about drift, one note on a merge request: created, updated, closed.
#[test]
fn issues_and_notes_are_kept() {
    let forge = Forge::new();
    for (code, exit, text) in [
        ("0", 0, None),
        ("2", 0, Some("one")),
        ("2", 0, Some("two")),
        ("1", 1, Some("two")),
        ("0", 0, None),
    ] {
        forge.workspace.file("report.md", text.unwrap_or("nothing"));
        forge.script("issue-github.sh", &[code, "../report.md"], "").exits(exit);
        let kept: Vec<_> = forge.kept("issues").into_iter().map(|(_, body)| body).collect();
        assert_eq!(kept, text.map(str::to_owned).into_iter().collect::<Vec<_>>());
    }
    let token = forge.workspace.file("token", "glpat-test\n");
    for text in
        ["<!-- zonewright:plan -->\none\n", "<!-- zonewright:plan -->\ntwo \"quoted\" \\ é\n"]
    {
        forge.workspace.file("comment.md", text);
        let mut command = forge.command("sh");
        command.args(["ci/zonewright/comment-gitlab.sh", "7", "../comment.md"]);
        command
            .env("CI_API_V4_URL", "https://gitlab.example/api/v4")
            .env("CI_PROJECT_ID", "1")
            .env("GITLAB_TOKEN_FILE", &token);
        Ran::from(command.output().unwrap()).exits(0);
        let notes = forge.kept("notes");
        assert_eq!(notes.len(), 1);
        let body: Value = serde_json::from_str(&notes[0].1).unwrap();
        assert_eq!(body, json!({ "body": text }));
    }
    // A comment that does not begin with a marker could not be found later.
    forge.workspace.file("comment.md", "plain\n");
    forge.script("comment-github.sh", &["7", "../comment.md"], "").exits(1);
}

/// The pre-commit hook and the action run commands that exist.
#[test]
fn the_hook_checks_the_spec() {
    let forge = Forge::new();
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    assert_eq!(hooks.matches("entry: zonewright validate\n  args: [zones]\n").count(), 2);
    forge.zonewright(&["validate", "zones"]).exits(0);
    forge.workspace.file("repository/zones/example.com.yaml", spec(&["name: www, type: A"]));
    forge.zonewright(&["validate", "zones"]).exits(1);
}

/// Returns every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Each command and flag in a pipeline or on a page exists in the program.
#[test]
fn pipelines_and_pages_use_flags_that_exist() {
    let program = zonewright::cli::command();
    let global: BTreeSet<_> = program.get_arguments().filter_map(|a| a.get_long()).collect();
    let mut shown = 0;
    let mut paths = files(&root().join("examples/pipelines"));
    paths.extend(
        ["README.md", "Dockerfile", "action.yml", ".pre-commit-hooks.yaml"]
            .map(|name| root().join(name)),
    );
    paths.extend(files(&root().join("docs")).into_iter().filter(|path| {
        path.extension().is_some_and(|extension| extension == "md")
            && !path.starts_with(root().join("docs/internals"))
    }));
    for path in paths {
        let text = fs::read_to_string(&path).unwrap().replace("\\\n", " ");
        // Arguments of a container: the command and its flags each on a line.
        let text = text
            .replace("- drift\n", "- zonewright drift")
            .replace("- apply\n", "- zonewright apply");
        let mut within: Option<&str> = None;
        for line in text.lines() {
            let is_list = line.trim_start().starts_with("- --")
                || line.trim_start().starts_with("- /")
                || line.trim_start().starts_with('#');
            let mut words = line
                .split(|c: char| c.is_whitespace() || "`\"'();|".contains(c))
                .filter(|w| !w.is_empty());
            if !is_list {
                within = None;
                while let Some(word) = words.next() {
                    if word == "zonewright" {
                        let named = words.next().unwrap_or_default();
                        within = program
                            .get_subcommands()
                            .map(clap::Command::get_name)
                            .find(|c| *c == named);
                        break;
                    }
                }
            }
            let Some(name) = within else { continue };
            let command = program.find_subcommand(name).unwrap();
            for word in words.take_while(|w| !w.starts_with('#') && *w != "&&") {
                let Some(flag) = word.strip_prefix("--").filter(|f| !f.is_empty()) else {
                    continue;
                };
                let flag = flag.split(['=', ',', '.', '[']).next().unwrap_or_default();
                let own = command.get_arguments().filter_map(|a| a.get_long());
                let below = command
                    .get_subcommands()
                    .flat_map(clap::Command::get_arguments)
                    .filter_map(|a| a.get_long());
                let known = own.chain(below).any(|long| long == flag)
                    || global.contains(flag)
                    || flag == "help";
                assert!(known, "{}: `zonewright {name}` has no --{flag}: {line}", path.display());
                shown += 1;
            }
        }
    }
    assert!(shown >= 25, "only {shown} flags were found");
}
