#!/usr/bin/env python3
"""Answer requests with libmodsecurity, in the form of `zonewright waf score`.

    python3 modsecurity.py CRS REQUESTS > ANSWERS

CRS is a directory as `waf score --crs` takes it. Needs the package `libmodsecurity` (3.0.15).
"""
import base64
import json
import pathlib
import re
import sys
import time

import libmodsecurity

SETTINGS = """
SecRuleEngine DetectionOnly
SecRequestBodyAccess On
SecRequestBodyLimit 13107200
SecRequestBodyNoFilesLimit 131072
SecRequestBodyJsonDepthLimit 512
SecArgumentsLimit 1000
SecAuditEngine Off
SecTmpDir /tmp/
SecDataDir /tmp/
SecRule REQUEST_HEADERS:Content-Type "@rx ^(?:application|text)/(?:[a-z0-9.-]+\\+)?xml" "id:1,phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=XML"
SecRule REQUEST_HEADERS:Content-Type "@rx ^application/(?:[a-z0-9.-]+\\+)?json" "id:2,phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=JSON"
"""
LEVELS = """
SecAction "id:3,phase:1,pass,nolog,setvar:tx.paranoia_level=4,setvar:tx.executing_paranoia_level=4,setvar:tx.blocking_paranoia_level=4,setvar:tx.detection_paranoia_level=4,setvar:tx.early_blocking=0"
"""
SEVERITIES = {2: 5, 3: 4, 4: 3, 5: 2}


def scores(rules):
    """Level and score of each rule that scores."""
    names = {"critical": 5, "error": 4, "warning": 3, "notice": 2}
    found = {}
    for path in sorted(rules.glob("REQUEST-*.conf")):
        text = "\n".join(line for line in path.read_text(errors="replace").splitlines() if not line.lstrip().startswith("#"))
        number = None
        for match in re.finditer(r"\bid:'?(\d+)|setvar:'?tx\.(?:inbound_)?anomaly_score_pl(\d)=\+%\{tx\.(\w+?)_anomaly", text):
            if match[1]:
                number = int(match[1])
            else:
                found[number] = (int(match[2]), names[match[3]])
    return found


def main():
    crs = pathlib.Path(sys.argv[1])
    known = scores(crs / "rules")
    engine = libmodsecurity.ModSecurity()
    engine.set_log_callback(lambda *_: None)
    rules = libmodsecurity.RulesSet()

    def load(text=None, path=None):
        if (rules.load(text) if text is not None else rules.load_from_uri(str(path))) < 0:
            sys.exit(f"{path}: {rules.get_parser_error()}")

    load(text=SETTINGS)
    setup = crs / "crs-setup.conf"
    load(path=setup if setup.exists() else crs / "crs-setup.conf.example")
    load(text=LEVELS)
    for path in sorted((crs / "rules").glob("*.conf")):
        if "IP-REPUTATION" not in path.name:  # The package has no GeoIP.
            load(path=path)
    requests = [json.loads(line) for line in open(sys.argv[2])]
    spent = 0.0
    for request in requests:
        body = base64.b64decode(request["body"])
        start = time.process_time()
        with engine.transaction(rules) as transaction:
            transaction.process_connection("192.0.2.1", 40000, "192.0.2.2", 443)
            transaction.process_uri(request["uri"], request["method"], request["version"].removeprefix("HTTP/"))
            for name, value in request["headers"]:
                transaction.add_request_header(name, value)
            transaction.process_request_headers()
            if body:
                transaction.append_request_body(body)
            transaction.process_request_body()
            hits = sorted({message.rule_id for message in transaction.get_rule_messages()} & known.keys())
        spent += time.process_time() - start
        score = {str(level): sum(known[hit][1] for hit in hits if known[hit][0] <= level) for level in range(1, 5)}
        print(json.dumps({"id": request["id"], "hits": hits, "score": score}))
    print(f"{len(requests)} requests, {len(requests) / spent:.0f} a second of processor time", file=sys.stderr)


main()
