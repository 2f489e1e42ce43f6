#!/usr/bin/env bash
# practice.sh <build folder> <project root>: how long 50 practice runs delay a submission that counts, on one worker. Three
# times: the seconds from a hand-in to its verdict in an empty queue, then behind the practice runs. Printed, not judged.
set -euo pipefail
build=$(realpath "${1:?usage: practice.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: practice.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
runs=50
make_course "$root" $((runs + 1))
sed -i "s|, counts: best}|, counts: best, practice: $root/configs/self-check.yaml}|" course/course.yaml
start_server --listen 127.0.0.1:0 --interval 0 --workers 1
mapfile -t tokens < <(for ((s = 1; s <= runs + 1; ++s)); do token_of "s$s"; done)
submit() { OPGRADE_TOKEN=${tokens[$1 - 1]} opgrade submit "$2" --server "$url" --quiet --assignment m1 "${@:3}" >/dev/null; }
cp -r "$root/tests/corpus/submissions/good" counted
counted() {
  # The same content of one student in one second is one submission.
  for source in counted/*.c*; do echo "// $EPOCHREALTIME" >>"$source"; done
  local begin=${EPOCHREALTIME/[.,]/}
  submit $((runs + 1)) counted
  awk -v us=$((${EPOCHREALTIME/[.,]/} - begin)) -v what="$1" 'BEGIN { printf "%s: %.1f s\n", what, us / 1e6 }'
}
for _ in 1 2 3; do counted "alone"; done
for ((s = 1; s <= runs; ++s)); do submit "$s" "$root/reference/solution/minidnn-3" --practice --detach; done
waiting() { OPGRADE_TOKEN=$(token_of sam) opgrade queue --server "$url" | head -n 1; }
until [[ $(waiting) == "$((runs - 1)) waiting, 1 being graded"* ]]; do sleep 0.5; done
for _ in 1 2 3; do counted "behind $runs practice runs"; done
waiting
