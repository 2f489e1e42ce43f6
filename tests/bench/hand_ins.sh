#!/usr/bin/env bash
# hand_ins.sh FOLDER SUBMISSIONS [HAND-INS] [SECONDS]: students' real files through `opgrade serve` on a GPU, the four
# milestones of 2025fa mixed: how long from a hand-in to its verdict. 50 hand-ins, evenly over 360 seconds, are 500 an hour.
# Goal: below 180 s for 95 of 100. Printed, never judged. FOLDER is a build or install folder with bin/ and share/;
# SUBMISSIONS has a folder for each student with new-forward.cu in it. Needs curl and python3.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(realpath "${1:?usage: hand_ins.sh FOLDER SUBMISSIONS [HAND-INS] [SECONDS]}")
mapfile -t submissions < <(find "$(realpath "${2:?a folder of submissions}")" -mindepth 1 -maxdepth 1 -type d | sort)
count=${3:-50} seconds=${4:-360} students=25
((${#submissions[@]} > 0)) || { echo "no submissions in $2" >&2; exit 1; }
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
data=${OPGRADE_DATA:-$folder/data}
enter_place "$folder"
export OPGRADE_DATA=$data
unset XDG_CACHE_HOME http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
# As many stages as the term hands in, each with its own file.
declare -A file=([m1-gpu]=new-forward.cu [m2-unroll]=unroll-new-forward.cu [m2-fused]=kernel-fusion-forward.cu [m3]=m3-forward.cu)
milestones=(m1-gpu m2-unroll m2-fused m3)
opgrade course init course >/dev/null
{
  printf 'opgrade_course: 1\ntitle: Hand-ins\ntime_zone: UTC\nassignments:\n'
  for milestone in "${milestones[@]}"; do
    printf 'extends: 2025fa\nopgrade: 1\nname: %s\nonly: [%s]\n' "$milestone" "$milestone" >"course/$milestone.yaml"
    printf '  - {name: %s, title: %s, config: %s.yaml, deadline: 2099-01-01 12:00, counts: best}\n' \
      "$milestone" "$milestone" "$milestone"
  done
} >course/course.yaml
{ echo "id,login,name"; for ((s = 1; s <= students; ++s)); do echo "$s,s$s,Student $s"; done; } >course/roster.csv
{ opgrade course tokens course; opgrade course tokens course --staff sam | tail -n 1; } | tr -d '\r' >tokens.csv
start_server --listen 127.0.0.1:0 --workers 4 --interval 0

begin=$SECONDS
for ((i = 0; i < count; ++i)); do
  while ((SECONDS - begin < i * seconds / count)); do sleep 0.2; done
  milestone=${milestones[i % 4]}
  mkdir "in$i"
  { cat "${submissions[i * 7 % ${#submissions[@]}]}/new-forward.cu"; echo "// $i"; } >"in$i/${file[$milestone]}"
  [[ $milestone == m1-gpu || $milestone == m2-fused ]] || echo "// not used" >"in$i/matmul.cu"
  tar -C "in$i" -czf - . | curl -fsS -o /dev/null --data-binary @- -H 'Content-Type: application/octet-stream' \
    -H "Authorization: Bearer $(token_of "s$((i % students + 1))")" -H "Idempotency-Key: hand-in-$i" \
    "$url/api/submissions?assignment=$milestone"
done
queue() { OPGRADE_TOKEN=$(token_of sam) opgrade queue --server "$url" | head -n 1; }
until [[ $(queue) == '0 waiting, 0 being graded'* ]]; do sleep 1; done
python3 - course/course.db <<'P'
import collections, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT s.assignment, h.queued, h.started, h.ended FROM hand_in h "
                  "JOIN submission s ON s.id = h.submission WHERE h.ended IS NOT NULL").fetchall()
waits = sorted(ended - queued for _, queued, _, ended in rows)
at = lambda part: waits[int(part * (len(waits) - 1))]
print(f"{len(rows)} hand-ins, seconds from hand-in to verdict: median {at(.5)}, p95 {at(.95)} (goal: 180), longest {waits[-1]}")
graded = collections.defaultdict(list)
for assignment, _, started, ended in rows:
    graded[assignment].append(ended - started)
for assignment, all_ in graded.items():
    print(f"{assignment}: median of grading {sorted(all_)[len(all_) // 2]} s, longest {max(all_)} s")
outcomes = db.execute("SELECT outcome, count(*) FROM attempt GROUP BY outcome").fetchall()
print("outcomes:", ", ".join(f"{count} {outcome}" for outcome, count in outcomes))
P
