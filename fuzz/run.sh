#!/bin/sh
# Fuzzes every target in turn for SECONDS [default: 60], or only the targets that are named after it. Each run prints one line:
# target, seconds, processor seconds, executions, covered edges, features, kept inputs, peak memory (MiB), and the finding, if
# any.
#
# Needs a nightly compiler and cargo-fuzz. Learnt inputs are kept in target/learnt, and findings in artifacts; neither is
# committed. AddressSanitizer is off: the crate forbids unsafe code, and the time is better spent on inputs.
set -eu
cd "$(dirname "$0")"
seconds="${1:-60}"
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- access_log answer archive caa dkim dmarc exchange expression headers journal lock name plan policy record recorded_lines snapshot spec spf transport txt wire_request
host="$(rustc -vV | sed -n 's/^host: //p')"
# Programs that were built before, if their directory is named.
[ -n "${BIN:-}" ] || cargo +nightly fuzz build --sanitizer none
bin="${BIN:-target/$host/release}"

# Its words, and how long its inputs may be, in bytes.
options() {
    case "$1" in
        answer | archive | exchange | journal | plan | recorded_lines | snapshot) echo "json 8192" ;;
        expression) echo "expression 512" ;;
        access_log | wire_request) echo "headers 2048" ;;
        headers) echo "headers 512" ;;
        lock | policy | spec) echo "spec 4096" ;;
        caa | dkim | dmarc | spf | transport) echo "mail 1024" ;;
        *) echo "record 1024" ;;
    esac
}

# Seconds of a processor that programs started here have used. Not in a pipe: there it would be another shell's.
used() {
    times >target/learnt/times
    tail -1 target/learnt/times | tr 'ms' '  ' | { read -r a b c d && echo "$a $b $c $d" | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }'; }
}

mkdir -p target/learnt
for target; do
    mkdir -p "target/learnt/$target" "artifacts/$target"
    set -- $(options "$target")
    log="target/learnt/$target.log"
    begun="$(date +%s)"
    used >target/learnt/before
    # A finding ends the run and is printed in the line. A stack overflow leaves no input behind, only an exit code.
    code=0
    "$bin/$target" "target/learnt/$target" "corpus/$target" \
        -dict="dictionaries/$1.dict" -max_len="$2" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -artifact_prefix="artifacts/$target/" -print_final_stats=1 -verbosity=1 >"$log" 2>&1 || code=$?
    ended="$(date +%s)"
    used >target/learnt/after
    value() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
    state="$(grep -a 'cov: ' "$log" | tail -1 | sed 's/.*cov: \([0-9]*\) ft: \([0-9]*\) corp: \([0-9]*\).*/\1 \2 \3/')"
    found="$(grep -a -o 'Test unit written to .*' "$log" | sed 's/.* //' | tail -1)"
    [ -n "$found" ] || [ "$code" -eq 0 ] || found="ended-with-$code"
    echo "$target $((ended - begun)) $(($(cat target/learnt/after) - $(cat target/learnt/before))) $(value number_of_executed_units) $state $(value peak_rss_mb) ${found:--}"
done
