#!/bin/sh
# Looks for drift; needs credentials that can read.
#
#   drift.sh FILE
#
# Writes the report to FILE as Markdown. SPEC names the spec (default: zones). With BASE, the revision that was applied last, what
# someone did at Cloudflare is told from what is not applied yet; METRICS names a file for metrics. Exits with 0 if nothing
# drifted, 2 if something did, otherwise as zonewright does.
set -eu

out=$1
spec=${SPEC:-zones}
zonewright drift "$spec" ${BASE:+--base "$BASE"} ${METRICS:+--metrics "$METRICS"} --format markdown >"$out"
