//! Things that a run must not reach: other hosts, files of other users, files outside of the tree.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::listener::{Listener, Response};
use crate::support::workspace::{Ran, Workspace, binary, options, options_on};
use zonewright::sandbox::{self, Fault, What, When};

/// A record to make.
const SPEC: &str = "      - { name: www, type: A, content: 192.0.2.1 }";

/// Returns true if the output of a run contains a secret.
fn leaks(ran: &Ran) -> bool {
    [sandbox::TOKEN, "hush"]
        .iter()
        .any(|secret| ran.stdout.contains(secret) || ran.stderr.contains(secret))
}

#[test]
fn a_redirection_is_followed_nowhere_and_takes_no_credentials_along() {
    for code in [301, 302, 303, 307, 308] {
        for method in ["GET", "POST"] {
            let workspace = Workspace::new(options());
            workspace.records_spec(SPEC);
            let elsewhere = Listener::start(vec![Response::Status(200); 8]);
            let to = elsewhere.url("/client/v4/zones?hush=1");
            let when = When::Matching {
                method: Some(method.to_owned()),
                path_suffix: String::new(),
                nth: 1,
            };
            workspace.fault(Fault { when, what: What::Redirect { code, to }, times: 1_000 });
            let mut command = workspace.command();
            command
                .env("CLOUDFLARE_EMAIL", "a@example.com")
                .env("CLOUDFLARE_API_KEY", "hush0123456789abcdefhush0123456789abc");
            let ran: Ran = command
                .args(["apply", "spec.yaml", "--yes", "--key-fallback", "-vvv"])
                .output()
                .unwrap()
                .into();
            // "See other" follows a write that was carried out, so its result is unknown.
            let exit = if (code, method) == (303, "POST") { 5 } else { 1 };
            assert_eq!(ran.code, Some(exit), "{code} {method}: {ran:?}");
            assert!(elsewhere.requests().is_empty(), "{code} {method}: {:?}", elsewhere.requests());
            assert!(
                ran.stderr.contains("redirected") && ran.stderr.contains("never followed"),
                "{}",
                ran.stderr
            );
            assert!(!leaks(&ran), "{code} {method}: {ran:?}");
            assert!(workspace.records("example.com").is_empty());
        }
    }
}

/// Plain HTTP is only used for this machine, and never through a proxy, which would be another
/// machine.
#[test]
fn a_proxy_does_not_get_what_is_sent_to_this_machine() {
    let workspace = Workspace::new(options());
    workspace.records_spec(SPEC);
    let proxy = Listener::start(vec![Response::Status(200); 8]);
    let mut command = workspace.command();
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"] {
        command.env(name, proxy.url("/"));
    }
    let ran: Ran = command.args(["apply", "spec.yaml", "--yes"]).output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(proxy.requests().is_empty());
}

#[test]
fn credentials_go_to_no_address_that_others_can_read() {
    let workspace = Workspace::new(options());
    workspace.records_spec(SPEC);
    let machine = Listener::start(vec![Response::Status(200); 8]);
    let port = machine.url("").rsplit(':').next().unwrap().to_owned();
    for (url, words) in [
        ("http://api.example.com/client/v4".to_owned(), "must use https://"),
        ("http://localhost.example.com/".to_owned(), "must use https://"),
        ("http://127.0.0.1.example.com/".to_owned(), "must use https://"),
        ("http://192.0.2.1/".to_owned(), "must use https://"),
        ("http://[2001:db8::1]/".to_owned(), "must use https://"),
        ("http://0.0.0.0/".to_owned(), "must use https://"),
        ("HTTP:\\\\api.example.com\\".to_owned(), "must use https://"),
        (format!("http://127.0.0.1:{port}@api.example.com/"), "user name or a password"),
        (format!("http://hush@127.0.0.1:{port}/"), "user name or a password"),
        (format!("http://a:hush@127.0.0.1:{port}/"), "user name or a password"),
        ("https://a:hush@api.example.com/".to_owned(), "user name or a password"),
        ("https://:hush@api.example.com/".to_owned(), "user name or a password"),
        (format!("http://127.0.0.1:{port}/?key=hush"), "a query or a fragment"),
        (format!("http://127.0.0.1:{port}/#hush"), "a query or a fragment"),
        ("ftp://127.0.0.1/".to_owned(), "must use https://"),
        ("file:///etc/passwd".to_owned(), "must use https://"),
        ("api.example.com".to_owned(), "not an absolute URL"),
    ] {
        let by_flag: Ran =
            workspace.run(&["apply", "spec.yaml", "--yes", "-vvv", "--base-url", &url]);
        let mut command = workspace.command();
        command.env("CLOUDFLARE_BASE_URL", &url).args(["apply", "spec.yaml", "--yes", "-vvv"]);
        let by_variable: Ran = command.output().unwrap().into();
        for ran in [by_flag, by_variable] {
            assert_eq!(ran.code, Some(1), "{url}: {ran:?}");
            assert!(ran.stderr.contains(words), "{url}: {}", ran.stderr);
            assert!(!leaks(&ran), "{url}: {ran:?}");
        }
    }
    assert!(machine.requests().is_empty(), "{:?}", machine.requests());
    assert!(workspace.requests().is_empty());
}

