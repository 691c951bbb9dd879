//! The steps of the workflows and of the action, run as they are written.

use super::*;

/// Returns a step of a workflow or an action.
fn step_of(file: &str, name: &str) -> Value {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let workflow: Value = serde_yaml::from_str(&text).unwrap();
    let jobs = workflow["jobs"].as_object().into_iter().flat_map(|jobs| jobs.values());
    let mut steps = jobs
        .chain([&workflow["runs"]])
        .flat_map(|job| job["steps"].as_array().into_iter().flatten());
    steps
        .find(|step| step["name"] == name)
        .unwrap_or_else(|| panic!("{file} has no step {name:?}"))
        .clone()
}

/// Returns what a step runs.
fn step(file: &str, name: &str) -> String {
    let run = step_of(file, name)["run"].as_str().unwrap().to_owned();
    assert!(!run.contains("${{"), "what comes from outside goes through the environment: {run}");
    run
}

/// The steps of the workflows as they are written, around a pull request that is merged by
/// squashing.
#[test]
fn the_steps_of_the_workflows_run() {
    let forge = Forge::new();
    let outside = forge.workspace.path().to_owned();
    let origin = outside.join("origin.git").display().to_string();
    forge.git(&["init", "-q", "--bare", &origin]);
    forge.git(&["remote", "add", "origin", &origin]);
    forge.git(&["push", "-q", "origin", "main"]);
    forge.git(&["fetch", "-q", "origin"]);
    let before = forge.git(&["rev-parse", "main"]);
    forge.branch("change", &spec(&[WWW_600]));
    let head = forge.git(&["rev-parse", "HEAD"]);
    forge.git(&["push", "-q", "origin", "HEAD:refs/pull/7/head"]);
    let (output, summary) = (outside.join("output"), outside.join("summary"));
    let run = |file: &str, name: &str, variables: &[(&str, &str)]| -> Ran {
        fs::write(&output, "").unwrap();
        let mut command = forge.command("bash");
        command.args([
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            &step(&format!("examples/pipelines/github/{file}"), name),
        ]);
        command
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_ACTIONS", "true");
        command.envs(variables.iter().copied());
        command.output().unwrap().into()
    };
    // Without its labels the plan is commented, and not kept.
    let labels = r#"["bug","allow-removes-last-address"]"#;
    let of_pull = [("BASE_REF", "main"), ("HEAD_SHA", head.as_str()), ("LABELS", labels)];
    let planned = run("plan.yml", "Plan", &of_pull).exits(0);
    assert_eq!(fs::read_to_string(&output).unwrap(), "code=3\n", "{}", planned.stderr);
    assert!(
        planned.stdout.contains("::error title=danger delete"),
        "annotations: {}",
        planned.stdout
    );
    assert!(fs::read_to_string(&summary).unwrap().contains("--allow-deletes 1"));
    let labels = r#"["bug","allow-deletes-1","allow-removes-last-address"]"#;
    let of_pull = [("BASE_REF", "main"), ("HEAD_SHA", head.as_str()), ("LABELS", labels)];
    run("plan.yml", "Plan", &of_pull).exits(0);
    assert_eq!(fs::read_to_string(&output).unwrap(), "code=0\n");
    run("plan.yml", "Comment", &[("NUMBER", "7")]).exits(0);
    assert_eq!(forge.kept("comments").len(), 1);
    run("plan.yml", "Verdict", &[("CODE", "3")]).exits(3);
    // The artifact.
    let artifact = outside.join(format!("forge/zonewright-plan-{head}"));
    fs::create_dir_all(&artifact).unwrap();
    fs::copy(forge.repository.join("out/plan.json"), artifact.join("plan.json")).unwrap();
    // Merged.
    forge.git(&["switch", "-q", "main"]);
    forge.git(&["merge", "-q", "--squash", "change"]);
    forge.git(&["commit", "-qm", "change (#7)"]);
    let merged = forge.git(&["rev-parse", "HEAD"]);
    let pulls = json!([{ "merged_at": "2026-11-20T00:00:00Z", "number": 7, "head": { "sha": head }, "base": { "sha": before } }]);
    let pulls = pulls.to_string();
    let names = r#"[{ "name": "allow-deletes-1" }, { "name": "allow-removes-last-address" }]"#;
    let found =
        [("GITHUB_SHA", merged.as_str()), ("GH_PULLS", pulls.as_str()), ("GH_LABELS", names)];
    run("apply.yml", "Find the reviewed plan", &found).exits(0);
    assert!(fs::read_to_string(&output).unwrap().contains(&format!("number=7\nhead={head}\n")));
    let writes = forge.workspace.writes().len();
    run("apply.yml", "Apply", &[("HEAD_SHA", &head), ("NUMBER", "7"), ("BEFORE", &before)])
        .exits(0);
    assert_eq!(forge.workspace.writes().len(), writes + 1);
    assert_eq!(forge.workspace.records("example.com").len(), 1);
    // A commit without a review.
    let ran =
        run("apply.yml", "Find the reviewed plan", &[("GITHUB_SHA", &merged), ("GH_PULLS", "[]")])
            .exits(1);
    assert!(
        ran.stdout.contains("::error::") && ran.stdout.contains("nobody reviewed"),
        "{}",
        ran.stdout
    );
}

