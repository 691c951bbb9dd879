#!/bin/sh
# Checks that the committed schema drives an editor: completion, error squiggles and hover of the YAML language server.
# Needs node and npm and their registry; where they are absent it says so and succeeds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=1.25.0

skip() {
    echo "SKIPPED: editor check: $1"
    exit 0
}

command -v node >/dev/null 2>&1 || skip "node is not installed"
command -v npm >/dev/null 2>&1 || skip "npm is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --no-audit --no-fund --silent "yaml-language-server@$version" ||
    skip "yaml-language-server $version cannot be installed"
node "$here/check.mjs" "$work" "$here/../../schema/spec.schema.json"
