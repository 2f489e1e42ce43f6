#!/usr/bin/env bash
# browser.sh <build folder> <project root>: the pages in a real headless Chromium, driven by browser.py. With npm, axe-core
# looks at each page too; without it the test says so at its end.
set -euo pipefail
build=$(realpath "${1:?usage: browser.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: browser.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
require_browser
enter_place "$build"
install_axe "$root"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OPGRADE_TOKEN XDG_CONFIG_HOME
config=$root/tests/service/browser.yaml make_course "$root" 3
sed -i "s|, counts: best}|, counts: best, practice: $root/tests/service/browser.yaml}|" course/course.yaml
echo "  - {name: m2, title: A lab, config: $root/labs/transpose, deadline: 2099-01-01 12:00}" >>course/course.yaml
# For a rejudge: other points.
cat >course/night.yaml <<END
opgrade: 1
extends: $root/tests/service/browser.yaml
name: night
stages:
  - name: cpu
    random_shapes: {count: 2, points: 7}
END
# Students who left the course: their times make a ranking and its plot whatever this machine measures.
python3 - course/course.db <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as course:
    course.executemany("INSERT INTO removed_student VALUES (?)", [(f"removed-{i}",) for i in range(1, 13)])
    course.executemany("INSERT INTO removed_time VALUES (?, 'm1', ?)", [(f"removed-{i}", 100.0 + 10 * i) for i in range(1, 13)])
END
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies --notify /usr/bin/false
/usr/bin/python3 "$root/tests/service/browser.py" "$url" "$(token_of s1)" "$(token_of sam)" \
  "$root/tests/corpus/submissions" "$axe"
skip_where "$without_axe"
