"""The official Python SDK, unmodified, and rulesets: rulesets.py BINARY, against a running sandbox with the zones NAMES.

What `zonewright apply` writes is read by the SDK, and what the SDK writes is drift for `zonewright plan`.
"""

import json
import os
import pathlib
import subprocess
import sys

import cloudflare
import pydantic
from cloudflare import Cloudflare
from cloudflare.types.rulesets import RulesetGetResponse

from checks import Checks

NAMES = ("waf.example", "manual.example", "adopted.example")
MANAGED, CUSTOM, RATE = "http_request_firewall_managed", "http_request_firewall_custom", "http_ratelimit"
OWASP, ANOMALY = "4814384a9e5d4991b9815dcfc25d2f1f", "6179ae15870a4bb7b2d480d4843b323c"
PUNCTUATION, COMMENT = "5e4903d6afa841c9b88b96203297003f", "d12ad6d1bc0c42b3affe0cee682bb405"
ABSENT = "0123456789abcdef0123456789abcdef"
HERE = pathlib.Path(__file__).parent
FLAGS = os.environ["RULESET_FLAGS"].split()


def flag(name, default):
    return FLAGS[FLAGS.index(name) + 1] if name in FLAGS else default


PLAN, LEVEL = flag("--plan", "free"), int(flag("--owasp-level", "4"))
HAS_OWASP, HAS_DRY_RUN = PLAN != "free", "--without-dry-run" not in FLAGS
HAS_ACCOUNT_RULESETS = "--without-account-rulesets" not in FLAGS
PERIODS = {"period": 10, "mitigation_timeout": 10} if PLAN == "free" else {"period": 60, "mitigation_timeout": 600}

binary = sys.argv[1]
checks = Checks(f"rules {PLAN}")
# Strict validation: an answer that does not fit the SDK's own models is an error, not a guess.
client = Cloudflare(max_retries=0, _strict_response_validation=True)


def as_model(result):
    """A ruleset held strictly against the SDK's model, with what Cloudflare leaves out filled in.

    The models of the SDK 5.9.0 require `expression` of each rule, which rules of managed rulesets do not have in any example of
    the documentation, and `rules` of each ruleset, which was observed to be absent where there are none.
    """
    is_managed = result["kind"] == "managed"
    fixed = [{**rule, "expression": "true"} if is_managed else rule for rule in result.get("rules", [])]
    if is_managed:
        checks.that("models", all("expression" not in rule for rule in result["rules"]), "managed rules have no expression")
    try:
        model = RulesetGetResponse.model_validate({**result, "rules": fixed})
    except pydantic.ValidationError as e:
        checks.that("models", False, f"does not fit the model: {str(e)[:500]}")
        raise
    checks.that("models", True, "fits the model")
    return model


class Modelled:
    """A resource of the SDK whose answers are models. To the SDK 5.9.0, answers of writes are objects of any kind, since they are
    null where a write is only tried; so it hands them out as they came."""

    def __init__(self, resource):
        self.resource = resource

    def __getattr__(self, name):
        part = getattr(self.resource, name)
        if not callable(part):
            return Modelled(part)

        def call(*positional, **named):
            answer = part(*positional, **named)
            return as_model(answer) if isinstance(answer, dict) else answer

        return call


rulesets = Modelled(client.rulesets)
rules, phases = rulesets.rules, rulesets.phases


def of_vendor(response):
    """A managed ruleset, see `as_model`."""
    return as_model(response.json()["result"])


def refused(area, code, call, what, error=cloudflare.BadRequestError):
    """Checks that a call fails with this class of error and this code; None for any code, or none."""
    try:
        call()
    except cloudflare.APIStatusError as e:
        codes = [problem.code for problem in e.errors]
        return checks.that(area, type(e) is error and (code is None or code in codes), f"{what}: {type(e).__name__} {codes}, not {code}")
    return checks.that(area, False, f"{what}: was not refused")


def plain(ruleset):
    """The rules as JSON, without what every write changes."""
    return [{key: value for key, value in rule.to_dict(mode="json").items() if key != "last_updated"} for rule in ruleset.rules]


