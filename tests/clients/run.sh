#!/usr/bin/env bash
# Holds the sandbox against other people's clients: the official Go, Python and TypeScript SDKs, octoDNS, octorules, DNSControl with
# its own integration suite, Terraform with its provider; and has the SDKs read what `apply` writes.
#
#   tests/clients/run.sh [BINARY] [FLAG…]
#
# FLAGs go to `zonewright sandbox serve`; without any, `--plan enterprise`. Without BINARY, cargo builds one. What is missing (go,
# python3, node, npm, a registry) is reported as SKIPPED, or as a failure with REQUIRE_CLIENTS=1. Sources that are not in a registry
# are named by the environment: DNSCONTROL, a checkout of DNSControl; TERRAFORM_PROVIDER, a checkout of the provider, or the
# directory of a built one. ONLY="go dnscontrol" runs these alone (go python typescript octodns octorules dnscontrol terraform).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

binary=
if [[ $# -gt 0 && $1 != -* ]]; then
  binary=$(realpath "$1")
  shift
fi
if [[ -z $binary ]]; then
  binary=$(cd "$here/../.." && cargo build --quiet --bin zonewright --message-format=json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
fi
flags=("$@")
[[ $# -gt 0 ]] || flags=(--plan enterprise)

# Rulesets depend on the plan more than on anything else, so they have sandboxes of their own.
rulesets=(
  "--plan enterprise"
  "--plan business --without-dry-run --owasp-level 1"
  "--plan pro --without-account-rulesets --owasp-level 2"
  "--plan free"
)

work=$(mktemp -d)
pids=()
stop() {
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
export RESULTS=$work/results SANDBOX_FLAGS="${flags[*]}" PYTHONDONTWRITEBYTECODE=1
: >"$RESULTS"

skipped=0
failed=0
skip() {
  printf '\n******** SKIPPED: %s ********\n\n' "$*" >&2
  skipped=$((skipped + 1))
}

# serve NAME FLAG…: a sandbox in a directory of its own; what it prints on standard output is then in NAME/out.
serve() {
  local directory=$work/$1
  shift
  mkdir "$directory"
  (cd "$directory" && exec "$binary" sandbox serve --listen 127.0.0.1:0 "$@" >out 2>err) &
  pids+=($!)
  for _ in $(seq 100); do
    if [[ $(grep -c '^export ' "$directory/out" 2>/dev/null) -ge 2 ]]; then
      return
    fi
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  cat "$directory/err" >&2
  echo "the sandbox did not start" >&2
  exit 1
}
exported() { sed -n "s/^export $2=//p" "$work/$1/out"; }

wanted() { [[ -z ${ONLY:-} || " $ONLY " == *" $1 "* ]]; }

# The suites may ask as often as they like; the limit has a sandbox of its own.
serve main "${flags[@]}" --rate-limit 0 \
  --with-zone go.example --with-zone python.example --with-zone typescript.example --with-zone readback.example
# octodns-cloudflare 1.2.0 and DNSControl 4 still send members of SRV data that Cloudflare's list of deprecations calls an error.
serve octo "${flags[@]}" --rate-limit 0 --with-zone python.example --old-srv-members
serve dnscontrol "${flags[@]}" --rate-limit 0 --with-zone dnscontrol.example --old-srv-members
serve waf "${flags[@]}" --rate-limit 0 --with-zone octorules.example --with-zone terraform.example
# Its tests send those members of SRV data, a zone's name in Unicode, and look for one zone of their authors.
serve provider --plan enterprise --rate-limit 0 --old-srv-members --unicode-zone-names \
  --with-zone terraform.example --with-zone other.example --with-zone terraform.cfapi.net
serve limited --rate-limit 3
CLOUDFLARE_BASE_URL=$(exported main CLOUDFLARE_BASE_URL)
CLOUDFLARE_API_TOKEN=$(exported main CLOUDFLARE_API_TOKEN)
LIMITED_BASE_URL=$(exported limited CLOUDFLARE_BASE_URL)
export CLOUDFLARE_BASE_URL CLOUDFLARE_API_TOKEN LIMITED_BASE_URL
unset CLOUDFLARE_EMAIL CLOUDFLARE_API_KEY CLOUDFLARE_API_USER_SERVICE_KEY
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

# suite NAME COMMAND…: what fails before it can count its checks is counted here.
suite() {
  local name=$1 status=0
  shift
  if [[ $(type -t "$1") == function ]]; then
    "$@" || status=$?
  else
    timeout 900 "$@" || status=$?
  fi
  if [[ $status -ne 0 ]]; then
    failed=1
    grep -q "^$name.*FAILED" "$RESULTS" || printf '%s\t%s\tFAILED\tended with status %s\n' "$name" "(all)" "$status" >>"$RESULTS"
  elif ! grep -q "^$name" "$RESULTS"; then
    failed=1
    printf '%s\t(all)\tFAILED\tnothing was checked\n' "$name" >>"$RESULTS"
  fi
}

versions=()
sdk=
typescript=
if ! wanted python && ! wanted octodns && ! wanted octorules; then
  :
elif ! python3 -m venv "$work/venv" >"$work/venv.log" 2>&1; then
  skip "Python SDK, octoDNS and octorules: no python3 with venv here"
else
  python=$work/venv/bin/python
  if ! wanted python; then
    :
  elif "$python" -m pip install --quiet --disable-pip-version-check cloudflare >"$work/pip.log" 2>&1; then
    versions+=("$("$python" -m pip list --format=freeze 2>/dev/null | grep '^cloudflare==')")
    suite "Python SDK" "$python" "$here/sdk.py"
    sdk=$python
    for number in "${!rulesets[@]}"; do
      read -ra switches <<<"${rulesets[$number]}"
      serve "rules$number" "${switches[@]}" --rate-limit 0 --with-zone waf.example --with-zone manual.example --with-zone adopted.example
      suite "rules ${switches[1]}" env -C "$work/rules$number" RULESET_FLAGS="${rulesets[$number]}" \
        CLOUDFLARE_BASE_URL="$(exported "rules$number" CLOUDFLARE_BASE_URL)" "$python" "$here/rulesets.py" "$binary"
    done
  else
    tail -n 3 "$work/pip.log" >&2
    skip "Python SDK: pip cannot install cloudflare"
  fi
  if ! wanted octodns; then
    :
  elif "$python" -m pip install --quiet --disable-pip-version-check octodns octodns-cloudflare >"$work/pip.log" 2>&1; then
    while read -r version; do versions+=("$version"); done < <("$python" -m pip list --format=freeze 2>/dev/null | grep '^octodns')
    suite "octoDNS" env -C "$work/octo" CLOUDFLARE_BASE_URL="$(exported octo CLOUDFLARE_BASE_URL)" "$python" "$here/octo.py"
  else
    tail -n 3 "$work/pip.log" >&2
    skip "octoDNS: pip cannot install octodns-cloudflare"
  fi
  # In an environment of its own: it pins another SDK.
  if ! wanted octorules; then
    :
  elif python3 -m venv "$work/octorules" && "$work/octorules/bin/pip" install --quiet --disable-pip-version-check \
    requests octorules-cloudflare >"$work/pip.log" 2>&1; then
    while read -r version; do versions+=("$version"); done < <("$work/octorules/bin/pip" list --format=freeze 2>/dev/null | grep '^octorules')
    mkdir "$work/rules"
    suite "octorules" env -C "$work/rules" PYTHONPATH="$here" CLOUDFLARE_BASE_URL="$(exported waf CLOUDFLARE_BASE_URL)" \
      "$work/octorules/bin/python" "$here/octo_rules.py"
  else
    tail -n 3 "$work/pip.log" >&2
    skip "octorules: pip cannot install octorules-cloudflare"
  fi
fi

mkdir "$work/node"
if ! wanted typescript; then
  :
elif ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  skip "TypeScript SDK: no node and npm here"
elif ! (cd "$work/node" && npm init --yes && npm install --no-audit --no-fund cloudflare) >"$work/npm.log" 2>&1; then
  tail -n 3 "$work/npm.log" >&2
  skip "TypeScript SDK: npm cannot install cloudflare"
else
  versions+=("cloudflare@$(node -p "require('$work/node/node_modules/cloudflare/package.json').version")")
  suite "TypeScript SDK" env -C "$work/node" node "$here/sdk.mjs"
  typescript=$work/node
fi

# What cannot be installed has been reported; the Python SDK leads this suite, the other one reads beside it.
if ! wanted python; then
  :
elif [[ -n $sdk ]]; then
  mkdir "$work/readback"
  suite "read-back" env -C "$work/readback" "$sdk" "$here/readback.py" "$binary" ${typescript:+"$typescript"}
else
  skip "read-back: without the Python SDK"
fi

# The Go SDK.
if ! wanted go; then
  :
elif ! command -v go >/dev/null; then
  skip "Go SDK: no go here"
elif ! (mkdir "$work/go" && cp "$here/go/main.go" "$work/go" && cd "$work/go" && go mod init clients.test/go &&
  go get github.com/cloudflare/cloudflare-go/v6@latest && go build -o client .) >"$work/go.log" 2>&1; then
  tail -n 3 "$work/go.log" >&2
  skip "Go SDK: it cannot be downloaded and built"
else
  versions+=("$(cd "$work/go" && go list -m github.com/cloudflare/cloudflare-go/v6)")
  suite "Go SDK" "$work/go/client" "$here/records.json"
fi

# build_dnscontrol: its integration suite for Cloudflare alone, as $work/dnscontrol.test. The API's address is a constant of the
# library that it uses, so a copy of that library with another one takes its place; the checkout stays as it is.
build_dnscontrol() {
  local library overlay=$work/dnscontrol.overlay address
  address=$(exported dnscontrol CLOUDFLARE_BASE_URL | cut -d/ -f3)
  cd "$DNSCONTROL" &&
    go mod download github.com/cloudflare/cloudflare-go &&
    library=$(go list -m -f '{{.Dir}}' github.com/cloudflare/cloudflare-go) &&
    mkdir "$overlay" &&
    cp -r "$library" "$overlay/library" &&
    chmod -R u+w "$overlay/library" &&
    sed -i -e 's/"https"/"http"/' -e "s/\"api.cloudflare.com\"/\"$address\"/" "$overlay/library/consts.go" &&
    cp go.mod go.sum "$overlay" &&
    go mod edit -replace "github.com/cloudflare/cloudflare-go=$overlay/library" "$overlay/go.mod" &&
    printf 'package all\n\nimport _ "github.com/DNSControl/dnscontrol/v4/providers/cloudflare"\n' >"$overlay/all.go" &&
    printf '{"Replace":{"%s":"%s"}}' "$PWD/pkg/providers/_all/all.go" "$overlay/all.go" >"$overlay/overlay.json" &&
    go test -c -modfile "$overlay/go.mod" -overlay "$overlay/overlay.json" -o "$work/dnscontrol.test" ./integrationTest
}

# run_dnscontrol: each of its test groups is a check.
run_dnscontrol() {
  local status=0
  CLOUDFLAREAPI_TOKEN=$CLOUDFLARE_API_TOKEN CLOUDFLAREAPI_DOMAIN=dnscontrol.example CLOUDFLAREAPI_ACCOUNTID='' \
    env -C "$DNSCONTROL/integrationTest" "$work/dnscontrol.test" -test.v -provider CLOUDFLAREAPI >"$work/dnscontrol.log" 2>&1 || status=$?
  sed -nE -e 's/^ *--- PASS: ([^ ]+) .*/DNSControl\tintegration suite\tok\t\1/p' \
    -e 's/^ *--- FAIL: ([^ ]+) .*/DNSControl\tintegration suite\tFAILED\t\1/p' "$work/dnscontrol.log" >>"$RESULTS"
  [[ $status -eq 0 ]] || tail -n 40 "$work/dnscontrol.log" >&2
  return "$status"
}

if ! wanted dnscontrol; then
  :
elif ! command -v go >/dev/null; then
  skip "DNSControl: no go here"
elif [[ -z ${DNSCONTROL:-} ]]; then
  skip "DNSControl: DNSCONTROL names no checkout of https://github.com/DNSControl/dnscontrol"
elif ! (build_dnscontrol) >"$work/go.log" 2>&1; then
  tail -n 3 "$work/go.log" >&2
  skip "DNSControl: its integration suite cannot be built"
else
  versions+=("dnscontrol $(git -C "$DNSCONTROL" describe --tags --always 2>/dev/null || echo unknown)")
  suite "DNSControl" run_dnscontrol
fi

# Terraform with a provider that is built here.
if ! wanted terraform; then
  :
elif ! command -v terraform >/dev/null; then
  skip "Terraform: no terraform here"
elif [[ -z ${TERRAFORM_PROVIDER:-} ]]; then
  skip "Terraform: TERRAFORM_PROVIDER names no checkout of https://github.com/cloudflare/terraform-provider-cloudflare"
elif ! { [[ -x $TERRAFORM_PROVIDER/terraform-provider-cloudflare ]] || (cd "$TERRAFORM_PROVIDER" && command -v go >/dev/null &&
  go build -o "$work/provider/terraform-provider-cloudflare" .) >"$work/go.log" 2>&1; }; then
  tail -n 3 "$work/go.log" >&2
  skip "Terraform: the provider cannot be built"
else
  provider=$work/provider
  [[ -x $TERRAFORM_PROVIDER/terraform-provider-cloudflare ]] && provider=$TERRAFORM_PROVIDER
  versions+=("terraform $(terraform version -json 2>/dev/null | sed -n 's/.*"terraform_version": "\(.*\)".*/\1/p')")
  mkdir "$work/terraform"
  suite "Terraform" env -C "$work/terraform" CLOUDFLARE_BASE_URL="$(exported waf CLOUDFLARE_BASE_URL)" \
    bash "$here/terraform.sh" "$provider" "$here/terraform.tf"
  if ! [[ -e $TERRAFORM_PROVIDER/go.mod ]] || ! command -v go >/dev/null; then
    skip "provider: TERRAFORM_PROVIDER has no sources, or there is no go here"
  else
    mkdir "$work/acceptance"
    suite "provider" env -C "$work/acceptance" CLOUDFLARE_BASE_URL="$(exported provider CLOUDFLARE_BASE_URL)" \
      CLOUDFLARE_API_TOKEN="$(exported provider CLOUDFLARE_API_TOKEN)" \
      bash "$here/terraform_acceptance.sh" "$TERRAFORM_PROVIDER" "$here/terraform_acceptance.txt"
  fi
fi

echo
echo "sandbox serve ${flags[*]}"
printf '%s\n' "${versions[@]:-nothing installed}"
echo
awk -F '\t' '
  { key = $1 "\t" $2 }
  !(key in seen) { seen[key] = 1; order[++count] = key }
  $3 == "ok" { ok[key]++; all_ok++ }
  $3 == "FAILED" { bad[key]++; all_bad++ }
  $3 == "not supported yet" { later[key] = 1; all_later++ }
  END {
    printf "%-16s %-32s %6s %6s\n", "suite", "what", "ok", "failed"
    for (i = 1; i <= count; i++) {
      split(order[i], part, "\t")
      printf "%-16s %-32s %6d %6d%s\n", part[1], part[2], ok[order[i]], bad[order[i]], (order[i] in later) ? "  not supported yet" : ""
    }
    printf "%-16s %-32s %6d %6d  %d times not supported yet\n", "all", "", all_ok, all_bad, all_later
  }' "$RESULTS"
echo
if grep -P '\tFAILED\t' "$RESULTS"; then failed=1; fi
if [[ $skipped -gt 0 && ${REQUIRE_CLIENTS:-} == 1 ]]; then
  echo "SKIPPED counts as a failure with REQUIRE_CLIENTS=1" >&2
  failed=1
fi
exit "$failed"
