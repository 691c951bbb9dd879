#!/bin/sh
# Commits what someone changed at Cloudflare to a branch of its own; needs credentials that can read.
#
#   propose.sh BRANCH REPORT
#
# Writes the drift report to REPORT as Markdown. SPEC names the spec (default: zones), BASE the revision that was applied last
# (default: HEAD). Exits with 0 if there is a commit to propose, 2 if there is none, otherwise as zonewright does.
set -eu

branch=$1
report=$2
spec=${SPEC:-zones}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
zonewright drift "$spec" --base "${BASE:-HEAD}" --propose "$work/drift.patch" --format markdown >"$report" || code=$?
case $code in
    0 | 2) ;;
    *) exit "$code" ;;
esac
if [ ! -s "$work/drift.patch" ]; then
    echo "nothing to propose"
    exit 2
fi
git switch --quiet --force-create "$branch"
git apply --index "$work/drift.patch"
git -c user.name=zonewright -c user.email=zonewright@localhost commit --quiet --message "Take over what changed at Cloudflare"
