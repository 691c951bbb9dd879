//! `import` of octoDNS files that include others, and merge mappings.

use std::fs;

use crate::support::workspace::{Ran, Workspace, options};

/// Returns a directory with files.
fn tree(files: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::empty(options());
    for (path, text) in files {
        workspace.file(path, text);
    }
    workspace
}

/// Imports, and requires these words in the error.
#[track_caller]
fn refused(workspace: &Workspace, source: &str, words: &[&str]) -> Ran {
    let ran = workspace.run(&["import", source, "--offline"]).exits(1);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("IMPORT0001"), "{ran:?}");
    for words in words {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    ran
}

#[test]
fn includes_and_merges_are_resolved() {
    let workspace = tree(&[
        (
            "zones/example.com.yaml",
            "---\n'': !include ../common/apex.yaml\n<<: !include ../common/hosts.yaml\nspf:\n  type: TXT\n  values:\n    - !include ../common/spf.yaml\n    - other\n\
             api:\n  <<: [*none, !include ../common/ttl.yaml]\n  type: A\n  value: 192.0.2.9\n",
        ),
        (
            "zones/example.net.yaml",
            "x-base: &base { type: A, ttl: 60 }\nwww: { <<: *base, value: 192.0.2.1, ttl: 90 }\n",
        ),
        ("zones/empty.example.yaml", "--- # nothing yet\n"),
        (
            "common/apex.yaml",
            "# both names\n- type: A\n  value: 192.0.2.1\n- type: MX\n  values:\n    - { exchange: mx.example.net., preference: 10 }\n",
        ),
        (
            "common/hosts.yaml",
            "www: { type: A, value: 192.0.2.2 }\nftp: { type: A, value: 192.0.2.3 }\n",
        ),
        ("common/spf.yaml", "v=spf1 -all\n"),
        ("common/ttl.yaml", "{ ttl: 120, type: AAAA }\n"),
    ]);
    let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
    assert!(ran.stdout.is_empty(), "{ran:?}");
    for words in [
        "SPEC0001",
        "zones/example.com.yaml:10:8",
        "the alias refers to an anchor that is not defined above it",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    let path = workspace.path().join("zones/example.com.yaml");
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("[*none, !include ../common/ttl.yaml]", "!include ../common/ttl.yaml");
    fs::write(&path, text).unwrap();
    let ran = workspace.run(&["import", ".", "--offline", "--zone", "example.com"]).exits(0);
    for line in [
        "name: \"@\", type: A, ttl: 3600, content: 192.0.2.1",
        "name: \"@\", type: MX, ttl: 3600, priority: 10, content: mx.example.net",
        "name: www, type: A, ttl: 3600, content: 192.0.2.2",
        "name: ftp, type: A, ttl: 3600, content: 192.0.2.3",
        "name: api, type: A, ttl: 120, content: 192.0.2.9",
        "content: \"v=spf1 -all\"",
        "content: other",
    ] {
        let is_there = |text: &str| line.split(", ").all(|part| text.contains(part));
        assert!(ran.stdout.lines().any(is_there), "{line}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("# both names\n"), "{}", ran.stdout);
    // The files of `common` name no zone, with or without a default: they belong to the zones that
    // include them.
    let ran =
        workspace.run(&["import", ".", "--offline", "--zone-name", "default.example"]).exits(0);
    assert!(!ran.stdout.contains("default.example"), "{}", ran.stdout);
    // A single file includes only files below its directory. The error names the way to import
    // more.
    refused(
        &workspace,
        "./zones/example.com.yaml",
        &[
            "example.com.yaml:2",
            "`../common/apex.yaml` is not below ./zones; import the directory that contains both files",
        ],
    );
}

#[test]
fn what_cannot_be_included_is_an_error() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.yaml"), "topsecret\n").unwrap();
    let absolute = outside.path().join("secret.yaml").display().to_string();
    let cases = [
        ("www: !include absent.yaml\n".to_owned(), "`absent.yaml`: No such file"),
        ("www: !include ''\n".to_owned(), "`!include` needs the name of a file"),
        ("www: !include ~/x.yaml\n".to_owned(), "`~/x.yaml` is not relative"),
        (format!("www: !include {absolute}\n"), "is not relative"),
        ("www: !include ../../../../../../../../etc/passwd\n".to_owned(), "is not below ."),
        ("www: !include link.yaml\n".to_owned(), "is not below ."),
        ("www: !include .\n".to_owned(), "is not a regular file"),
        ("www: !include example.com.yaml\n".to_owned(), "`example.com.yaml` includes itself"),
        ("www: !include a.yaml\n".to_owned(), "`a.yaml` includes itself"),
        ("www: !include broken.yaml\n".to_owned(), "a `[` is not closed"),
        ("www: !include binary.yaml\n".to_owned(), "it is not text in UTF-8"),
        ("www: !include [b.yaml, d.yaml]\n".to_owned(), "`!include` is a tag"),
        ("www: { <<: !include list.yaml }\n".to_owned(), "only a mapping can be merged"),
        ("www: !other b.yaml\n".to_owned(), "`!other` is a tag"),
    ];
    for (text, words) in cases {
        let workspace = tree(&[
            ("example.com.yaml", &text),
            ("a.yaml", "!include b.yaml\n"),
            ("b.yaml", "!include a.yaml\n"),
            ("broken.yaml", "[\n"),
            ("list.yaml", "[1]\n"),
        ]);
        fs::write(workspace.path().join("binary.yaml"), [0xff, 0xfe]).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&absolute, workspace.path().join("link.yaml")).unwrap();
        let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
        assert!(ran.stderr.contains(words) && ran.stdout.is_empty(), "{text}: {}", ran.stderr);
        assert!(!ran.stderr.contains("topsecret"), "{}", ran.stderr);
    }
}

#[test]
fn files_that_include_each_other_many_times_are_bounded() {
    let list = |name: &str| format!("[{}]\n", vec![format!("!include {name}"); 100].join(", "));
    let many = list("one.yaml");
    let more = list("two.yaml");
    let most = list("three.yaml");
    let workspace = tree(&[
        (
            "example.com.yaml",
            &format!("www: {{ type: A, values: {} }}\n", list("four.yaml").trim()),
        ),
        ("four.yaml", &most),
        ("three.yaml", &more),
        ("two.yaml", &many),
        ("one.yaml", "192.0.2.1\n"),
    ]);
    refused(&workspace, ".", &["the included files have more than 600000 values together"]);
    // A chain that ends, and one that is too long.
    let chain = |length: usize| {
        let workspace = tree(&[("example.com.yaml", "www: { type: A, value: !include 1.yaml }\n")]);
        for n in 1..length {
            workspace.file(&format!("{n}.yaml"), format!("!include {}.yaml\n", n + 1));
        }
        workspace.file(&format!("{length}.yaml"), "192.0.2.1\n");
        workspace
    };
    chain(10).run(&["import", ".", "--offline"]).exits(0);
    refused(&chain(11), ".", &["files include each other more than 10 deep"]);
}

#[test]
fn a_zone_that_another_includes_is_named() {
    let workspace = tree(&[
        ("example.com.yaml", "www: { type: A, value: 192.0.2.1 }\n"),
        ("example.net.yaml", "!include example.com.yaml\n"),
    ]);
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    assert!(ran.stdout.contains("example.net:") && !ran.stdout.contains("example.com:"), "{ran:?}");
    let words =
        "example.com.yaml: another file includes it, so it is not imported as the zone example.com";
    assert!(ran.stderr.contains("IMPORT0002") && ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn a_long_text_that_is_repeated_is_bounded() {
    let long = "a".repeat(1 << 20);
    let many = |what: &str, count: usize| vec![what; count].join(", ");
    let by_alias =
        format!("www: {{ type: TXT, value: &long {long} }}\nall: [{}]\n", many("*long", 300));
    refused_with(&tree(&[("example.com.yaml", &by_alias)]), "256 MB of text");
    let by_include =
        format!("www: {{ type: TXT, values: [{}] }}\n", many("!include long.yaml", 70));
    refused_with(
        &tree(&[("example.com.yaml", &by_include), ("long.yaml", &format!("{long}\n"))]),
        "the included files have more than 64 MiB of text together",
    );
}

/// Imports, and requires these words in the error.
#[track_caller]
fn refused_with(workspace: &Workspace, words: &str) {
    let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
    assert!(ran.stdout.is_empty() && ran.stderr.contains(words), "{}", ran.stderr);
}
