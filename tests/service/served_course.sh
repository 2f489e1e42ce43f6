#!/usr/bin/env bash
# served_course.sh <build folder> <project root>: the commands that change a course while a server has it. What opgrade course
# add takes in is graded by the server, once, and as opgrade course grade would. opgrade course remove-student lists at any time,
# removes nothing while a submission is graded, and leaves nothing of the student, whatever comes in meanwhile.
set -euo pipefail
build=$(realpath "${1:?usage: served_course.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: served_course.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
make_course "$root" 4
# s5 is the student who will be removed: a login that nothing else contains.
echo "5,zeldaquill,Zelda Quill" >>course/roster.csv
echo "  - {name: m2, title: Milestone 2, config: $root/tests/configs/cli.yaml, deadline: 2026-01-01 12:00, attempts_a_day: 1}" >>course/course.yaml
sed 's/run: {wall: 10 s}/run: {wall: 600 s}/' "$root/tests/configs/cli.yaml" >slow.yaml
echo "  - {name: m3, title: Milestone 3, config: $place/slow.yaml, deadline: 2099-01-01 12:00}" >>course/course.yaml
opgrade course tokens course | tr -d '\r' | tail -n 1 >>tokens.csv
good=$root/tests/corpus/submissions/good
variant() { # <name>: a right submission with other bytes
  mkdir -p "$1"
  cp "$good/cpu-new-forward.cc" "$1"
  echo "// $1" >>"$1/cpu-new-forward.cc"
}
fail() { echo "$*"; exit 1; }
sql() { /usr/bin/python3 -c 'import sqlite3, sys
for row in sqlite3.connect("course/course.db", timeout=60).execute(sys.argv[1]): print(*row)' "$1"; }
# until <command...>: waits for what a busy machine does at some time.
until_true() {
  for _ in {1..1200}; do
    "$@" && return
    sleep 0.1
  done
  fail "in vain: $*"
}

variant before
said=$(opgrade course add course m1 before --student s1) || fail "$said"
! grep -q queue <<<"$said" || fail "no server has the course: $said"
# A server that only shows the course grades nothing, so nothing waits for it.
start_server --listen 127.0.0.1:0 --interval 0 --workers 0
said=$(opgrade course add course m1 before --student s1) || fail "$said"
! grep -q queue <<<"$said" || fail "a server without workers: $said"
[[ $(sql "SELECT COUNT(*) FROM hand_in") == 0 ]] || fail "something waits for a server without workers"
kill -TERM "$server"
wait "$server" || fail "the server without workers did not end well"
server=
start_server --listen 127.0.0.1:0 --interval 0 --workers 1

# Of one owner on one day the course grades one; what came too late it does not grade.
variant a; variant b; variant c; variant late
said=$(opgrade course add course m1 a --student s1 --time "2026-01-02 10:00") || fail "$said"
grep -q '1 submission is put into the queue of the running opgrade serve' <<<"$said" || fail "$said"
said=$(opgrade course add course m1 before --student s1) || fail "$said"
grep -q '^1 submission is put' <<<"$said" || fail "what was added before the server ran: $said"
opgrade course add course m2 b --student s2 --time "2025-12-01 10:00" >/dev/null
said=$(opgrade course add course m2 c --student s2 --time "2025-12-01 11:00") || fail "$said"
grep -q '^0 submissions are put' <<<"$said" || fail "a second one of the day: $said"
said=$(opgrade course add course m2 late --student s3 --time "2026-02-01 11:00") || fail "$said"
grep -q '^0 submissions are put' <<<"$said" || fail "one that is too late: $said"
said=$(opgrade course add course m1 c --student s4 --dry-run) || fail "$said"
! grep -q 'is put' <<<"$said" || fail "--dry-run: $said"
# A whole export, while the server grades, by two commands at once.
for s in {1..4}; do variant "export/s$s"; done
opgrade course add course m1 export >one.txt & first=$!
opgrade course add course m1 export >two.txt || { cat two.txt; exit 1; }
wait "$first" || { cat one.txt; exit 1; }
all_done() { [[ $(sql "SELECT COUNT(*) FROM hand_in WHERE state <> 'done'") == 0 ]]; }
until_true all_done
[[ $(sql "SELECT COUNT(*) FROM hand_in") == 7 ]] || fail "not each once: $(sql 'SELECT submission, state FROM hand_in')"
[[ $(sql "SELECT COUNT(*), COUNT(DISTINCT submission) FROM attempt") == "7 7" ]] || fail "$(sql 'SELECT * FROM attempt')"
said=$(opgrade course add course m1 export) || fail "$said"
grep -q '^0 submissions are put' <<<"$said" || fail "they are graded: $said"

# A student of whom one submission is graded and one of another student is being graded.
as() { curl -fsS -H "Authorization: Bearer $(token_of "$1")" "$url$2" "${@:3}"; }
pack() { tar -C "$1" -czf "$1.tar.gz" cpu-new-forward.cc; }
variant z; pack z
as zeldaquill "/api/submissions?assignment=m1" -H "Idempotency-Key: of-zelda-1" --data-binary @z.tar.gz >/dev/null
until_true all_done
mkdir slow
cp "$root/tests/corpus/submissions/endless_loop/cpu-new-forward.cc" slow
pack slow
as s1 "/api/submissions?assignment=m3" -H "Idempotency-Key: slow-0001" --data-binary @slow.tar.gz >/dev/null
runs() { [[ $(sql "SELECT COUNT(*) FROM hand_in WHERE state = 'running'") == 1 ]]; }
until_true runs
said=$(opgrade course remove-student course zeldaquill) || fail "the list, while a submission is graded: $said"
grep -q '^1 submission$' <<<"$said" || fail "$said"
grep -q 'nothing was removed' <<<"$said" || fail "$said"
code=0
said=$(opgrade course remove-student course zeldaquill --yes 2>&1) || code=$?
[[ $code == 2 ]] || fail "code $code: $said"
grep -q 'nothing was removed: a submission of this course is being graded' <<<"$said" || fail "$said"
grep -q 'stop the workers' <<<"$said" || fail "$said"
grep -q zeldaquill course/roster.csv || fail "the roster lost the student"
[[ $(sql "SELECT COUNT(*) FROM submission WHERE owner = 'zeldaquill'") == 1 ]] || fail "the submission is gone"
# The workers stay stopped from here on.
as sam /api/staff/stop -X POST >/dev/null
waits() { [[ $(sql "SELECT COUNT(*) FROM hand_in WHERE state = 'queued'") == 1 ]]; }
until_true waits
said=$(opgrade course remove-student course s1) || fail "$said"
grep -q 'is in work: --yes removes nothing before its end' <<<"$said" || fail "$said"
as s1 "/api/submissions/$(sql "SELECT submission FROM hand_in WHERE state = 'queued'")/cancel" -X POST >/dev/null

# The student hands in again and again while staff remove the student and extend a deadline.
storm() {
  local token=$1
  for ((n = 0; n < 400; ++n)); do
    [[ ! -e removed ]] || return 0
    curl -sS -o /dev/null -H "Authorization: Bearer $token" -H "Idempotency-Key: storm-$2-$n-x" --data-binary @z.tar.gz \
      "$url/api/submissions?assignment=m1" || true
  done
}
# Staff hand in for the student: their token does not end with the student.
staff_storm() {
  for ((n = 0; n < 400; ++n)); do
    [[ ! -e removed ]] || return 0
    curl -sS -o /dev/null -H "Authorization: Bearer $(token_of sam)" -H "Idempotency-Key: storm-s-$n-x" --data-binary @z.tar.gz \
      "$url/api/submissions?assignment=m1&for=zeldaquill" || true
  done
}
edits() {
  for ((n = 1; n <= 400; ++n)); do
    [[ ! -e removed ]] || return 0
    [[ $(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(token_of sam)" \
      -d "assignment=m1&students=s2&reason=x&sure=on&until=$((n % 9 + 1)) d" "$url/staff/extensions") != 303 ]] ||
      echo "m1=$((n % 9 + 1)) d" >last_extension
  done
}
storm "$(token_of zeldaquill)" a & helpers+=($!)
staff_storm & helpers+=($!)
edits & helpers+=($!)
came() { (($(sql "SELECT COUNT(*) FROM submission WHERE owner = 'zeldaquill'") > 1)); }
until_true came
cancel_waiting() {
  for id in $(sql "SELECT id FROM submission JOIN hand_in ON id = submission WHERE owner = 'zeldaquill' AND state = 'queued'"); do
    curl -sS -o /dev/null -X POST -H "Authorization: Bearer $(token_of sam)" "$url/api/submissions/$id/cancel" || true
  done
}
# One that waits is told; on a slow machine the next one always comes before the command.
is_removed=
for _ in {1..20}; do
  cancel_waiting
  said=$(opgrade course remove-student course zeldaquill --yes 2>&1) && is_removed=yes && break
  grep -q 'is in work' <<<"$said" || fail "$said"
done
touch removed
wait "${helpers[@]}"
helpers=()
if [[ -z $is_removed ]]; then
  echo "one always waited: removed when no more came"
  cancel_waiting
  said=$(opgrade course remove-student course zeldaquill --yes 2>&1) || fail "$said"
fi
for word in zeldaquill 'Zelda Quill'; do
  ! grep -rlF "$word" course || fail "'$word' is found"
  ! find course -name "*$word*" | grep . || fail "'$word' is in a name"
done
[[ $(grep -c . course/roster.csv) == 5 ]] || fail "the roster: $(cat course/roster.csv)"
grep '^2,s2,' course/roster.csv | grep -qF "$(<last_extension)" ||
  fail "the roster lacks the extension that was answered: $(<last_extension): $(cat course/roster.csv)"
[[ $(as sam /staff -o /dev/null -w '%{http_code}') == 200 ]] || fail "no page of the class"
kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
said=$(opgrade course verify course) || fail "$said"