/// Runs the binary with its own umask.
#[cfg(unix)]
#[track_caller]
fn masked(workspace: &Workspace, mask: &str, arguments: &[&str]) {
    let known = workspace.command();
    let mut command = std::process::Command::new("sh");
    command.current_dir(workspace.path()).env_clear().stdin(std::process::Stdio::null());
    command.envs(known.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
        .arg("-c")
        .arg(format!("umask {mask}; exec \"$0\" \"$@\""))
        .arg(known.get_program())
        .args(arguments);
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{mask} {arguments:?}: {ran:?}");
}

/// No other user may read the program's own files, whatever the umask of the process allows.
#[cfg(unix)]
#[test]
fn what_is_kept_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    for mask in ["000", "022", "077"] {
        let workspace = Workspace::new(options_on("business"));
        workspace.plant_records(
            json!([{ "type": "A", "name": "old.example.com", "content": "192.0.2.9" }]),
        );
        workspace.file("s.yaml", "version: 1\nzones:\n  example.com:\n    waf: { owasp: { paranoia: 2 } }\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }\n");
        let given: Vec<_> = walkdir::WalkDir::new(workspace.path())
            .into_iter()
            .map(|e| e.unwrap().path().to_owned())
            .collect();
        // An existing file that everyone can read does not pass its permissions on.
        let open = workspace.file("saved/open.json", "{}");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o666)).unwrap();
        masked(&workspace, mask, &["snapshot", "s.yaml", "--out", "saved/snap.gz"]);
        masked(&workspace, mask, &["plan", "s.yaml", "--out", "saved/new.json"]);
        masked(&workspace, mask, &["plan", "s.yaml", "--out", "saved/open.json"]);
        masked(&workspace, mask, &["apply", "saved/open.json", "--yes"]);
        masked(
            &workspace,
            mask,
            &[
                "apply",
                "s.yaml",
                "--yes",
                "--journal",
                "kept/deep/journal",
                "--cache",
                "kept/cache",
            ],
        );
        let (mut files, mut directories) = (0, 0);
        for entry in walkdir::WalkDir::new(workspace.path()).into_iter().map(Result::unwrap) {
            let ours =
                !given.iter().any(|path| path == entry.path()) && entry.file_name() != "saved";
            if !ours {
                continue;
            }
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let expected = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, expected, "umask {mask}: {} is {mode:o}", entry.path().display());
            if entry.file_type().is_dir() { directories += 1 } else { files += 1 }
        }
        // The files of the program: snapshot, two plans, journals, locks, rulesets, and
        // `.zonewright` with everything below it.
        assert!(
            files >= 8 && directories >= 7,
            "umask {mask}: {files} files, {directories} directories"
        );
    }
}

/// Returns a directory for a spec, beside one with private files.
fn beside() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("tree/zones")).unwrap();
    fs::create_dir_all(root.path().join("outside")).unwrap();
    let zone = "version: 1\nzones: { outside.example: { records: [{ name: hush, type: A, content: 192.0.2.66 }] } }\n";
    fs::write(root.path().join("outside/zone.yaml"), zone).unwrap();
    fs::write(root.path().join("outside/passwd"), "root:hush:0:0\n").unwrap();
    root
}

/// Runs `validate --print` there.
fn printed(root: &Path, arguments: &[&str]) -> Ran {
    binary(root).args(["validate", "--print"]).args(arguments).output().unwrap().into()
}

