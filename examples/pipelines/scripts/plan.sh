#!/bin/sh
# Plans a change for review.
#
#   plan.sh BASE DIRECTORY <labels
#
# BASE is the revision that the change starts from, best the full id of a commit; labels are the pull request's, one a line. Leaves in DIRECTORY:
#
#   plan.json    the saved plan, to be applied after the merge
#   comment.md   the comment for the pull request; its first line is the marker to find it by
#
# SPEC names the spec (default: zones). Exits with 0 if the plan can be applied, 3 if a consent is missing, otherwise as
# zonewright does.
set -eu

base=$1
out=$2
spec=${SPEC:-zones}
here=$(dirname "$0")
mkdir -p "$out"
rm -f "$out/plan.json" "$out/comment.md"

flags=$(sh "$here/consents.sh")
code=0
# Flags are words without blanks, see consents.sh.
# shellcheck disable=SC2086
zonewright plan "$spec" --base "$base" --changed $flags --out "$out/plan.json" --format markdown >"$out/comment.md" || code=$?

if [ "${GITHUB_ACTIONS:-}" = true ]; then
    # What was found, beside the lines that it is about.
    # shellcheck disable=SC2086
    zonewright plan "$spec" --base "$base" --changed $flags --quiet --format github || true
fi
if [ "$code" -eq 0 ] && [ "$(jq -r .verdict "$out/plan.json")" = needs-consent ]; then
    echo "A consent is missing; the comment says which. Give it as a label, in the spec, or in the policy file." >&2
    code=3
fi
exit "$code"
