#!/usr/bin/env bash
# Grades the checkout in a GitHub job: `opgrade bundle github`, the action of packaging/action and the student template run
# this. The log has the report inside stop-commands, then the annotations; the step summary has the report as Markdown.
#   grade.sh [ARGUMENT...]     arguments of `opgrade grade`; without any: . --config config.yaml, which is beside this file
# Exit code: opgrade's. Outputs, if GITHUB_OUTPUT is set: verdict, score, exit-code, results.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($#)) || set -- . --config "$here/config.yaml"
results=$(mktemp -d "${RUNNER_TEMP:?}/opgrade-results-XXXXXX")

# Error messages may quote names that a student chose, so the runner must not read commands in them.
guard=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$guard"
status=0
opgrade grade "$@" --out "$results" --quiet > /dev/null || status=$?
echo
echo "::$guard::"

verdict='' score=''
for result in "$results"/*/; do
  [[ -d $result ]] || break
  opgrade show "$result" --format github-log
  summary=$(opgrade show "$result" --format summary)
  printf '%s\n' "$summary" >> "${GITHUB_STEP_SUMMARY:?}"
  opgrade show "$result" --format sarif > "$results/opgrade.sarif"
  # The summary's first line is "## NAME: VERDICT", its third "**SCORE**"; in NAME each : is a character reference.
  verdict=$(sed -n '1s/.*: //p' <<< "$summary")
  score=$(sed -n '3s/^\*\*\(.*\)\*\*$/\1/p' <<< "$summary")
done
[[ -n $verdict ]] ||
  echo "::error title=opgrade::Nothing was graded (exit code $status). The reason is in the log of this step."
[[ -z ${GITHUB_OUTPUT:-} ]] ||
  printf '%s\n' "verdict=$verdict" "score=$score" "exit-code=$status" "results=$results" >> "$GITHUB_OUTPUT"
exit "$status"
