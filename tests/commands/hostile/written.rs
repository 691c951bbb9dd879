//! Files are written to special files and through links that the user named, and nowhere else.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::workspace::{Ran, Workspace, binary, options_on};

/// Each command that writes a file, up to the name of that file.
const WRITERS: [&[&str]; 4] = [
    &["plan", "spec.yaml", "--out"],
    &["snapshot", "spec.yaml", "--out"],
    &["drift", "spec.yaml", "--metrics"],
    &["waf", "rules", "--lock", "spec.yaml", "--lock-file"],
];

fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 } }, records: [{ name: a, type: A, content: 192.0.2.1 }] } }\n",
    );
    workspace
}

/// Runs such a command on a name; exit codes 0 and 2 (drift) are accepted.
fn writes(workspace: &Workspace, writer: &[&str], name: &str) -> Ran {
    let ran = workspace.run(&[writer, &[name]].concat());
    assert!(matches!(ran.code, Some(0 | 2)), "{writer:?} {name}: {ran:?}");
    ran
}

/// Makes a FIFO.
fn fifo(workspace: &Workspace, name: &str) {
    assert!(Command::new("mkfifo").arg(workspace.path().join(name)).status().unwrap().success());
}

/// A reader of a FIFO, which ends with the test.
struct Reading(Child);

