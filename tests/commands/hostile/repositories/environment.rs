//! The environment variables that Git gets, and the repositories that it trusts.

use super::*;

/// Git gets some variables and not others, and the `git` program is never taken from the tree.
#[test]
fn git_gets_few_variables_and_none_of_ours() {
    let trap = Trap::new();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join("git"))
        .find(|path| path.is_file())
        .unwrap();
    let seen = trap.at("seen");
    trap.program(
        "bin/git",
        &format!("env >>'{}'\nexec '{}' \"$@\"", seen.display(), real.display()),
    );
    let path = format!("{}:{}", trap.at("bin").display(), std::env::var("PATH").unwrap());
    let mut command = trap.command("tree", &["plan", "spec", "--base", "HEAD", "--format", "json"]);
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_EXEC_PATH",
        "GIT_NAMESPACE",
        "GIT_REPLACE_REF_BASE",
        "GIT_TRACE",
        "GIT_ASKPASS",
        "CLOUDFLARE_EMAIL",
        "CLOUDFLARE_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "LD_LIBRARY_PATH",
    ] {
        command.env(name, "/hush");
    }
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "core.fsmonitor");
    command.env("GIT_CONFIG_VALUE_0", trap.at("evil"));
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    is_of(command.env("PATH", &path).output().unwrap().into(), &commit);
    trap.nothing_ran();
    let seen = fs::read_to_string(seen).unwrap();
    assert!(!seen.contains("hush"), "{seen}");
    let allowed = [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "TMPDIR",
        "LC_ALL",
        "GIT_ALLOW_PROTOCOL",
        "GIT_NO_LAZY_FETCH",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_GRAFT_FILE",
        "GIT_CEILING_DIRECTORIES",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TERMINAL_PROMPT",
    ];
    for line in seen.lines() {
        let name = line.split('=').next().unwrap();
        assert!(allowed.contains(&name), "{line}");
    }
    // Relative paths in variables are resolved outside of the tree.
    trap.program("tree/git", "exec ../evil");
    trap.program("tree/bin/git", "exec ../../evil");
    let mut command = trap.command("tree", &["plan", "spec", "--base", "HEAD", "--format", "json"]);
    let path = format!(".::bin:{}", std::env::var("PATH").unwrap());
    is_of(command.env("PATH", path).output().unwrap().into(), &commit);
    trap.nothing_ran();
}

/// A repository of another user is not trusted, unless the reader configured that, as Git documents
/// it.
#[test]
fn the_owner_is_checked_and_safe_directory_is_honoured() {
    let trap = Trap::new();
    let commit = trap.git("tree", &["rev-parse", "HEAD"]);
    // As if all were someone else's; git knows this variable for its own tests.
    trap.program("bin/git", "GIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH=${PATH#*:} exec git \"$@\"");
    let path = format!("{}:{}", trap.at("bin").display(), std::env::var("PATH").unwrap());
    let run = || {
        let mut command =
            trap.command("tree", &["plan", "spec", "--base", "HEAD", "--format", "json"]);
        Ran::from(command.env("PATH", &path).output().unwrap())
    };
    let refused = |ran: Ran| {
        let ran = ran.exits(1);
        let help =
            format!("git config --global --add safe.directory {}", trap.at("tree").display());
        assert!(ran.stderr.contains("another user") && ran.stderr.contains(&help), "{ran:?}");
    };
    refused(run());
    // Not by the repository itself, and not for another repository.
    trap.git("tree", &["config", "safe.directory", "*"]);
    trap.file(
        "home/.gitconfig",
        &format!("[safe]\n\tdirectory = {}\n", trap.at("tree/spec").display()),
    );
    refused(run());
    trap.file("home/.gitconfig", &format!("[safe]\n\tdirectory = {}\n", trap.at("tree").display()));
    is_of(run(), &commit);
    trap.file("home/.gitconfig", "");
    trap.file("home/.config/git/config", "[safe]\n\tdirectory = *\n");
    is_of(run(), &commit);
    trap.nothing_ran();
}