#[test]
fn an_include_stays_in_its_tree() {
    let root = beside();
    let outside = root.path().join("outside");
    let absolute = |name: &str| outside.join(name).display().to_string();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../../outside/zone.yaml", root.path().join("tree/zones/file.yaml")).unwrap();
        symlink("../../outside", root.path().join("tree/zones/directory")).unwrap();
        symlink(&outside, root.path().join("tree/absolute")).unwrap();
        symlink("absolute", root.path().join("tree/twice")).unwrap();
    }
    let mut includes = vec![
        "../outside/zone.yaml".to_owned(),
        "../outside/*.yaml".to_owned(),
        "../outside".to_owned(),
        "..".to_owned(),
        "zones/../../outside/zone.yaml".to_owned(),
        "./zones/.././../outside/zone.yaml".to_owned(),
        "../tree/../outside/zone.yaml".to_owned(),
        "../outside/passwd".to_owned(),
        "../*/zone.yaml".to_owned(),
        "**/../../outside/*".to_owned(),
        "/etc/passwd".to_owned(),
        "~/.ssh/id_rsa".to_owned(),
        absolute("zone.yaml"),
        absolute("passwd"),
        absolute("*"),
        absolute(""),
    ];
    if cfg!(unix) {
        let links = [
            "zones/file.yaml",
            "zones/*.yaml",
            "zones",
            "zones/directory/zone.yaml",
            "zones/directory",
            "zones/**/*.yaml",
            "zones/directory/passwd",
            "absolute/zone.yaml",
            "absolute/*",
            "twice/zone.yaml",
            "*/zone.yaml",
        ];
        includes.extend(links.map(str::to_owned));
    }
    for include in includes {
        let text = json!({ "version": 1, "include": [include], "zones": { "example.com": { "records": [] } } });
        fs::write(root.path().join("tree/root.yaml"), text.to_string()).unwrap();
        for spec in ["tree/root.yaml", "./outside/../tree/root.yaml"] {
            let ran = printed(root.path(), &[spec]);
            assert_eq!(ran.code, Some(1), "{include}: {ran:?}");
            assert!(
                !ran.stdout.contains("hush") && !ran.stderr.contains("hush"),
                "{include}: {ran:?}"
            );
            assert!(ran.stderr.contains("SPEC000"), "{include}: {}", ran.stderr);
        }
    }
    // Every file on the command line is read, and each has its own tree.
    fs::write(
        root.path().join("tree/root.yaml"),
        "version: 1\nzones: { example.com: { records: [] } }\n",
    )
    .unwrap();
    let ran = printed(root.path(), &["tree/root.yaml", "outside/zone.yaml"]).exits(0);
    assert!(ran.stdout.contains("outside.example"), "{ran:?}");
}

/// The previous spec is read under the same rules.
#[test]
fn the_previous_spec_stays_in_its_tree_too() {
    let root = beside();
    let run = |arguments: &[&str]| Ran::from(binary(root.path()).args(arguments).output().unwrap());
    fs::write(
        root.path().join("tree/now.yaml"),
        "version: 1\nzones: { example.com: { records: [] } }\n",
    )
    .unwrap();
    fs::create_dir(root.path().join("before")).unwrap();
    fs::write(
        root.path().join("before/root.yaml"),
        "version: 1\ninclude: [../outside/zone.yaml]\nzones: {}\n",
    )
    .unwrap();
    for arguments in [
        &["plan", "tree/now.yaml", "--base", "./before", "--sandbox"][..],
        &["diff", "before", "tree/now.yaml"],
        &["diff", "tree/now.yaml", "before/root.yaml"],
    ] {
        let ran = run(arguments).exits(1);
        assert!(ran.stderr.contains("leads out of the directory"), "{arguments:?}: {ran:?}");
        assert!(
            !ran.stdout.contains("hush") && !ran.stderr.contains("hush"),
            "{arguments:?}: {ran:?}"
        );
    }
}

