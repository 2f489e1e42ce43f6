#!/usr/bin/env bash
# gradescope.sh <build folder> <project root>: Gradescope's bundle that hands in to a service, unpacked and run as
# Gradescope does, against a real server, and without one.
set -euo pipefail
build=$(realpath "${1:?usage: gradescope.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: gradescope.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
make_course "$root" 2
printf 'id,login,name,email\n1,s1,Student 1,\n2,s2,Student 2,two+gpu@example.edu\n' >course/roster.csv
start_server --listen 127.0.0.1:0 --workers 1 --interval 0

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
token_of sam >token
opgrade bundle gradescope --config "$root/tests/configs/cli.yaml" --server "$url" --assignment m1 \
  --token-file token --late-percent 10 --out autograder.zip >/dev/null
mkdir -p autograder/source
(cd autograder/source && cmake -E tar xf ../../autograder.zip)
[[ $(stat -c %a autograder/source/token) == 600 ]] || fail "others can read the token"

# grade <submission> <its users, as Gradescope writes them> [created]
grade() {
  rm -rf autograder/submission autograder/results
  cp -r "$root/tests/corpus/submissions/$1" autograder/submission
  echo "{\"created_at\": \"${3:-2026-11-19T00:00:00Z}\", \"users\": [$2],
    \"assignment\": {\"due_date\": \"2026-11-20T00:00:00Z\"}}" >autograder/submission_metadata.json
  AUTOGRADER_ROOT=$place/autograder OPGRADE_PATIENCE=1 timeout 200 bash autograder/source/run_autograder >said 2>&1 || {
    fail "run_autograder: exit code $?"
    cat said
  }
}
# has <text> / lacks <text>: results.json
has() { grep -qF -- "$1" autograder/results/results.json || { fail "results.json lacks $1"; cat said autograder/results/results.json; }; }
lacks() { ! grep -qF -- "$1" autograder/results/results.json || { fail "results.json has $1"; cat autograder/results/results.json; }; }
no_verdict() {
  has '"outcome": "grader_fault"'
  has 'the service gave no verdict'
  has "$1"
  lacks '"score"'
  lacks '"tests"'
}

one='{"email": "one@example.edu", "sid": "1"}' two='{"email": "two+gpu@example.edu", "sid": null}'
grade good "$one"
has '"score": 5.0'
has '"status": "passed"'
grade good "$two" 2026-11-21T12:00:00Z
has '"score": 4.0'
has '"late_days": 2'
grade wrong_constant "$one, $two"
has '"score": 0.0'
has '"status": "failed"'
opgrade course verify course | grep -q '^3 submissions and 3 results' || fail "$(opgrade course verify course)"
export OPGRADE_TOKEN
OPGRADE_TOKEN=$(token_of sam)
[[ $(opgrade history --server "$url" --for s1 | grep -c "^ *[0-9]") == 2 ]] || fail "not two submissions of s1"
unset OPGRADE_TOKEN

# No verdict is no zero.
grade good '{"email": "stranger@example.edu"}'
no_verdict 'staff hand in for a student of the roster'
grade good ''
no_verdict 'no user has an e-mail or a student id'
cp token kept
echo revoked >autograder/source/token
grade good "$one"
no_verdict 'unknown or revoked'
cp kept autograder/source/token
kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
grade good "$one"
no_verdict 'Connection refused'
lacks "$(<token)"
! grep -qF "$(<token)" said || fail "the token is printed"
exit $((failures > 0))
