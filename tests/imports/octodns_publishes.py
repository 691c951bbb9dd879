#!/usr/bin/env python3
"""Prints what octoDNS would create at Cloudflare, as JSON.

    octodns_publishes.py DIRECTORY...

Each directory has a configuration `octodns.yaml`. octoDNS itself reads it, merges the sources, runs the processors and plans each target
against an empty zone; the provider of Cloudflare then says what it would send. No request is made. A configuration that octoDNS refuses
gives the error.
"""

import json
import logging
import os
import signal
import sys
import warnings

from octodns.manager import Manager
from octodns_cloudflare import CloudflareProvider

SECONDS = 3


class Plans:
    """Keeps the plans instead of printing them."""

    def __init__(self):
        self.plans = []

    def run(self, plans, *_, **__):
        self.plans = plans


def presentation(data):
    """Returns the value of a record in presentation form."""
    kind = data["type"]
    if kind == "MX":
        return f"{data['priority']} {data['content']}"
    if "data" not in data:
        return data["content"]
    own = data["data"]
    if kind == "SRV":
        target = own["target"] if own["target"] == "." else f"{own['target']}."
        return f"{own['priority']} {own['weight']} {own['port']} {target}"
    if kind == "CAA":
        return f"{own['flags']} {own['tag']} \"{own['value']}\""
    if kind == "SSHFP":
        return f"{own['algorithm']} {own['type']} {own['fingerprint']}"
    if kind == "TLSA":
        return f"{own['usage']} {own['selector']} {own['matching_type']} {own['certificate']}"
    if kind == "NAPTR":
        texts = " ".join('"' + own[name].replace("\\", "\\\\") + '"' for name in ("flags", "service", "regex"))
        return f"{own['order']} {own['preference']} {texts} {own['replacement']}"
    if kind == "LOC":
        place = " ".join(
            f"{own[axis + '_degrees']} {own[axis + '_minutes']} {own[axis + '_seconds']} {own[axis + '_direction']}"
            for axis in ("lat", "long")
        )
        sizes = " ".join(f"{own[name]}m" for name in ("altitude", "size", "precision_horz", "precision_vert"))
        return f"{place} {sizes}"
    if kind in ("SVCB", "HTTPS"):
        return f"{own['priority']} {own['target']}{own['value']}"
    raise ValueError(f"{kind} is not compared")


def published(directory):
    """Returns the records of each zone."""
    os.chdir(directory)
    manager = Manager("octodns.yaml")
    plans = Plans()
    manager.plan_outputs = {"plans": plans}
    manager.sync(dry_run=True, force=True)
    zones = {}
    for target, plan in plans.plans:
        if not isinstance(target, CloudflareProvider):
            continue
        records = zones.setdefault(plan.desired.name, [])
        for change in plan.changes:
            for data in target._gen_data(change.record):
                records.append(
                    {
                        "name": data["name"],
                        "type": data["type"],
                        "ttl": data["ttl"],
                        "proxied": bool(data.get("proxied", False)),
                        "value": presentation(data),
                        "comment": data.get("comment", ""),
                        "tags": data.get("tags", []),
                    }
                )
    return {"zones": zones}


def main():
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    os.environ["TOKEN"] = "none"
    # No request: the zone is empty at Cloudflare.
    CloudflareProvider.populate = lambda self, zone, target=False, lenient=False: False
    results = []
    for directory in [os.path.abspath(name) for name in sys.argv[1:]]:
        signal.alarm(SECONDS)
        try:
            results.append(published(directory))
        except Exception as error:  # whatever octoDNS raises is its refusal
            results.append({"error": f"{type(error).__name__}: {error}"})
        signal.alarm(0)
    print(json.dumps(results))


def too_long(*_):
    raise TimeoutError(f"octoDNS takes more than {SECONDS} seconds")


signal.signal(signal.SIGALRM, too_long)
main()
