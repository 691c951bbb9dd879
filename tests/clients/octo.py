"""octoDNS with octodns-cloudflare against a running sandbox: sync, nothing to do, change, nothing to do, dump."""

import os
import pathlib
import shutil
import subprocess
import sys

import requests
import yaml
from octodns.provider.yaml import YamlProvider
from octodns.zone import Zone
from octodns_cloudflare import CloudflareProvider

from checks import Checks

HERE = pathlib.Path(__file__).parent
checks = Checks("octoDNS")
session = requests.Session()
session.headers["authorization"] = f"Bearer {os.environ['CLOUDFLARE_API_TOKEN']}"
BASE = os.environ["CLOUDFLARE_BASE_URL"]


def is_supported(zone, kind):
    """Whether the sandbox knows a type: a body without a value is refused with a different error for unknown types."""
    kind = "CNAME" if kind == "ALIAS" else kind
    body = {"type": kind, "name": "probe", "ttl": 300}
    answer = session.post(f"{BASE}/zones/{zone}/dns_records", json=body).json()
    return "not a supported type" not in answer["errors"][0]["message"]


def fitting(zone, names):
    """The records that the sandbox and its plan can hold."""
    out = {}
    for name, records in names.items():
        records = records if isinstance(records, list) else [records]
        records = [r for r in records if r is None or r["type"] in SUPPORTED]
        for record in records:
            if record and record.get("value") == "LONG":
                record["value"] = "k" * 600
            if record and not TAGGED:
                record.get("octodns", {}).get("cloudflare", {}).pop("tags", None)
        if records:
            out[name] = records[0] if len(records) == 1 else records
    return out


def run(program, *arguments):
    command = [str(pathlib.Path(sys.executable).with_name(program)), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    return done.returncode, done.stdout + done.stderr


def sync(area, what, *zones, config="octodns.yaml"):
    code, text = run("octodns-sync", f"--config-file={config}", "--doit", "--force", *zones)
    checks.that(area, code == 0, f"{what}: {text[-600:] if code else code}")
    return text


def write(zones):
    pathlib.Path("config").mkdir(exist_ok=True)
    for zone, names in zones.items():
        pathlib.Path(f"config/{zone}yaml").write_text(yaml.safe_dump(names))


def read(directory, name):
    zone = Zone(name, [])
    YamlProvider("read", directory, default_ttl=3600, enforce_order=False).populate(zone)
    return {f"{record.name} {record._type}": (record.data, record.octodns) for record in zone.records}


def settled(area, zones):
    """Checks that no change is left to do, and that a dump equals the desired records."""
    for _ in range(2):
        text = sync(area, "sync again", *zones)
        checks.that(area, "No changes were planned" in text, "nothing to do" if "No changes" in text else text[-900:])
    for zone in zones:
        shutil.rmtree("dumped", ignore_errors=True)
        code, text = run("octodns-dump", "--config-file=octodns.yaml", "--output-dir=dumped", zone, "cloudflare")
        if not checks.that(area, code == 0, f"dump {zone}: {text[-600:] if code else code}"):
            continue
        wanted, dumped = read("config", zone), read("dumped", zone)
        checks.equal(area, sorted(dumped), sorted(wanted), f"{zone}: names and types of the dump")
        for key, value in wanted.items():
            checks.equal(f"dump: {key.split()[-1]}", dumped.get(key), value, f"{zone}: {key}")


probe = session.get(f"{BASE}/zones", params={"name": "python.example"}).json()["result"][0]
# The free plan, which is also the sandbox's own choice, has no tags.
TAGGED = probe["plan"]["legacy_id"] != "free"
SUPPORTED = {kind for kind in CloudflareProvider.SUPPORTS if is_supported(probe["id"], kind)}
for kind in sorted(CloudflareProvider.SUPPORTS - SUPPORTED):
    checks.note(kind, "not supported yet")
shutil.copy(HERE / "octodns.yaml", "octodns.yaml")
template = yaml.safe_load((HERE / "octodns.zones.yaml").read_text())
shown = {r["type"] for zone in template.values() for names in zone["before"].values() for r in (names if isinstance(names, list) else [names])}
checks.equal("types", sorted(shown), sorted(CloudflareProvider.SUPPORTS - {"URLFWD"}), "every type of the provider is tried")

write({zone: fitting(zone, states["before"]) for zone, states in template.items()})
zones = list(template)
sync("before", "the first sync creates zones and records", *zones)
settled("before", zones)

for zone, states in template.items():
    states["before"].update(states["after"])
write({zone: {n: r for n, r in fitting(zone, states["before"]).items() if r is not None} for zone, states in template.items()})
text = sync("after", "the second sync changes and deletes", *zones)
checks.that("after", "No changes were planned" not in text, "there are changes")
settled("after", zones)
sys.exit(checks.failed > 0)
