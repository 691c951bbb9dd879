#!/usr/bin/env bash
# Terraform against a running sandbox: apply, nothing to do, change, nothing to do, destroy.
#
#   tests/clients/terraform.sh DIRECTORY_OF_THE_PROVIDER terraform.tf
set -uo pipefail
cp "$2" main.tf
printf 'provider_installation {\n  dev_overrides { "cloudflare/cloudflare" = "%s" }\n  direct {}\n}\n' "$1" >terraformrc
export TF_CLI_CONFIG_FILE=$PWD/terraformrc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1
TF_VAR_zone=$(curl --silent --header "Authorization: Bearer $CLOUDFLARE_API_TOKEN" "$CLOUDFLARE_BASE_URL/zones?name=terraform.example" |
  sed 's/.*"result":\[{"id":"\([0-9a-f]*\)".*/\1/')
export TF_VAR_zone
failed=0
# check AREA EXPECTED_STATUS ARGUMENT…
check() {
  local area=$1 expected=$2 status=0 outcome=ok
  shift 2
  terraform "$@" -input=false -no-color >log 2>&1 || status=$?
  if [[ $status -ne $expected ]]; then
    outcome=FAILED
    failed=1
    tail -n 40 log >&2
  fi
  printf 'Terraform\t%s\t%s\t%s: status %s\n' "$area" "$outcome" "$*" "$status" >>"$RESULTS"
}
check "apply" 0 apply -auto-approve
check "nothing to do" 0 plan -detailed-exitcode
check "change" 2 plan -detailed-exitcode -var address=192.0.2.2
check "change" 0 apply -auto-approve -var address=192.0.2.2
check "nothing to do" 0 plan -detailed-exitcode -var address=192.0.2.2
check "destroy" 0 destroy -auto-approve
exit "$failed"
