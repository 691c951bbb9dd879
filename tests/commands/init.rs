//! `init`: from an empty directory to a plan, with and without credentials.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::workspace::{Ran, Workspace, binary, options};

/// Returns a run without credentials.
fn alone(directory: &Path, arguments: &[&str]) -> Ran {
    binary(directory).args(arguments).output().unwrap().into()
}

/// Returns all files below a directory, without the program's own.
fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(directory.join(&path)).unwrap() {
            let path = path.join(entry.unwrap().file_name());
            match directory.join(&path).is_dir() {
                true if path.ends_with(".zonewright") || path.ends_with(".git") => {}
                true => open.push(path),
                false => found.push(path.to_string_lossy().replace('\\', "/")),
            }
        }
    }
    found.sort();
    found
}

const BESIDE: [&str; 3] = [".gitignore", ".zonewright-policy.yaml", "zonewright.schema.json"];

#[test]
fn without_credentials_an_example_is_written_that_can_be_planned() {
    let directory = tempfile::TempDir::new().unwrap();
    let run = |arguments: &[&str]| alone(directory.path(), arguments);
    let ran = run(&["init"]).exits(0);
    assert!(
        ran.stderr.contains("no credentials")
            && ran.stdout.contains("wrote  zones/example.com.yaml"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("  zonewright plan --sandbox\n"), "{ran:?}");
    assert_eq!(
        files(directory.path()),
        [&BESIDE[..2], &["zones/example.com.yaml", BESIDE[2]]].concat()
    );
    assert_eq!(run(&["validate"]).exits(0).stdout.lines().count(), 1);
    run(&["fmt", "--check"]).exits(0);
    run(&["test"]).exits(0);
    let plan = run(&["plan", "--sandbox"]).exits(0).stdout;
    assert!(plan.contains("Plan: 7 to create"), "{plan}");
    run(&["apply", "--sandbox", "--yes"]).exits(0);
    run(&["plan", "--sandbox", "--detailed-exitcode"]).exits(0);
    // Lines that are commented out are valid.
    let path = directory.path().join("zones/example.com.yaml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("# yaml-language-server: $schema=../zonewright.schema.json\n"),
        "{text}"
    );
    let (head, tail) = text.split_once("    # settings:").unwrap();
    let tail = format!("    # settings:{tail}").replace("    # ", "    ");
    let (settings, waf) = tail.split_once("    Protection, in zones on a paid plan:\n").unwrap();
    fs::write(&path, format!("{head}{settings}{waf}")).unwrap();
    run(&["validate"]).exits(0);
    // Existing files are not overwritten, and are named.
    let before: Vec<_> = files(directory.path())
        .iter()
        .map(|f| fs::read(directory.path().join(f)).unwrap())
        .collect();
    let document = run(&["init", "--format", "json"]).exits(0).json();
    assert_eq!(document["written"], json!([]));
    assert_eq!(document["existing"], json!(["zones", BESIDE[2], BESIDE[1], BESIDE[0]]));
    let after: Vec<_> = files(directory.path())
        .iter()
        .map(|f| fs::read(directory.path().join(f)).unwrap())
        .collect();
    assert_eq!(before, after);
}

#[test]
fn the_example_has_the_name_that_is_given() {
    let directory = tempfile::TempDir::new().unwrap();
    alone(directory.path(), &["init", "--zone", "bücher.example"]).exits(0);
    let plan = alone(directory.path(), &["plan", "--sandbox"]).exits(0).stdout;
    assert!(plan.contains("xn--bcher-kva.example"), "{plan}");
    for arguments in [
        &["init", "--all"][..],
        &["init", "--zone", "*.example"],
        &["init", "--zone", "a.b", "--zone", "c.d"],
    ] {
        let empty = tempfile::TempDir::new().unwrap();
        let ran = alone(empty.path(), arguments).exits(1);
        assert!(ran.stderr.contains("no credentials") && files(empty.path()).is_empty(), "{ran:?}");
    }
    let empty = tempfile::TempDir::new().unwrap();
    for name in ["com", "lan"] {
        let ran = alone(empty.path(), &["init", "--zone", name]).exits(64);
        let words = format!("needs a domain of two labels or more, and --zone {name} has one");
        assert!(ran.stderr.contains(&words) && files(empty.path()).is_empty(), "{ran:?}");
    }
    let ran = alone(directory.path(), &["init", "--all", "--zone", "a.example"]).exits(64);
    assert!(ran.stderr.contains("--all means every zone"), "{}", ran.stderr);
}

#[test]
fn with_credentials_the_chosen_zones_are_imported() {
    let workspace = Workspace::new(options());
    workspace.plant(&json!({ "zones": [
        { "name": "example.net", "records": [{ "type": "A", "name": "www.example.net", "content": "192.0.2.1" }] },
        { "name": "shop.example", "records": [] },
    ] }));
    // Without a terminal, the program makes no choice for the user.
    let ran = workspace.run(&["init"]).exits(64);
    assert!(
        ran.stderr.contains("example.net") && ran.stderr.contains("--zone NAME, or --all"),
        "{}",
        ran.stderr
    );
    let ran = workspace.run(&["init", "--zone", "absent.example"]).exits(1);
    let words = "these credentials can see no zone that matches --zone absent.example; they see example.com, shop.example, \
                 example.net. Nothing was written";
    assert!(ran.stderr.contains(words) && !ran.stderr.contains("spec"), "{}", ran.stderr);
    assert!(files(workspace.path()).is_empty(), "nothing is written until zones are chosen");
    let ran = workspace.run(&["init", "--zone", "example.*", "--pipeline", "none"]).exits(0);
    assert!(ran.stdout.starts_with("Imported 2 zones."), "{}", ran.stdout);
    let found = files(workspace.path());
    assert!(found.contains(&"zones/example.net.yaml".to_owned()), "{found:?}");
    assert!(!found.iter().any(|f| f.contains("shop.example") || f.starts_with("ci/")), "{found:?}");
    let text = fs::read_to_string(workspace.path().join("zones/example.net.yaml")).unwrap();
    assert!(
        text.starts_with("# yaml-language-server: $schema=../zonewright.schema.json\nversion: 1\n"),
        "{text}"
    );
    workspace.run(&["plan", "--detailed-exitcode"]).exits(0);
    // All of them, in another directory.
    let other = tempfile::TempDir::new().unwrap();
    let mut command = workspace.command();
    let output = command
        .current_dir(other.path())
        .args(["init", "--all", "--format", "json"])
        .output()
        .unwrap();
    let document = Ran::from(output).exits(0).json();
    assert_eq!(document["imported"], json!(["example.com", "shop.example", "example.net"]));
    // A zone name is never used as a path, neither to read a source nor to write a file elsewhere.
    workspace.plant(&json!({ "zones": [{ "name": "0/25.2.0.192.in-addr.arpa", "records": [] }] }));
    let reverse = tempfile::TempDir::new().unwrap();
    let mut command = workspace.command();
    let output =
        command.current_dir(reverse.path()).args(["init", "--zone", "0/25.*"]).output().unwrap();
    Ran::from(output).exits(0);
    let found = files(reverse.path());
    assert!(found.contains(&"zones/0%2F25.2.0.192.in-addr.arpa.yaml".to_owned()), "{found:?}");
    assert!(workspace.writes().is_empty());
}

#[test]
fn half_of_the_credentials_is_an_error_and_no_example() {
    let directory = tempfile::TempDir::new().unwrap();
    let output = binary(directory.path())
        .env("CLOUDFLARE_EMAIL", "ops@example.com")
        .arg("init")
        .output()
        .unwrap();
    let ran = Ran::from(output).exits(1);
    assert!(
        ran.stderr.contains("CLOUDFLARE_API_KEY") && files(directory.path()).is_empty(),
        "{ran:?}"
    );
}

#[test]
fn the_pipeline_is_that_of_the_host() {
    let has = |directory: &Path| {
        let found = files(directory);
        (
            found.iter().any(|f| f == ".github/workflows/plan.yml"),
            found.iter().any(|f| f == ".gitlab-ci.yml"),
        )
    };
    let run = |setup: &dyn Fn(&Path), arguments: &[&str]| {
        let directory = tempfile::TempDir::new().unwrap();
        setup(directory.path());
        alone(directory.path(), &[&["init"], arguments].concat()).exits(0);
        directory
    };
    let remote = |url: &'static str| {
        move |directory: &Path| {
            fs::create_dir(directory.join(".git")).unwrap();
            fs::write(
                directory.join(".git/config"),
                format!("[remote \"origin\"]\n\turl = {url}\n"),
            )
            .unwrap();
        }
    };
    assert_eq!(has(run(&|_| {}, &[]).path()), (false, false));
    assert_eq!(has(run(&remote("git@github.com:team/dns.git"), &[]).path()), (true, false));
    assert_eq!(
        has(run(&remote("https://gitlab.example.com/team/dns.git"), &[]).path()),
        (false, true)
    );
    assert_eq!(
        has(run(&remote("git@github.com:team/dns.git"), &["--pipeline", "none"]).path()),
        (false, false)
    );
    assert_eq!(
        has(run(&remote("git@github.com:team/dns.git"), &["--pipeline", "gitlab"]).path()),
        (false, true)
    );
    let directories = |directory: &Path| fs::create_dir(directory.join(".github")).unwrap();
    assert_eq!(has(run(&directories, &[]).path()), (true, false));
    // From a directory below, and from a worktree, whose `.git` is a file that leads to the
    // repository.
    let top = tempfile::TempDir::new().unwrap();
    remote("git@github.com:team/infrastructure.git")(top.path());
    let below = top.path().join("teams/dns");
    fs::create_dir_all(&below).unwrap();
    let ran = alone(&below, &["init"]).exits(0);
    assert_eq!(has(&below), (true, false));
    assert!(
        ran.stdout.contains("move the files of the pipeline to the top of the repository"),
        "{}",
        ran.stdout
    );
    // Existing files were handled earlier.
    let ran = alone(&below, &["init"]).exits(0);
    assert!(
        !ran.stdout.contains("move the files") && !ran.stdout.contains("before the pipeline runs"),
        "{ran:?}"
    );
    fs::remove_file(below.join("ci/zonewright/plan.sh")).unwrap();
    let ran = alone(&below, &["init"]).exits(0);
    assert!(ran.stdout.contains("move the files"), "{}", ran.stdout);
    let worktree = tempfile::TempDir::new().unwrap();
    let own = top.path().join(".git/worktrees/w");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(worktree.path().join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    let ran = alone(worktree.path(), &["init"]).exits(0);
    assert_eq!(has(worktree.path()), (true, false));
    assert!(!ran.stdout.contains("move the files"), "{}", ran.stdout);
    // A `.git` file that leads nowhere.
    for text in ["gitdir: /nowhere\n", "gitdir:\n", "", "nonsense", "gitdir: .git\n"] {
        let odd = move |directory: &Path| fs::write(directory.join(".git"), text).unwrap();
        assert_eq!(has(run(&odd, &[]).path()), (false, false), "{text}");
    }
    // Not a text, and not a file.
    let odd = |directory: &Path| {
        fs::create_dir(directory.join(".git")).unwrap();
        fs::write(directory.join(".git/config"), [0xff, 0xfe, b'\n'].repeat(1000)).unwrap();
    };
    assert_eq!(has(run(&odd, &[]).path()), (false, false));
    let odder = |directory: &Path| fs::create_dir_all(directory.join(".git/config")).unwrap();
    assert_eq!(has(run(&odder, &[]).path()), (false, false));
    // Each script that a pipeline runs is written, and is the one from the examples.
    for host in ["github", "gitlab"] {
        let directory = run(&|_| {}, &["--pipeline", host]);
        let found = files(directory.path());
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pipelines");
        for file in found.iter().filter(|f| f.starts_with("ci/") || f.ends_with(".yml")) {
            let text = fs::read_to_string(directory.path().join(file)).unwrap();
            for word in text.split(|c: char| c.is_whitespace() || "\"'`();".contains(c)) {
                if word.starts_with("ci/zonewright/") && word.ends_with(".sh") {
                    assert!(found.contains(&word.to_owned()), "{file} runs {word}");
                }
            }
            let name = Path::new(file).file_name().unwrap();
            let origin = ["scripts", host].map(|below| examples.join(below).join(name));
            let origin = origin.into_iter().find(|path| path.exists()).unwrap();
            assert_eq!(text, fs::read_to_string(origin).unwrap());
        }
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let (directory, other) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
    symlink(other.path(), directory.path().join("ci")).unwrap();
    symlink("nowhere", directory.path().join(".gitignore")).unwrap();
    let ran = alone(directory.path(), &["init", "--pipeline", "github"]).exits(1);
    assert!(ran.stderr.contains("ci is a link that leads out"), "{}", ran.stderr);
    // Files that were written before the error are named.
    let written = "written before the error, and kept: zones/example.com.yaml, zonewright.schema.json, \
                   .zonewright-policy.yaml";
    assert!(ran.stderr.contains(written), "{}", ran.stderr);
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    assert!(!directory.path().join("nowhere").exists());
    // A link at the path of the spec counts as an existing file.
    let third = tempfile::TempDir::new().unwrap();
    symlink(other.path(), third.path().join("zones")).unwrap();
    alone(third.path(), &["init"]).exits(0);
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
}

/// An empty sandbox gets the example, which can be planned and applied there.
#[test]
fn an_empty_sandbox_is_no_dead_end() {
    let directory = tempfile::TempDir::new().unwrap();
    let run = |arguments: &[&str]| alone(directory.path(), arguments);
    let ran = run(&["init", "--sandbox", "--zone", "shop.example"]).exits(0);
    assert!(
        ran.stderr.contains("The sandbox has no zone: writing an example")
            && ran.stdout.contains("wrote  zones/shop.example.yaml")
            && ran.stdout.contains("  zonewright plan --sandbox\n"),
        "{ran:?}"
    );
    run(&["apply", "--sandbox", "--yes"]).exits(0);
    // A sandbox with a zone is imported from.
    fs::remove_dir_all(directory.path().join("zones")).unwrap();
    let ran = run(&["init", "--sandbox", "--all"]).exits(0);
    assert!(ran.stdout.contains("Imported 1 zone."), "{ran:?}");
    let empty = tempfile::TempDir::new().unwrap();
    let ran = alone(empty.path(), &["init", "--sandbox", "--all"]).exits(1);
    assert!(ran.stderr.contains("no zone"), "{ran:?}");
}
