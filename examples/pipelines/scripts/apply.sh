#!/bin/sh
# Applies the plan that was reviewed, if it belongs to what was merged.
#
#   apply.sh BASE PLAN <labels
#
# BASE is the revision that the reviewed change started from, PLAN the saved plan of the review; labels are those of the pull
# request, one a line. To be run in a checkout of the merged commit. SPEC names the spec (default: zones), MAX_AGE how old the
# plan may be (default: 72h), JOURNAL where the journal goes (default: journal).
#
# Exits as zonewright does: 0 applied, 3 a consent is missing, 4 the live state or the spec changed and nothing was sent, 5 applied
# in part. After 4 the plan as it would be now is printed.
set -eu

base=$1
reviewed=$2
spec=${SPEC:-zones}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What has expired is judged by the day of the review. `apply` refuses a day that is further back than MAX_AGE.
today=$(jq -r '.saved.today | strings' "$reviewed" 2>/dev/null) || today=
case $today in
    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
    *)
        echo "error: $reviewed is no saved plan: it does not say by which day it was judged. Nothing was sent." >&2
        exit 4
        ;;
esac
flags=$(sh "$here/consents.sh")
# Flags are words without blanks, see consents.sh.
# shellcheck disable=SC2086
zonewright plan "$spec" --base "$base" --changed $flags --today "$today" --out "$work/merged.json" >"$work/merged.txt"
code=0
sh "$here/same-plan.sh" "$reviewed" "$work/merged.json" || code=$?
case $code in
    0) zonewright apply "$reviewed" --yes --max-age "${MAX_AGE:-72h}" --journal "${JOURNAL:-journal}" || code=$? ;;
    2)
        code=4
        # Says what changed, and when. A dry run cannot write.
        zonewright apply "$reviewed" --dry-run --max-age "${MAX_AGE:-72h}" >/dev/null || true
        ;;
    *) code=4 ;;
esac
if [ "$code" -eq 4 ]; then
    echo "The plan as it would be now:"
    cat "$work/merged.txt"
fi
exit "$code"