def refs(ruleset):
    return [rule.ref for rule in ruleset.rules]


def entry_point(phase, zone):
    return phases.get(phase, zone_id=zone.id)


def definition(rule):
    """What a client sends to change a rule: everything that it wants to keep."""
    return {key: value for key, value in rule.to_dict(mode="json").items() if key not in ("id", "version", "last_updated", "categories")}


def by_ref(ruleset, ref):
    return next(rule for rule in ruleset.rules if rule.ref == ref)


def lists(zone):
    area = "lists"
    account = zone.account.id
    managed = list(rulesets.list(account_id=account))
    known = {ruleset.id: ruleset for ruleset in managed}
    checks.that(area, known[OWASP].kind == "managed" and known[OWASP].phase == MANAGED, "the OWASP ruleset in the account's list")
    checks.that(area, all("rules" not in ruleset.to_dict() for ruleset in managed), "no rules in lists")
    checks.equal(area, [r.id for r in rulesets.list(zone_id=zone.id)], [r.id for r in managed], "a zone without rules lists what it can run")
    # The page of the SDK 5.9.0 looks for `result_info.cursor`; its own schema and Cloudflare say `result_info.cursors.after`. So
    # the SDK shows one page, and who wants the next reads the cursor from the answer.
    seen, cursor = [], cloudflare.omit
    for _ in range(len(managed) + 1):
        answer = rulesets.with_raw_response.list(account_id=account, per_page=2, cursor=cursor)
        page = list(answer.parse().result)
        checks.that(area, 0 < len(page) <= 2, f"a page of at most two: {len(page)}")
        seen += [ruleset.id for ruleset in page]
        cursor = (answer.json().get("result_info") or {}).get("cursors", {}).get("after")
        if not cursor:
            break
    checks.equal(area, seen, [r.id for r in managed], "pages of two, by the cursor")
    refused(area, None, lambda: rulesets.list(account_id=account, cursor="nonsense"), "a cursor that never was")


def managed(zone):
    area = "managed rulesets"
    whole = of_vendor(rulesets.with_raw_response.get(OWASP, account_id=zone.account.id))
    checks.equal(area, (whole.id, whole.kind, whole.phase), (OWASP, "managed", MANAGED), "get")
    last = whole.rules[-1]
    checks.equal(area, (last.id, last.action, last.score_threshold), (ANOMALY, "block", 40), "the rule that compares the score")
    checks.that(area, all(rule.action == "score" for rule in whole.rules[:-1]), "the others add to the score")
    on = {tag for rule in whole.rules[:-1] if rule.enabled for tag in rule.categories if tag.startswith("paranoia-level-")}
    checks.equal(area, sorted(on), [f"paranoia-level-{n}" for n in range(1, LEVEL + 1)], "levels that are on")
    checks.equal(area, of_vendor(rulesets.with_raw_response.get(OWASP, zone_id=zone.id)).to_dict(), whole.to_dict(), "the same through the zone")
    versions = list(rulesets.versions.list(OWASP, account_id=zone.account.id))
    checks.equal(area, versions[-1].version, whole.version, "versions")
    checks.equal(area, of_vendor(rulesets.versions.with_raw_response.get(whole.version, ruleset_id=OWASP, account_id=zone.account.id)).to_dict(), whole.to_dict(), "the version in use")
    refused(area, 10003, lambda: rulesets.get(ABSENT, account_id=zone.account.id), "get of what is not there", cloudflare.NotFoundError)


