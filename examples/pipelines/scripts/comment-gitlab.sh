#!/bin/sh
# Writes a note on a merge request, or rewrites the one that an earlier run wrote.
#
#   comment-gitlab.sh NUMBER FILE
#
# The first line of FILE is the marker. Needs `curl`, `jq`, CI_API_V4_URL, CI_PROJECT_ID, and in GITLAB_TOKEN_FILE the name of a
# file with a project access token that may write notes (a variable of type "file"). Only notes of the token's own account count.
set -eu

number=$1
file=$2
api=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$number/notes
marker=$(head -n 1 "$file")
case $marker in
    '<!-- zonewright:'*' -->') ;;
    *)
        echo "error: $file does not begin with a marker" >&2
        exit 1
        ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The token goes through a file, as arguments can be seen by every process of the machine.
(umask 077 && printf 'header = "PRIVATE-TOKEN: %s"\n' "$(cat "$GITLAB_TOKEN_FILE")" >"$work/curl")
request() {
    curl --config "$work/curl" --silent --show-error --fail-with-body --retry 3 "$@"
}
me=$(request "$CI_API_V4_URL/user" | jq .id)
request "$api?per_page=100&sort=asc" >"$work/notes.json"
id=$(jq -r --arg marker "$marker" --argjson me "$me" \
    '[.[] | select(.author.id == $me) | select(.body | startswith($marker)) | .id] | first // empty' "$work/notes.json")
jq -Rs '{body: .}' "$file" >"$work/body.json"
if [ -n "$id" ]; then
    request --request PUT --header "Content-Type: application/json" --data "@$work/body.json" "$api/$id" >/dev/null
else
    request --request POST --header "Content-Type: application/json" --data "@$work/body.json" "$api" >/dev/null
fi
