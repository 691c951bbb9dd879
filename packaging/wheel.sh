#!/usr/bin/env bash
# Builds a wheel with the debug program, installs it into an environment of its own, and runs the first example of the README from it.
#
#   packaging/wheel.sh
#
# Exits with 77 if the tools cannot be installed: they need python3 with venv, and PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=target/maturin

if [[ ! -x $tools/bin/maturin ]]; then
  { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r packaging/maturin.txt; } >&2 || exit 77
fi

cargo build --quiet --locked --bin zonewright
mkdir -p target/wheel
packaging/archive.sh "${CARGO_TARGET_DIR:-target}/debug/zonewright" local target/wheel
rm -f target/wheel/*.whl
"$tools/bin/maturin" build --quiet --profile dev --compatibility linux --out target/wheel

rm -rf target/wheel/installed
python3 -m venv target/wheel/installed
target/wheel/installed/bin/pip install --quiet --disable-pip-version-check --no-index target/wheel/zonewright-*.whl
installed=$(realpath target/wheel/installed)
[[ -f $installed/share/man/man1/zonewright-plan.1 && -f $installed/share/bash-completion/completions/zonewright ]]

# The example is the README's, so that the two cannot differ.
words=$(sed -n 's/^\$ cargo run -- //p' README.md | head -n 1)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cp -R examples "$directory/"
cd "$directory"
for expected in "10 of 10 operations done" "In sync: nothing to do"; do
  # shellcheck disable=SC2086 # the words of a command line
  "$installed/bin/zonewright" $words >out
  grep -q "$expected" out || { cat out; exit 1; }
done
echo "the wheel runs: zonewright $words"
