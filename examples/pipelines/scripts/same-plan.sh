#!/bin/sh
# Whether a reviewed plan was made from what another plan was made from.
#
#   same-plan.sh REVIEWED OTHER
#
# A saved plan carries what it was made from, and its checksum is no signature: whoever can make the artifact can make it say
# anything. So the one that is to be applied is held against one that was made here. Everything under `saved` must be the same,
# what a later version adds included, but for the time at which it was made and the name of the base (its commit counts).
#
# Exits with 0 if they are the same, with 2 if only the requests differ, because the live state changed since the review, and
# with 1 if anything else differs.
set -eu

inputs() {
    jq -eS 'select(.saved | type == "object") | .saved | del(.created_at, .base.name)' "$1"
}

if ! reviewed=$(inputs "$1") || ! other=$(inputs "$2"); then
    echo "error: $1 is no saved plan" >&2
    exit 1
fi
if [ "$reviewed" = "$other" ]; then
    exit 0
fi
differ=$(printf '%s\n%s\n' "$reviewed" "$other" |
    jq -rs '.[0] as $a | .[1] as $b | [$a + $b | keys[] | select($a[.] != $b[.])] | join(", ")')
if [ "$differ" = requests ]; then
    echo "error: the live state has changed since the review, so other requests are needed. Nothing was sent." >&2
    exit 2
fi
echo "error: what was merged is not what was reviewed: these differ: $differ. Nothing was sent." >&2
exit 1
