//! `doctor`: the report about credentials agrees with what these credentials can do.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde_json::{Value, json};
use zonewright::api::{
    CheckClient, Client, Credentials, ReadClient, Reader, Settings, WriteClient, Writer,
};
use zonewright::doctor::{Question, Secret, examine};
use zonewright::document::doctor::{Access, Allowed, Doctor, Sufficiency, What};
use zonewright::live;
use zonewright::model::facts::permissions::{PermissionAccess, PermissionGroup};
use zonewright::model::ruleset::Phase;
use zonewright::model::{ZoneId, ZoneName};
use zonewright::reconcile::{Goal, Selection};
use zonewright::sandbox::{self, Permissions, SandboxOptions, Token, TokenOwner};
use zonewright::spec;
use zonewright::wire::ruleset::{
    RulesetOwner, create_entry_point, dry_run, get_entry_point, list_rulesets,
};
use zonewright::wire::settings::{get_dns_settings, get_dnssec, get_setting};
use zonewright::wire::{Method, Request, account, record, zone};

use crate::support::workspace::{Workspace, options, options_on};

/// A spec that needs every permission of a zone, but for the creation of zones.
const SPEC: &str = "version: 1
zones:
  example.com:
    settings: { ssl: strict }
    dns_settings: { multi_provider: true }
    dnssec: on
    waf:
      custom:
        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }
    records:
      - { name: www, type: A, content: 192.0.2.1 }
";

/// The permissions that are given and withheld in turn.
const GROUPS: [PermissionGroup; 7] = [
    PermissionGroup::Zone,
    PermissionGroup::Dns,
    PermissionGroup::ZoneSettings,
    PermissionGroup::ZoneDnsSettings,
    PermissionGroup::ZoneWaf,
    PermissionGroup::AccountRulesets,
    PermissionGroup::AccountFilterLists,
];

/// Returns a token with these permissions.
fn token(number: usize, permissions: Permissions) -> Token {
    Token::new(format!("limited-token-{number:026}"), permissions)
}

/// Returns the three handles of an API client with a token.
fn connect(base_url: &str, token: &Token) -> (ReadClient, WriteClient, CheckClient) {
    let credentials = Credentials::Token(SecretString::from(token.secret.clone()));
    let client = Client::new(Settings::new(base_url, credentials)).unwrap();
    (client.reader(), client.writer(), client.checker())
}

