//! Credentials in the environment appear in no output, file, log or panic of any command.

use std::path::Path;

use crate::support::workspace::{Ran, Workspace, options_on};
use serde_json::json;
use zonewright::sandbox::{Credentials, Fault, What, When};

/// Well-formed, and unique text.
const TOKEN: &str = "pLaNtEdToKeN0123456789abcdefghijklmnopqrs";
const KEY: &str = "0123456789abcdefc0ffee0123456789abcde";
const EMAIL: &str = "planted.person@secrets.example";

/// Returns every file below a directory, whole.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(directory)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file());
    walk.map(|e| (e.path().display().to_string(), std::fs::read(e.path()).expect("it can be read")))
        .collect()
}

/// Returns the name of a secret if bytes contain a significant part of it.
fn leak(bytes: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    [TOKEN, &TOKEN[..16], KEY, &KEY[..16], EMAIL, "planted.person"]
        .into_iter()
        .find(|secret| text.contains(secret))
}

#[track_caller]
fn check(ran: &Ran, what: &str, workspace: &Workspace) {
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        assert_eq!(leak(text.as_bytes()), None, "{what}: {stream}\n{text}");
    }
    for (name, bytes) in files(workspace.path()) {
        assert_eq!(leak(&bytes), None, "{what}: {name}");
        if name.ends_with(".gz") {
            let mut text = Vec::new();
            std::io::Read::read_to_end(
                &mut flate2::read::GzDecoder::new(bytes.as_slice()),
                &mut text,
            )
            .expect("it is gzip");
            assert_eq!(leak(&text), None, "{what}: {name}, unpacked");
        }
    }
}

fn workspace() -> Workspace {
    let mut options = options_on("business");
    options.credentials = Credentials { token: TOKEN.into(), email: EMAIL.into(), key: KEY.into() };
    let workspace = Workspace::new(options);
    workspace
        .plant_records(json!([{ "type": "A", "name": "old.example.com", "content": "192.0.2.1" }]));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    waf:\n      owasp: { paranoia: 2 }\n    records:\n      - { name: www, type: A, content: 192.0.2.2 }\n      - { name: old, type: A, state: absent }\n",
    );
    workspace
}

/// Runs the binary with all three credentials in its environment.
fn run(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let mut command = workspace.command();
    command
        .env("CLOUDFLARE_API_TOKEN", TOKEN)
        .env("CLOUDFLARE_EMAIL", EMAIL)
        .env("CLOUDFLARE_API_KEY", KEY);
    command.args(arguments).args(["--key-fallback", "-vvv"]).output().expect("it runs").into()
}

const COMMANDS: &[&[&str]] = &[
    &["validate", "spec.yaml"],
    &["validate", "spec.yaml", "--print"],
    &["plan", "spec.yaml"],
    &["plan", "spec.yaml", "--format", "json", "--out", "plan.json"],
    &["plan", "spec.yaml", "--format", "markdown"],
    &["plan", "spec.yaml", "--format", "github"],
    &["plan", "spec.yaml", "--format", "html"],
    &["plan", "spec.yaml", "--format", "sarif"],
    &["plan", "spec.yaml", "--server-check"],
    &["snapshot", "spec.yaml"],
    &["plan", "spec.yaml", "--against", "zonewright.snapshot.json.gz"],
    &["import", "example.com"],
    &["waf", "rules", "spec.yaml"],
    &["waf", "status", "example.com"],
    &["waf", "rules", "--changes", "spec.yaml"],
    &["waf", "rules", "--lock", "spec.yaml"],
    &["apply", "spec.yaml", "--dry-run"],
    &["apply", "spec.yaml", "--yes", "--allow-deletes", "1", "--allow", "removes-last-address"],
    &["apply", "spec.yaml", "--yes", "--format", "json"],
];

#[test]
fn no_command_shows_a_credential() {
    let workspace = workspace();
    for arguments in COMMANDS {
        let ran = run(&workspace, arguments);
        assert!(matches!(ran.code, Some(0 | 2 | 3)), "{arguments:?}: {ran:?}");
        check(&ran, &format!("{arguments:?}"), &workspace);
    }
}

#[test]
fn no_failure_shows_a_credential() {
    let echo = json!({ "success": false, "errors": [{ "code": 9109, "message": format!("Invalid access token {TOKEN} of {EMAIL} with {KEY}") }], "messages": [], "result": null });
    let faults = [
        What::Answer { code: 403, body: echo.clone() },
        What::Answer { code: 400, body: echo },
        What::Answer { code: 200, body: json!({ "authorization": format!("Bearer {TOKEN}") }) },
        What::NotJson200,
        What::ResetBeforeEffect,
    ];
    for fault in faults {
        // Temporary failures are retried many times, so one command is enough.
        let is_tried_again = !matches!(fault, What::Answer { code: 400 | 403, .. });
        let commands = if is_tried_again { &COMMANDS[2..3] } else { COMMANDS };
        for arguments in commands {
            let workspace = workspace();
            workspace.fault(Fault {
                when: When::Matching { method: None, path_suffix: String::new(), nth: 2 },
                what: fault.clone(),
                times: 1000,
            });
            // Retries of a permanent failure would take long.
            if matches!(
                fault,
                What::Status { .. }
                    | What::NotJson200
                    | What::TruncateBody
                    | What::ResetBeforeEffect
            ) && arguments[0] != "plan"
            {
                continue;
            }
            let ran = run(&workspace, arguments);
            check(&ran, &format!("{arguments:?} under {fault:?}"), &workspace);
        }
    }
}