/// A link to a directory outside is reported by its own name, and the directory behind it is not
/// read.
#[cfg(unix)]
#[test]
fn links_to_directories_lead_out_of_no_tree() {
    use std::os::unix::fs::symlink;
    let root = beside();
    symlink("../../outside", root.path().join("tree/zones/link")).unwrap();
    let include = |pattern: &str| {
        let text = json!({ "version": 1, "include": [pattern], "zones": { "example.com": { "records": [] } } });
        fs::write(root.path().join("tree/root.yaml"), text.to_string()).unwrap();
        printed(root.path(), &["tree/root.yaml"])
    };
    for pattern in
        ["zones", "zones/**/*.yaml", "zones/*/*.yaml", "**/z*.yaml", "*/*/zone.yaml", "zones/*"]
    {
        let ran = include(pattern).exits(1);
        assert!(ran.stderr.contains("tree/zones/link` is outside"), "{pattern}: {ran:?}");
        assert!(!ran.stderr.contains("zone.yaml` "), "{pattern}: {ran:?}");
    }
    fs::remove_file(root.path().join("tree/root.yaml")).unwrap();
    let ran = printed(root.path(), &["tree"]).exits(1);
    assert!(
        ran.stderr.contains("`tree/zones/link` is outside") && !ran.stderr.contains("zone.yaml"),
        "{ran:?}"
    );
    // A link that nothing includes is not an error.
    fs::write(
        root.path().join("tree/zones/own.yaml"),
        "version: 1\nzones: { own.example: { records: [] } }\n",
    )
    .unwrap();
    assert!(include("zones/*.yaml").exits(0).stdout.contains("own.example"));
}

/// Links to directories with links to directories: small on disk, and endless to search.
#[cfg(unix)]
#[test]
fn links_cannot_make_a_small_tree_endless() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    for n in 0..40 {
        let directory = root.path().join(format!("tree/{n}"));
        fs::create_dir_all(&directory).unwrap();
        ["a", "b"]
            .iter()
            .for_each(|name| symlink(format!("../{}", n + 1), directory.join(name)).unwrap());
    }
    let root_file = root.path().join("tree/root.yaml");
    for pattern in
        ["**/*.yaml", "0", "*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"]
    {
        let text = json!({ "version": 1, "include": [pattern], "zones": { "example.com": { "records": [] } } });
        fs::write(&root_file, text.to_string()).unwrap();
        let ran = printed(root.path(), &["tree/root.yaml"]).exits(1);
        assert!(ran.stderr.contains("SPEC0037"), "{pattern}: {ran:?}");
    }
    let ran = printed(root.path(), &["tree"]).exits(1);
    assert!(ran.stderr.contains("SPEC0037"), "{ran:?}");
}

/// Files that the program looks for beside a spec cannot be used to show or overwrite other files.
#[cfg(unix)]
#[test]
fn files_beside_a_spec_lead_nowhere_else() {
    use std::os::unix::fs::symlink;
    let root = beside();
    let tree = root.path().join("tree");
    let outside = root.path().join("outside/passwd");
    fs::write(
        tree.join("s.yaml"),
        "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 } } } }\n",
    )
    .unwrap();
    let run = |arguments: &[&str]| Ran::from(binary(&tree).args(arguments).output().unwrap());
    symlink("../outside/passwd", tree.join(".zonewright-policy.yaml")).unwrap();
    let ran = run(&["plan", "s.yaml", "--sandbox"]).exits(1);
    assert!(ran.stderr.contains("leads out of its directory") && !leaks(&ran), "{ran:?}");
    fs::remove_file(tree.join(".zonewright-policy.yaml")).unwrap();
    symlink("../outside/passwd", tree.join("waf.lock")).unwrap();
    let ran = run(&["plan", "s.yaml", "--sandbox"]).exits(0);
    assert!(ran.stderr.contains("waf.lock") && !leaks(&ran), "{ran:?}");
    run(&["waf", "rules", "--lock", "s.yaml", "--sandbox"]).exits(0);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "root:hush:0:0\n");
    assert!(!tree.join("waf.lock").is_symlink());
    run(&["waf", "rules", "s.yaml", "--sandbox", "--check"]).exits(0);
    // A file that never ends is not waited for.
    fs::remove_file(tree.join("waf.lock")).unwrap();
    symlink("/dev/zero", tree.join("waf.lock")).unwrap();
    let ran = run(&["plan", "s.yaml", "--sandbox"]).exits(0);
    assert!(ran.stderr.contains("not a regular file"), "{ran:?}");
}