/// Returns what a spec desires.
fn goal(text: &str) -> Goal {
    let input = [spec::Input::Stdin(text.to_owned())];
    Goal::from_spec(&input, &spec::Options::default(), Selection::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the result of a report for each kind of object.
fn verdicts(report: &Doctor) -> BTreeMap<(What, Access), Allowed> {
    report.checks().map(|check| ((check.what, check.access), check.allowed)).collect()
}

/// Returns true if a request is allowed; a refusal for its content counts as allowed.
async fn works(reader: &ReadClient, writer: &WriteClient, request: &Request) -> bool {
    let answer = if request.method.is_read() {
        reader.read(request).await
    } else {
        writer.write(request).await
    };
    !answer.is_err_and(|error| matches!(error.status(), Some(401 | 403)))
}

/// Returns each kind and access with a request that needs it.
fn tries(id: &ZoneId) -> Vec<(What, Access, Request)> {
    let name = ZoneName::parse("example.com").unwrap();
    let path = |rest: &str| format!("/zones/{}{rest}", id.0);
    let write = |method, path: String, body: Value| Request::new(method, path).body(body);
    let account = sandbox::ACCOUNT_ID;
    vec![
        (What::Zone, Access::Read, zone::find_zone(name.as_str(), None)),
        (What::Zone, Access::Write, write(Method::Patch, path(""), json!({ "paused": false }))),
        (What::Records, Access::Read, record::list_records(id, 5, 1)),
        (
            What::Records,
            Access::Write,
            write(Method::Post, path("/dns_records"), json!({ "type": "A" })),
        ),
        (What::Dnssec, Access::Read, get_dnssec(id)),
        (
            What::Dnssec,
            Access::Write,
            write(Method::Patch, path("/dnssec"), json!({ "status": "nonsense" })),
        ),
        (What::Settings, Access::Read, get_setting(id, "ssl")),
        (
            What::Settings,
            Access::Write,
            write(Method::Patch, path("/settings/ssl"), json!({ "value": "nonsense" })),
        ),
        (What::DnsSettings, Access::Read, get_dns_settings(id)),
        (What::DnsSettings, Access::Write, write(Method::Patch, path("/dns_settings"), json!({}))),
        (What::Rulesets, Access::Read, get_entry_point(id, Phase::Custom)),
        (
            What::Rulesets,
            Access::Write,
            dry_run(create_entry_point(id, Phase::Custom, std::iter::empty())),
        ),
        (
            What::AccountRulesets,
            Access::Read,
            list_rulesets(&RulesetOwner::Account(account.to_owned()), None),
        ),
        (What::Lists, Access::Read, account::lists(account)),
    ]
}

/// Returns the tokens of every subset of the permissions. Which of them include writing is another
/// choice in each subset; with `ZONEWRIGHT_ALL_ACCESS`, each subset is tried with reading alone and
/// with writing as well.
fn tokens() -> Vec<Token> {
    let is_all = std::env::var_os("ZONEWRIGHT_ALL_ACCESS").is_some();
    let given = |set: usize, bit: usize| set & (1 << (bit % GROUPS.len())) != 0;
    let permissions = |set: usize, is_edit: &dyn Fn(usize) -> bool| {
        let groups = GROUPS.iter().enumerate().filter(|(bit, _)| given(set, *bit));
        groups.fold(Permissions::default(), |all, (bit, group)| {
            let access = if is_edit(bit) { PermissionAccess::Edit } else { PermissionAccess::Read };
            all.with(*group, Some(access))
        })
    };
    let sets = 0..1usize << GROUPS.len();
    let all: Vec<Permissions> = if is_all {
        sets.flat_map(|set| [permissions(set, &|_| false), permissions(set, &|_| true)]).collect()
    } else {
        sets.map(|set| permissions(set, &|bit| given(set, bit + 1))).collect()
    };
    all.into_iter().enumerate().map(|(number, permissions)| token(number, permissions)).collect()
}

/// The report for every subset of the permissions agrees with the result of a request of that kind.
/// If the permission to read zones is missing, the other kinds are examined with the id in the
/// spec.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_subset_of_permissions_is_told_as_it_is() {
    let tokens = tokens();
    let options = SandboxOptions { tokens: tokens.clone(), remembered: 0, ..options() };
    let running = sandbox::start(options).await.unwrap();
    running
        .seed(&json!({ "zones": [{ "name": "example.com", "plan": "free", "records": [] }] }))
        .unwrap();
    let id = running.dump().unwrap()["zones"][0]["id"].as_str().unwrap().to_owned();
    let goal = goal(&SPEC.replace("  example.com:\n", &format!("  example.com:\n    id: {id}\n")));
    let tries = tries(&ZoneId(id));
    let options = live::ReadOptions {
        account: Some(sandbox::ACCOUNT_ID.to_owned()),
        concurrency: 1,
        ..live::ReadOptions::default()
    };
    for token in &tokens {
        let (reader, writer, checker) = connect(&running.base_url(), token);
        let question = Question {
            secret: Secret::Token,
            desired: Some(&goal.desired),
            patterns: &[],
            lock: None,
        };
        let before = reader.requests();
        let report = examine(&reader, Some(&checker), &question, &options).await.unwrap().judged();
        assert!(reader.requests() - before < 16, "{}", reader.requests() - before);
        let said = verdicts(&report);
        let mut is_enough = true;
        for (what, access, request) in &tries {
            let really = works(&reader, &writer, request).await;
            let says = said[&(*what, *access)];
            let is_right = match says {
                Allowed::Yes => really,
                Allowed::No => !really,
                // A read cannot show whether writes are allowed; a dry run can, but only if the
                // entry point may be read.
                Allowed::Unknown => *access == Access::Write && *what != What::Rulesets,
            };
            assert!(is_right, "{what:?} {access:?}: says {says:?}, really {really}: {token:?}");
            let needed =
                report.checks().any(|c| c.what == *what && c.access == *access && c.is_needed);
            is_enough &= !needed || says != Allowed::No;
        }
        assert_eq!(report.verdict != Sufficiency::Insufficient, is_enough, "{token:?}");
    }
    running.shutdown().await;
}

/// The token that is reported as the smallest is enough to apply the spec, and without any one of
/// its permissions it is not.
#[test]
fn the_smallest_token_is_enough_and_smallest() {
    let all: Vec<&str> = vec![
        "Zone > DNS > Edit",
        "Zone > Zone > Read",
        "Zone > Zone DNS Settings > Edit",
        "Zone > Zone Settings > Edit",
        "Zone > Zone WAF > Edit",
    ];
    let permissions = |left_out: Option<&str>| {
        let given = all
            .iter()
            .filter(|name| Some(**name) != left_out)
            .map(|name| sandbox::permission_by_name(name).unwrap());
        given.fold(Permissions::default(), |all, permission| {
            all.with(permission.group, Some(permission.access))
        })
    };
    for left_out in std::iter::once(None).chain(all.iter().map(|name| Some(*name))) {
        let limited = token(0, permissions(left_out));
        let options = options_on("business");
        let workspace = Workspace::new(SandboxOptions { tokens: vec![limited.clone()], ..options });
        // Multi-provider DNS does not need another plan; the other settings do not matter here.
        workspace.file("spec.yaml", SPEC);
        let run = |arguments: &[&str]| {
            let mut command = workspace.command();
            let output = command
                .env("CLOUDFLARE_API_TOKEN", &limited.secret)
                .args(arguments)
                .output()
                .unwrap();
            crate::support::workspace::Ran::from(output)
        };
        let report = run(&["doctor", "spec.yaml", "--format", "json"]);
        let document = report.json();
        let names: Vec<&str> = document["smallest_token"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["dashboard"].as_str().unwrap())
            .collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, all);
        report.exits(if left_out.is_none() { 0 } else { 1 });
        let applied = run(&["apply", "spec.yaml", "--yes"]);
        match left_out {
            None => drop(applied.exits(0)),
            Some(name) => {
                assert!(applied.code != Some(0), "{name}: {applied:?}");
                let words = format!("{}{}", applied.stdout, applied.stderr);
                assert!(
                    words.contains(name.replace("Edit", "Read").as_str()) || words.contains(name),
                    "{name}: {words}"
                );
                assert!(words.contains("zonewright doctor"), "{name}: {words}");
            }
        }
        // The list of managed rulesets is tried at the account and at the zone; the permission for
        // the zone is enough.
        if left_out == Some("Zone > Zone WAF > Edit") {
            workspace.file(
                "owasp.yaml",
                "version: 1\nzones:\n  example.com:\n    waf: { owasp: { paranoia: 2 } }\n",
            );
            let plan = run(&["plan", "owasp.yaml"]).exits(1);
            assert!(plan.stderr.contains("`Zone WAF Read`"), "{}", plan.stderr);
        }
    }
}

