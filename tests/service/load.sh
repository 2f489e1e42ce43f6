#!/usr/bin/env bash
# load.sh <build folder> <project root>: many clients hand in at once. Each submission that was answered is there, graded
# once; an open event stream costs below 100 KB of the server's memory. The times are printed, not judged.
# OPGRADE_LONG_TESTS=1: 60 students hand in 1000 submissions in 10 minutes. The compiler refuses them at their first
# line, the quickest verdict there is; OPGRADE_LOAD_FOLDER names another submission.
set -euo pipefail
build=$(realpath "${1:?usage: load.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: load.sh <build folder> <project root>}")
students=6 hand_ins=30 seconds=2
if [[ ${OPGRADE_LONG_TESTS:-} == 1 ]]; then students=60 hand_ins=1000 seconds=600; fi
folder=$(realpath "${OPGRADE_LOAD_FOLDER:-.}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
if [[ -z ${OPGRADE_LOAD_FOLDER:-} ]]; then
  folder=$place/quick
  mkdir "$folder"
  echo '#error "the quickest verdict"' >"$folder/cpu-new-forward.cc"
fi
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
make_course "$root" "$students"
start_server --listen 127.0.0.1:0 --workers 2 --interval 0
begin=$SECONDS
opgrade bench-service --server "$url" --tokens tokens.csv --assignment m1 --hand-ins "$hand_ins" --seconds "$seconds" \
  --folder "$folder"
# The queue to its end: a limit for a hang, no measurement.
state() { OPGRADE_TOKEN=$(token_of sam) opgrade queue --server "$url" | head -n 1; }
for ((i = 0; i < 3600; ++i)); do
  [[ $(state) == '0 waiting, 0 being graded'* ]] && break
  sleep 1
done
echo "all graded $((SECONDS - begin)) s after the first hand-in"
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; exit 1; }
said=$(opgrade course verify course) || { echo "$said"; exit 1; }
echo "$said"
[[ $said == "$hand_ins submissions and $hand_ins results; database and files agree" ]]

# Streams of submissions that wait: no worker ends them.
streams=100
start_server --listen 127.0.0.1:0 --workers 0 --interval 0
# resident: the server's memory in KiB
resident() { sed -nE 's/^VmRSS:\s+([0-9]+) kB/\1/p' "/proc/$server/status"; }
# hold <streams>: opens them, prints the memory, closes them
hold() {
  rm -f held  # else the words of the one before
  opgrade bench-service --server "$url" --tokens tokens.csv --assignment m1 --hand-ins 6 --seconds 0 --streams "$1" \
    --folder "$folder" >held &
  local client=$!
  helpers=("$client")
  until grep -q 'event streams are open' held 2>/dev/null; do
    kill -0 "$client" 2>/dev/null || { cat held; return 1; }
    sleep 0.1
  done
  grep -q "^$1 event streams are open" held || { cat held; return 1; }
  resident >memory
  kill -TERM "$client"
  wait "$client" || { cat held; return 1; }
  helpers=()
}
hold 4  # the first requests allocate memory that no stream does
before=$(<memory)
hold "$streams"
each=$(((($(<memory) - before) * 1024) / (streams - 4)))
echo "an open event stream costs $each bytes"
((each < 100000))
