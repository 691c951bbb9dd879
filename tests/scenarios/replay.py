#!/usr/bin/env python3
"""Writes the history of a repository of octoDNS zones as changes of records, for the test `replayed_history::a_history_of_real_zones`.

usage: replay.py REPOSITORY COMMITS > changes.jsonl

Each line is one zone in one commit of the first-parent history, the oldest first: what its records were if the zone is new
here, and what the commit removes and adds. Needs git and PyYAML.
"""

import json
import subprocess
import sys

import yaml

TYPES = {"A", "AAAA", "CNAME", "ALIAS", "MX", "TXT", "NS", "SRV", "CAA", "DS", "SPF", "PTR", "HTTPS"}


class Loader(yaml.CSafeLoader):
    """Reads scalars as text: names such as `on` and `3am`, values such as `1e5`."""


Loader.yaml_implicit_resolvers = {}


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=False).stdout.decode("utf-8", "replace")


def quoted(text):
    text = str(text).replace("\\;", ";")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def content(kind, value):
    """The value of a record in presentation form; None for one that cannot be expressed."""
    if kind in ("TXT", "SPF"):
        return quoted(value)
    if kind == "MX":
        return f"{value.get('preference', value.get('priority'))} {value.get('exchange', value.get('value'))}"
    if kind == "SRV":
        return f"{value['priority']} {value['weight']} {value['port']} {value['target']}"
    if kind == "CAA":
        return f"{value.get('flags', 0)} {value['tag']} {quoted(value['value'])}"
    if kind == "DS":
        return f"{value['key_tag']} {value['algorithm']} {value['digest_type']} {value['digest']}"
    return value if isinstance(value, str) else None


def records(text, zone_name):
    """The records of a zone file, each as the text of a JSON object."""
    found = set()
    try:
        zone = yaml.load(text, Loader) or {}
    except yaml.YAMLError:
        return None
    for name, entries in zone.items() if isinstance(zone, dict) else ():
        for entry in entries if isinstance(entries, list) else [entries]:
            if not isinstance(entry, dict) or entry.get("type") not in TYPES:
                continue
            kind = {"ALIAS": "CNAME", "SPF": "TXT"}.get(entry["type"], entry["type"])
            values = entry.get("values", entry.get("value"))
            for value in values if isinstance(values, list) else [values]:
                try:
                    text = content(entry["type"], value)
                except (KeyError, TypeError, AttributeError):
                    text = None
                if text is None:
                    continue
                # Always relative there, also where it ends with the name of the zone; so the whole name is written.
                record = {"name": f"{name}.{zone_name}" if name else "@", "type": kind, "content": text}
                cloudflare = (entry.get("octodns") or {}).get("cloudflare") or {}
                if str(cloudflare.get("proxied")).lower() == "true" and kind in ("A", "AAAA", "CNAME"):
                    record["proxied"] = True
                elif str(entry.get("ttl", "")).isdigit() and 60 <= int(entry["ttl"]) <= 86400:
                    record["ttl"] = int(entry["ttl"])
                found.add(json.dumps(record, sort_keys=True))
    return found


def main():
    repository, commits = sys.argv[1], int(sys.argv[2])
    history = git(repository, "log", "--first-parent", "--reverse", "--format=%H %P").split("\n")
    history = [line.split() for line in history if line][-commits:]
    seen = set()
    for commit, *parents in history:
        if not parents:
            continue
        for path in git(repository, "diff", "--name-only", parents[0], commit).split("\n"):
            zone = path.rsplit("/", 1)[-1].removesuffix(".yaml")
            if not path.endswith(".yaml") or "." not in zone or path.startswith("."):
                continue
            before = records(git(repository, "show", f"{parents[0]}:{path}"), zone)
            after = records(git(repository, "show", f"{commit}:{path}"), zone)
            if before is None or after is None or before == after or not before or not after:
                continue
            line = {"commit": commit[:10], "zone": zone, "removed": sorted(before - after), "added": sorted(after - before)}
            if zone not in seen:
                line["before"] = sorted(before)
                seen.add(zone)
            print(json.dumps(line))


main()
