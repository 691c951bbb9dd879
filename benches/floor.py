"""The fewest requests that Cloudflare's API permits for a task, counted, and sent without any processing."""

import http.client
import json
import os
import subprocess
import time
import urllib.parse


def pages(count, page):
    """Pages of a zone; an empty one is looked at all the same."""
    return max(1, -(-count // page))


# Records that a zone of each plan usually holds. Beyond that, a plan asks Cloudflare for the zone's own number, so that it is
# refused as a whole and not half-way.
USUAL = {"free": 200, "pro": 3500, "business": 3500, "enterprise": 3500}


def questions(load, command):
    """How many zones outgrow what their plan usually holds, and are asked about."""
    return sum(count > USUAL[load.plan] for _, count in load.zones) if command == "create" else 0


def floor_requests(load, command, batch, page):
    """How many requests the API needs at least: look the zones up, read them, send changes, read back."""
    zones = len(load.zones)
    # One or two zones are looked up by name; more come from the list, 50 on a page.
    found = zones if zones < 3 else -(-zones // 50)
    read = sum(pages(count, page) for _, count in load.zones)
    if command in ("no-op", "drift", "snapshot"):
        return found + read
    if command == "create":
        return found + zones + sum(-(-count // batch) for _, count in load.zones) + read
    return found + read + sum(-(-count // batch) for count in load.changed_records) + sum(
        pages(count, page) for (_, count), changed in zip(load.zones, load.changed_records) if changed)


class Floor:
    """Sends exactly those requests over one connection, one after the other, and does nothing with the answers."""

    def __init__(self, load, command, latency, service):
        self.load, self.command = load, command
        state = load.empty if command == "create" else load.changed if command == "change" else load.full
        self.bodies = self.changes(load.copy(state), service) if command != "no-op" else []
        self.service = service(load.binary, load.copy(state), latency, load.plan)
        self.open = True

    def changes(self, state, service):
        """The bodies of our own writes, from a dry run."""
        running = service(self.load.binary, state, 0, self.load.plan)
        command = [self.load.binary, "--format", "json", "apply", "--dry-run", str(self.load.spec)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.load.directory,
                              env=os.environ | running.environment)
        running.stop()
        return json.loads(done.stdout)["requests"]

    def run(self, batch, page):
        """Sends them; what that took."""
        base = urllib.parse.urlsplit(self.service.environment["CLOUDFLARE_BASE_URL"])
        headers = {"Authorization": f"Bearer {self.service.environment['CLOUDFLARE_API_TOKEN']}"}
        connection = http.client.HTTPConnection(base.hostname, base.port)

        def ask(method, path, body=None):
            sent = None if body is None else json.dumps(body)
            connection.request(method, base.path + path, sent, headers | ({"Content-Type": "application/json"} if body else {}))
            answer = connection.getresponse().read()
            return answer

        began, cpu = time.monotonic(), time.process_time()
        zones = {}
        if len(self.load.zones) < 3:
            for name, _ in self.load.zones:
                found = json.loads(ask("GET", f"/zones?name={name}"))["result"]
                zones[name] = found[0]["id"]
        else:
            for number in range(-(-len(self.load.zones) // 50)):
                for zone in json.loads(ask("GET", f"/zones?per_page=50&page={number + 1}"))["result"]:
                    zones[zone["name"]] = zone["id"]

        def read(name, count):
            for number in range(pages(count, page)):
                ask("GET", f"/zones/{zones[name]}/dns_records?per_page={page}&page={number + 1}")

        for name, count in self.load.zones:
            read(name, 0 if self.command == "create" else count)
        for request in self.bodies:
            ask(request["method"], request["path"], request.get("body"))
        for (name, count), changed in zip(self.load.zones, self.load.changed_records):
            if self.command == "create" or (self.command == "change" and changed):
                read(name, count)
        return Bare(time.monotonic() - began, time.process_time() - cpu, self.close())

    def close(self):
        """Ends the sandbox; how many requests it answered."""
        if not self.open:
            return None
        self.open = False
        return self.service.stop()


class Bare:
    """What the bare requests took."""

    def __init__(self, wall, cpu, requests):
        self.wall, self.cpu, self.requests, self.peak, self.is_good = wall, cpu, requests, 0.0, True
