#!/usr/bin/env bash
# class_pages.sh <build folder> <project root> [students]: milliseconds in which the service makes the pages of a class, 1000
# students with a graded submission for each of 11 assignments, and again with slip days, of which half of the submissions use
# one. Times are printed, never judged. The goals: Class below 200 ms, each other page below 100 ms.
set -euo pipefail
build=$(realpath "${1:?usage: class_pages.sh <build folder> <project root> [students]}")
root=$(realpath "${2:?usage: class_pages.sh <build folder> <project root> [students]}")
students=${3:-1000}
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY OPGRADE_TOKEN XDG_CONFIG_HOME
make_course "$root" "$students"
# In pairs for the last assignment.
awk -F, -v OFS=, 'NR == 1 {print $0, "section", "team"; next} {print $0, "A", "t" int(NR / 2)}' course/roster.csv >roster.csv
mv roster.csv course/roster.csv
for ((a = 2; a <= 11; ++a)); do
  echo "  - {name: m$a, title: Milestone $a, config: $root/tests/configs/cli.yaml, deadline: 2099-01-01 12:00, counts: best}"
done >>course/course.yaml
sed -i '/name: m11,/s/}$/, teams: true}/' course/course.yaml
python3 - course/course.db "$students" <<'END'
import hashlib, sqlite3, sys
with sqlite3.connect(sys.argv[1]) as course:
    number = 0
    for s in range(1, int(sys.argv[2]) + 1):
        for a in range(1, 12):
            number += 1
            digest = hashlib.sha256(f"{s} {a}".encode()).hexdigest()
            course.execute("INSERT INTO submission (id, assignment, owner, sha256, file, handed_in, source, added, added_by) "
                           "VALUES (?, ?, ?, ?, ?, ?, 'bench', ?, 'bench')",
                           (number, f"m{a}", f"s{s}" if a < 11 else f"team t{(s + 1) // 2}", digest, f"submissions/m{a}/s{s}/{digest[:12]}.zip", 1790000000 + number,
                            1790000000 + number))
            course.execute("INSERT INTO attempt (submission, config_sha256, version, number, machine, tier, device, started, "
                           "outcome, points, max_points, open_points, result, result_sha256) "
                           "VALUES (?, ?, 'bench', 1, 'bench', 'full', '', '2026-10-01T00:00:00Z', 'passed', ?, 5, 0, ?, ?)",
                           (number, "c" * 64, (s * 7 + a) % 6, f"results/{number}/report.json", digest))
    # An applied rejudge of m2 that changed the points of all.
    course.execute("INSERT INTO rejudge (id, assignment, config, config_sha256, repeat, filter, at, who, reason, follows) "
                   "VALUES (1, 'm2', 'self-check', ?, 1, 'all that count', 1790000000, 'bench', 'bench', ?)", ("c" * 64, number))
    for submission in range(2, number + 1, 11):
        course.execute("INSERT INTO rejudge_job VALUES (1, ?, ?, 'bench', 2)", (submission, "c" * 64))
        course.execute("INSERT INTO attempt (submission, config_sha256, version, number, machine, tier, device, started, "
                       "outcome, points, max_points, open_points, result, result_sha256) "
                       "VALUES (?, ?, 'bench', 2, 'bench', 'full', '', '2026-10-01T00:00:00Z', 'passed', 5, 6, 0, ?, 'r')",
                       (submission, "c" * 64, f"results/{submission}.2/report.json"))
    course.execute("INSERT INTO rejudge_decision VALUES (1, 1, 1790000000, 'bench')")
END
kTimes=9
# Of the server, user and system: the time on a machine where nothing else runs.
cpu_ms() { awk -v tick="$(getconf CLK_TCK)" '{sub(/^.*\) /, ""); print int(($12 + $13) * 1000 / tick)}' "/proc/$server/stat"; }
# A grade changes, so that the server makes the class again.
change_a_grade() {
  python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as course:
    course.execute("INSERT INTO change (at, who, student, assignment, kind, item, reason, points) "
                   "VALUES (1790000000, \"bench\", \"s1\", \"m1\", \"points\", \"\", \"bench\", 5)")' course/course.db
}
show_times() {
  # With "+" a grade changes before each visit.
  for page in sam:/staff +sam:/staff sam:/staff?from=500 'sam:/staff?search=9' sam:/staff?sort=m3 sam:/staff/assignments/m3 \
    +sam:/staff/assignments/m1 +sam:/staff/assignments/m11 sam:/staff/submissions +sam:/staff/submissions sam:/submissions/67 \
    +sam:/submissions/67 +sam:/submissions/77 sam:/staff/students/s7 sam:/staff/extensions sam:/staff/roster sam:/staff/rejudges \
    sam:/staff/rejudges/1 sam:/staff/announcements sam:/staff/tokens sam:/staff/audit sam:/staff/gradebook/plain \
    s7:/ +s7:/ s7:/assignments/m1 +s7:/assignments/m11 s7:/submissions/67 s7:/api/history \
    "s7:/submissions/$own" "sam:/submissions/$own" "s7:/submissions/$own/source" "s7:/submissions/$own/source?with=template" \
    sam:/staff/practice sam:/staff/students/s7/m1; do
    name=${page#*:}
    changes=
    [[ $page == +* ]] && changes=yes name+=" after a change"
    page=${page#+}
    before=$(cpu_ms)
    for ((i = 0; i < kTimes; ++i)); do
      [[ -z $changes ]] || change_a_grade
      curl -s -o page.html -w '%{http_code} %{time_total} %{size_download}\n' \
        -H "Authorization: Bearer $(token_of "${page%%:*}")" "$url${page#*:}"
    done | sort -k2,2n >times.txt
    awk -v page="$name" -v cpu="$(($(cpu_ms) - before))" -v times="$kTimes" '
      {if ($1 != 200) bad = $1; time[NR] = $2; bytes = $3}
      END {printf "%-30s %6.1f ms, at worst %6.1f ms; processor %6.1f ms; %7d bytes%s\n", page, 1000 * time[int((NR + 1) / 2)],
             1000 * time[NR], cpu / times, bytes, bad ? ", status " bad : ""}' times.txt
  done
}
echo "$students students, 11 assignments, $(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg)"
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies
# One is graded for real, so that its page has a report and its files.
own=$((11 * students + 1))
OPGRADE_TOKEN=$(token_of s7) opgrade submit "$root/tests/corpus/submissions/good" --server "$url" --assignment m1 --quiet >/dev/null
show_times
kill "$server"
wait "$server" || true
echo "With 5 slip days of each student:"
sed -i 's/^assignments:/slip_days: 5\n&/; s/deadline: [0-9-]* [0-9:]*/deadline: 2026-09-21 15:36, late: {days: 3, percent_a_day: 10}/' course/course.yaml
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies
show_times
