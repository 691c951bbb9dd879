"""octorules against a running sandbox: plan, sync, nothing to do; a foreign change is seen and taken back."""

import os
import pathlib
import subprocess
import sys

import requests

from checks import Checks

PHASES = ["waf_custom_rules", "waf_managed_rules", "rate_limiting_rules"]
OWASP = "4814384a9e5d4991b9815dcfc25d2f1f"
CONFIG = """
providers:
  cloudflare: {token: env/CLOUDFLARE_API_TOKEN}
  rules: {directory: ./rules}
safety: {min_existing: 100}
zones:
  octorules.example: {sources: [rules]}
"""
RULES = f"""
cloudflare:
  waf_custom_rules:
    - {{ref: bots, description: Block bad agents, action: block, expression: (http.user_agent contains "BadBot"), enabled: true}}
    - {{ref: login, description: Challenge, action: managed_challenge, expression: '(http.request.uri.path eq "/login")', enabled: true}}
  waf_managed_rules:
    - {{ref: owasp, description: OWASP, action: execute, action_parameters: {{id: {OWASP}, version: latest}}, expression: "true", enabled: true}}
  rate_limiting_rules:
    - ref: slow
      description: Slow down logins
      action: block
      expression: (http.request.uri.path eq "/login")
      enabled: true
      ratelimit: {{characteristics: [cf.colo.id, ip.src], period: 60, requests_per_period: 5, mitigation_timeout: 600}}
"""

checks = Checks("octorules")
base = os.environ["CLOUDFLARE_BASE_URL"]
session = requests.Session()
session.headers["authorization"] = f"Bearer {os.environ['CLOUDFLARE_API_TOKEN']}"
zone = session.get(f"{base}/zones?name=octorules.example").json()["result"][0]["id"]
pathlib.Path("rules").mkdir()
pathlib.Path("config.yaml").write_text(CONFIG)
pathlib.Path("rules/octorules.example.yaml").write_text(RULES)


def run(*arguments):
    phases = [part for phase in PHASES for part in ("--phase", f"cloudflare.{phase}")]
    program = pathlib.Path(sys.executable).with_name("octorules")
    command = [program, "--config", "config.yaml", "--scope", "zones", *phases, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def rules(phase):
    return session.get(f"{base}/zones/{zone}/rulesets/phases/{phase}/entrypoint").json()["result"]["rules"]


code, text = run("plan")
checks.that("first sync", code == 0 and "4 change(s)" in text, text)
code, text = run("sync", "--doit")
checks.that("first sync", code == 0, text)
checks.equal("first sync", [r["ref"] for r in rules("http_request_firewall_custom")], ["bots", "login"], "custom rules")
checks.equal("first sync", [r["ref"] for r in rules("http_ratelimit")], ["slow"], "rate limits")
checks.equal("first sync", rules("http_request_firewall_managed")[0]["action_parameters"]["id"], OWASP, "deployment")
code, text = run("plan")
checks.that("nothing to do", code == 0 and "No changes detected" in text, text)

put = session.put(
    f"{base}/zones/{zone}/rulesets/phases/http_request_firewall_custom/entrypoint",
    json={"rules": [{"action": "log", "expression": "true", "ref": "foreign"}]},
)
checks.equal("foreign change", put.status_code, 200, "another client replaces the rules")
code, text = run("plan")
checks.that("foreign change", "foreign" in text and "No changes detected" not in text, text)
code, text = run("sync", "--doit", "--force")
checks.that("foreign change", code == 0, text)
checks.equal("foreign change", [r["ref"] for r in rules("http_request_firewall_custom")], ["bots", "login"], "custom rules")
code, text = run("plan")
checks.that("foreign change", code == 0 and "No changes detected" in text, text)
sys.exit(checks.failed > 0)
