#!/usr/bin/env python3
"""Imports real configurations and proves the result.

usage: tests/imports/run.py DIRECTORY [PROGRAM]

DIRECTORY holds one source in each entry: a file or directory of Terraform, octoDNS, DNSControl, zone files or CSV. A source that
has the directories `input` and `expected` is a pair, such as those of cloudflare/tf-migrate: both must give the same spec.

Each source is imported. The spec must be valid, apply to an empty sandbox, and plan empty afterwards. Entries without a zone
belong to `example.com`. Prints a line for each source, and the reasons of what was left out. Exits with 1 if a source fails.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CODE = re.compile(r"^(?:error|warning|note)\[(IMPORT\d+)\]: (.*)$")
DETAIL = re.compile(r"^.*\^+ (.*)$")
TALLY = re.compile(r"^(?:zonewright: )?([a-z][a-z_ .]*): (\d+) of (\d+) imported(?:, \d+ in part)?$")
CONSENT = re.compile(r"^  --allow ([a-z-]+) ", re.M)


def run(program, arguments, directory):
    environment = {"PATH": os.environ["PATH"], "HOME": directory, "NO_COLOR": "1"}
    return subprocess.run([program, *arguments], cwd=directory, env=environment, capture_output=True, text=True, errors="replace")


def allowed(program, directory):
    """Every consent that the program knows: the zones are empty, so that nothing is at stake."""
    codes = CONSENT.findall(run(program, ["help", "consents"], directory).stdout)
    assert codes, "`help consents` lists no consent"
    return ",".join(sorted(codes))


def pattern(reason):
    """A reason without the names in it, so that reasons can be counted."""
    reason = re.sub(r"`[^`]*`", "`…`", reason)
    return re.sub(r"^.*?: ", "", reason, count=1) if ": " in reason else reason


def imported(program, source, directory):
    """The spec of a source, its counts, and the reasons of what was left out."""
    ran = run(program, ["import", str(source)], directory)
    # A source that names its zones contradicts the option.
    if "--zone-name" in ran.stderr or "no zone was found" in ran.stderr:
        ran = run(program, ["import", str(source), "--zone-name", "example.com"], directory)
    tallies, reasons = {}, collections.Counter()
    for block in ran.stderr.split("\n\n"):
        lines = block.splitlines()
        for line in lines:
            if found := TALLY.match(line):
                tallies[found[1]] = (int(found[2]), int(found[3]))
        head = next((found for line in lines if (found := CODE.match(line))), None)
        if head:
            detail = next((found[1] for line in lines if (found := DETAIL.match(line))), head[2])
            reasons[f"{head[1]} {pattern(detail)}"] += 1
    return ran, tallies, reasons


def proved(program, spec, directory):
    """What fails when a spec is checked, applied to an empty sandbox, and planned again; nothing if all is well."""
    pathlib.Path(directory, "spec.yaml").write_text(spec)
    zones = [zone.strip("\"'") for zone in re.findall(r"^  (\S+):$", spec.partition("zones:")[2], re.M)]
    seed = {"zones": [{"name": zone, "plan": "enterprise"} for zone in zones]}
    pathlib.Path(directory, "seed.json").write_text(json.dumps(seed))
    steps = [
        ["validate", "spec.yaml"],
        ["sandbox", "seed", "seed.json", "--sandbox=state"],
        ["apply", "spec.yaml", "--sandbox=state", "--yes", "--allow", allowed(program, directory)],
        ["plan", "spec.yaml", "--sandbox=state", "--detailed-exitcode"],
    ]
    for step in steps:
        ran = run(program, step, directory)
        if ran.returncode != 0:
            return f"{step[0]} exits with {ran.returncode}\n{ran.stdout[-1500:]}{ran.stderr[-1500:]}"
    return None


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    program = str(pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/debug/zonewright").resolve())
    failures, all_reasons, totals = [], collections.Counter(), [0, 0]
    for source in sorted(directory.iterdir()):
        is_pair = (source / "input").is_dir() and (source / "expected").is_dir()
        parts = [source / "input", source / "expected"] if is_pair else [source]
        specs = []
        for part in parts:
            with tempfile.TemporaryDirectory() as scratch:
                ran, tallies, reasons = imported(program, part, scratch)
                taken, total = (sum(n) for n in zip(*tallies.values())) if tallies else (0, 0)
                name = f"{source.name}/{part.name}" if is_pair else source.name
                kinds = ", ".join(f"{kind} {of[0]}/{of[1]}" for kind, of in tallies.items())
                outcome = "nothing to import"
                if ran.returncode != 0 and "no zone was found" not in ran.stderr:
                    outcome = "NOT IMPORTED"
                    failures.append((name, ran.stderr[-2000:]))
                elif ran.returncode == 0:
                    failure = proved(program, ran.stdout, scratch)
                    outcome = "FAILS" if failure else "valid, applied, plan empty"
                    if failure:
                        failures.append((name, failure))
                print(f"{name}: {taken} of {total} imported ({kinds}); {outcome}", flush=True)
                for reason, n in reasons.most_common():
                    print(f"    {n:4} {reason}")
                all_reasons.update(reasons)
                totals[0] += taken
                totals[1] += total
                specs.append(ran.stdout)
        if is_pair and specs[0] != specs[1]:
            failures.append((source.name, "the import of `input` differs from that of `expected`"))
            print(f"{source.name}: the two specs DIFFER")
    print(f"\nall: {totals[0]} of {totals[1]} imported")
    for reason, n in all_reasons.most_common(40):
        print(f"    {n:4} {reason}")
    for name, why in failures:
        print(f"\n{name} failed: {why}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