def by_hand(zone):
    """Entry points, rules with their positions, and versions, made with the SDK alone."""
    area, there = "entry points", {"zone_id": zone.id}
    refused(area, 10003, lambda: phases.get(CUSTOM, **there), "there is none", cloudflare.NotFoundError)
    checks.equal(area, list(phases.versions.list(CUSTOM, **there)), [], "no versions of what is not there")
    one = {"action": "block", "expression": 'http.host eq "a.example"', "ref": "a", "description": "first"}
    made = phases.update(CUSTOM, **there, rules=[one])
    checks.equal(area, (made.kind, made.phase, made.version, refs(made)), ("zone", CUSTOM, "1", ["a"]), "made by an update")
    checks.equal(area, entry_point(CUSTOM, zone).to_dict(), made.to_dict(), "get")
    described = phases.update(CUSTOM, **there, description="ours")
    checks.equal(area, (described.id, described.description, described.version, refs(described)), (made.id, "ours", "2", ["a"]), "a description alone")
    kept = phases.update(CUSTOM, **there, rules=[{**one, "action": "managed_challenge"}, {"action": "block", "expression": 'http.host eq "z.example"', "ref": "z"}])
    checks.equal(area, (kept.rules[0].id, kept.rules[0].version, refs(kept)), (made.rules[0].id, "2", ["a", "z"]), "a rule of the same ref keeps its id")
    refused(area, 20217, lambda: rulesets.create(**there, kind="zone", name="again", phase=CUSTOM, rules=[]), "a second entry point")

    area = "rules"
    ruleset, host = made.id, lambda name: {"action": "block", "expression": f'http.host eq "{name}.example"', "ref": name}
    end = rules.create(ruleset, **there, **host("b"))
    checks.equal(area, refs(end), ["a", "z", "b"], "at the end without a position")
    ids = {rule.ref: rule.id for rule in end.rules}
    for name, position, order in [
        ("c", {"index": 1}, "cazb"),
        ("d", {"before": ids["z"]}, "cadzb"),
        ("e", {"after": ids["z"]}, "cadzeb"),
    ]:
        whole = rules.create(ruleset, **there, **host(name), position=position)
        checks.equal(area, "".join(refs(whole)), order, f"create at {position}")
        if PLAN == "free":
            # The free plan has five rules.
            if len(whole.rules) == 5:
                refused(area, 50001, lambda: rules.create(ruleset, **there, **host("x")), "more rules than the plan has")
                break
    ids = {rule.ref: rule.id for rule in whole.rules}
    moved = rules.edit(ids["b"], ruleset_id=ruleset, **there, position={"before": ""})
    checks.equal(area, refs(moved)[0], "b", "moved to the beginning by its position alone")
    checks.equal(area, by_ref(moved, "b").to_dict(), by_ref(whole, "b").to_dict(), "a move leaves the rule as it was, its version too")
    edited = rules.edit(ids["a"], ruleset_id=ruleset, **there, **{**definition(by_ref(moved, "a")), "description": "second"})
    after, before = by_ref(edited, "a"), by_ref(moved, "a")
    checks.equal(area, (after.id, after.description, int(after.version)), (before.id, "second", int(before.version) + 1), "edit")
    checks.equal(area, int(edited.version), int(moved.version) + 1, "another version of the ruleset")
    bare = rules.edit(ids["a"], ruleset_id=ruleset, **there, action="block", expression='http.host eq "a.example"')
    checks.equal(area, (by_ref(bare, "a").description, by_ref(bare, "a").action), (None, "block"), "what an edit leaves out is gone")
    gone = rules.delete(ids["d"], ruleset_id=ruleset, **there)
    checks.equal(area, [r.id for r in gone.rules], [r.id for r in bare.rules if r.ref != "d"], "delete keeps the others")
    for what, error, code, call in [
        ("an expression that cannot be read", cloudflare.BadRequestError, 20127, lambda: rules.create(ruleset, **there, action="block", expression="http.host is x")),
        ("no expression", cloudflare.BadRequestError, 20125, lambda: rules.create(ruleset, **there, action="block", expression="")),
        ("an action of another phase", cloudflare.BadRequestError, 20016, lambda: rules.create(ruleset, **there, action="score", expression="true")),
        ("a product that is none", cloudflare.BadRequestError, 20119, lambda: rules.create(ruleset, **there, action="skip", expression="true", action_parameters={"products": ["uablock"]})),
        ("a position that is none", cloudflare.BadRequestError, None, lambda: rules.edit(ids["a"], ruleset_id=ruleset, **there, position={"after": ABSENT})),
        ("a rule that is not there", cloudflare.NotFoundError, None, lambda: rules.delete(ABSENT, ruleset_id=ruleset, **there)),
    ]:
        refused(area, code, call, what, error)
    checks.equal(area, entry_point(CUSTOM, zone).to_dict(), gone.to_dict(), "nothing of what was refused is stored")

    area = "versions"
    numbers = [int(version.version) for version in rulesets.versions.list(ruleset, **there)]
    checks.equal(area, numbers, list(range(1, int(gone.version) + 1)), "list")
    checks.equal(area, [int(v.version) for v in phases.versions.list(CUSTOM, **there)], numbers, "list of the entry point")
    checks.equal(area, rulesets.versions.get("1", ruleset_id=ruleset, **there).to_dict(), made.to_dict(), "the first")
    checks.equal(area, phases.versions.get(gone.version, ruleset_phase=CUSTOM, **there).to_dict(), gone.to_dict(), "the last")
    rulesets.versions.delete("1", ruleset_id=ruleset, **there)
    refused(area, 10003, lambda: rulesets.versions.get("1", ruleset_id=ruleset, **there), "get of a deleted one", cloudflare.NotFoundError)
    refused(area, None, lambda: rulesets.versions.delete(gone.version, ruleset_id=ruleset, **there), "delete of the one in use")

    area = "dry run"
    try_one = lambda **more: rules.create(ruleset, **there, action="block", expression="true", **more)
    if HAS_DRY_RUN:
        if PLAN != "free":
            checks.equal(area, try_one(dry_run=True), None, "no result")
        checks.equal(area, rules.delete(ids["a"], ruleset_id=ruleset, **there, dry_run=True), None, "delete")
        checks.equal(area, rulesets.delete(ruleset, **there, dry_run=True), None, "delete of all")
        refused(area, 20125, lambda: rules.create(ruleset, **there, dry_run=True, action="block", expression=""), "what would be refused")
    else:
        refused(area, None, lambda: try_one(dry_run=True), "a service that does not know it")
        refused(area, None, lambda: rules.delete(ids["a"], ruleset_id=ruleset, **there, dry_run=True), "delete")
    checks.equal(area, entry_point(CUSTOM, zone).to_dict(), gone.to_dict(), "nothing is stored")

    area = "entry points"
    empty = phases.update(CUSTOM, **there, rules=[])
    checks.equal(area, (empty.id, empty.rules), (ruleset, []), "emptied, it is still there")
    rulesets.delete(ruleset, **there)
    refused(area, 10003, lambda: phases.get(CUSTOM, **there), "deleted", cloudflare.NotFoundError)


