//! `--base` in trees whose author tries to run a command, to supply other content, or to have a
//! path taken for a revision.
//!
//! A checkout by Git never contains a `.git`, but it may contain a bare repository. Archives may
//! contain both.

mod environment;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::workspace::{Ran, binary};

/// The spec at the base: it has one more zone, so that the plan shows whether the base was read.
const BEFORE: &str =
    "version: 1\nzones:\n  example.com: { records: [] }\n  gone.example: { records: [] }\n";
/// The spec as it is planned.
const NOW: &str = "version: 1\nzones:\n  example.com: { records: [] }\n";

/// Configuration keys whose values Git runs; some need a remote that Git has a reason to contact.
const COMMANDS: &[&str] = &[
    "core.fsmonitor",
    "core.sshCommand",
    "core.alternateRefsCommand",
    "core.gitProxy",
    "core.askPass",
    "core.pager",
    "core.editor",
    "pager.rev-parse",
    "pager.ls-tree",
    "pager.cat-file",
    "alias.rev-parse",
    "alias.cat-file",
    "filter.evil.smudge",
    "filter.evil.clean",
    "filter.evil.process",
    "diff.evil.textconv",
    "diff.evil.command",
    "diff.external",
    "remote.o.uploadpack",
    "remote.o.proxy",
    "credential.helper",
    "gpg.program",
    "uploadpack.packObjectsHook",
    "sequence.editor",
];

/// A directory with a trap: a program that writes a marker file when it is run.
struct Trap {
    root: TempDir,
}

