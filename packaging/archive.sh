#!/usr/bin/env bash
# What a release holds beside the program: manual pages and completion scripts, in the directories where shells and `man` look.
#
#   packaging/archive.sh BINARY TARGET OUT
#
# Writes OUT/zonewright-TARGET.tar.gz, and `zonewright.data`, which maturin puts into the wheel. BINARY must run on this machine.
set -euo pipefail
binary=$(realpath "$1") target=$2 out=$(realpath "$3")
cd "$(dirname "$0")/.."

rm -rf zonewright.data
share=zonewright.data/data/share
mkdir -p "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
"$binary" man --dir "$share/man/man1"
"$binary" completions bash >"$share/bash-completion/completions/zonewright"
"$binary" completions zsh >"$share/zsh/site-functions/_zonewright"
"$binary" completions fish >"$share/fish/vendor_completions.d/zonewright.fish"

staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
mkdir "$staged/zonewright-$target"
cp -R "$binary" "$share" README.md LICENSE-APACHE LICENSE-MIT "$staged/zonewright-$target/"
tar -C "$staged" -czf "$out/zonewright-$target.tar.gz" "zonewright-$target"