def entitlements(zone):
    area, there = "what plans allow", {"zone_id": zone.id}
    execute = {"action": "execute", "expression": "true", "action_parameters": {"id": OWASP}}
    if not HAS_OWASP:
        refused(area, None, lambda: phases.update(MANAGED, **there, rules=[execute]), "the OWASP ruleset on the free plan")
        return
    refused(area, 20014, lambda: phases.update(MANAGED, **there, rules=[execute, execute]), "a managed ruleset twice")
    logged = {"action": "log", "expression": "true"}
    if PLAN == "enterprise":
        made = phases.update(CUSTOM, **there, rules=[logged])
        checks.equal(area, made.rules[0].action, "log", "log on Enterprise")
        rulesets.delete(made.id, **there)
    else:
        refused(area, None, lambda: phases.update(CUSTOM, **there, rules=[logged]), "log below Enterprise")


def of_the_account(zone):
    area, there = "account rulesets", {"account_id": zone.account.id}
    create = lambda: rulesets.create(**there, kind="custom", name="shared", phase=CUSTOM, rules=[{"action": "block", "expression": 'http.host eq "a.example"', "ref": "a"}])
    if not HAS_ACCOUNT_RULESETS:
        refused(area, None, create, "create")
        return
    shared = create()
    checks.equal(area, (shared.kind, refs(shared), shared.version), ("custom", ["a"], "1"), "create")
    checks.equal(area, rulesets.get(shared.id, **there).to_dict(), shared.to_dict(), "get")
    checks.equal(area, shared.id in [r.id for r in rulesets.list(**there)], True, "list")
    renamed = rulesets.update(shared.id, **there, name="renamed", rules=[definition(rule) for rule in shared.rules])
    checks.equal(area, (renamed.name, renamed.rules[0].id, renamed.version), ("renamed", shared.rules[0].id, "2"), "update")
    root = phases.update(CUSTOM, **there, rules=[{"action": "execute", "expression": '(cf.zone.plan eq "ENT")', "action_parameters": {"id": shared.id}}])
    checks.equal(area, (root.kind, root.rules[0].action_parameters.id), ("root", shared.id), "run by the entry point of the account")
    refused(area, None, lambda: rulesets.delete(shared.id, **there), "delete of what is run")
    rulesets.delete(root.id, **there)
    rulesets.delete(shared.id, **there)
    refused(area, 10003, lambda: rulesets.get(shared.id, **there), "get of a deleted one", cloudflare.NotFoundError)


