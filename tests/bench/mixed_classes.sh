#!/usr/bin/env bash
# mixed_classes.sh CLASSES FOLDER...: seconds a submission of mixed classes, as rows of a table. CLASSES has a folder for each
# term, named as its config, with submissions of all kinds: right, wrong and slow ones. FOLDER is a build or install folder,
# as class_speed.sh takes it; several are compared on the same machine. Times are printed, never judged.
#   tests/bench/mixed_classes.sh ~/classes build-before build
# $STAGE (m3) is graded; $JOBS (4) at once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
classes=$(realpath "${1:?usage: mixed_classes.sh CLASSES FOLDER...}")
shift
(($# > 0)) || { echo "usage: mixed_classes.sh CLASSES FOLDER..." >&2; exit 2; }
said=$(mktemp)
trap 'rm -f "$said"' EXIT
echo "| folder | term | GPUs | submissions | s a submission | device idle | calls alone, s a submission | ratio | outcomes |"
echo "|--|--|--|--|--|--|--|--|--|"
for folder in "$@"; do
  for class in "$classes"/*/; do
    term=$(basename "$class")
    if ! SUBMISSIONS=$class CONFIG=$term "$here/class_speed.sh" "$folder" - -j "${JOBS:-4}" --only "${STAGE:-m3}" >"$said"; then
      cat "$said" >&2
      exit 1
    fi
    awk -v folder="$folder" -v term="$term" '
      /students \(/ {for (i = 1; i < NF; i++) if ($(i + 1) ~ /^students/) students = $i}
      /^class: / {each = $4}
      /device held: / {for (i = 1; i < NF; i++) if ($i == "held:") held = $(i + 1)
                       gpus = $(NF - 2)}
      /calls alone / {alone = $3}
      /^outcomes: / {sub(/^outcomes: */, ""); outcomes = $0}
      END {printf "| %s | %s | %d | %d | %.2f | %d %% | %.2f | %.2f | %s |\n", folder, term, gpus, students, each,
             100 - held, alone, (alone > 0 ? each / alone : 0), outcomes}' "$said"
  done
done
