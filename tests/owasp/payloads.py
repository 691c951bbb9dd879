#!/usr/bin/env python3
"""Write a mixed corpus: each payload of public collections in several places of a request, and benign texts likewise.

    python3 payloads.py WAF-Payload-Collection gotestwaf > REQUESTS

The arguments are checkouts of the public repositories mgm-sp/WAF-Payload-Collection and wallarm/gotestwaf. Needs PyYAML.
"""
import base64
import collections
import json
import pathlib
import random
import sys
import urllib.parse

import yaml


def payloads():
    for path in sorted((pathlib.Path(sys.argv[1]) / "nuclei/payloads").glob("*/*.txt")):
        for line in path.read_text(errors="surrogateescape").splitlines():
            if line.strip():
                yield f"{path.parent.name}-{path.stem.split('-')[0]}", line
    for path in sorted((pathlib.Path(sys.argv[2]) / "testcases").glob("*/*.yml")):
        try:
            document = yaml.safe_load(path.read_text()) or {}
        except yaml.YAMLError:  # One file escapes what YAML does not.
            continue
        for payload in document.get("payload") or []:
            if isinstance(payload, str) and len(payload) < 20_000:
                yield path.stem, payload


def clean(text):
    """As a header has it."""
    return "".join(c for c in text if c >= " ").strip() or "-"


def request(place, payload):
    headers = [["Host", "www.example.com"], ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"], ["Accept", "*/*"]]
    raw = payload.encode("utf-8", "surrogateescape")
    quoted = urllib.parse.quote_from_bytes(raw, safe="")
    method, uri, body, kind = "GET", "/search", b"", None
    if place == "query":
        uri = "/search?q=" + quoted
    elif place == "name":
        uri = f"/search?{quoted}=1"
    elif place == "path":
        uri = "/files/" + quoted
    elif place == "cookie":
        headers.append(["Cookie", "id=" + clean(payload).encode("utf-8", "replace").decode()])
    elif place == "agent":
        headers[1][1] = clean(payload).encode("utf-8", "replace").decode()
    elif place == "referer":
        headers.append(["Referer", clean(payload).encode("utf-8", "replace").decode()])
    elif place == "form":
        body, kind = b"name=a&text=" + quoted.encode(), "application/x-www-form-urlencoded"
    elif place == "json":
        body, kind = json.dumps({"items": [{"text": raw.decode("utf-8", "replace")}]}).encode(), "application/json"
    elif place == "xml":
        text = raw.decode("utf-8", "replace").replace("&", "&amp;").replace("<", "&lt;")
        body, kind = f"<?xml version='1.0'?><a><b c='1'>{text}</b></a>".encode(), "text/xml"
    elif place == "multipart":
        body = b"--xyz\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n" + raw + b"\r\n--xyz--\r\n"
        kind = "multipart/form-data; boundary=xyz"
    if kind:
        method = "POST"
        headers += [["Content-Type", kind], ["Content-Length", str(len(body))]]
    return {"method": method, "uri": uri, "version": "HTTP/1.1", "headers": headers, "body": base64.b64encode(body).decode()}


def main():
    generator = random.Random(1)
    places = ["query", "name", "path", "cookie", "agent", "referer", "form", "json", "xml", "multipart"]
    number_of = collections.Counter(kind for kind, _ in payloads())
    for number, (kind, payload) in enumerate(payloads()):
        # Long lists are variations of a few shapes: up to 400 of each, chosen at random.
        if generator.random() > 400 / number_of[kind]:
            continue
        # Each payload in a parameter, and in two other places.
        for place in ["query", *generator.sample(places[1:], 2)]:
            print(json.dumps({"id": f"{kind}/{number}/{place}", **request(place, payload)}))


main()
