#!/usr/bin/env bash
# kill.sh <build folder> <project root>: kills the server with its workers at random moments while students
# hand in. Nothing is lost, nothing is graded twice, and the waiting clients get their verdicts.
# OPGRADE_LONG_TESTS=1 kills 200 times instead of 5.
set -euo pipefail
build=$(realpath "${1:?usage: kill.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: kill.sh <build folder> <project root>}")
kills=5
[[ ${OPGRADE_LONG_TESTS:-} == 1 ]] && kills=200
students=6
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
make_course "$root" "$students"

start() { start_server --listen "127.0.0.1:${port:-0}" --workers 2 --interval 0; }
port=
start
port=${url##*:}

# Each student hands in again and again, until the kills are over.
hand_in() {
  local number=0 code
  while [[ ! -e over || $number -eq 0 ]]; do
    number=$((number + 1))
    mkdir -p "work/$1"
    echo "#error $1 $number" >"work/$1/cpu-new-forward.cc"
    code=0
    OPGRADE_TOKEN=$(token_of "$1") opgrade submit "work/$1" --server "$url" >"out.$1" 2>"err.$1" || code=$?
    # 1: the compiler refuses the first line, which is the quickest verdict there is.
    [[ $code -eq 1 ]] || { echo "$1: exit code $code"; cat "out.$1" "err.$1"; return 1; }
  done
  echo "$number" >"count.$1"
}
for ((s = 1; s <= students; ++s)); do
  hand_in "s$s" &
  helpers+=($!)
done
for ((k = 1; k <= kills; ++k)); do
  sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  start
done
touch over
for client in "${helpers[@]}"; do wait "$client"; done
helpers=()

handed_in=0
for ((s = 1; s <= students; ++s)); do handed_in=$((handed_in + $(<"count.s$s"))); done
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; exit 1; }
server=
said=$(opgrade course verify course) || { echo "$said"; exit 1; }
echo "$kills kills, $handed_in submissions: $said"
[[ $said == "$handed_in submissions and $handed_in results; database and files agree" ]]
