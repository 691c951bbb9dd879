#!/bin/sh
# Keeps one open issue about drift: opens or rewrites it while there is drift, closes it when there is none.
#
#   issue-github.sh CODE FILE
#
# CODE is how drift.sh ended, FILE its report. Needs `gh`, GH_TOKEN and GITHUB_REPOSITORY; LABEL tells the issue from others
# (default: zonewright-drift).
set -eu

code=$1
file=$2
label=${LABEL:-zonewright-drift}
number=$(gh issue list --repo "$GITHUB_REPOSITORY" --state open --label "$label" --limit 1 --json number --jq '.[0].number // empty')
case $code in
    0)
        if [ -n "$number" ]; then
            gh issue close "$number" --repo "$GITHUB_REPOSITORY" --comment "In sync again."
        fi
        ;;
    2)
        if [ -n "$number" ]; then
            gh issue edit "$number" --repo "$GITHUB_REPOSITORY" --body-file "$file"
        else
            gh label create "$label" --repo "$GITHUB_REPOSITORY" --force --description "The zone is not as the spec says"
            gh issue create --repo "$GITHUB_REPOSITORY" --label "$label" --title "DNS or WAF drifted from the spec" --body-file "$file"
        fi
        ;;
    *)
        echo "error: looking for drift failed with $code; the issue stays as it is" >&2
        exit "$code"
        ;;
esac
