#!/usr/bin/env python3
"""Measures zonewright, and octoDNS beside it, against the sandbox; prints tables.

    benches/run.py [--sizes 1000,10000,100000] [--latencies 0,20] [--help]

Only the standard library is used. The sandbox runs as a process of its own, one for each measurement, so that what is
measured is the client alone: requests as the sandbox counted them, wall time, CPU time (user and system), peak memory.
octoDNS comes from its registry into a virtual environment; where that cannot be had, it is skipped, and that is said.

ZONEWRIGHT_BENCH_SPEC names a spec (a directory or a file) that is measured as well.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from floor import Floor, floor_requests, questions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# Bodies of records that one request may carry, by the zone's plan.
BATCH = {"free": 200, "pro": 3500, "business": 3500, "enterprise": 3500}
PAGE = 5000
CHANGED_ONE_IN = 100


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--binary", help="the program; without it, cargo builds one as it is published")
    parser.add_argument("--generator", help="the program that generates zones; without it, cargo builds it")
    parser.add_argument("--sizes", default="1000,10000,100000", help="records of the generated zones; empty for none")
    parser.add_argument("--latencies", default="0,20", help="milliseconds before each answer")
    parser.add_argument("--plan", default="enterprise", choices=sorted(BATCH), help="plan of the zones")
    parser.add_argument("--many", type=int, default=0, metavar="ZONES", help="also so many zones of 50 records")
    parser.add_argument("--octodns", default="auto", choices=["auto", "off", "required"])
    parser.add_argument("--octodns-venv", help="a virtual environment that has octodns-cloudflare already")
    parser.add_argument("--octodns-most", type=int, default=5000, metavar="RECORDS",
                        help="larger zones are not created with octoDNS, as it takes one request for each record")
    parser.add_argument("--octodns-largest", type=int, default=20000, metavar="RECORDS",
                        help="larger zones are not given to octoDNS at all")
    parser.add_argument("--octodns-timeout", type=int, default=1800, metavar="SECONDS")
    parser.add_argument("--commands", default="validate,create,no-op,change",
                        help="which of validate, create, no-op, change, drift, snapshot, diff")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there, too")
    return parser.parse_args()


def build(what, *arguments):
    """The path of a program that cargo builds."""
    command = ["cargo", "build", "--profile", "dist", "--quiet", "--message-format=json", *arguments]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    found = [m["executable"] for m in map(json.loads, lines) if m.get("executable")]
    if not found:
        sys.exit(f"cargo built no {what}")
    return found[-1]


class Service:
    """The sandbox as a process of its own."""

    def __init__(self, binary, state, latency, plan):
        command = [binary, f"--sandbox={state}", "sandbox", "serve", "--listen", "127.0.0.1:0", "--rate-limit", "0",
                   "--latency", str(latency), "--plan", plan, "--record-quota", "10000000", "--old-srv-members", "--shape", "full"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.environment = {}
        for _ in range(2):
            line = self.process.stdout.readline().strip()
            if not line.startswith("export "):
                sys.exit(f"the sandbox did not start: {self.process.stderr.read()}")
            name, value = line.removeprefix("export ").split("=", 1)
            self.environment[name] = value

    def stop(self):
        """Ends it; how many requests it answered."""
        self.process.send_signal(signal.SIGTERM)
        _, said = self.process.communicate(timeout=60)
        counts = [line.split()[-2] for line in said.splitlines() if line.endswith(" requests.")]
        if not counts:
            sys.exit(f"the sandbox did not say how many requests it answered: {said}")
        return int(counts[-1])


# A process of its own that starts what is measured: what a process once took counts as its peak also after it became another
# program, so that whoever starts it must be small.
STARTER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    call = json.loads(line)
    with open(call["out"], "wb") as out, open(call["err"], "wb") as err:
        began = time.monotonic()
        process = subprocess.Popen(call["command"], stdout=out, stderr=err, cwd=call["cwd"], env=call["env"])
        is_late = False
        while call["timeout"] and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() > began + call["timeout"]:
                is_late = True
                process.kill()
                break
            time.sleep(0.05)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
    print(json.dumps({"wall": wall, "code": process.returncode, "cpu": usage.ru_utime + usage.ru_stime,
                      "peak": usage.ru_maxrss, "is_late": is_late}), flush=True)
"""


