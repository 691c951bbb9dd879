#!/usr/bin/env python3
"""Measure requests a second of processor time at level 4 with all rules, beside libmodsecurity on the same requests in the same run.

    python3 speed.py PROGRAM CRS [NUMBER]

PROGRAM is a release build of zonewright; CRS is a directory as `waf score --crs` takes it. NUMBER ordinary requests (20,000) are
answered, and the first 20th of them (1,000) also by libmodsecurity, which is slow. What loading the rules takes is left out, and
answers that differ are counted. Processor time, user and system, is that of one thread. Needs the package `libmodsecurity` (3.0.15).
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent


def run(*command):
    """What a command prints, its messages, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, done.stderr, spent


def main():
    program, crs = sys.argv[1], sys.argv[2]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    with tempfile.TemporaryDirectory() as directory:
        of = {}
        all_requests = run(sys.executable, here / "ordinary.py", str(number))[0].splitlines(keepends=True)
        for name, requests in (("all", all_requests), ("some", all_requests[: number // 20]), ("none", [])):
            of[name] = pathlib.Path(directory) / name
            of[name].write_text("".join(requests))

        def ours(name):
            answers, _, spent = min((run(program, "waf", "score", "--crs", crs, "--requests", of[name]) for _ in range(3)), key=lambda run: run[2])
            return answers, spent

        loading = ours("none")[1]
        for name in ("all", "some"):
            answers, spent = ours(name)
            count = len(answers.splitlines())
            print(f"zonewright: {count} requests, {count / (spent - loading):.0f} a second of processor time (loading: {loading:.2f} s)")
        theirs, said, _ = run(sys.executable, here / "modsecurity.py", crs, of["some"])
        print(f"libmodsecurity: {said.strip().splitlines()[-1]}")
        pairs = list(zip(map(json.loads, answers.splitlines()), map(json.loads, theirs.splitlines()), strict=True))
        differ = sum((mine["hits"], mine["score"]) != (other["hits"], other["score"]) for mine, other in pairs)
        print(f"{differ} of {len(pairs)} answers differ")


main()