impl Trap {
    /// Creates a repository in `tree`. Its `spec` has changed since its only commit.
    fn new() -> Self {
        let trap = Self { root: TempDir::new().unwrap() };
        trap.program("evil", &format!("env >>'{}'\nexit 1", trap.at("ran").display()));
        trap.repository("tree");
        trap
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file.
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a shell script.
    fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name, &format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Makes a repository with one commit, and changes its spec.
    fn repository(&self, name: &str) -> String {
        self.file(&format!("{name}/spec/zone.yaml"), BEFORE);
        self.git(name, &["init", "-q", "-b", "main"]);
        self.git(name, &["add", "-A"]);
        self.git(name, &["commit", "-qm", "before"]);
        self.file(&format!("{name}/spec/zone.yaml"), NOW);
        self.git(name, &["rev-parse", "HEAD"])
    }

    /// Runs git as its user would, with no configuration but the repository's.
    #[track_caller]
    fn git(&self, directory: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.at(directory)).env_remove("GIT_DIR").env("HOME", self.at("home"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "protocol.file.allow=always",
        ]);
        let output = command.args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Returns the program in a directory, with a secret in its environment.
    fn command(&self, directory: &str, arguments: &[&str]) -> Command {
        let mut command = binary(&self.at(directory));
        command
            .env("HOME", self.at("home"))
            .env("CLOUDFLARE_API_TOKEN", "hush")
            .env("ZONEWRIGHT_WEBHOOK", "hush");
        command.arg(format!("--sandbox={}", self.at("service").display())).args(arguments);
        command
    }

    /// Runs the program; nothing of the tree may have been run.
    #[track_caller]
    fn run(&self, directory: &str, arguments: &[&str]) -> Ran {
        let ran = Ran::from(self.command(directory, arguments).output().unwrap());
        self.nothing_ran();
        ran
    }

    /// Plans `spec` with a base. Without one, the last commit is the base, or nothing is.
    #[track_caller]
    fn plan(&self, directory: &str, base: &str) -> Ran {
        let (default_base, _) = self::base(self.default_plan(directory));
        assert!(
            default_base.is_null() || default_base["name"] == "HEAD",
            "{directory}: {default_base}"
        );
        self.run(directory, &["plan", "spec", "--base", base, "--format", "json"])
    }

    /// Plans `spec` without naming a base.
    #[track_caller]
    fn default_plan(&self, directory: &str) -> Ran {
        self.run(directory, &["plan", "spec", "--format", "json"]).exits(0)
    }

    #[track_caller]
    fn nothing_ran(&self) {
        let mark = fs::read_to_string(self.at("ran"));
        assert!(mark.is_err(), "a command of the tree was run, with {}", mark.unwrap());
    }

    /// Returns a configuration that makes Git run a program.
    fn hostile_config(&self, url: &str) -> String {
        let evil = self.at("evil");
        let one = |key: &&str| {
            let (section, name) = key.rsplit_once('.').unwrap();
            let section = match section.split_once('.') {
                Some((section, sub)) => format!("{section} \"{sub}\""),
                None => section.to_owned(),
            };
            format!("[{section}]\n\t{name} = {}\n", evil.display())
        };
        let commands: String = COMMANDS.iter().map(one).collect();
        format!(
            "[core]\n\trepositoryformatversion = 1\n\thooksPath = {}\n\tuseReplaceRefs = true\n[extensions]\n\tpartialClone = o\n\
             [remote \"o\"]\n\turl = {url}\n\tpromisor = true\n[protocol]\n\tallow = always\n[protocol \"file\"]\n\tallow = always\n\
             [protocol \"ext\"]\n\tallow = always\n[safe]\n\tdirectory = *\n\tbareRepository = all\n{commands}",
            self.at("hooks").display()
        )
    }

    /// Creates a bare repository that someone could commit: its branch needs an object that Git
    /// would request from a remote.
    fn bare(&self, at: &str, url: &str) {
        for name in ["objects/info", "refs/heads"] {
            fs::create_dir_all(self.at(at).join(name)).unwrap();
        }
        self.file(&format!("{at}/HEAD"), "ref: refs/heads/main\n");
        for name in ["main", "other"] {
            self.file(&format!("{at}/refs/heads/{name}"), &format!("{}\n", "1".repeat(40)));
        }
        self.file(
            &format!("{at}/config"),
            &self.hostile_config(url).replace("[core]\n", "[core]\n\tbare = true\n"),
        );
    }

    /// Creates a repository whose only trap is its hooks.
    fn hooks(&self, at: &str) {
        fs::create_dir_all(self.at(at)).unwrap();
        for name in [
            "post-index-change",
            "reference-transaction",
            "post-checkout",
            "fsmonitor-watchman",
            "pre-auto-gc",
        ] {
            symlink(self.at("evil"), self.at(at).join(name)).unwrap();
        }
    }
}

/// Returns the base that a plan names, and whether the spec of that base was read.
#[track_caller]
fn base(ran: Ran) -> (Value, bool) {
    let plan = ran.exits(0).json();
    let was_read = plan["diagnostics"].to_string().contains("gone.example");
    (plan["base"].clone(), was_read)
}

/// Requires that the plan names this commit and knows the spec in it.
#[track_caller]
fn is_of(ran: Ran, commit: &str) {
    let (base, was_read) = base(ran);
    assert_eq!(
        (base["kind"].as_str(), base["commit"].as_str()),
        (Some("revision"), Some(commit)),
        "{base}"
    );
    assert!(was_read, "{base}");
}

/// Places where a remote can be configured; each is a way to run a program.
fn urls(trap: &Trap) -> Vec<String> {
    let evil = trap.at("evil").display().to_string();
    vec![
        trap.at("tree").display().to_string(),
        format!("file://{}", trap.at("tree").display()),
        "ssh://127.0.0.1/x".to_owned(),
        "git@127.0.0.1:x".to_owned(),
        format!("ext::{evil} %S"),
        "git://127.0.0.1/x".to_owned(),
        format!("{evil}::x"),
    ]
}

#[test]
fn a_bare_repository_in_a_tree_is_no_repository() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    for url in urls(&trap) {
        // Beside the spec, and in its parent directories up to the real repository.
        for at in ["tree/conf/spec", "tree/conf", "tree"] {
            trap.file("tree/conf/spec/zone.yaml", BEFORE);
            trap.git("tree", &["add", "conf/spec/zone.yaml"]);
            trap.git("tree", &["commit", "-q", "--allow-empty", "-m", "moved", "--", "conf"]);
            trap.file("tree/conf/spec/zone.yaml", NOW);
            trap.bare(at, &url);
            let head = trap.git("tree", &["rev-parse", "HEAD"]);
            assert_ne!(head, commit);
            // Its `HEAD` is a file, and a path of that name is no revision.
            for base in ["main", "HEAD^0", head.as_str()] {
                is_of(trap.plan("tree/conf", base), &head);
                is_of(
                    trap.run("tree", &["plan", "conf/spec", "--base", base, "--format", "json"]),
                    &head,
                );
                is_of(
                    trap.run("tree/conf/spec", &["plan", ".", "--base", base, "--format", "json"]),
                    &head,
                );
                is_of(
                    trap.run(
                        "tree",
                        &["plan", "conf/spec/zone.yaml", "--base", base, "--format", "json"],
                    ),
                    &head,
                );
            }
            let ran = trap.plan("tree/conf", "other").exits(1);
            assert!(ran.stderr.contains("there is no revision \"other\""), "{ran:?}");
            for name in ["HEAD", "config", "objects", "refs"] {
                let path = trap.at(at).join(name);
                if path.is_dir() {
                    fs::remove_dir_all(path).unwrap()
                } else {
                    fs::remove_file(path).unwrap()
                }
            }
        }
        // Without another repository.
        trap.file("bare/spec/zone.yaml", NOW);
        for at in ["bare/spec", "bare"] {
            trap.bare(at, &url);
            let ran = trap.plan("bare", "main").exits(1);
            assert!(ran.stderr.contains("not a git repository"), "{ran:?}");
            fs::remove_dir_all(trap.at("bare")).unwrap();
            trap.file("bare/spec/zone.yaml", NOW);
        }
    }
}

