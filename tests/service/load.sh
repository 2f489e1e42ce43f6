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

# client <student> <hand-ins of all>: hands in each students-th submission at its time, over `seconds`. A line
# "<status> <seconds to the answer>" in times.txt, the answers in answers.<student>.
client() {
  local token sources i wait
  token=$(token_of "s$1")
  sources=$(mktemp -d "$place/client.XXXXXX")
  find "$folder" -maxdepth 1 -regex '.*\.\(cc\|cu\|cuh\|h\)' -exec cp {} "$sources" \;
  for ((i = $1; i <= $2; i += students)); do
    wait=$((first + seconds * 1000000 * (i - 1) / $2 - ${EPOCHREALTIME/[.,]/}))
    ((wait <= 0)) || sleep "$((wait / 1000000)).$(printf %06d $((wait % 1000000)))"
    echo "// $i $RANDOM$RANDOM" >"$sources/load.h"
    tar -C "$sources" -czf - . | curl -sS -H "Authorization: Bearer $token" -H "Idempotency-Key: load-$first-$i" \
      --data-binary @- -H 'Content-Type: application/octet-stream' -w '\n%{stderr}%{http_code} %{time_total}\n' \
      "$url/api/submissions?assignment=m1" >>"answers.$1" 2>>times.txt || true
  done
}

# hand_in <hand-ins>: by all students at a time. Each is answered with a submission of its own.
hand_in() {
  rm -f answers.* times.txt
  first=${EPOCHREALTIME/[.,]/}
  local clients=()
  for ((s = 1; s <= students; ++s)); do client "$s" "$1" & clients+=($!); done
  wait "${clients[@]}"
  sort -n -k 2 times.txt | awk '{ ms[NR] = 1000 * $2; ++of[$1] }
    END { for (s in of) printf "status %s: %d\n", s, of[s]
          printf "time to the answer: median %.1f ms, p99 %.1f ms, worst %.1f ms\n", ms[int((NR + 1) / 2)], ms[int(0.99 * (NR - 1)) + 1], ms[NR] }'
  [[ $(cut -d ' ' -f 1 times.txt | sort | uniq -c | tr -s ' ') == " $1 201" ]] || { cat times.txt answers.*; exit 1; }
  [[ $(grep -ho '"id":[0-9]*' answers.* | sort -u | wc -l) == "$1" ]] || { cat answers.*; exit 1; }
}

begin=$SECONDS
hand_in "$hand_ins"
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
  hand_in "$students"
  helpers=()
  for ((i = 0; i < $1; ++i)); do
    s=$((i % students + 1))
    curl -sSN -H "Authorization: Bearer $(token_of "s$s")" -o "stream.$i" \
      "$url/api/submissions/$(grep -o '"id":[0-9]*' "answers.$s" | cut -d : -f 2)/events" &
    helpers+=($!)
  done
  for ((i = 0; i < $1; ++i)); do
    until [[ -s stream.$i ]]; do
      kill -0 "${helpers[i]}" 2>/dev/null || { echo "stream $i ended"; return 1; }
      sleep 0.1
    done
  done
  resident >memory
  kill "${helpers[@]}"
  wait "${helpers[@]}" || true
  helpers=()
  rm -f stream.*
}
hold 4  # the first requests allocate memory that no stream does
before=$(<memory)
hold "$streams"
each=$(((($(<memory) - before) * 1024) / (streams - 4)))
echo "an open event stream costs $each bytes"
((each < 100000))
