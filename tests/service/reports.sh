#!/usr/bin/env bash
# reports.sh <build folder> <project root>: a term of two milestones with a report each, in a real headless Chromium (reports.py):
# handed in with the code, apart and by opgrade submit --report, marked by two graders at once by keyboard, released, regraded at one
# item, exported. The gradebook equals a table that this script computes from the marks. A third milestone is a wrong picture.
set -euo pipefail
build=$(realpath "${1:?usage: reports.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: reports.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
require_browser
enter_place "$build"
install_axe "$root"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OPGRADE_TOKEN XDG_CONFIG_HOME
make_course "$root" 3
cat >course/rubric.yaml <<'END'
opgrade_rubric: 1
groups:
  - name: figures
    title: Figures
    points: 10
    begins_with: all
    items:
      - {name: units, points: -2, text: The axes have no units.}
      - {name: none, points: -10, text: There is no figure.}
  - name: analysis
    title: Analysis
    points: 10
    takes: one
    items:
      - {name: full, points: 10, text: The bottleneck is explained.}
      - {name: half, points: 5, text: Half of it is explained.}
END
report="report: {file: report.md, required: true, rubric: rubric.yaml}"
sed -i "s|counts: best}|counts: best, $report}|" course/course.yaml
echo "  - {name: m2, title: Milestone 2, config: $root/tests/configs/cli.yaml, deadline: 2099-02-01 12:00, $report}" >>course/course.yaml
echo "  - {name: m3, title: A picture, config: grey, deadline: 2099-03-01 12:00}" >>course/course.yaml
mkdir -p course/grey/solution
cat >course/grey/task.yaml <<'END'
opgrade: 1
name: grey
title: A grey picture
task:
  function: void grey(const float* image, float* grey, int rows, int columns)
  sizes: {rows: {to: 100}, columns: {to: 100}}
  buffers:
    image: {extents: [rows, columns, 3], values: "uniform(0, 1)"}
    grey: {extents: [rows, columns], error: absolute, tolerance: 0.01, picture: true}
stages:
  - {name: cpu, title: Grey on the CPU, device: cpu, cases: [{name: small, sizes: {rows: 20, columns: 30}, points: 5}]}
END
cat >course/grey/reference.cpp <<'END'
#include "reference.h"

void reference(const float* image, double* grey, double*, long long rows, long long columns) {
  for (long long i = 0; i < rows * columns; ++i)
    grey[i] = (image[3 * i] + image[3 * i + 1] + image[3 * i + 2]) / 3;
}
END
cat >course/grey/solution/grey.cc <<'END'
void grey(const float* image, float* grey, int rows, int columns) {
  for (int i = 0; i < rows * columns; ++i) grey[i] = (image[3 * i] + image[3 * i + 1] + image[3 * i + 2]) / 3;
}
END
opgrade course tokens course --staff gina | tr -d '\r' | tail -n 1 >>tokens.csv
opgrade course check course | grep -q "report.md, required: 20 points"
mkdir hand-in
cp "$root/tests/corpus/submissions/good/cpu-new-forward.cc" hand-in
sed 's|) / 3|) / 2|' course/grey/solution/grey.cc >hand-in/grey.cc
for student in 1 2 3; do
  mkdir -p "apart$student/plots"
  cat >"apart$student/report.md" <<END
# Report of student $student

| case | Op Time |
|--|--|
| a | 3 ms |
| submission | $(sha256sum "$root/CMakeLists.txt" | cut -c-64) |

![Op Times](plots/times.png)
![elsewhere](http://127.0.0.1:9/times.png)
END
done
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies --unchecked
/usr/bin/python3 "$root/tests/service/reports.py" "$url" "$(token_of s1)" "$(token_of s2)" "$(token_of s3)" \
  "$(token_of sam)" "$(token_of gina)" "$place" "$axe"

# Code 5 of 5 for each; reports of 20: figures 10 - 2 for missing units (taken back for s1 by the regrade at m1), analysis 10, 5 or none.
cat >expected.txt <<'END'
s1 m1 25 25
s1 m2 13 25
s2 m1 23 25
s2 m2 15 25
s3 m1 18 25
s3 m2 5 25
END
opgrade course gradebook course | grep -v ,m3, | tr -d '\r' | awk -F, 'NR > 1 { print $1, $6, $7, $8 }' >found.txt
diff expected.txt found.txt
opgrade course gradebook course m1 --format rubric | tr -d '\r' >marks.csv
[[ $(grep -c '^s2,2,Student 2,,m1,[0-9]*,figures,units,-2,' marks.csv) == 1 ]]
[[ $(grep -c ',m1,[0-9]*,figures,units,' marks.csv) == 2 ]] # s1's was taken back
opgrade course gradebook course m1 --format gradescope-rubric | grep -q 'Figures: The axes have no units.'
opgrade course gradebook course m1 --format prairielearn 2>/dev/null | grep -q '^uid,instance,qid,manual_score_perc,feedback'
opgrade course why course s2 -a m1 | grep -q 'report: Figures: 8 of 10 (-2: The axes have no units.)'
opgrade course rubric course m1 | grep -q 'as it is'
opgrade course mark course m2 s3 --item full --done --by sam >/dev/null
opgrade course release course m2 | grep -q 'students see the marks'
opgrade course verify course
skip_where "$without_axe"