class Measured:
    """What a run of a program took."""

    starter = None

    def __init__(self, command, environment, directory, timeout=None):
        if Measured.starter is None:
            Measured.starter = subprocess.Popen([sys.executable, "-S", "-c", STARTER], text=True, stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("CLOUDFLARE_", "ZONEWRIGHT_"))}
        clean.update(environment, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
        out, err = directory / "out", directory / "err"
        call = {"command": [str(word) for word in command], "env": clean, "cwd": str(directory), "out": str(out),
                "err": str(err), "timeout": timeout}
        print(json.dumps(call), file=Measured.starter.stdin, flush=True)
        took = json.loads(Measured.starter.stdout.readline())
        self.wall, self.code, self.cpu, self.is_late = took["wall"], took["code"], took["cpu"], took["is_late"]
        # Linux counts in KiB, macOS in bytes.
        self.peak = took["peak"] / (1024 if sys.platform != "darwin" else 1024 * 1024)
        self.said = err.read_text(errors="replace")
        self.printed = out.read_text(errors="replace")


class Workload:
    """A spec with the states of the sandbox that belong to it."""

    def __init__(self, name, spec, work, binary, plan, seed=None):
        self.name, self.spec, self.binary, self.plan = name, pathlib.Path(spec).resolve(), binary, plan
        self.directory = work / name
        self.directory.mkdir()
        self.empty = self.state("empty", self.bare(seed))
        self.full = None

    def state(self, name, document):
        """A state of the sandbox, from a document."""
        where = self.directory / name
        file = self.directory / f"{name}.json"
        file.write_text(json.dumps(document))
        self.sandbox(where, "seed", str(file))
        return where

    def sandbox(self, state, *arguments):
        command = [self.binary, f"--sandbox={state}", "sandbox", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.directory)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    def bare(self, seed):
        """The zones of the spec, without records; where no seed names them, a rehearsal makes them, on the free plan."""
        if seed:
            zones = json.loads(pathlib.Path(seed).read_text())["zones"]
            return {"zones": [{"name": zone["name"], "plan": self.plan} for zone in zones]}
        state = self.directory / "rehearsed"
        command = [self.binary, f"--sandbox={state}", "plan", "--quiet", str(self.spec)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.directory)
        document = json.loads(self.sandbox(state, "dump"))
        if not document["zones"]:
            sys.exit(f"{self.spec} cannot be planned: {done.stderr}")
        for zone in document["zones"]:
            zone["plan"] = self.plan
        return document

    def filled(self, state):
        """Takes the state after everything was created."""
        self.full = state
        self.document = json.loads(self.sandbox(state, "dump"))
        self.zones = [(zone["name"], len(zone["records"])) for zone in self.document["zones"]]
        self.records = sum(count for _, count in self.zones)
        self.changed_records = perturb(self.document)
        self.changed = self.state("changed", self.document)

    def copy(self, state):
        """A state of its own for one run."""
        where = self.directory / "run"
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(state, where)
        return where


def perturb(document):
    """Gives one record in a hundred another value, as another client would; returns how many, zone by zone."""
    counts = []
    for zone in document["zones"]:
        changed = 0
        for number, record in enumerate(zone["records"]):
            kinds = {"A": f"198.18.{changed >> 8 & 255}.{changed & 255}", "CNAME": f"moved-{changed}.example.org",
                     "AAAA": f"2001:db8:ffff::{changed:x}"}
            if number // CHANGED_ONE_IN >= changed and record["type"] in kinds:
                record["content"] = kinds[record["type"]]
                changed += 1
        counts.append(changed)
    return counts


def zonewright(load, command, latency):
    """Runs one command of ours; what it took, and how many requests the floor has for it."""
    run = [load.binary, "--color", "never", "--format", "text"]
    spec = str(load.spec)
    empty, full = load.empty, load.full
    state, arguments = {
        "validate": (None, ["validate", spec]),
        "create": (empty, ["apply", spec, "--yes"]),
        "no-op": (full, ["plan", spec]),
        "change": (full and load.changed, ["apply", spec, "--yes"]),
        "drift": (full, ["drift", spec]),
        "snapshot": (full, ["snapshot", spec, "--out", "snapshot.json.gz"]),
        "diff": (None, ["diff", spec, spec]),
    }[command]
    if state is None:
        measured = Measured([*run, *arguments], {}, load.directory)
        measured.requests = 0
    else:
        copy = load.copy(state)
        service = Service(load.binary, copy, latency, load.plan)
        measured = Measured([*run, *arguments], service.environment, load.directory)
        measured.requests = service.stop()
        if command == "create" and load.full is None and measured.code == 0:
            shutil.copytree(copy, load.directory / "full")
            load.filled(load.directory / "full")
    measured.is_good = measured.code == 0
    if not measured.is_good:
        print(f"zonewright {command} on {load.name} ended with {measured.code}: {measured.said[-2000:]}", file=sys.stderr)
    return measured


class OctoDns:
    """octoDNS with its provider for Cloudflare."""

    def __init__(self, work, venv):
        self.bin = pathlib.Path(venv) / "bin" if venv else work / "venv" / "bin"
        if not venv:
            subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], check=True, capture_output=True)
            install = [self.bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "octodns",
                       "octodns-cloudflare"]
            subprocess.run(install, check=True, capture_output=True)
        frozen = subprocess.run([self.bin / "python", "-m", "pip", "list", "--format=freeze"], check=True,
                                capture_output=True, text=True).stdout
        self.versions = " ".join(line for line in frozen.splitlines() if line.startswith("octodns"))
        self.configured = {}

    def config(self, load):
        """octoDNS's own files for what the workload wants, as octoDNS itself dumps them."""
        if load.name in self.configured:
            return self.configured[load.name]
        directory = load.directory / "octodns"
        (directory / "config").mkdir(parents=True)
        zones = "".join(f"  {name}.:\n    sources: [config]\n    targets: [cloudflare]\n" for name, _ in load.zones)
        (directory / "octodns.yaml").write_text(
            "manager:\n  max_workers: 1\n"
            "providers:\n"
            "  config:\n    class: octodns.provider.yaml.YamlProvider\n    directory: ./config\n"
            "    enforce_order: false\n"
            "  cloudflare:\n    class: octodns_cloudflare.CloudflareProvider\n"
            "    token: env/CLOUDFLARE_API_TOKEN\n    api_url: env/CLOUDFLARE_BASE_URL\n    pagerules: false\n"
            f"zones:\n{zones}")
        service = Service(load.binary, load.copy(load.full), 0, load.plan)
        dumped = None
        for name, _ in load.zones:
            command = [self.bin / "octodns-dump", "--config-file=octodns.yaml", "--output-dir=config", "--lenient",
                       f"{name}.", "cloudflare"]
            dumped = Measured(command, service.environment, directory)
            if dumped.code:
                break
        service.stop()
        self.configured[load.name] = directory if dumped and dumped.code == 0 else None
        if dumped and dumped.code:
            print(f"octoDNS cannot dump {load.name}: {dumped.said[-1000:]}", file=sys.stderr)
        return self.configured[load.name]

    def run(self, load, command, latency, timeout):
        """Runs one command; None where it has none."""
        directory = self.config(load)
        if directory is None or command not in ("create", "no-op", "change"):
            return None
        state = {"create": load.empty, "no-op": load.full, "change": load.changed}[command]
        service = Service(load.binary, load.copy(state), latency, load.plan)
        sync = [self.bin / "octodns-sync", "--config-file=octodns.yaml", "--force", "--quiet"]
        measured = Measured(sync + (["--doit"] if command != "no-op" else []), service.environment, directory, timeout)
        measured.requests = service.stop()
        measured.is_good = measured.code == 0 and not measured.is_late
        if not measured.is_good:
            why = "took too long" if measured.is_late else f"ended with {measured.code}: {measured.said[-1000:]}"
            print(f"octoDNS {command} on {load.name} {why}", file=sys.stderr)
        return measured


