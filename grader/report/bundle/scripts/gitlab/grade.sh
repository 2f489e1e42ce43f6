#!/usr/bin/env bash
# Grades the checkout in a GitLab job: packaging/gitlab/opgrade.gitlab-ci.yml runs this. The log has the report.
#   grade.sh [ARGUMENT...]     arguments of `opgrade grade`
# Writes for the job's artifacts, in opgrade-results: junit.xml, gl-code-quality-report.json, report.html.
# Exit code: opgrade's.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
opgrade grade "$@" --out "$work/results" --quiet > /dev/null || status=$?
# A checkout may hold anything under this name, also a link.
rm -rf -- opgrade-results
mkdir opgrade-results
for result in "$work/results"/*/; do
  [[ -d $result ]] || break
  opgrade show "$result"
  opgrade show "$result" --format junit > opgrade-results/junit.xml
  opgrade show "$result" --format code-quality > opgrade-results/gl-code-quality-report.json
  opgrade show "$result" --format html > opgrade-results/report.html
done
exit "$status"
