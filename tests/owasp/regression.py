#!/usr/bin/env python3
"""Run the regression tests of the OWASP Core Rule Set with `zonewright waf score`.

    python3 regression.py CRS WORK            # the public repository, at a tag; a directory for what is written
    python3 regression.py CRS WORK judge ANSWERS

The first form writes WORK/crs (the rules, with the settings of the tests) and WORK/requests.jsonl. Then run

    zonewright waf score --crs WORK/crs --requests WORK/requests.jsonl > ANSWERS

and judge the answers: each expected rule has to be among the hits, each excluded rule must not. Tests that expect a rule that does not
score are judged without it. Needs PyYAML.
"""
import base64
import json
import pathlib
import re
import shutil
import sys
import urllib.parse

import yaml

SETTINGS = """
SecAction "id:900990,phase:1,pass,nolog,setvar:tx.crs_setup_version=400,setvar:tx.crs_validate_utf8_encoding=1,\\
  setvar:tx.arg_name_length=100,setvar:tx.arg_length=400,setvar:tx.total_arg_length=6400,setvar:tx.max_num_args=255,\\
  setvar:tx.max_file_size=64100,setvar:tx.combined_file_sizes=65535"
"""


def scoring_rules(rules):
    """Numbers of the rules that add to the score of a level."""
    found = set()
    for path in sorted(rules.glob("REQUEST-*.conf")):
        text = "\n".join(line for line in path.read_text(errors="replace").splitlines() if not line.lstrip().startswith("#"))
        number = None
        for match in re.finditer(r"\bid:'?(\d+)|setvar:'?tx\.(?:inbound_)?anomaly_score_pl\d=\+", text):
            if match[1]:
                number = int(match[1])
            else:
                found.add(number)
    return found


def as_bytes(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")


def raw(request):
    """The parts of a request that is given as bytes."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n") if b"\r\n" in head else head.split(b"\n")
    words = lines[0].decode("latin-1").split(" ")
    headers = [tuple(part.strip() for part in line.decode("latin-1").partition(":")[::2]) for line in lines[1:] if line]
    return words[0], " ".join(words[1:-1]) or "/", words[-1], headers, body


def request_of(stage, newer):
    encoded = stage.get("encoded_request") or stage.get("raw_request")
    if encoded:
        text = base64.b64decode(encoded) if stage.get("encoded_request") else as_bytes(encoded)
        return raw(text)
    method = str(stage.get("method", "GET"))
    uri = str(stage.get("uri", "/"))
    version = str(stage.get("version", "HTTP/1.1"))
    headers = [(str(name), "" if value is None else str(value)) for name, value in (stage.get("headers") or {}).items()]
    data = stage.get("data")
    if isinstance(data, list):
        data = "\r\n".join(map(str, data)) + "\r\n"
    data = None if data is None else as_bytes(data)
    if newer is False and data is not None and b"multipart" in dict((n.lower(), as_bytes(v)) for n, v in headers).get("content-type", b""):
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\r\n" not in data else data
    names = {name.lower() for name, _ in headers}
    complete = stage.get("autocomplete_headers", True) and not stage.get("stop_magic", False)
    if complete and data:
        if "content-type" not in names:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        kind = next(value for name, value in headers if name.lower() == "content-type")
        if kind == "application/x-www-form-urlencoded":
            text = data.decode("latin-1")
            if urllib.parse.unquote_plus(text, encoding="latin-1") == text:
                pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, encoding="latin-1")
                data = urllib.parse.urlencode(pairs, encoding="latin-1").encode()
        if "content-length" not in names:
            headers.append(("Content-Length", str(len(data))))
    return method, uri, version, headers, data or b""


def tests(crs):
    for path in sorted((crs / "tests/regression/tests").glob("*/*.yaml")):
        if not path.parent.name.startswith("REQUEST"):
            continue
        document = yaml.safe_load(path.read_text()) or {"tests": []}
        for test in document["tests"]:
            name = str(test.get("test_title") or f"{document.get('rule_id')}-{test.get('test_id')}")
            for number, stage in enumerate(test["stages"]):
                newer = "stage" not in stage
                stage = stage if newer else stage["stage"]
                output = stage["output"]
                log = output.get("log") or {}
                expected = list(log.get("expect_ids") or [])
                excluded = list(log.get("no_expect_ids") or [])
                for key, numbers in (("log_contains", expected), ("no_log_contains", excluded)):
                    numbers.extend(int(found) for found in re.findall(r'id \\?"(\d+)', str(output.get(key) or "")))
                for key, numbers in (("match_regex", expected), ("no_match_regex", excluded)):
                    numbers.extend(int(found) for found in re.findall(r'id\W+(\d{6})', str(log.get(key) or "")))
                yield f"{path.stem}/{name}/{number}", stage["input"], newer, expected, excluded


def main():
    crs, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rules = crs / "rules"
    scoring = scoring_rules(rules)
    if len(sys.argv) > 3:
        answers = {}
        for line in open(sys.argv[4]):
            answer = json.loads(line)
            answers[answer["id"]] = set(answer["hits"])
        usable = passed = 0
        failed = []
        for name, _, _, expected, excluded in tests(crs):
            wanted = [number for number in expected if number in scoring]
            unwanted = [number for number in excluded if number in scoring]
            usable += 1
            hits = answers[name]
            if all(number in hits for number in wanted) and not any(number in hits for number in unwanted):
                passed += 1
            else:
                failed.append((name, wanted, unwanted, sorted(hits)))
        for name, wanted, unwanted, hits in failed:
            print(f"{name}: expected {wanted}, excluded {unwanted}, found {hits}")
        print(f"{passed} of {usable} pass")
        return
    target = work / "crs"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(rules, target / "rules")
    setup = (crs / "crs-setup.conf.example").read_text()
    (target / "crs-setup.conf").write_text(setup + SETTINGS)
    with open(work / "requests.jsonl", "w") as out:
        for name, stage, newer, _, _ in tests(crs):
            method, uri, version, headers, body = request_of(stage, newer)
            out.write(json.dumps({"id": name, "method": method, "uri": uri, "version": version,
                                  "headers": headers, "body": base64.b64encode(body).decode()}) + "\n")


main()
