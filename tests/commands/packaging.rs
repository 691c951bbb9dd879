//! Packages of a release: the archive, the Homebrew formula, and what `cargo binstall` looks for.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs a script of `packaging` with an input.
fn script(name: &str, arguments: &[&str], input: &str) -> Output {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name);
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A script that refuses its arguments need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The targets for which the workflow makes a release.
fn targets() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows/release.yml");
    let workflow: serde_json::Value =
        serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let built = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap();
    built.iter().map(|entry| entry["target"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_formula_has_the_checksum_of_each_archive() {
    let sum = |n: usize| format!("{n:064x}");
    let archives: Vec<_> =
        targets().iter().map(|target| format!("zonewright-{target}.tar.gz")).collect();
    let sums: String = archives
        .iter()
        .enumerate()
        .map(|(n, archive)| format!("{}  {archive}\n", sum(n + 1)))
        .chain([format!("{}  zonewright.cdx.json\n", sum(99))])
        .collect();
    let made = script("homebrew.sh", &["example/zonewright", "1.2.3"], &sums);
    assert!(made.status.success(), "{made:?}");
    let formula = String::from_utf8(made.stdout).unwrap();
    for (n, archive) in archives.iter().enumerate() {
        let lines = format!(
            "url \"https://github.com/example/zonewright/releases/download/v1.2.3/{archive}\"\n      sha256 \"{}\"\n",
            sum(n + 1)
        );
        assert!(formula.contains(&lines), "{lines}{formula}");
    }
    assert_eq!(formula.matches("sha256 ").count(), archives.len(), "{formula}");
    assert!(!formula.contains(&sum(99)), "{formula}");
}

#[test]
fn a_formula_is_made_only_of_complete_checksums_and_plain_names() {
    let sums: String = targets()
        .iter()
        .map(|target| format!("{:064x}  zonewright-{target}.tar.gz\n", 7))
        .collect();
    let missing = sums.lines().skip(1).collect::<Vec<_>>().join("\n");
    let twice = format!("{sums}{sums}");
    let short = sums.replace("0007 ", "7 ");
    let repository = "example/zonewright";
    for (repository, version, sums) in [
        (repository, "1.2.3", missing.as_str()),
        (repository, "1.2.3", &twice),
        (repository, "1.2.3", &short),
        (repository, "1.2.3", ""),
        (repository, "1.2.3\"; system \"x", &sums),
        (repository, "v1.2.3", &sums),
        ("example/zone\"wright", "1.2.3", &sums),
        ("example", "1.2.3", &sums),
    ] {
        let made = script("homebrew.sh", &[repository, version], sums);
        assert!(!made.status.success() && made.stdout.is_empty(), "{made:?}");
        assert!(!made.stderr.is_empty(), "{repository} {version}");
    }
}

/// `cargo binstall` looks for the archives that the workflow makes.
#[test]
fn binstall_finds_the_archives_of_the_release() {
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let urls: Vec<_> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("pkg-url = \""))
        .map(|url| url.trim_end_matches('"').rsplit('/').next().unwrap())
        .collect();
    assert_eq!(urls[0], "zonewright-{ target }.tar.gz");
    let made: Vec<_> =
        targets().iter().map(|target| format!("zonewright-{target}.tar.gz")).collect();
    assert!(urls[1..].iter().all(|url| made.iter().any(|archive| archive == url)), "{urls:?}");
    assert_eq!(urls.len(), 3);
}

#[test]
fn the_archive_has_the_program_its_pages_and_its_completions() {
    let copy = TempDir::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir(copy.path().join("packaging")).unwrap();
    for name in ["packaging/archive.sh", "README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root.join(name), copy.path().join(name)).unwrap();
    }
    let out = TempDir::new().unwrap();
    let made = Command::new(copy.path().join("packaging/archive.sh"))
        .args([env!("CARGO_BIN_EXE_zonewright"), "some-target"])
        .arg(out.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let list = Command::new("tar")
        .arg("-tzf")
        .arg(out.path().join("zonewright-some-target.tar.gz"))
        .output()
        .unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    for file in [
        "zonewright",
        "LICENSE-MIT",
        "share/man/man1/zonewright.1",
        "share/man/man1/zonewright-waf-trace.1",
        "share/bash-completion/completions/zonewright",
        "share/zsh/site-functions/_zonewright",
        "share/fish/vendor_completions.d/zonewright.fish",
    ] {
        let line = format!("zonewright-some-target/{file}");
        assert!(list.lines().any(|listed| listed == line), "{line}\n{list}");
    }
}