#[test]
fn malformed_credentials_are_not_repeated() {
    let workspace = workspace();
    let with = |name: &str, value: &str| -> Ran {
        let mut command = workspace.command();
        command.env_remove("CLOUDFLARE_API_TOKEN").env(name, value).args([
            "plan",
            "spec.yaml",
            "-vvv",
        ]);
        command.output().expect("it runs").into()
    };
    let bad = format!("{TOKEN}\nwith a newline");
    for (name, value) in [
        ("CLOUDFLARE_API_TOKEN", bad.as_str()),
        ("CLOUDFLARE_API_KEY", KEY),
        ("CLOUDFLARE_EMAIL", EMAIL),
        ("CLOUDFLARE_API_TOKEN_FILE", "/no/such/file"),
        // The value in the wrong variable.
        ("CLOUDFLARE_API_TOKEN_FILE", TOKEN),
        ("CLOUDFLARE_API_TOKEN_FILE", &format!("pl/{TOKEN}==")),
        ("CLOUDFLARE_API_TOKEN_FILE", &format!("{TOKEN}\u{e9}")),
        ("CLOUDFLARE_API_KEY_FILE", KEY),
        ("CLOUDFLARE_EMAIL_FILE", EMAIL),
        ("CLOUDFLARE_ACCOUNT_ID", TOKEN),
        ("CLOUDFLARE_ACCOUNT_ID_FILE", TOKEN),
        ("CLOUDFLARE_BASE_URL", TOKEN),
        ("CLOUDFLARE_BASE_URL_FILE", TOKEN),
    ] {
        let ran = with(name, value);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        check(&ran, name, &workspace);
    }
    // In the address of Cloudflare.
    let mut command = workspace.command();
    command.args([
        "plan",
        "spec.yaml",
        "--base-url",
        &format!("https://user:{TOKEN}@api.example.com/client/v4"),
    ]);
    let ran: Ran = command.output().expect("it runs").into();
    assert_eq!(ran.code, Some(1));
    check(&ran, "--base-url", &workspace);
}

#[test]
fn a_secret_in_the_wrong_variable_is_not_shown() {
    let workspace = workspace();
    let with = |environment: &[(&str, &str)], arguments: &[&str]| -> Ran {
        let mut command = workspace.command();
        command
            .env("CLOUDFLARE_API_TOKEN", TOKEN)
            .envs(environment.iter().copied())
            .args(arguments)
            .arg("-vvv");
        command.output().expect("it runs").into()
    };
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"]
    {
        for value in [
            format!("{TOKEN} x"),
            format!("ftp://{TOKEN}@proxy.example"),
            format!("http://user:{TOKEN}@proxy.example:99999"),
            format!("http://user:{TOKEN}@proxy.example:0x50"),
        ] {
            let ran = with(&[(name, value.as_str())], &["plan", "spec.yaml"]);
            assert_eq!(ran.code, Some(1), "{name}={value}: {ran:?}");
            assert!(
                ran.stderr.contains(&format!("{name} is not the address of a proxy")),
                "{}",
                ran.stderr
            );
            check(&ran, name, &workspace);
        }
        let proxy = "http://user:pass@127.0.0.1:9";
        assert_eq!(
            with(&[(name, proxy)], &["plan", "spec.yaml"]).code,
            Some(0),
            "a proxy is not used for this machine"
        );
    }
    let names = [
        "ZONEWRIGHT_WEBHOOK_FILE",
        "CLOUDFLARE_ACCOUNT_ID",
        "CLOUDFLARE_ACCOUNT_ID_FILE",
        "CLOUDFLARE_BASE_URL",
    ];
    for name in names {
        let ran = with(&[(name, TOKEN)], &["drift", "spec.yaml"]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        check(&ran, name, &workspace);
    }
    for (variable, code) in [
        (format!("X={TOKEN}"), 1),
        (format!("spec={TOKEN}"), 1),
        (format!("1x={TOKEN}"), 1),
        (format!("api_token={TOKEN}"), 1),
        (TOKEN.to_owned(), 64),
        (format!("={TOKEN}"), 64),
    ] {
        for arguments in [
            &["validate", "spec.yaml"][..],
            &["plan", "spec.yaml"],
            &["validate", "spec.yaml", "--format", "json"],
        ] {
            let ran = with(&[], &[arguments, &["--var", &variable]].concat());
            assert_eq!(ran.code, Some(code), "{variable}: {ran:?}");
            check(&ran, &variable, &workspace);
        }
    }
}

#[test]
fn no_encoding_of_a_credential_is_shown() {
    use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
    let header = format!("{{\"authorization\":\"Bearer {TOKEN}\"}}");
    let percent: String = TOKEN.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let escaped: String = TOKEN.bytes().map(|byte| format!("&#x{byte:x};")).collect();
    let codes = [
        BASE64.encode(TOKEN.as_bytes()),
        BASE64_NOPAD.encode(header.as_bytes()),
        BASE64URL_NOPAD.encode(format!("Bearer {TOKEN}").as_bytes()),
        HEXLOWER.encode(TOKEN.as_bytes()),
        HEXUPPER.encode(header.as_bytes()),
        percent,
        escaped,
    ];
    for code in codes {
        let refusal = json!({ "success": false, "errors": [{ "code": 9109, "message": format!("invalid {code} here") }], "messages": [], "result": null });
        for body in [refusal, json!({ "unexpected": code.clone() })] {
            let workspace = workspace();
            workspace.fault(Fault {
                when: When::Matching { method: None, path_suffix: String::new(), nth: 1 },
                what: What::Answer { code: 403, body },
                times: 1000,
            });
            let ran = run(&workspace, &["plan", "spec.yaml"]);
            assert_eq!(ran.code, Some(1), "{ran:?}");
            assert!(
                !ran.stderr.contains(&code[..24]) && !ran.stdout.contains(&code[..24]),
                "{code}: {ran:?}"
            );
        }
    }
}
