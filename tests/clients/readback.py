"""What `zonewright apply` writes of odd spellings, read back by the official SDKs: readback.py BINARY [DIRECTORY OF THE NODE SDK]."""

import json
import os
import pathlib
import subprocess
import sys
import typing

from cloudflare import Cloudflare
from cloudflare.types.dns import RecordResponse

from checks import Checks

ZONE = "readback.example"
HERE = pathlib.Path(__file__).parent
MEMBERS = ("name", "type", "content", "priority", "data", "ttl", "proxied", "comment", "tags")
# Members of a record that are not part of what was written.
SILENT = {"ttl": 1, "proxied": False, "comment": None, "tags": []}
MODELS = {model.__name__.removesuffix("Record").upper(): model for model in typing.get_args(RecordResponse)}
binary, node = sys.argv[1], next(iter(sys.argv[2:]), None)
checks = Checks("read-back")


def through_python():
    """The records as the Python SDK lists them. It may guess: its model of OPENPGPKEY requires too much, see sdk.py."""
    records = []
    for record in client.dns.records.list(zone_id=zone.id, per_page=20):
        required = [key for key in ("comment", "settings") if MODELS[record.type].model_fields[key].is_required()]
        if all(getattr(record, key, None) is not None for key in required):
            checks.that("Python SDK: models", type(record) is MODELS[record.type], f"{record.type} as {type(record).__name__}")
        records.append({key: value for key, value in record.model_dump().items() if key in MEMBERS})
    return records


def through_typescript():
    """The records as the TypeScript SDK lists them."""
    run = subprocess.run(["node", HERE / "readback.mjs", zone.id], cwd=node, capture_output=True, encoding="utf-8", timeout=120)
    checks.equal("TypeScript SDK: list", run.returncode, 0, run.stderr or "list")
    return [{key: value for key, value in record.items() if key in MEMBERS} for record in json.loads(run.stdout or "[]")]


def octets(content):
    """The character strings of a TXT record, joined (RFC 1035 section 5.1); without quotes around it a text is as it stands."""
    if not content.startswith('"'):
        return content.encode()
    joined, source, inside = bytearray(), iter(content.encode()), False
    for byte in source:
        if byte == ord('"'):
            inside = not inside
        elif not inside:
            assert byte == ord(" "), f"{content}: something stands outside the quotes"
        elif byte == ord("\\"):
            byte = next(source)
            joined.append(int(bytes([byte, next(source), next(source)])) if chr(byte).isdigit() else byte)
        else:
            joined.append(byte)
    assert not inside, f"{content}: the quotes do not match"
    return bytes(joined)


def is_value_of(record, wanted):
    """Whether a record has the value that is wanted, in Cloudflare's own form."""
    if (record["name"], record["type"]) != (wanted["name"], wanted["type"]):
        return False
    if record["type"] == "TXT":
        text = bytes.fromhex(wanted["octets"]) if "octets" in wanted else wanted["content"].encode()
        return octets(record["content"]) == text
    return all(record.get(key) == wanted[key] for key in ("content", "priority", "data") if key in wanted)


def facets(record):
    values = {key: record.get(key, silent) for key, silent in SILENT.items()}
    return {**values, "tags": sorted(values["tags"])}


def compare(sdk, records, wanted_records):
    area = f"{sdk} SDK"
    left = list(records)
    for wanted in wanted_records:
        found = [record for record in left if is_value_of(record, wanted)]
        beside = [r for r in left if (r["name"], r["type"]) == (wanted["name"], wanted["type"])]
        if checks.that(f"{area}: {wanted['type']}", len(found) == 1, f"{len(found)} times {wanted} in {beside}"):
            left.remove(found[0])
            checks.equal(f"{area}: {wanted['type']}", facets(found[0]), facets(wanted), f"{wanted['type']} {wanted['name']}")
    checks.equal(f"{area}: all", left, [], "too many")
    checks.equal(f"{area}: all", len(records), len(wanted_records), "number of records")


def zonewright(status, *arguments):
    run = subprocess.run([binary, *arguments, *specs], capture_output=True, encoding="utf-8", timeout=120)
    checks.equal(f"zonewright {arguments[0]}", run.returncode, status, f"{arguments}: {run.stdout} {run.stderr}")


def main():
    all_types = {wanted["type"] for wanted in everything if "needs" not in wanted}
    for kind in MODELS:
        many = sum(w["type"] == kind for w in expected)
        checks.that("two of each type", many >= 2 and kind in all_types, f"{many} of {kind}")
    checks.equal("before", list(client.dns.records.list(zone_id=zone.id)), [], "an empty zone")
    zonewright(2, "plan", "--detailed-exitcode")
    zonewright(0, "apply", "--yes")
    compare("Python", through_python(), expected)
    if node:
        compare("TypeScript", through_typescript(), expected)
    zonewright(0, "plan", "--detailed-exitcode")
    sys.exit(checks.failed > 0)


client = Cloudflare(max_retries=0)
zone = next(iter(client.zones.list(name=ZONE)))
tagged = zone.plan.model_dump().get("legacy_id") != "free"
everything = json.loads((HERE / "readback.json").read_text(encoding="utf-8"))
expected = [wanted for wanted in everything if tagged or "needs" not in wanted]
specs = [HERE / "readback.yaml"] + ([HERE / "readback.tags.yaml"] if tagged else [])
main()