def zonewright(area, status, *arguments):
    """Runs the binary; its plan or report as JSON."""
    run = subprocess.run([binary, *arguments, "--format", "json"], capture_output=True, encoding="utf-8", timeout=120)
    checks.equal(area, run.returncode, status, f"{arguments}: {run.stdout[:2000]} {run.stderr[:2000]}")
    return json.loads(run.stdout or "{}")


def planned(area, spec, *wanted):
    """Checks that a plan has these changes and no other: what is done to which rule, and of what is updated the fields."""
    plan = zonewright(area, 2 if wanted else 0, "plan", "--detailed-exitcode", "--allow", "weakens-protection", spec)
    fields = lambda op: [(f["field"], f["before"], f["after"]) for f in op["fields"]] if op["action"] == "update" else []
    found = [(op["action"], op["name"], *fields(op)) for op in plan["operations"]]
    checks.equal(area, sorted(found), sorted(wanted), "the plan")


def applied(area, spec, phase, zone, writes):
    """Applies, and checks how many writes the entry point saw and that nothing is left to do."""
    before = int(entry_point(phase, zone).version)
    zonewright(area, 0, "apply", "--yes", "--allow", "weakens-protection", spec)
    after = entry_point(phase, zone)
    checks.equal(area, int(after.version) - before, writes, "versions made, one for each request")
    zonewright(area, 0, "plan", "--detailed-exitcode", spec)
    return after


def levels():
    """The categories that make paranoia level 2 of a ruleset with LEVEL."""
    on = [{"category": "paranoia-level-2", "enabled": True}] if LEVEL < 2 else []
    return on + [{"category": f"paranoia-level-{n}", "enabled": False} for n in (3, 4)]


def overrides(threshold=40, more=()):
    anomaly = {"id": ANOMALY, "action": "managed_challenge", "score_threshold": threshold}
    return {"categories": levels(), "rules": [anomaly, {"id": PUNCTUATION, "enabled": False}, *more]}