HEAD = ("zone", "ms", "command", "tool", "requests", "floor", "equal", "wall s", "CPU s", "peak MiB")
FORM = "{:<16} {:>3} {:<9} {:<11} {:>9} {:>7} {:<6} {:>9} {:>8} {:>9}"


def show(row):
    print(FORM.format(*row), flush=True)


class Report:
    """The rows, printed as they come and kept."""

    def __init__(self):
        self.rows = []
        self.is_good = True
        show(HEAD)

    def add(self, load, latency, command, tool, measured, floor=None, asked=0):
        is_equal = None if floor is None else measured.requests == floor + asked
        row = {"zone": load.name, "records": getattr(load, "records", None), "latency": latency, "command": command,
               "tool": tool, "requests": measured.requests, "floor": floor, "wall": measured.wall, "cpu": measured.cpu,
               "peak": measured.peak, "good": measured.is_good}
        self.rows.append(row)
        words = {None: "", True: "yes", False: "NO"}[is_equal] if measured.is_good else "FAILED"
        shown = "" if floor is None else f"{floor}+{asked}" if asked else floor
        show((load.name, latency, command, tool, measured.requests, shown, words,
              f"{measured.wall:.2f}", f"{measured.cpu:.2f}", f"{measured.peak:.1f}"))
        if tool == "zonewright":
            self.is_good = self.is_good and measured.is_good and is_equal is not False

    def find(self, **wanted):
        for row in self.rows:
            if row["good"] and all(row[key] == value for key, value in wanted.items()):
                return row
        return None

    def exponents(self, sizes, latency):
        """How CPU and memory grow with the number of records."""
        names = {row["zone"]: row["records"] for row in self.rows}
        for small, large in zip(sizes, sizes[1:]):
            for command in dict.fromkeys(row["command"] for row in self.rows):
                for tool in dict.fromkeys(row["tool"] for row in self.rows):
                    pair = [self.find(zone=f"generated-{n}", command=command, tool=tool, latency=latency)
                            for n in (small, large)]
                    if None in pair or tool == "floor":
                        continue
                    ratio = math.log(names[f"generated-{large}"] / names[f"generated-{small}"])
                    grown = {key: math.log(max(pair[1][key], 0.01) / max(pair[0][key], 0.01)) / ratio
                             for key in ("cpu", "peak")}
                    print(f"{command:<9} {tool:<11} {small:>6} → {large:<6}  CPU n^{grown['cpu']:.2f}  "
                          f"memory n^{grown['peak']:.2f}")

    def walls(self):
        """Wall time against that of the bare requests, one after the other, and our CPU."""
        for row in self.rows:
            if row["tool"] != "zonewright" or not row["good"]:
                continue
            bare = self.find(zone=row["zone"], command=row["command"], latency=row["latency"], tool="floor")
            if bare:
                most = 1.3 * bare["wall"] + row["cpu"]
                verdict = "within" if row["wall"] <= most else "BEYOND"
                print(f"{row['zone']:<16} {row['latency']:>3} ms {row['command']:<9} wall {row['wall']:8.2f} s  {verdict} "
                      f"1.3 × {bare['wall']:.2f} s + {row['cpu']:.2f} s CPU = {most:.2f} s")


