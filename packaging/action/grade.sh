#!/usr/bin/env bash
# The grading step of action.yml: arguments and exit code for the installed opgrade's own script, which has the log,
# annotations, summary and outputs.
set -uo pipefail
script=$(dirname "$(command -v opgrade)")/../share/opgrade/bundle/github/grade.sh
folder=${OPGRADE_FOLDER:-.}
[[ $folder == /* ]] || folder=./$folder # a name may begin with a dash
arguments=("$folder" --config "${OPGRADE_CONFIG:-self-check}")
[[ -z ${OPGRADE_ONLY:-} ]] || arguments+=(--only "$OPGRADE_ONLY")
status=0
bash "$script" "${arguments[@]}" || status=$?
verdict=$(sed -n 's/^verdict=//p' "${GITHUB_OUTPUT:?}" | tail -n 1)
[[ $status == 3 && $verdict == INCOMPLETE && ${OPGRADE_INCOMPLETE:-pass} == pass ]] && status=0
exit "$status"
