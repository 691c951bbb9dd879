#!/bin/sh
# Whether a reviewed plan was made from the spec, the base and the consents that another plan was made from.
#
#   same-plan.sh REVIEWED OTHER
#
# A saved plan carries what it was made from, and its checksum is no signature: whoever can make the artifact can make it say
# anything. So the one that is to be applied is held against one that was made here. What it does to Cloudflare need not be
# compared: `apply` works that out anew, and refuses if it is something else.
set -eu

inputs() {
    jq -S '[.saved.spec, .saved.base.kind, .saved.base.commit, .saved.base.spec, .saved.consents]' "$1"
}

if ! reviewed=$(inputs "$1") || ! other=$(inputs "$2"); then
    echo "error: $1 is no saved plan" >&2
    exit 1
fi
if [ "$reviewed" != "$other" ]; then
    echo "error: what was merged is not what was reviewed: the spec, its base or the consents differ. Nothing was sent." >&2
    exit 1
fi