def measure(load, arguments, latencies, octodns, report):
    """All commands on one workload."""
    commands = arguments.commands.split(",")
    # What creates everything comes first: the other states are made from what it leaves behind.
    order = [c for c in ("validate", "create", "no-op", "change", "drift", "snapshot", "diff") if c in commands]
    if "create" not in order:
        zonewright(load, "create", 0)
    for command in order:
        is_offline = command in ("validate", "diff")
        for latency in latencies[:1] if is_offline else latencies:
            measured = zonewright(load, command, latency)
            if load.full is None and command == "create":
                sys.exit(1)
            if is_offline:
                report.add(load, latency, command, "zonewright", measured, 0)
                continue
            floor = floor_requests(load, command, BATCH[load.plan], PAGE)
            report.add(load, latency, command, "zonewright", measured, floor, questions(load, command))
            if command in ("create", "no-op", "change"):
                with contextlib.closing(Floor(load, command, latency, Service)) as bare:
                    report.add(load, latency, command, "floor", bare.run(BATCH[load.plan], PAGE), floor)
            most = arguments.octodns_most if command == "create" else arguments.octodns_largest
            if octodns and load.records <= most:
                beside = octodns.run(load, command, latency, arguments.octodns_timeout)
                if beside:
                    report.add(load, latency, command, "octoDNS", beside)


def main():
    arguments = options()
    latencies = [int(n) for n in arguments.latencies.split(",")]
    sizes = [int(n) for n in arguments.sizes.split(",") if n]
    binary = str(pathlib.Path(arguments.binary or build("program", "--bin", "zonewright")).resolve())
    generator = arguments.generator or build("generator", "--example", "generate-zones")
    work = pathlib.Path(tempfile.mkdtemp(prefix="zonewright-bench-"))
    try:
        octodns = None
        if arguments.octodns != "off":
            try:
                octodns = OctoDns(work, arguments.octodns_venv)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"\n******** SKIPPED: octoDNS cannot be installed: {error} ********\n", file=sys.stderr)
                if arguments.octodns == "required":
                    return 1
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; zones on the {arguments.plan} plan; "
              f"{octodns.versions if octodns else 'without octoDNS'}\n")
        report = Report()
        shapes = [(f"generated-{n}", 1, n) for n in sizes]
        if arguments.many:
            shapes.append((f"{arguments.many}x50", arguments.many, 50))
        for name, zones, records in shapes:
            made = work / f"{name}-spec"
            subprocess.run([generator, str(made), str(zones), str(records), arguments.plan], check=True)
            load = Workload(name, made / "spec", work, binary, arguments.plan, made / "seed.json")
            measure(load, arguments, latencies, octodns, report)
            shutil.rmtree(load.directory)
        if own := os.environ.get("ZONEWRIGHT_BENCH_SPEC"):
            measure(Workload("own", own, work, binary, arguments.plan), arguments, latencies, octodns, report)
        else:
            print("(ZONEWRIGHT_BENCH_SPEC names no spec to be measured as well)")
        print("\nGrowth")
        report.exponents(sizes, latencies[0])
        print("\nWall")
        report.walls()
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps(report.rows, indent=1))
        return 0 if report.is_good else 1
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
