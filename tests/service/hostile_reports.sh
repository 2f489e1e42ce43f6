#!/usr/bin/env bash
# hostile_reports.sh <build folder> <project root>: reports of hostile students on the pages for marking, in a real headless Chromium
# (hostile_reports.py): nothing of them runs, nothing loads from elsewhere, no other student's file is reachable, and the server answers
# while it renders a bomb.
set -euo pipefail
build=$(realpath "${1:?usage: hostile_reports.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: hostile_reports.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
require_browser
for program in pdftoppm cmark-gfm pnmtopng; do
  command -v $program >/dev/null || skip_where "$program is not installed"
done
enter_place "$build"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OPGRADE_TOKEN XDG_CONFIG_HOME
make_course "$root" 10
cat >course/rubric.yaml <<'END'
opgrade_rubric: 1
groups:
  - {name: all, title: All, points: 10, items: [{name: good, points: 10, text: Good.}]}
END
sed -i "s|counts: best}|counts: best, report: {file: report.pdf, rubric: rubric.yaml}}|" course/course.yaml
for other in md png; do
  echo "  - {name: $other, title: As $other, config: $root/tests/configs/cli.yaml, deadline: 2099-02-01 12:00, report: {file: report.$other, rubric: rubric.yaml}}" >>course/course.yaml
done
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies
/usr/bin/python3 "$root/tests/service/hostile_reports.py" "$url" tokens.csv
opgrade course verify course