/// An archive can contain a `.git` that is entirely its author's. It may have any content, but it
/// must not run anything.
#[test]
fn a_hostile_repository_runs_nothing() {
    for url in urls(&Trap::new()) {
        let trap = Trap::new();
        let commit = trap.git("tree", &["rev-parse", "HEAD"]);
        trap.file(
            "tree/.gitattributes",
            "* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16\n",
        );
        trap.file("tree/.git/info/attributes", "* filter=evil diff=evil\n");
        trap.hooks("hooks");
        trap.hooks("tree/.git/hooks");
        for included in [false, true] {
            let config = trap.hostile_config(&url);
            if included {
                trap.file("tree/more", &config);
                trap.file(
                    "tree/.git/config",
                    "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n[include]\n\tpath = ../more\n",
                );
            } else {
                trap.file("tree/.git/config", &config);
            }
            for name in [
                "main",
                "HEAD",
                "HEAD^{commit}",
                "@",
                "HEAD^{/before}",
                commit.as_str(),
                "HEAD:spec",
                ":spec/zone.yaml",
            ] {
                let ran = trap.plan("tree", name);
                if name.contains("spec") { drop(ran.exits(1)) } else { is_of(ran, &commit) }
            }
            // An object is missing, so that Git would request it from a remote.
            let missing = "2".repeat(40);
            trap.file("tree/.git/refs/heads/absent", &format!("{missing}\n"));
            for name in
                ["absent", "absent~1", missing.as_str(), "absent:spec", "nothing", "2222222"]
            {
                drop(trap.plan("tree", name).exits(1));
            }
        }
        let blob = trap.git("tree", &["--no-pager", "rev-parse", "HEAD:spec/zone.yaml"]);
        fs::remove_file(trap.at("tree/.git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
        let ran = trap.plan("tree", "HEAD").exits(1);
        assert!(
            ran.stderr.contains("missing") && ran.stderr.contains("partial clone"),
            "{url}: {ran:?}"
        );
    }
}

/// A `.git` that leads into the tree makes files of the tree a repository.
#[test]
fn a_git_file_or_link_that_leads_into_the_tree_is_refused() {
    let refused = |trap: &Trap, directory: &str, base: &str| {
        let ran = trap.plan(directory, base).exits(1);
        assert!(ran.stderr.contains("part of a work tree"), "{directory}: {ran:?}");
    };
    let url = "ssh://127.0.0.1/x";
    for link in [false, true] {
        let lead = |trap: &Trap, from: &str, to: &str| {
            fs::create_dir_all(trap.at(from).parent().unwrap()).unwrap();
            if link {
                symlink(to, trap.at(from)).unwrap();
            } else {
                trap.file(from, &format!("gitdir: {to}\n"));
            }
        };
        // At the top of a tree of its own.
        let trap = Trap::new();
        trap.file("own/spec/zone.yaml", NOW);
        trap.bare("own/evil", url);
        lead(&trap, "own/.git", "evil");
        refused(&trap, "own", "main");
        // As a submodule or worktree, within a real repository.
        trap.file("tree/sub/spec/zone.yaml", NOW);
        trap.bare("tree/modules/sub", url);
        lead(&trap, "tree/sub/.git", "../modules/sub");
        refused(&trap, "tree/sub", "main");
        fs::remove_file(trap.at("tree/sub/.git")).unwrap();
        trap.bare("tree/main", url);
        trap.file("tree/main/worktrees/sub/HEAD", "ref: refs/heads/main\n");
        trap.file("tree/main/worktrees/sub/commondir", "../..\n");
        trap.file(
            "tree/main/worktrees/sub/gitdir",
            &format!("{}\n", trap.at("tree/sub/.git").display()),
        );
        lead(&trap, "tree/sub/.git", "../main/worktrees/sub");
        refused(&trap, "tree/sub", "main");
    }
    // A `.git` that is invalid is not skipped for one further up.
    let trap = Trap::new();
    for text in ["", "nonsense\n", "gitdir: nowhere\n", "gitdir: \n", "gitdir: ../spec\n"] {
        trap.file("tree/sub/spec/zone.yaml", NOW);
        trap.file("tree/sub/.git", text);
        let ran = trap.plan("tree/sub", "main").exits(1);
        assert!(ran.stderr.contains("tree/sub/.git"), "{text:?}: {ran:?}");
    }
    fs::remove_file(trap.at("tree/sub/.git")).unwrap();
    fs::create_dir(trap.at("tree/sub/.git")).unwrap();
    let ran = trap.plan("tree/sub", "main").exits(1);
    assert!(ran.stderr.contains("tree/sub/.git"), "{ran:?}");
    trap.bare("tree/sub", url);
    let ran = trap.plan("tree/sub", "main").exits(1);
    assert!(ran.stderr.contains("tree/sub/.git"), "{ran:?}");
}

/// Worktrees, submodules, a shared object store, and a git directory that is elsewhere are found as
/// git finds them.
#[test]
fn worktrees_submodules_and_shared_objects_work() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    let changed = |at: &str| trap.file(&format!("{at}/spec/zone.yaml"), NOW);
    trap.git("tree", &["worktree", "add", "-q", "--detach", "../beside"]);
    trap.git("tree", &["worktree", "add", "-q", "-b", "inner", "inner"]);
    trap.git("tree", &["clone", "-q", "--shared", ".", "../shared"]);
    trap.git(
        "tree",
        &["clone", "-q", "--separate-git-dir", "../elsewhere.git", ".", "../separate"],
    );
    fs::create_dir(trap.at("project")).unwrap();
    trap.git("tree", &["clone", "-q", "--bare", ".", "../project/.bare"]);
    trap.file("project/.git", "gitdir: ./.bare\n");
    trap.git("project", &["worktree", "add", "-q", "-b", "work", "work"]);
    symlink("elsewhere.git", trap.at("link")).unwrap();
    trap.file("linked/spec/zone.yaml", NOW);
    symlink("../link", trap.at("linked/.git")).unwrap();
    for at in ["beside", "tree/inner", "shared", "separate", "project/work", "linked"] {
        changed(at);
        is_of(trap.plan(at, "HEAD"), &commit);
        is_of(
            trap.run(".", &["plan", &format!("{at}/spec"), "--base", &commit, "--format", "json"]),
            &commit,
        );
    }
    // A submodule has its own revisions, and the message names it.
    trap.file("super/README", "");
    trap.git("super", &["init", "-q", "-b", "main"]);
    trap.git("super", &["submodule", "add", "-q", "../tree", "zones"]);
    trap.git("super", &["commit", "-qam", "a submodule"]);
    changed("super/zones");
    for (directory, spec) in [("super/zones", "spec"), ("super", "zones/spec")] {
        let ran = trap.run(directory, &["plan", spec, "--base", "main", "--format", "json"]);
        assert!(ran.stdout.contains("PLAN0024"), "{ran:?}");
        is_of(ran, &commit);
        let ran = trap.run(directory, &["plan", spec, "--base", &commit, "--format", "json"]);
        assert!(!ran.stdout.contains("PLAN0024"), "{ran:?}");
        is_of(ran, &commit);
    }
}

/// The content of a commit is what the commit itself contains, whatever the repository would
/// substitute for it.
#[test]
fn replacements_and_grafts_are_not_honoured() {
    let trap = Trap::new();
    let first = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.git("tree", &["commit", "-qam", "the second"]);
    trap.file("tree/spec/zone.yaml", "version: 1\nzones: { other.example: { records: [] } }\n");
    trap.git("tree", &["commit", "-qam", "forged"]);
    let forged = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.file("tree/spec/zone.yaml", NOW);
    trap.git("tree", &["replace", &first, &forged]);
    is_of(trap.plan("tree", &first), &first);
    is_of(trap.plan("tree", "HEAD~2"), &first);
    trap.git("tree", &["replace", "-d", &first]);
    // The second commit is a child of the forged one, according to its content.
    let second = trap.git("tree", &["rev-parse", "HEAD~1"]);
    trap.file("tree/.git/info/grafts", &format!("{second} {forged}\n"));
    is_of(trap.plan("tree", "HEAD~2"), &first);
}

/// Missing objects are not fetched, and the message says what to do.
#[test]
fn what_a_partial_clone_lacks_is_not_fetched() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.git("tree", &["commit", "-qam", "the second"]);
    trap.git("tree", &["config", "uploadpack.allowFilter", "true"]);
    trap.git("tree", &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let origin = format!("file://{}", trap.at("tree").display());
    for (filter, name) in [("blob:none", "blobs"), ("tree:0", "trees")] {
        trap.git(".", &["clone", "-q", "--filter", filter, &origin, name]);
        let ran = trap.plan(name, "HEAD~1").exits(1);
        let help = "git fetch --refetch --no-filter";
        assert!(ran.stderr.contains("partial clone") && ran.stderr.contains(help), "{ran:?}");
        trap.git(name, &["fetch", "-q", "--refetch", "--no-filter", "origin"]);
        is_of(trap.plan(name, "HEAD~1"), &commit);
    }
}

/// Links among the files of a base lead where they led in the work tree, as long as that is below
/// its directory.
#[test]
fn links_of_a_base_are_followed_within_its_directory() {
    let trap = Trap::new();
    let linked = |links: &[(&str, &str)]| {
        for (leads_to, link) in links {
            let link = trap.at("tree").join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(leads_to, link).unwrap();
        }
        trap.git("tree", &["add", "-A"]);
        trap.git("tree", &["commit", "-qm", "links"]);
        trap.git("tree", &["rev-parse", "HEAD"])
    };
    trap.file("tree/spec/.hidden/one/zone.yaml", BEFORE);
    fs::remove_file(trap.at("tree/spec/zone.yaml")).unwrap();
    let commit = linked(&[
        (".hidden/one/zone.yaml", "spec/zone.yaml"),
        ("zone.yaml", "spec/again.yaml"),
        ("../.hidden/one", "spec/directory/link"),
        ("../../nowhere", "spec/dangling"),
        ("/etc/passwd", "spec/elsewhere"),
        ("../.git/config", "spec/config"),
    ]);
    for link in ["dangling", "elsewhere", "config"] {
        fs::remove_file(trap.at("tree/spec").join(link)).unwrap();
    }
    trap.file("tree/spec/.hidden/one/zone.yaml", NOW);
    is_of(trap.plan("tree", &commit), &commit);
    is_of(
        trap.run("tree", &["plan", "spec/zone.yaml", "--base", "HEAD", "--format", "json"]),
        &commit,
    );
    // A link that cannot be followed is an error, not a missing file.
    trap.file("tree/shared.yaml", BEFORE);
    fs::create_dir_all(trap.at("tree/other")).unwrap();
    linked(&[("../shared.yaml", "other/zone.yaml")]);
    let ran = trap.run("tree", &["plan", "other/zone.yaml", "--base", "HEAD"]).exits(1);
    assert!(ran.stderr.contains("other/zone.yaml is a symbolic link"), "{ran:?}");
}

/// The inputs of one spec have one base.
#[test]
fn a_spec_in_two_repositories_has_no_revision() {
    let trap = Trap::new();
    trap.repository("other");
    let ran = trap.run(".", &["plan", "tree/spec", "other/spec", "--base", "HEAD"]).exits(1);
    assert!(ran.stderr.contains("two git repositories"), "{ran:?}");
}

/// A path with the name of a revision is not a revision, and the reverse.
#[test]
fn a_path_is_not_taken_for_a_revision() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.git("tree", &["tag", "v1"]);
    trap.git("tree", &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let names = [
        "HEAD",
        "main",
        "v1",
        "origin/main",
        "refs/heads/main",
        &commit,
        &commit[..10],
        "@",
        "HEAD^{commit}",
    ];
    for name in names {
        // Nothing there: it is the revision.
        is_of(trap.plan("tree", name), &commit);
        for kind in ["directory", "file", "dangling link"] {
            let place = trap.at("tree").join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            match kind {
                "directory" => drop(trap.file(&format!("tree/{name}/zone.yaml"), NOW)),
                "file" => fs::write(&place, NOW).unwrap(),
                _ => symlink("/nowhere", &place).unwrap(),
            }
            let revision = format!("{name}^0");
            // The id of a commit is never meant as a path: a pipeline passes it, and a path in a
            // pull request must not stop the pipeline.
            if commit.starts_with(name) {
                is_of(trap.plan("tree", name), &commit);
            } else {
                let ran = trap.plan("tree", name).exits(1);
                assert!(ran.stderr.contains("both"), "{name}: {ran:?}");
                assert!(ran.stderr.contains(&format!("--base ./{name}")), "{name}: {ran:?}");
                assert!(ran.stderr.contains(&format!("--base {revision}")), "{name}: {ran:?}");
            }
            is_of(trap.plan("tree", &revision), &commit);
            if kind == "directory" {
                let (base, was_read) = base(trap.plan("tree", &format!("./{name}")));
                assert_eq!((base["kind"].as_str(), was_read), (Some("path"), false), "{base}");
                fs::remove_dir_all(place).unwrap();
            } else {
                fs::remove_file(place).unwrap();
            }
        }
    }
    // Only a path, and not written as one.
    trap.file("tree/before/zone.yaml", BEFORE);
    trap.file("tree/before.yaml", BEFORE);
    trap.file("loose/before.yaml", BEFORE);
    trap.file("loose/spec/zone.yaml", NOW);
    for (directory, name) in [
        ("tree", "before"),
        ("tree", "before.yaml"),
        ("tree", "before/zone.yaml"),
        ("loose", "before.yaml"),
    ] {
        let ran = trap.plan(directory, name).exits(1);
        assert!(
            ran.stderr.contains("is a path") && ran.stderr.contains(&format!("--base ./{name}")),
            "{name}: {ran:?}"
        );
    }
    // Written as a path, it is never a revision.
    let absolute = trap.at("tree/before").display().to_string();
    for name in [
        "./before",
        "before/",
        "../tree/before",
        "./before.yaml",
        &absolute,
        "./before/../before.yaml",
    ] {
        let (base, was_read) = base(trap.plan("tree", name));
        assert_eq!(
            (base["kind"].as_str(), base["name"].as_str(), was_read),
            (Some("path"), Some(name), true),
            "{base}"
        );
        assert_eq!(base["digest"].as_str().unwrap().len(), 64, "{base}");
    }
    for name in ["./main", "main/", "./HEAD", "/nowhere", ".", ".."] {
        drop(trap.plan("tree", name).exits(if name.starts_with("..") || name == "." {
            0
        } else {
            1
        }));
    }
    for name in
        ["", " ", "-x", "--all", "^HEAD", "HEAD..main", "HEAD HEAD", "HEAD\nmain", "main\u{0}"]
    {
        let mut command = trap.command("tree", &["plan", "spec"]);
        if name.contains('\0') {
            continue;
        }
        let ran = Ran::from(command.arg(format!("--base={name}")).output().unwrap()).exits(1);
        assert!(
            ran.stderr.contains("--base") || ran.stderr.contains("revision"),
            "{name:?}: {ran:?}"
        );
    }
}

/// A tag with the name of a branch would take precedence over the branch.
#[test]
fn a_name_of_two_things_is_refused() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.git("tree", &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    trap.git("tree", &["commit", "-qam", "forged"]);
    trap.git("tree", &["update-ref", "refs/heads/main", &commit]);
    trap.git("tree", &["checkout", "-q", "--detach", "main"]);
    trap.file("tree/spec/zone.yaml", NOW);
    for (name, full) in [("main", "refs/heads/main"), ("origin/main", "refs/remotes/origin/main")] {
        is_of(trap.plan("tree", name), &commit);
        trap.git("tree", &["update-ref", &format!("refs/tags/{name}"), "main@{1}"]);
        trap.git("tree", &["config", "core.warnAmbiguousRefs", "false"]);
        for name in [name.to_owned(), format!("{name}~0"), format!("{name}^{{commit}}")] {
            let ran = trap.plan("tree", &name).exits(1);
            assert!(ran.stderr.contains("more than one"), "{name}: {ran:?}");
        }
        is_of(trap.plan("tree", full), &commit);
    }
}

/// The last commit is read with the same precautions as a base that is named: it is the base, or
/// one line says why it is not.
#[test]
fn the_last_commit_is_a_base_like_any_other() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    is_of(trap.default_plan("tree"), &commit);
    #[track_caller]
    fn is_refused(ran: Ran, reason: &str) {
        let line = ran.stderr.lines().find(|line| line.starts_with("Planned without a base: "));
        assert!(line.is_some_and(|line| line.contains(reason)), "{ran:?}");
        assert!(base(ran).0.is_null());
    }
    // Names that could be taken for the last commit: a path, a replacement, a bare repository.
    trap.file("tree/HEAD", "ref: refs/heads/other\n");
    trap.file("tree/HEAD^0/zone.yaml", NOW);
    is_of(trap.default_plan("tree"), &commit);
    fs::remove_file(trap.at("tree/HEAD")).unwrap();
    trap.git("tree", &["stash", "-q"]);
    trap.file("tree/spec/zone.yaml", "version: 1\nzones: { other.example: { records: [] } }\n");
    trap.git("tree", &["commit", "-qam", "forged"]);
    let forged = trap.git("tree", &["rev-parse", "HEAD"]);
    trap.git("tree", &["reset", "-q", "--hard", &commit]);
    trap.git("tree", &["replace", &commit, &forged]);
    trap.file("tree/spec/zone.yaml", NOW);
    is_of(trap.default_plan("tree"), &commit);
    trap.git("tree", &["replace", "-d", &commit]);
    for url in urls(&trap) {
        trap.bare("tree/spec", &url);
        is_of(trap.default_plan("tree"), &commit);
        for name in ["objects", "refs"] {
            fs::remove_dir_all(trap.at("tree/spec").join(name)).unwrap();
        }
        for name in ["HEAD", "config"] {
            fs::remove_file(trap.at("tree/spec").join(name)).unwrap();
        }
    }
    // A tag or a branch with the name.
    trap.file("tree/.git/refs/heads/HEAD", &format!("{forged}\n"));
    is_refused(trap.default_plan("tree"), "names more than one thing");
    fs::remove_file(trap.at("tree/.git/refs/heads/HEAD")).unwrap();
    // A `.git` that is part of the tree, and one that leads nowhere.
    trap.file("own/spec/zone.yaml", NOW);
    trap.bare("own/evil", "ssh://127.0.0.1/x");
    trap.file("own/.git", "gitdir: evil\n");
    is_refused(trap.default_plan("own"), "part of a work tree");
    trap.file("own/.git", "gitdir: nowhere\n");
    is_refused(trap.default_plan("own"), "own/.git cannot be used");
    // A configuration that names commands, with attributes that ask for filters and diffs.
    trap.file("tree/.gitattributes", "* filter=evil diff=evil working-tree-encoding=UTF-16\n");
    trap.hooks("hooks");
    for url in urls(&trap) {
        trap.file("tree/.git/config", &trap.hostile_config(&url));
        is_of(trap.default_plan("tree"), &commit);
    }
    // An object that Git would fetch.
    let tree = "1".repeat(40);
    trap.file("tree/.git/refs/heads/main", &format!("{tree}\n"));
    let ran = trap.default_plan("tree");
    assert!(ran.stderr.contains("Planned without a base: "), "{ran:?}");
}
