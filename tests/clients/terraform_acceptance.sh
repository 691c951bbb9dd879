#!/usr/bin/env bash
# The acceptance tests of Cloudflare's Terraform provider, against a running sandbox.
#
#   tests/clients/terraform_acceptance.sh CHECKOUT_OF_THE_PROVIDER terraform_acceptance.txt
#
# The second file names the tests that cannot pass here, with the reasons. One that passes although it is named there fails the run.
# A built SERVICE.test beside the sources of a service is used as it is; to build one takes a long time.
set -uo pipefail
checkout=$1
known=$2
zone() {
  curl --silent --header "Authorization: Bearer $CLOUDFLARE_API_TOKEN" "$CLOUDFLARE_BASE_URL/zones?name=$1" |
    sed "s/.*\"result\":\[{\"id\":\"\([0-9a-f]*\)\".*\"account\":{\"id\":\"\([0-9a-f]*\)\".*/\\$2/"
}
export TF_ACC=1 CHECKPOINT_DISABLE=1 CLOUDFLARE_DOMAIN=terraform.example CLOUDFLARE_ALT_DOMAIN=other.example
CLOUDFLARE_ZONE_ID=$(zone terraform.example 1)
CLOUDFLARE_ACCOUNT_ID=$(zone terraform.example 2)
CLOUDFLARE_ALT_ZONE_ID=$(zone other.example 1)
export CLOUDFLARE_ZONE_ID CLOUDFLARE_ACCOUNT_ID CLOUDFLARE_ALT_ZONE_ID
failed=0
# report SERVICE TEST OUTCOME
report() {
  local outcome=$3 reason
  reason=$(sed -n "s/^$2: //p" "$known")
  case $outcome in
    PASS) if [[ -n $reason ]]; then outcome=FAILED; else outcome=ok; fi ;;
    FAIL) if [[ -n $reason ]]; then outcome="not supported yet"; else outcome=FAILED; fi ;;
    *) return ;;
  esac
  [[ $outcome != FAILED ]] || failed=1
  printf 'provider\t%s\t%s\t%s\n' "$1" "$outcome" "$2" >>"$RESULTS"
}
for service in dns_record zone_setting zone_dnssec zone ruleset; do
  sources=$checkout/internal/services/$service
  if ! [[ -x $sources/$service.test ]] && ! (cd "$sources" && go test -c -o "$service.test" .); then
    printf 'provider\t%s\tFAILED\tthe tests cannot be built\n' "$service" >>"$RESULTS"
    exit 1
  fi
  (cd "$sources" && timeout 600 "./$service.test" -test.v -test.run '^TestAcc') >"$service.log" 2>&1
  while read -r outcome test; do
    report "$service" "$test" "$outcome"
  done < <(sed -n 's/^--- \([A-Z]*\): \([A-Za-z0-9_]*\) .*/\1 \2/p' "$service.log")
done
exit "$failed"
