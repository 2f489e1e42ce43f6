#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154  # settings.sh is written beside this file
# The workflow opgrade.yml runs this in the repository. The log holds the report inside
# stop-commands, then the annotations. Exit code: opgrade's.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=${RUNNER_TEMP:?}/opgrade
opgrade grade . --config "$here/config.yaml" --out "$results" --quiet > /dev/null
status=$?
for result in "$results"/*/; do
  [[ -d $result ]] || break
  opgrade show "$result" --format github-log
  opgrade show "$result" --format summary >> "${GITHUB_STEP_SUMMARY:?}"
  opgrade show "$result" --format sarif > "$results/opgrade.sarif"
done
exit "$status"
