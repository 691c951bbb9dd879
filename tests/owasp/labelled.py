#!/usr/bin/env python3
"""Write labelled requests for `waf replay` and `waf tune`: payloads of public collections, one in a parameter of a GET request each.

    python3 labelled.py WAF-Payload-Collection gotestwaf DIRECTORY

The arguments are checkouts of the public repositories mgm-sp/WAF-Payload-Collection and wallarm/gotestwaf. DIRECTORY gets attacks.jsonl,
benign.jsonl, and attacks-KIND.jsonl for each kind of attack: up to 400 of each, chosen at random, as long lists are variations of a few
shapes. Needs PyYAML.
"""
import json
import pathlib
import random
import sys
import urllib.parse

import yaml

KINDS = {"sqli": "sqli", "xss": "xss", "cmdexe": "rce", "traversal": "lfi"}


def lines(path):
    return [line for line in path.read_text(errors="surrogateescape").splitlines() if line.strip()]


def request(name, text):
    raw = text.encode("utf-8", "surrogateescape")
    headers = [["Host", "www.example.com"], ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"], ["Accept", "*/*"]]
    return json.dumps({"id": name, "method": "GET", "uri": "/search?q=" + urllib.parse.quote_from_bytes(raw, safe=""), "headers": headers})


def main():
    collection, tests, directory = map(pathlib.Path, sys.argv[1:])
    directory.mkdir(exist_ok=True)
    folder = collection / "nuclei/payloads"
    attacks, benign = [], []
    for kind, word in KINDS.items():
        texts = lines(folder / kind / "true-positives.txt")
        texts = random.Random(1).sample(texts, min(400, len(texts)))
        own = [request(f"{word}-{n}", text) for n, text in enumerate(texts)]
        (directory / f"attacks-{word}.jsonl").write_text("\n".join(own) + "\n")
        attacks += own
        benign += [request(f"benign-{word}-{n}", text) for n, text in enumerate(lines(folder / kind / "false-positives.txt"))]
    texts = yaml.safe_load((tests / "testcases/false-pos/texts.yml").read_text())["payload"]
    benign += [request(f"benign-text-{n}", text) for n, text in enumerate(texts)]
    (directory / "attacks.jsonl").write_text("\n".join(attacks) + "\n")
    (directory / "benign.jsonl").write_text("\n".join(benign) + "\n")


main()