impl Reading {
    fn of(path: &Path) -> Self {
        Self(Command::new("cat").arg(path).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Returns all that was written, after the writer has gone.
    fn text(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.0.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A pipe without a reader is refused; without that, the command would wait without end.
#[test]
fn a_pipe_that_nobody_reads_and_a_missing_directory_are_refused() {
    let workspace = workspace();
    fifo(&workspace, "fifo");
    for (name, words) in [
        ("fifo", "no program reads from it"),
        ("no/such/plan.json", "there is no directory no/such"),
    ] {
        let ran = workspace.run(&["plan", "spec.yaml", "--out", name]).exits(1);
        assert!(ran.stderr.contains(words), "{name}: {ran:?}");
    }
}

/// Special files are reached through links, so that a bug replaces the link and not a file that the
/// machine needs.
#[test]
fn what_is_no_regular_file_is_written_into() {
    for writer in WRITERS {
        let workspace = workspace();
        let at = |name: &str| workspace.path().join(name);
        fifo(&workspace, "fifo");
        let mut reading = Reading::of(&at("fifo"));
        writes(&workspace, writer, "fifo");
        assert!(fs::symlink_metadata(at("fifo")).unwrap().file_type().is_fifo(), "{writer:?}");
        assert!(reading.text().len() > 100, "{writer:?}");
        symlink("/dev/null", at("null")).unwrap();
        writes(&workspace, writer, "null");
        assert!(at("null").is_symlink(), "{writer:?}");
        // A write that fails is reported.
        symlink("/dev/full", at("full")).unwrap();
        let ran = workspace.run(&[writer, &["full"]].concat()).exits(1);
        assert!(ran.stderr.contains("No space left"), "{writer:?}: {ran:?}");
        assert!(at("full").is_symlink(), "{writer:?}");
    }
}

#[test]
fn descriptors_are_written_where_they_are() {
    for (name, from) in
        [("/proc/self/fd/1", ">>all"), ("/dev/fd/2", "2>>all"), ("/dev/fd/7", "7>>all")]
    {
        let workspace = workspace();
        workspace.file("all", "what is there\n");
        let script = format!("exec \"$0\" plan spec.yaml --out {name} {from}");
        let command = workspace.command();
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).arg(command.get_program()).current_dir(workspace.path());
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ran = Ran::from(shell.output().unwrap()).exits(0);
        let all = fs::read_to_string(workspace.path().join("all")).unwrap();
        assert!(all.starts_with("what is there\n"), "{name}: {all}");
        assert!(all.contains("\"checksum\""), "{name}: {all}");
        assert!(format!("{all}{}", ran.stdout).contains("Plan: 2 to create"), "{name}: {all}");
    }
}

#[test]
fn links_that_were_named_are_followed() {
    for writer in WRITERS {
        let workspace = workspace();
        let at = |name: &str| workspace.path().join(name);
        workspace.file("below/file", "old");
        symlink("below/file", at("link")).unwrap();
        symlink("link", at("to-link")).unwrap();
        symlink("below/new", at("dangling")).unwrap();
        let outside = tempfile::tempdir().unwrap();
        let precious = outside.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        symlink(&precious, at("out")).unwrap();
        symlink(outside.path(), at("directory")).unwrap();
        writes(&workspace, writer, "to-link");
        writes(&workspace, writer, "dangling");
        assert!(
            ["link", "to-link", "dangling"].into_iter().all(|name| at(name).is_symlink()),
            "{writer:?}"
        );
        for name in ["below/file", "below/new"] {
            assert!(fs::metadata(at(name)).unwrap().len() > 100, "{writer:?}: {name}");
        }
        if writer[0] == "plan" {
            assert_eq!(fs::metadata(at("below/file")).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // A link in the tree does not lead out of it.
        for name in
            ["out", "below/../out", "directory/precious", "directory/new", "below/../directory/new"]
        {
            let ran = workspace.run(&[writer, &[name]].concat()).exits(1);
            assert!(
                ran.stderr.contains("leads out of the current directory"),
                "{writer:?} {name}: {ran:?}"
            );
            let real = outside.path().canonicalize().unwrap();
            assert!(
                ran.stderr.contains(&format!("name {}/", real.display())),
                "{writer:?} {name}: {ran:?}"
            );
        }
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        // A path on the command line is intended.
        writes(&workspace, writer, at("out").to_str().unwrap());
        assert!(
            at("out").is_symlink()
                && fs::read_to_string(&precious).map_or(true, |text| text != "precious")
        );
    }
}

/// A file that the user did not name is replaced, not written through.
#[test]
fn the_usual_snapshot_is_not_written_through_a_link() {
    let workspace = workspace();
    let outside = tempfile::NamedTempFile::new().unwrap();
    let usual = workspace.path().join("zonewright.snapshot.json.gz");
    symlink(outside.path(), &usual).unwrap();
    workspace.run(&["snapshot", "spec.yaml"]).exits(0);
    assert_eq!(fs::metadata(outside.path()).unwrap().len(), 0);
    assert!(fs::symlink_metadata(&usual).unwrap().is_file());
}

/// A spec may come through a pipe, which can only be read once.
#[test]
fn a_spec_is_read_from_a_fifo_once() {
    let workspace = workspace();
    fifo(&workspace, "fifo");
    let script = "cat spec.yaml >fifo & exec \"$0\" apply fifo --yes";
    let command = workspace.command();
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(command.get_program()).current_dir(workspace.path());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Ran::from(shell.stdin(Stdio::null()).output().unwrap()).exits(0);
    assert_eq!(workspace.records("example.com").len(), 1);
}

/// Returns the files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(directory).into_iter().map(Result::unwrap);
    entries
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| entry.path().to_owned())
        .collect()
}

/// Returns the binary, connected to the sandbox of the test unless it needs its own.
fn binary_for(workspace: &Workspace, arguments: &[&str]) -> Command {
    let is_sandbox = arguments.iter().any(|argument| argument.ends_with("sandbox"));
    if is_sandbox { binary(workspace.path()) } else { workspace.command() }
}

/// A tree from someone else does not decide where journals, caches and the sandbox are.
#[test]
fn own_directories_lead_out_of_no_tree() {
    let journal: &[&[&str]] = &[&["apply", "spec.yaml", "--yes"], &["plan", "spec.yaml"]];
    let sandbox: &[&[&str]] = &[
        &["plan", "spec.yaml", "--sandbox"],
        &["sandbox", "dump"],
        &["sandbox", "seed", "--reset"],
    ];
    for (link, commands) in [
        (".zonewright", [journal, sandbox].concat()),
        (".zonewright/journal", journal.to_vec()),
        (".zonewright/cache", journal.to_vec()),
        (".zonewright/sandbox", sandbox.to_vec()),
    ] {
        for dangling in [false, true] {
            let workspace = workspace();
            let outside = tempfile::tempdir().unwrap();
            for name in ["journal", "cache", "sandbox"] {
                fs::create_dir(outside.path().join(name)).unwrap();
            }
            let place = workspace.path().join(link);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            symlink(outside.path().join(if dangling { "new" } else { "" }), &place).unwrap();
            for arguments in &commands {
                let ran: Ran =
                    binary_for(&workspace, arguments).args(*arguments).output().unwrap().into();
                let ran = ran.exits(1);
                assert!(
                    ran.stderr.contains("leads out of the current directory"),
                    "{link} {arguments:?}: {ran:?}"
                );
            }
            assert_eq!(files(outside.path()), [] as [PathBuf; 0], "{link}");
            assert!(!outside.path().join("new").exists());
            assert!(workspace.writes().is_empty());
            // A directory on the command line is intended.
            let own = |name: &str| outside.path().join(name).display().to_string();
            let (journal, cache) = (own("journal"), own("cache"));
            workspace
                .run(&["apply", "spec.yaml", "--yes", "--journal", &journal, "--cache", &cache])
                .exits(0);
        }
    }
    // A link within the tree is followed.
    let workspace = workspace();
    fs::create_dir(workspace.path().join("state")).unwrap();
    symlink("state", workspace.path().join(".zonewright")).unwrap();
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(workspace.path().join("state/journal").is_dir());
}

/// The sandbox does not write a database through a link.
#[test]
fn a_link_is_no_database_of_the_sandbox() {
    let directory = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::create_dir_all(directory.path().join(".zonewright/sandbox")).unwrap();
    symlink(outside.path(), directory.path().join(".zonewright/sandbox/sandbox.sqlite")).unwrap();
    let ran =
        Ran::from(binary(directory.path()).args(["sandbox", "dump"]).output().unwrap()).exits(1);
    assert!(ran.stderr.contains("is a link"), "{ran:?}");
    assert_eq!(fs::metadata(outside.path()).unwrap().len(), 0);
}

/// Cached managed rulesets are only read from regular files, which have an end.
#[test]
fn a_cache_that_never_ends_is_not_read() {
    let workspace = workspace();
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    let kept = files(&workspace.path().join(".zonewright/cache"));
    assert!(!kept.is_empty());
    for file in &kept {
        fs::remove_file(file).unwrap();
        symlink("/dev/zero", file).unwrap();
    }
    workspace.run(&["plan", "spec.yaml"]).exits(0);
    assert!(
        kept.iter().all(|file| fs::symlink_metadata(file).unwrap().is_file()),
        "they are replaced"
    );
}

#[test]
fn files_with_secrets_are_bounded_and_their_readers_told() {
    let workspace = workspace();
    let token = zonewright::sandbox::TOKEN;
    let with = |path: &str| -> Ran {
        let mut command = workspace.command();
        command.env_remove("CLOUDFLARE_API_TOKEN").env("CLOUDFLARE_API_TOKEN_FILE", path);
        command.args(["plan", "spec.yaml", "--format", "json"]).output().unwrap().into()
    };
    let file = workspace.file("token", format!("{token}\n"));
    for (mode, words) in [
        (0o600, None),
        (0o400, None),
        // As secrets are mounted into a container.
        (0o440, None),
        (0o644, Some("can be read by other users (mode 0644)")),
        (0o660, Some("can be written by other users (mode 0660)")),
        (0o602, Some("can be written by other users (mode 0602)")),
    ] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let ran = with("token").exits(0);
        match words {
            Some(words) => assert_eq!(ran.stderr.matches(words).count(), 1, "{mode:o}: {ran:?}"),
            None => assert!(!ran.stderr.contains("other users"), "{mode:o}: {ran:?}"),
        }
        assert!(!ran.stderr.contains(token) && serde_json::from_str::<Value>(&ran.stdout).is_ok());
    }
    workspace.file("large", "x".repeat(70_000));
    for endless in ["large", "/dev/zero"] {
        let ran = with(endless).exits(1);
        assert!(ran.stderr.contains("more than 65536 bytes"), "{endless}: {ran:?}");
    }
    // A pipe, as of `<(pass show token)`.
    fifo(&workspace, "pipe");
    let mut writer = Command::new("sh")
        .args(["-c", "cat token >pipe"])
        .current_dir(workspace.path())
        .spawn()
        .unwrap();
    let ran = with("pipe").exits(0);
    writer.wait().unwrap();
    assert!(!ran.stderr.contains("other users"), "{ran:?}");
}

/// Files in a directory of the command line stay in the tree, unless the path itself leads out of
/// it.
#[test]
fn directories_that_were_named_lead_out_of_no_tree() {
    let workspace = workspace();
    workspace.file("e.com.zone", "$ORIGIN e.com.\n@ 300 IN A 192.0.2.1\n");
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), workspace.path().join("link")).unwrap();
    symlink(outside.path().join("new"), workspace.path().join("dangling")).unwrap();
    fs::create_dir(workspace.path().join("within")).unwrap();
    symlink("within", workspace.path().join("inner")).unwrap();
    let writers: [&[&str]; 4] = [
        &["import", "./e.com.zone", "--offline", "--out"],
        &["export", "spec.yaml", "--to", "bind", "--out"],
        &["man", "--dir"],
        &["apply", "spec.yaml", "--yes", "--journal"],
    ];
    for (number, writer) in writers.iter().enumerate() {
        for name in
            ["link", "link/below", "./link/below", "within/../link", "dangling", "dangling/below"]
        {
            let ran = workspace.run(&[writer, &[name][..]].concat()).exits(1);
            assert!(
                ran.stderr.contains("leads out of the current directory"),
                "{writer:?} {name}: {ran:?}"
            );
        }
        assert_eq!(files(outside.path()), [] as [PathBuf; 0], "{writer:?}");
        assert!(!outside.path().join("new").exists(), "{writer:?}");
        // A link within the tree is followed, and a path that leads out by itself is intended.
        for name in [
            format!("inner/{number}"),
            outside.path().join(format!("own-{number}")).display().to_string(),
        ] {
            workspace.run(&[writer, &[name.as_str()][..]].concat()).exits(0);
            let is_written = !files(&workspace.path().join(&name)).is_empty();
            // A second apply has nothing to do.
            assert!(is_written || writer[0] == "apply", "{writer:?} {name}");
        }
        let _ = fs::remove_dir_all(outside.path().join(format!("own-{number}")));
    }
    workspace.file("file", "");
    assert!(Command::new("mkfifo").arg(workspace.path().join("pipe")).status().unwrap().success());
    for writer in writers {
        for name in ["file", "pipe"] {
            let ran = workspace.run(&[writer, &[name][..]].concat()).exits(1);
            let words = format!("{name} is not a directory; name one with");
            assert!(ran.stderr.contains(&words), "{writer:?} {name}: {ran:?}");
        }
    }
}