#[test]
fn a_page_for_people_and_a_document_for_programs() {
    let workspace = Workspace::new(options());
    workspace.file("spec.yaml", SPEC);
    let ran = workspace.run(&["doctor", "spec.yaml"]).exits(0);
    for words in [
        "Credentials    ✔ API token of a user, active, does not expire\n",
        "without a proxy\n",
        "Clock          ✔ agrees with Cloudflare's\n",
        "example.com: free plan, active, 0 of 200 records, batches of 200\n",
        "  records          ✔ yes      ? unknown  write      Zone > DNS > Edit\n",
        "Reading cannot tell about 5 needed permissions; --probe-writes asks about rulesets.\n",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    assert!(ran.stdout.lines().count() < 50, "one page: {}", ran.stdout);
    assert!(workspace.writes().is_empty(), "{:?}", workspace.writes());
    let document = workspace
        .run(&["doctor", "spec.yaml", "--probe-writes", "--format", "json"])
        .exits(0)
        .json();
    let written = document["zones"][0]["checks"].as_array().unwrap();
    let of_rules =
        written.iter().find(|c| c["what"] == "rulesets" && c["access"] == "write").unwrap();
    assert_eq!(of_rules["allowed"], "yes", "{of_rules}");
    // Only dry runs were sent, and the sandbox has no rules.
    let writes = workspace.writes();
    assert!(!writes.is_empty() && writes.iter().all(|w| w.path.contains("dry_run=")), "{writes:?}");
    assert!(workspace.dump()["zones"][0].get("rulesets").is_none_or(|all| all == &json!([])));
    let schema = workspace.run(&["schema", "doctor"]).exits(0).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(
        validator.is_valid(&document),
        "{:?}",
        validator.iter_errors(&document).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    // Without a spec, every zone.
    let ran = workspace.run(&["doctor"]).exits(0);
    assert!(
        ran.stdout.contains("example.com: free plan") && ran.stdout.contains("Name a spec"),
        "{}",
        ran.stdout
    );
    assert!(!workspace.run(&["doctor", "--zone", "*.net"]).exits(0).stdout.contains("example.com"));
}

#[test]
fn the_state_of_a_token() {
    let everything = Permissions::everything();
    let expiring = Token {
        expires_on: Some("2027-01-01T00:00:00Z".to_owned()),
        ..token(1, everything.clone())
    };
    let of_account = Token { owner: TokenOwner::Account, ..token(2, everything.clone()) };
    let disabled = Token { status: "disabled".to_owned(), ..token(3, everything.clone()) };
    let elsewhere = Token { zones: Some(vec!["example.net".to_owned()]), ..token(4, everything) };
    let tokens = vec![expiring.clone(), of_account.clone(), disabled.clone(), elsewhere.clone()];
    let workspace = Workspace::new(SandboxOptions { tokens, ..options() });
    workspace.file("spec.yaml", SPEC);
    let run = |secret: &str, code| {
        let mut command = workspace.command();
        let output = command
            .env("CLOUDFLARE_API_TOKEN", secret)
            .args(["doctor", "spec.yaml"])
            .output()
            .unwrap();
        crate::support::workspace::Ran::from(output).exits(code).stdout
    };
    assert!(
        run(&expiring.secret, 0)
            .contains("✔ API token of a user, active, expires on 2027-01-01T00:00:00Z\n")
    );
    assert!(run(&of_account.secret, 0).contains("✔ API token of an account, active"));
    let text = run(&disabled.secret, 1);
    assert!(
        text.contains("✘ API token of a user, disabled")
            && text.contains("The token is not active"),
        "{text}"
    );
    let text = run(&elsewhere.secret, 1);
    assert!(
        text.contains("✘ example.com: Cloudflare does not have this zone, or does not show it"),
        "{text}"
    );
    let text = run(&"x".repeat(40), 1);
    assert!(
        text.contains("Cloudflare does not know this token: it is wrong, expired or revoked"),
        "{text}"
    );
    // An unknown token is not enough without a spec either.
    let mut unknown = workspace.command();
    let output =
        unknown.env("CLOUDFLARE_API_TOKEN", "x".repeat(40)).arg("doctor").output().unwrap();
    let text = crate::support::workspace::Ran::from(output).exits(1).stdout;
    assert!(
        text.contains("✘ reading zone needs Zone > Zone > Read")
            && text.contains("may not read zones"),
        "{text}"
    );
    let mut keyed = workspace.command();
    keyed
        .env_remove("CLOUDFLARE_API_TOKEN")
        .env("CLOUDFLARE_EMAIL", sandbox::EMAIL)
        .env("CLOUDFLARE_API_KEY", sandbox::KEY);
    let ran = crate::support::workspace::Ran::from(keyed.arg("doctor").output().unwrap()).exits(0);
    assert!(ran.stdout.contains("? global API key, state unknown"), "{}", ran.stdout);
}

#[test]
fn managed_rulesets_are_compared_with_the_lock_and_the_base_is_named() {
    let workspace = Workspace::new(options_on("business"));
    workspace.file(
        "spec.yaml",
        "version: 1\nzones:\n  example.com:\n    waf: { owasp: { paranoia: 2 } }\n",
    );
    let page = || workspace.run(&["doctor", "spec.yaml"]).exits(0).stdout;
    assert!(!page().contains("waf.lock"));
    workspace.run(&["waf", "rules", "--lock", "spec.yaml"]).exits(0);
    assert!(page().contains(", as in waf.lock\n"), "{}", page());
    let lock = workspace.path().join("waf.lock");
    let text = std::fs::read_to_string(&lock).unwrap();
    let served = workspace.run(&["doctor", "spec.yaml", "--format", "json"]).exits(0).json();
    let served = served["managed_rulesets"][0]["served"].as_str().unwrap().to_owned();
    let older = |line: &str| {
        let is_head = line.starts_with("ruleset ");
        if is_head { line.replacen(&format!(" {served} "), " 0 ", 1) } else { line.to_owned() }
    };
    std::fs::write(&lock, text.lines().map(older).collect::<Vec<_>>().join("\n")).unwrap();
    assert!(page().contains(&format!("version {served} instead of 0 in waf.lock")), "{}", page());
    // Without a repository, the page says why there is no base.
    assert!(
        page().contains("Spec           ! 1 file, no base: failed to read the base HEAD: "),
        "{}",
        page()
    );
    std::fs::copy(workspace.path().join("spec.yaml"), workspace.path().join("before.yaml"))
        .unwrap();
    let ran = workspace.run(&["doctor", "spec.yaml", "--base", "./before.yaml"]).exits(0);
    assert!(
        ran.stdout.contains("Spec           ✔ 1 file, base path ./before.yaml\n"),
        "{}",
        ran.stdout
    );
}

/// Malformed responses end in messages, never in a panic, and no secret is shown.
#[test]
fn strange_answers_are_told() {
    let answers = [
        json!({}),
        json!([]),
        json!("active"),
        json!({ "status": 1 }),
        json!({ "status": "\u{1b}[31mred" }),
    ];
    for result in answers {
        let workspace = Workspace::new(options());
        let body = json!({ "result": result, "success": true, "errors": [], "messages": [] });
        workspace.fault(sandbox::Fault {
            when: sandbox::When::Matching {
                method: None,
                path_suffix: "/verify".to_owned(),
                nth: 1,
            },
            what: sandbox::What::Answer { code: 200, body },
            times: 9,
        });
        let ran = workspace.run(&["doctor"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        let words = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            !words.contains(sandbox::TOKEN)
                && !words.contains('\u{1b}')
                && !words.contains("panicked"),
            "{words}"
        );
        assert!(ran.stdout.contains("Credentials    "), "{words}");
    }
    let workspace = Workspace::new(options());
    workspace.file("empty.yaml", "");
    workspace.run(&["doctor", "empty.yaml"]).exits(1);
    workspace.run(&["doctor", "missing.yaml"]).exits(1);
    workspace.run(&["doctor", "--zone", "[", "--quiet"]).exits(1);
    assert!(workspace.requests().is_empty());
}

/// Cloudflare lists the zones and refuses everything else: few requests, and one line about it.
#[test]
fn failures_of_cloudflare_are_told_once_and_not_repeated_for_each_kind() {
    let workspace = Workspace::new(options());
    let zones: Vec<Value> = (0..20).map(|n| json!({ "name": format!("z{n}.example") })).collect();
    workspace.plant(&json!({ "zones": zones }));
    for path_suffix in [
        "/verify",
        "/dns_records",
        "/usage",
        "/entrypoint",
        "/dnssec",
        "/settings/ssl",
        "/dns_settings",
        "/rulesets",
        "/lists",
    ] {
        workspace.fault(sandbox::Fault {
            when: sandbox::When::Matching {
                method: None,
                path_suffix: path_suffix.to_owned(),
                nth: 1,
            },
            what: sandbox::What::Answer {
                code: 503,
                body: json!({ "result": null, "success": false, "errors": [] }),
            },
            times: 10_000,
        });
    }
    let ran = workspace.run(&["doctor", "--concurrency", "1"]).exits(1);
    let not_asked = "not asked, because 3 requests in a row failed: Cloudflare answered 503\n";
    for (unread, tables) in [
        ("? reading records: Cloudflare answered 503\n".to_owned(), 1),
        (format!("? reading DNSSEC, settings, DNS settings, rulesets: {not_asked}"), 1),
        (format!("? reading records, DNSSEC, settings, DNS settings, rulesets: {not_asked}"), 1),
        (format!("? reading account rulesets, lists: {not_asked}"), 1),
    ] {
        assert_eq!(ran.stdout.matches(&unread).count(), tables, "{unread}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("state unknown: Cloudflare answered 503\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with("see the lines with ?, and run this again later.\n"),
        "{}",
        ran.stdout
    );
    let sent = workspace.requests().len();
    assert!(sent < 12, "{sent} requests");
    // The permissions for reading that the spec needs are also unknown.
    workspace.file("spec.yaml", "version: 1\nzones:\n  z0.example:\n    records: []\n");
    let ran = workspace.run(&["doctor", "spec.yaml"]).exits(1);
    assert!(ran.stdout.contains("? Cloudflare did not answer every request"), "{}", ran.stdout);
    // If one kind fails, the others are still requested.
    let workspace = Workspace::new(options());
    workspace.fault(sandbox::Fault {
        when: sandbox::When::Matching { method: None, path_suffix: "/dnssec".to_owned(), nth: 1 },
        what: sandbox::What::Answer { code: 502, body: json!("<html>") },
        times: 10_000,
    });
    let ran = workspace.run(&["doctor"]).exits(0);
    assert!(ran.stdout.contains("? reading DNSSEC: Cloudflare answered 502\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("✔ yes").count(), 7, "{}", ran.stdout);
}
