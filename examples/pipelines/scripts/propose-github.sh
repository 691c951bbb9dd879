#!/bin/sh
# Pushes a branch and keeps one pull request for it.
#
#   propose-github.sh BRANCH REPORT
#
# REPORT is the text of the pull request. Needs `gh`, GH_TOKEN and GITHUB_REPOSITORY; GITHUB_REF_NAME is the branch to merge into.
set -eu

branch=$1
report=$2
gh auth setup-git
git push --quiet --force "https://github.com/$GITHUB_REPOSITORY.git" "HEAD:refs/heads/$branch"
number=$(gh pr list --repo "$GITHUB_REPOSITORY" --state open --head "$branch" --limit 1 --json number --jq '.[0].number // empty')
if [ -n "$number" ]; then
    gh pr edit "$number" --repo "$GITHUB_REPOSITORY" --body-file "$report"
else
    gh pr create --repo "$GITHUB_REPOSITORY" --head "$branch" --base "$GITHUB_REF_NAME" \
        --title "Take over what changed at Cloudflare" --body-file "$report"
fi
