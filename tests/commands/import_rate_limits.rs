//! `import` of the rate limits and firewall rules of the old APIs.

use crate::support::imports::{import, workspace};
use crate::support::workspace::{Workspace, options_on};
use serde_json::{Value, json};

/// Returns an old rate limit with this content of its block.
fn old_rate_limit(content: &str) -> String {
    format!(
        "resource \"cloudflare_zone\" \"z\" {{ zone = \"example.com\" }}\n\
         resource \"cloudflare_rate_limit\" \"login\" {{\n  zone_id = cloudflare_zone.z.id\n{content}\n}}\n"
    )
}

/// Returns the rule that an old rate limit becomes, as the sandbox stores it.
fn limiting_rule(content: &str) -> Value {
    let workspace = Workspace::empty(options_on("enterprise"));
    workspace.file("main.tf", old_rate_limit(content));
    let ran = import(&workspace, &["./main.tf", "--offline"]);
    assert!(
        ran.stderr.contains("compare with `zonewright import example.com --only-waf`"),
        "{}",
        ran.stderr
    );
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "plan": "enterprise" }] }));
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    workspace.rules("http_ratelimit")[0].clone()
}

#[test]
fn old_rate_limits_become_rules_that_do_the_same() {
    let rule = limiting_rule(
        r#"
  threshold = 20
  period    = 60
  match {
    request {
      url_pattern = "Example.com/Login*"
      schemes     = ["HTTPS"]
      methods     = ["POST", "PUT"]
    }
    response {
      statuses       = [401, 403]
      origin_traffic = false
    }
  }
  action {
    mode    = "ban"
    timeout = 600
    response {
      content_type = "application/json"
      body         = "{}"
    }
  }
  correlate { by = "nat" }
  bypass_url_patterns = ["example.com/login/health"]
  disabled            = true
  description         = "Login""#,
    );
    let expression = r#"http.host eq "example.com" and http.request.uri.path wildcard "/login*" and ssl and http.request.method in {"POST" "PUT"} and not (http.host eq "example.com" and http.request.uri.path wildcard "/login/health") and cf.verified_bot_category ne "Search Engine Crawler""#;
    assert_eq!(rule["expression"], expression);
    assert_eq!(
        (&rule["action"], &rule["enabled"], &rule["description"]),
        (&json!("block"), &json!(false), &json!("Login"))
    );
    let limit = &rule["ratelimit"];
    let counting = format!("{expression} and http.response.code in {{401 403}}");
    assert_eq!(limit["counting_expression"], json!(counting));
    let numbers =
        ["period", "requests_per_period", "mitigation_timeout"].map(|name| limit[name].as_u64());
    assert_eq!(numbers, [Some(60), Some(20), Some(600)]);
    assert_eq!(limit["characteristics"], json!(["cf.colo.id", "cf.unique_visitor_id"]));
    assert_ne!(limit["requests_to_origin"], json!(true));
    assert_eq!(
        rule["action_parameters"]["response"],
        json!({ "status_code": 429, "content": "{}", "content_type": "application/json" })
    );
    // Defaults: all requests, from every address, and only responses of the origin count.
    let rule = limiting_rule(
        "  threshold = 5000\n  period = 10\n  action { mode = \"managed_challenge\" }",
    );
    assert_eq!(rule["expression"], "cf.verified_bot_category ne \"Search Engine Crawler\"");
    assert_eq!((&rule["action"], &rule["enabled"]), (&json!("managed_challenge"), &json!(true)));
    assert_eq!(rule["ratelimit"]["characteristics"], json!(["cf.colo.id", "ip.src"]));
    assert_eq!(rule["ratelimit"]["requests_to_origin"], json!(true));
    // Version 5, and an asterisk in the host.
    let rule = limiting_rule(
        r#"
  threshold = 5000
  period    = 10
  match = {
    headers  = [{ name = "Cf-Cache-Status", op = "ne", value = "HIT" }]
    request  = { methods = ["_ALL_"], schemes = ["_ALL_"], url = "*.example.com/path**" }
    response = { origin_traffic = false, status = [401] }
  }
  action = { mode = "simulate", timeout = 3600 }"#,
    );
    let url = r#"concat(http.host, http.request.uri.path) wildcard "*.example.com/path*""#;
    assert_eq!(
        rule["expression"],
        format!("{url} and cf.verified_bot_category ne \"Search Engine Crawler\"")
    );
    assert_eq!(
        (&rule["action"], &rule["ratelimit"]["requests_to_origin"]),
        (&json!("log"), &json!(true))
    );
    let counting = rule["ratelimit"]["counting_expression"].as_str().unwrap();
    assert!(
        counting.starts_with(url) && counting.ends_with(" and http.response.code in {401}"),
        "{counting}"
    );
    let rule = limiting_rule(
        r#"
  threshold = 5000
  period    = 10
  match {
    response {
      origin_traffic = false
      headers        = [{ name = "X-Cost", op = "eq", value = "high" }, { name = "Server", op = "ne", value = "x" }]
    }
  }
  action { mode = "js_challenge" }"#,
    );
    let headers = r#" and any(http.response.headers["x-cost"][*] eq "high") and not any(http.response.headers["server"][*] eq "x")"#;
    assert!(
        rule["ratelimit"]["counting_expression"].as_str().unwrap().ends_with(headers),
        "{rule}"
    );
}