/// The action builds in its own directory with its own toolchain, whatever the checkout names, and
/// hands over arguments as they are, one a line.
#[test]
fn the_steps_of_the_action_run() {
    let forge = Forge::new();
    let output = forge.workspace.path().join("output");
    let run = |name: &str, variables: &[(&str, &str)]| -> Ran {
        fs::write(&output, "").unwrap();
        let mut command = forge.command("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step("action.yml", name)]);
        command.env("GITHUB_OUTPUT", &output).envs(variables.iter().copied());
        command.output().unwrap().into()
    };
    // A checkout that names a compiler of its own, in both ways that there are.
    forge.workspace.file("repository/rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n");
    forge.workspace.file("repository/.cargo/config.toml", "[build]\nrustc-wrapper = \"evil\"\n");
    let home = forge.workspace.path().join("cargo-home");
    fs::create_dir_all(home.join("bin")).unwrap();
    let stand_ins = forge.workspace.path().join("stand-ins");
    fs::create_dir_all(&stand_ins).unwrap();
    let built = "#!/bin/sh\necho zonewright 9.9.9\n";
    let called = |program: &str, then: &str| {
        let text = format!(
            "#!/bin/sh\necho \"{program} in $PWD with $RUSTUP_TOOLCHAIN: $*\" >>\"$CALLS\"\n{then}"
        );
        let path = stand_ins.join(program);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    called("rustup", "");
    called(
        "cargo",
        &format!(
            "cat >\"$CARGO_HOME/bin/zonewright\" <<'E'\n{built}E\nchmod +x \"$CARGO_HOME/bin/zonewright\"\n"
        ),
    );
    let calls = forge.workspace.path().join("calls");
    let path = format!(
        "{}:{}:{}",
        home.join("bin").display(),
        stand_ins.display(),
        std::env::var("PATH").unwrap()
    );
    let toolchain =
        step_of("action.yml", "Build")["env"]["RUSTUP_TOOLCHAIN"].as_str().unwrap().to_owned();
    let source = root().to_str().unwrap();
    let mut variables = vec![
        ("SOURCE", source),
        ("TARGET", "/elsewhere"),
        ("RUSTUP_TOOLCHAIN", toolchain.as_str()),
        ("CARGO_HOME", home.to_str().unwrap()),
        ("CALLS", calls.to_str().unwrap()),
        ("PATH", path.as_str()),
    ];
    run("Build", &variables).exits(0);
    assert_eq!(fs::read_to_string(&output).unwrap(), "version=zonewright 9.9.9\n");
    let toolchain_calls = fs::read_to_string(&calls).unwrap();
    assert_eq!(
        toolchain_calls,
        format!(
            "rustup in {source} with {toolchain}: toolchain install {toolchain} --profile minimal --no-self-update\n\
             cargo in {source} with {toolchain}: install --locked --force --path . --target-dir /elsewhere\n"
        )
    );
    // Exactly one version, and not older than the crate needs.
    let numbers =
        |version: &str| version.split('.').map(|n| n.parse::<u32>().unwrap()).collect::<Vec<_>>();
    let fixed = numbers(&toolchain);
    assert!(fixed.len() == 3 && fixed >= numbers(env!("CARGO_PKG_RUST_VERSION")), "{toolchain}");
    // If another zonewright is first in the path, the workflow would run it instead of the one that
    // was built.
    let path = format!("{}:{path}", stand_ins.display());
    fs::copy(home.join("bin/zonewright"), stand_ins.join("zonewright")).unwrap();
    variables.pop();
    variables.push(("PATH", path.as_str()));
    let ran = run("Build", &variables).exits(1);
    assert!(ran.stdout.contains("must come first in PATH"), "{}", ran.stdout);
    run("Run", &[("ARGS", "validate\nzones\n")]).exits(0);
    assert_eq!(fs::read_to_string(&output).unwrap(), "exit-code=0\n");
    let ran = run("Run", &[("ARGS", "validate\nzones; touch evil $(touch evil)")]).exits(1);
    assert!(ran.stderr.contains("zones; touch evil"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&output).unwrap(), "exit-code=1\n");
    assert!(!forge.repository.join("evil").exists());
}

/// The action installs the release of its own version, after its digest and its attestation were
/// checked, and nothing otherwise.
#[test]
fn the_action_installs_only_a_release_whose_digest_and_attestation_fit() {
    let forge = Forge::new();
    let home = forge.workspace.path();
    let stand_ins = home.join("stand-ins");
    let archive = "zonewright-x86_64-unknown-linux-musl.tar.gz";
    forge.workspace.file("zonewright-x/zonewright", "#!/bin/sh\necho zonewright 9.9.9\n");
    let program = home.join("zonewright-x/zonewright");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut tar = forge.command("tar");
    tar.current_dir(home).args(["-czf", archive, "zonewright-x"]);
    assert!(tar.status().unwrap().success());
    forge.workspace.file(
        "stand-ins/gh",
        "#!/bin/sh\necho \"$*\" >>\"$CALLS\"\n[ \"$1\" = attestation ] && exit \"$ATTESTATION\"\n\
         cp \"$HOME_OF_TEST/zonewright-x86_64-unknown-linux-musl.tar.gz\" .\nprintf '%s' \"$SUMS\" >SHA256SUMS\n",
    );
    let tool = stand_ins.join("gh");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let sum = forge.command("sha256sum").arg(home.join(archive)).output().unwrap().stdout;
    let sum = String::from_utf8(sum).unwrap().split_whitespace().next().unwrap().to_owned();
    let path = format!("{}:{}", stand_ins.display(), std::env::var("PATH").unwrap());
    let install = |sums: &str, attestation: &str, system: &str| -> (Ran, [String; 3]) {
        let files = ["calls", "output", "added"].map(|name| home.join(name));
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        let [calls, output, added] = &files;
        let mut command = forge.command("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]);
        command.arg(step("action.yml", "Install"));
        command.envs([("CALLS", calls), ("GITHUB_OUTPUT", output), ("GITHUB_PATH", added)]);
        command.envs([("SOURCE", root()), ("DIRECTORY", &home.join("d"))]);
        command.env("HOME_OF_TEST", home).env("SUMS", sums).env("ATTESTATION", attestation);
        command.env("REPOSITORY", "example/zonewright").env("SYSTEM", system).env("PATH", &path);
        (command.output().unwrap().into(), files.map(|file| fs::read_to_string(file).unwrap()))
    };
    let sums = format!("{sum}  {archive}\n{}  zonewright.cdx.json\n", "0".repeat(64));
    let (ran, [calls, output, added]) = install(&sums, "0", "Linux-X64");
    ran.exits(0);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        calls,
        format!(
            "release download v{version} --repo example/zonewright --clobber --pattern {archive} --pattern SHA256SUMS\n\
             attestation verify {archive} --repo example/zonewright --source-ref refs/tags/v{version} \
             --signer-workflow example/zonewright/.github/workflows/release.yml\n"
        )
    );
    assert_eq!(output, "version=zonewright 9.9.9\n");
    assert_eq!(added.trim_end(), home.join("d").to_str().unwrap());
    fs::remove_dir_all(home.join("d")).unwrap();
    let other = format!("{}  {archive}\n", "0".repeat(64));
    for (sums, attestation, system) in [
        (other.as_str(), "0", "Linux-X64"),
        ("", "0", "Linux-X64"),
        (&sums, "1", "Linux-X64"),
        (&sums, "0", "Windows-X64"),
    ] {
        let (ran, [_, output, added]) = install(sums, attestation, system);
        assert!(ran.code != Some(0) && output.is_empty() && added.is_empty(), "{system}: {ran:?}");
        assert!(!home.join("d/zonewright").exists(), "{sums}");
    }
}

/// Every action that a workflow uses is pinned to a commit, with its version beside it.
#[test]
fn every_action_is_pinned_to_a_commit() {
    let mut paths = files(&root().join("examples/pipelines/github"));
    paths.extend(files(&root().join(".github/workflows")));
    paths.push(root().join("action.yml"));
    let mut pinned = 0;
    for path in paths {
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some((_, used)) = line.split_once("uses: ") else { continue };
            let (action, comment) = used.split_once(" # ").unwrap_or((used, ""));
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            let says_what = comment.starts_with('v') || comment.starts_with("replace by your copy");
            assert!(is_commit && says_what, "{}: {line}", path.display());
            pinned += 1;
        }
    }
    assert!(pinned > 10, "{pinned}");
}