def by_zonewright(zone, spec):
    """What zonewright applies is what the SDK reads; what the SDK changes is what zonewright plans."""
    area = "spec to SDK"
    tried = zonewright(area, 2, "plan", "--detailed-exitcode", "--server-check", spec)
    said = [note for note in tried["notes"] if "server check" in str(note)]
    if HAS_DRY_RUN:
        many = len(tried["operations"])
        checks.that(area, f"{many} of {many} changes of rules would be accepted" in str(said), f"the sandbox is asked: {said}")
    else:
        checks.that(area, "was not checked" in str(said), f"the sandbox cannot be asked: {said}")
    zonewright(area, 0, "apply", "--yes", spec)
    pick = lambda phase, *keys: [{key: rule.get(key) for key in ("ref", "action", "expression", "enabled", *keys)} for rule in plain(entry_point(phase, zone))]
    on = {"enabled": True}
    checks.equal(area, pick(CUSTOM), [
        {"ref": "scanners", "action": "block", "expression": 'lower(http.user_agent) contains "sqlmap"', **on},
        {"ref": "admin", "action": "managed_challenge", "expression": 'http.request.uri.path eq "/admin"', **on},
        {"ref": "old-api", "action": "block", "expression": 'starts_with(http.request.uri.path, "/v1/")', **on},
    ], "custom rules")
    rate = {"characteristics": ["cf.colo.id", "ip.src"], "requests_per_period": 5, **PERIODS}
    checks.equal(area, pick(RATE, "ratelimit"), [{"ref": "login", "action": "block", "expression": 'http.request.uri.path eq "/login"', "ratelimit": rate, **on}], "rate limits")
    if HAS_OWASP:
        skip, owasp = pick(MANAGED, "action_parameters", "logging", "description")
        checks.equal(area, skip, {"ref": "editor", "action": "skip", "expression": 'starts_with(http.request.uri.path, "/admin/pages")', "description": "the editor sends HTML", "logging": {"enabled": True}, "action_parameters": {"rules": {OWASP: [PUNCTUATION, COMMENT]}}, **on}, "the exception")
        checks.equal(area, (owasp["action"], owasp["expression"], owasp["action_parameters"]["id"]), ("execute", "true", OWASP), "the OWASP deployment")
        checks.equal(area, owasp["action_parameters"]["overrides"], overrides(), "its overrides")
    else:
        refused(area, 10003, lambda: phases.get(MANAGED, zone_id=zone.id), "nothing in the phase that the spec does not name", cloudflare.NotFoundError)
    planned(area, spec)

    area, there = "SDK to plan", {"zone_id": zone.id}
    custom = entry_point(CUSTOM, zone)
    with_foreign = rules.create(custom.id, **there, action="block", expression="ip.src eq 192.0.2.7", description="by hand", position={"index": 2})
    foreign = plain(with_foreign)[1]
    planned(area, spec)
    move = lambda: rules.edit(by_ref(custom, "old-api").id, ruleset_id=custom.id, **there, position={"before": ""})
    move()
    planned(area, spec, ("move", "old-api"))
    after = applied(area, spec, CUSTOM, zone, 1)
    checks.equal(area, [ref for ref in refs(after) if ref != foreign["ref"]], ["scanners", "admin", "old-api"], "the order of our rules")
    checks.that(area, foreign in plain(after), f"the foreign rule is as it was: {plain(after)}")
    admin = by_ref(after, "admin")
    rules.edit(admin.id, ruleset_id=custom.id, **there, **{**definition(admin), "action": "block"})
    planned(area, spec, ("update", "admin", ("action", "block", "managed_challenge")))
    after = applied(area, spec, CUSTOM, zone, 1)
    checks.equal(area, (by_ref(after, "admin").id, by_ref(after, "admin").action), (admin.id, "managed_challenge"), "one rule is back, by its id")
    checks.that(area, foreign in plain(after), f"the foreign rule is as it was: {plain(after)}")
    if not HAS_OWASP:
        return

    ours = entry_point(MANAGED, zone)
    skip_all = {"action": "skip", "expression": "ip.src eq 192.0.2.7", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": False}, "description": "office"}
    foreign = plain(rules.create(ours.id, **there, **skip_all, position={"before": ""}))[0]
    planned(area, spec)
    owasp = by_ref(ours, "owasp")
    parameters = {"id": OWASP, "overrides": overrides(60, [{"id": COMMENT, "action": "log"}]), "matched_data": {"public_key": "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8="}}
    rules.edit(owasp.id, ruleset_id=ours.id, **there, **{**definition(owasp), "action_parameters": parameters})
    planned(area, spec, ("update", "owasp", ("threshold", 60, 40)))
    after = applied(area, spec, MANAGED, zone, 1)
    checks.that(area, foreign in plain(after), f"the foreign rule is as it was: {plain(after)}")
    owasp = by_ref(after, "owasp").to_dict(mode="json")["action_parameters"]
    wanted = overrides(40, [{"id": COMMENT, "action": "log"}])
    for key, by in (("categories", "category"), ("rules", "id")):
        sort = lambda items: sorted(items, key=lambda item: item[by])
        checks.equal(area, sort(owasp["overrides"][key]), sort(wanted[key]), f"{key}, with what the SDK added")
    checks.equal(area, owasp["matched_data"], parameters["matched_data"], "the key for logged payloads is kept")
    # All at once: a threshold, a move, an exception that is gone.
    rules.edit(by_ref(after, "owasp").id, ruleset_id=ours.id, **there, **{**definition(by_ref(after, "owasp")), "action_parameters": {**owasp, "overrides": overrides(25)}})
    rules.delete(by_ref(after, "editor").id, ruleset_id=ours.id, **there)
    move()
    planned(area, spec, ("create", "editor"), ("move", "old-api"), ("update", "owasp", ("threshold", 25, 40)))
    version = entry_point(MANAGED, zone).version
    zonewright(area, 3, "apply", "--yes", spec)
    checks.equal(area, entry_point(MANAGED, zone).version, version, "weaker protection needs consent")
    after = applied(area, spec, MANAGED, zone, 2)
    checks.that(area, plain(after)[0] == foreign and refs(after)[1:] == ["editor", "owasp"], f"the order: {refs(after)}")


def taken_over(zone, spec):
    """The reverse: the SDK has made the rules, and zonewright finds them."""
    area, there = "SDK first", {"zone_id": zone.id}
    if not HAS_OWASP:
        foreign = plain(phases.update(CUSTOM, **there, rules=[{"action": "block", "expression": "ip.src eq 192.0.2.7"}]))
        zonewright(area, 0, "apply", "--yes", spec)
        after = plain(entry_point(CUSTOM, zone))
        checks.equal(area, ([r for r in after if r in foreign], len(after)), (foreign, 4), "the foreign rule is as it was, ours beside it")
        return
    made = phases.update(MANAGED, **there, rules=[
        {"action": "skip", "expression": "ip.src eq 192.0.2.7", "action_parameters": {"ruleset": "current"}, "logging": {"enabled": True}},
        {"action": "execute", "expression": "true", "action_parameters": {"id": OWASP, "overrides": overrides(25, [{"id": COMMENT, "action": "log"}])}, "description": "by hand"},
    ])
    skip, owasp = made.rules
    new = [("create", "editor"), ("create", "scanners, admin, old-api"), ("create", "login")]
    planned(area, spec, *new, ("update", "owasp", ("threshold", 25, 40)))
    after = applied(area, spec, MANAGED, zone, 2)
    by_id = {rule["id"]: rule for rule in plain(after)}
    checks.equal(area, by_id[skip.id], plain(made)[0], "the foreign rule is as it was")
    taken = by_id[owasp.id]
    checks.equal(area, (taken["ref"], taken["description"]), (owasp.ref, "by hand"), "the deployment was found by what it runs, and not renamed")
    checks.equal(area, taken["action_parameters"]["overrides"]["rules"][-1], {"id": COMMENT, "action": "log"}, "what the spec does not name is kept")
    # Now the SDK makes what zonewright has made anew, in one write with its ids: nothing to do.
    phases.update(MANAGED, **there, rules=[{**definition(rule), "id": rule.id} for rule in after.rules])
    planned(area, spec)


def main():
    zones = {zone.name: zone for zone in client.zones.list(per_page=50)}
    specs = {}
    source = (HERE / ("rulesets.yaml" if HAS_OWASP else "rulesets.free.yaml")).read_text(encoding="utf-8")
    for name in NAMES:
        specs[name] = pathlib.Path(f"{name}.yaml")
        specs[name].write_text(source.replace("waf.example:", f"{name}:"), encoding="utf-8")
    for part in (
        lambda: lists(zones["manual.example"]),
        lambda: managed(zones["manual.example"]),
        lambda: by_hand(zones["manual.example"]),
        lambda: entitlements(zones["manual.example"]),
        lambda: of_the_account(zones["manual.example"]),
        lambda: by_zonewright(zones["waf.example"], specs["waf.example"]),
        lambda: taken_over(zones["adopted.example"], specs["adopted.example"]),
    ):
        try:
            part()
        except Exception as e:
            trace = e.__traceback__
            while trace.tb_next and trace.tb_next.tb_frame.f_code.co_filename == __file__:
                trace = trace.tb_next
            checks.that("all", False, f"line {trace.tb_lineno}: {type(e).__name__}: {e}")
    sys.exit(checks.failed > 0)


main()