#[test]
fn old_rate_limits_last_as_long_as_their_period_and_bypass_both_schemes() {
    let plain =
        "  threshold = 50000\n  period = 600\n  action {\n mode = \"ban\"\n timeout = 60\n }\n";
    let rule =
        limiting_rule(&format!("{plain} bypass_url_patterns = [\"https://example.com/health*\"]"));
    assert_eq!(rule["ratelimit"]["mitigation_timeout"], json!(600));
    let bypass =
        r#"not (http.host eq "example.com" and http.request.uri.path wildcard "/health*")"#;
    assert!(rule["expression"].as_str().unwrap().starts_with(bypass), "{rule}");
}

#[test]
fn rules_without_a_name_are_called_like_their_address() {
    let workspace = workspace();
    let zone = "resource \"cloudflare_zone\" \"z\" { zone = \"example.com\" }\n";
    let limits = "resource \"cloudflare_rate_limit\" \"a\" {\n  for_each = toset([\"x-y\", \"x.y\", \"www.example.com\"])\n  \
                  zone_id = cloudflare_zone.z.id\n  threshold = 5\n  period = 60\n  action {\n mode = \"challenge\"\n }\n}\n";
    let rules = "resource \"cloudflare_filter\" \"f\" {\n  count = 2\n  zone_id = cloudflare_zone.z.id\n  \
                 expression = \"http.host eq \\\"${count.index}.example.com\\\"\"\n}\n\
                 resource \"cloudflare_firewall_rule\" \"_f\" {\n  count = 2\n  zone_id = cloudflare_zone.z.id\n  \
                 filter_id = cloudflare_filter.f[count.index].id\n  action = \"block\"\n}\n";
    workspace.file("main.tf", format!("{zone}{limits}{rules}"));
    let ran = import(&workspace, &["./main.tf"]);
    for name in ["a-www-example-com", "a-x-y", "a-x-y-2", "f-0", "f-1"] {
        assert!(
            ran.stdout.contains(&format!("name: {name}")),
            "{name}\n{}\n{}",
            ran.stdout,
            ran.stderr
        );
    }
    for words in [
        "cloudflare_rate_limit: 3 of 3 imported",
        "cloudflare_firewall_rule: 2 of 2 imported",
        "and 2 more rate limits: Cloudflare replaced the old rate limits by rules",
        "check the order",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    // The name that a ruleset gives its rules must also be a valid name.
    for (names, why) in [
        (["a b", "c"], "the `ref` `a b` of a rule has characters that no spec can name"),
        (["x", "x"], "two of its rules have the `ref` `x`"),
    ] {
        let rules = names
            .map(|name| format!("{{ ref = \"{name}\", action = \"block\", expression = \"http.host eq \\\"a\\\"\" }}"));
        let ruleset = format!(
            "resource \"cloudflare_ruleset\" \"r\" {{\n  zone_id = cloudflare_zone.z.id\n  kind = \"zone\"\n  name = \"r\"\n  \
             phase = \"http_request_firewall_custom\"\n  rules = [{}]\n}}\n",
            rules.join(", ")
        );
        workspace.file("odd/main.tf", format!("{zone}{ruleset}"));
        let said = workspace.run(&["import", "./odd/", "--offline"]).exits(0).stderr;
        assert!(
            said.contains(why) && said.contains("cloudflare_ruleset: 0 of 1 imported"),
            "{why}\n{said}"
        );
    }
}

#[test]
fn old_rate_limits_without_an_equal_rule_are_refused_with_the_reason() {
    let workspace = workspace();
    let plain = "  threshold = 5\n  period = 60\n  action {\n mode = \"ban\"\n timeout = 60\n }\n"
        .to_owned();
    let of_url =
        |url: &str| format!("{plain}  match {{\n request {{ url_pattern = \"{url}\" }}\n}}");
    let of_header = format!(
        "{plain}  match {{\n response {{ headers = [{{ name = \"Server\", op = \"like\", value = \"x\" }}] }}\n}}"
    );
    let twice =
        format!("{}\n bypass_url_patterns = [\"*b.example.com/x\"]", of_url("*a.example.com/x"));
    for (content, why) in [
        (
            plain.replace("period = 60", "period = 50"),
            "50 s is not a usual period of a rule; the nearest is 45 s",
        ),
        (
            plain.replace("timeout = 60", "timeout = 900"),
            "900 s is not a usual duration of a rule; the nearest is 600 s",
        ),
        (plain.replace("ban", "quarantine"), "its action is `quarantine`"),
        (plain.replace("timeout = 60", ""), "it has no `timeout`"),
        (plain.replace("threshold = 5", "threshold = 0"), "its threshold is 0"),
        (
            of_url("example.com/a?b=*"),
            "its pattern `example.com/a?b=*` is more than a host and a path",
        ),
        (of_url("ftp://example.com/"), "its pattern `ftp://example.com/` has another scheme"),
        (
            of_url("example.com:8443/"),
            "its pattern `example.com:8443/` is more than a host and a path",
        ),
        (format!("{plain} bypass_url_patterns = [\"*\"]"), "it bypasses `*`, which is everything"),
        (of_header, "its response header `server` is compared by `like`"),
        (format!("{plain} mitigation = 5"), "its member `mitigation` is not known"),
        (
            format!("{plain}  match {{\n response {{ statuses = [\"ok\"] }}\n}}"),
            "one of its status codes is not a number",
        ),
        (twice, "several of its patterns have an asterisk in the host"),
        (format!("{plain} correlate {{ by = \"cookie\" }}"), "it counts by `cookie`"),
        (format!("{plain} disabled = \"maybe\""), "its `disabled` is neither true nor false"),
        (
            format!("{plain}  match {{\n response {{ origin_traffic = \"perhaps\" }}\n}}"),
            "its `origin_traffic` is neither true nor false",
        ),
        (
            format!(
                "{plain}  match {{\n request {{ url_pattern = [\"example.com/a\", \"b\"] }}\n}}"
            ),
            "its `url_pattern` is not a text",
        ),
        (format!("{plain}  match {{\n}}\n  match {{\n}}"), "its `match` is not one block"),
        (
            format!("{plain}  match {{\n request {{ methods = [\"GET\", [\"x\"]] }}\n}}"),
            "its `methods` is not a list of texts",
        ),
        (
            format!("{plain}  match {{\n request {{ schemes = [\"HTTP\", \"GOPHER\"] }}\n}}"),
            "its scheme is `GOPHER`",
        ),
        (
            format!("{plain} bypass = [{{ name = \"ip\", value = \"192.0.2.1\" }}]"),
            "it exempts requests by `ip`, not by their URL",
        ),
        (
            format!("{plain} bypass_url_patterns = {{ a = \"b\" }}"),
            "its `bypass_url_patterns` is not a list of texts",
        ),
        (
            format!("{plain} bypass_url_patterns = [\"https://*\"]"),
            "it bypasses `https://*`, which is everything",
        ),
        (plain.replace("period = 60", "period = -60"), "its `period` is not a whole number"),
        (
            of_url("münchen.example.com/"),
            "its pattern `münchen.example.com/` has letters that requests do not have",
        ),
    ] {
        workspace.file("main.tf", old_rate_limit(&content));
        let said = workspace.run(&["import", "./main.tf", "--offline"]).exits(0).stderr;
        assert!(
            said.contains("IMPORT0002")
                && said.contains(&format!("cloudflare_rate_limit.login: {why}")),
            "{why}\n{said}"
        );
        assert!(said.contains("; write a rule in `rate_limits`"), "{said}");
    }
}
