#!/bin/sh
# Writes a comment on a pull request, or rewrites the one that an earlier run wrote.
#
#   comment-github.sh NUMBER FILE
#
# The first line of FILE is the marker. Only comments of the pipeline's own account count: anyone can write a marker. Needs
# `gh`, GH_TOKEN and GITHUB_REPOSITORY; BOT names the account (default: github-actions[bot]).
set -eu

number=$1
file=$2
bot=${BOT:-github-actions[bot]}
marker=$(head -n 1 "$file")
case $marker in
    '<!-- zonewright:'*' -->') ;;
    *)
        echo "error: $file does not begin with a marker" >&2
        exit 1
        ;;
esac
export bot marker
# shellcheck disable=SC2016 # The variables are jq's.
id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" \
    --jq '.[] | select(.user.login == env.bot) | select(.body | startswith(env.marker)) | .id' | head -n 1)
if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$file"
else
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" -F "body=@$file"
fi
