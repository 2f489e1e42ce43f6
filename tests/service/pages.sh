#!/usr/bin/env bash
# pages.sh <build folder> <project root>: each kind of page of a course of 240 students, for student and staff, at 390, 1280
# and 1920 px in a real headless Chromium (pages.py): nothing is wider than the window, and axe-core finds nothing.
# OPGRADE_SCREENSHOTS names a folder for pictures of all of them, OPGRADE_PICTURES one for those of docs/service (make pictures).
set -euo pipefail
build=$(realpath "${1:?usage: pages.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: pages.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
require_browser
enter_place "$build"
install_axe "$root"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OPGRADE_TOKEN XDG_CONFIG_HOME
opgrade course init course >/dev/null
# write_course <yes|no>: whether the deadlines that are over by now are over. The samples are handed in before.
write_course() {
  local over=$1 a config=$root/tests/service/pages.yaml
  day() { date -u -d "$1 days" '+%F 23:59'; }
  past() { [[ $over == yes ]] && day "$1" || day 100; }
  {
    echo "opgrade_course: 1"
    echo "title: Applied parallel programming"
    echo "time_zone: UTC"
    echo "slip_days: 3"
    echo "assignments:"
    for a in 1 2 3 4 5; do
      echo "  - {name: lab$a, title: Lab $a, config: $root/labs/transpose, deadline: $(past $((7 * a - 46))), counts: best, late: {days: 2, percent_a_day: 10}}"
    done
    echo "  - {name: lab6, title: Softmax of rows, config: $root/labs/softmax, deadline: $(day 3), counts: best, grace: 10 min}"
    echo "  - {name: lab7, title: Reduction, config: $root/labs/transpose, deadline: $(day 17), opens: $(day 10)}"
    echo "  - {name: lab8, title: Scan, config: $root/labs/transpose, deadline: $(day 24), opens: $(day 17)}"
    echo "  - {name: m1, title: Convolution, config: $config, deadline: $(past -1), section_deadlines: {B: $(past 0)}, late: {days: 3, percent_a_day: 10}, practice: $config}"
    echo "  - {name: m2, title: Convolution in teams, config: $config, deadline: $(day 6), teams: true, attempts_a_day: 5, practice: $config}"
    echo "  - {name: m3, title: Fast convolution, config: $config, deadline: $(day 30), opens: $(day 20), teams: true}"
  } >course/course.yaml
}
write_course no
/usr/bin/python3 "$root/tests/service/roster_of_240.py" >course/roster.csv
opgrade course tokens course | tr -d '\r' >tokens.csv
opgrade course tokens course --staff sam | tr -d '\r' | tail -n 1 >>tokens.csv

# Samples of what is handed in, graded for real; the class has copies of them. The first one of each is right.
reference=$root/reference/solution/minidnn-3
mkdir -p samples/{right,broken,wrong,racy} samples/{lab1,lab6}-{right,begun,empty}
cp "$reference"/*.c* samples/right
for one in broken wrong racy; do cp -r samples/right/. samples/$one; done
cp "$root/tests/corpus/submissions/not_compiling/cpu-new-forward.cc" samples/broken
cp "$root/tests/corpus/submissions/wrong_constant/cpu-new-forward.cc" samples/wrong
cp "$root"/tests/corpus/findings/no_second_barrier/new-forward.cu "$root"/tests/corpus/cheats/common/honest.cuh samples/racy
for lab in lab1:transpose lab6:softmax; do
  folder=$root/labs/${lab#*:} lab=${lab%:*}
  cp "$folder"/solution/*.c* samples/"$lab"-right
  cp "$folder"/template/*.c* samples/"$lab"-empty
  cp "$folder"/solution/*.cc "$folder"/template/*.cu samples/"$lab"-begun
done
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies --workers 2 --notify /usr/bin/false
hand_in() { # <login> <assignment> <folder> [option]
  OPGRADE_TOKEN=$(token_of "$1") opgrade submit "samples/$3" --server "$url" --assignment "$2" --quiet "${@:4}" >said.txt 2>&1 ||
    [[ $? == 1 ]] || { cat said.txt server.err; exit 1; }
}
for one in lab1:lab1-right lab1:lab1-begun lab1:lab1-empty lab6:lab6-right lab6:lab6-begun lab6:lab6-empty m1:right m1:broken m1:wrong m1:racy; do
  hand_in ada "${one%:*}" "${one#*:}"
done
hand_in ada m2 racy --practice
hand_in grace m1 racy
kill "$server"
wait "$server" || true
write_course yes
/usr/bin/python3 "$root/tests/service/fill_class.py" course
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies --workers 2 --notify /usr/bin/false
mkdir pictures
/usr/bin/python3 "$root/tests/service/pages.py" "$url" "$(token_of ada)" "$(token_of nora)" "$(token_of sam)" \
  "$axe" "${OPGRADE_SCREENSHOTS:-}" pictures
for picture in pictures/*.png; do # an empty page makes a small one
  [[ $(stat -c %s "$picture") -gt 5000 ]] || { echo "$picture: an empty picture"; exit 1; }
done
if [[ -n ${OPGRADE_PICTURES:-} ]]; then
  pngquant --force --ext .png --speed 1 32 pictures/*.png
  cp pictures/*.png "$OPGRADE_PICTURES/"
fi
skip_where "$without_axe"
