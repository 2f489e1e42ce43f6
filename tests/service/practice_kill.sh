#!/usr/bin/env bash
# practice_kill.sh <build folder> <project root>: kills the server with its workers 20 times while practice runs are graded, and
# hand-ins come between. No run is lost or graded twice, an interrupted one goes on at its next case, and the time of each
# student's runs is the sum of their parts. Runs under tools (a stand-in for Nsight Compute) begin anew instead, and the file of
# each stage is there once. OPGRADE_LONG_TESTS=1 kills 100 times.
set -euo pipefail
build=$(realpath "${1:?usage: practice_kill.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: practice_kill.sh <build folder> <project root>}")
kills=20
[[ ${OPGRADE_LONG_TESTS:-} == 1 ]] && kills=100
students=6
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
make_course "$root" "$students"
# Eight cases of a second or so each, on the emulated device.
{
  printf 'opgrade: 1\nname: practice\nlimits:\n  build: {wall: 60 s}\n  run: {wall: 60 s}\nstages:\n'
  for stage in a b c d; do
    printf '  - name: %s\n    device: cuda\n    random_shapes: {count: 6, points: 1}\n' "$stage"
    printf '    fixed_shapes:\n      points: 1\n      shapes:\n        - {B: 3, M: 8, C: 3, H: 20, W: 20, K: 5}\n'
  done
} >course/practice.yaml
sed -i 's|, counts: best}|, counts: best, practice: {config: ./practice.yaml, tools: [profile, ncu]}}|' course/course.yaml
cp -r "$root/tests/service/tool" tool
chmod -R a+rX tool
export OPGRADE_NCU=$place/tool/stand_in
start() { start_server --listen "127.0.0.1:${port:-0}" --workers 1 --interval 0; }
port=
start
port=${url##*:}
# The key of an upload is kept until it is answered, so a killed upload is repeated with the same one.
submit() { OPGRADE_TOKEN=$(token_of "$1") opgrade submit "$2" --server "$url" --quiet --assignment m1 --detach "${@:3}" >/dev/null; }
counted=0
for ((s = 1; s <= students; ++s)); do
  tool=()
  ((s == 2)) && tool=(--profile)
  ((s == 4)) && tool=(--ncu conv_forward_kernel)
  submit "s$s" "$root/reference/solution/minidnn-3" --practice "${tool[@]}"
done
for ((k = 1; k <= kills; ++k)); do
  sleep "$((RANDOM % 2)).$((RANDOM % 10))"
  if ((k % 5 == 0)); then
    mkdir -p "work/$k"
    echo "#error $k" >"work/$k/cpu-new-forward.cc"
    submit "s$((k / 5 % students + 1))" "work/$k"
    counted=$((counted + 1))
  fi
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  start
done
waiting() { OPGRADE_TOKEN=$(token_of sam) opgrade queue --server "$url" | head -n 1; }
for ((i = 0; i < 1200; ++i)); do
  [[ $(waiting) == "0 waiting, 0 being graded"* ]] && break
  sleep 0.5
done
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; exit 1; }
server=
said=$(opgrade course verify course) || { echo "$said"; exit 1; }
all=$((students + counted))
[[ $said == "$all submissions and $all results; database and files agree" ]] || { echo "$said"; exit 1; }
python3 - "$students" "$kills" <<'PYTHON'
import collections
import glob
import sqlite3
import sys

students, kills = map(int, sys.argv[1:])
db = sqlite3.connect("course/course.db")
runs = [id for id, in db.execute("SELECT id FROM submission WHERE assignment LIKE 'practice.%'")]
tools = sorted(t for t, in db.execute("SELECT tool FROM hand_in WHERE tool != ''"))
assert tools == ["ncu:conv_forward_kernel", "profile"], tools
assert len(runs) == students, runs
states = collections.Counter(s for s, in db.execute("SELECT state FROM hand_in"))
assert set(states) == {"done"}, states
assert db.execute("SELECT COUNT(*) FROM worker_run WHERE ended IS NULL").fetchone() == (0,)
assert db.execute("SELECT COUNT(*) FROM unfinished_run").fetchone() == (0,)
parts = sorted(db.execute(
    "SELECT r.begun, r.ended, r.submission FROM worker_run r JOIN submission s ON s.id = r.submission "
    "WHERE s.assignment LIKE 'practice.%'"))
interruptions = 0
for id in runs:
    (gradings,) = db.execute("SELECT COUNT(*) FROM attempt WHERE submission = ?", (id,)).fetchone()
    assert gradings == 1, f"run {id} was graded {gradings} times"
    kinds = [kind for kind, in db.execute("SELECT kind FROM event WHERE submission = ? ORDER BY id", (id,))]
    begun, again = kinds.count("case_started"), kinds.count("again")
    (tool,) = db.execute("SELECT tool FROM hand_in WHERE submission = ?", (id,)).fetchone()
    # An interrupt costs the case that ran, and no other; under a tool the run begins anew.
    most = 8 * (again + 1) if tool else 8 + again
    assert begun <= most, f"run {id} began {begun} cases in {again + 1} parts"
    files = sorted(f.split("/")[-1] for f in glob.glob(f"course/results/practice.m1/*/{id}/profile*"))
    wanted = [f"profile-{stage}.ncu-rep" for stage in "abcd"] if tool.startswith("ncu") else []
    assert files == wanted, f"run {id} under '{tool}' has {files}"
    interruptions += again
# One worker has one practice run at a time, so the parts lie one after the other.
for (_, ended, _), (begun, _, id) in zip(parts, parts[1:]):
    assert begun >= ended, f"run {id} began before another one's end: its time counts twice"
assert all(begun <= ended for begun, ended, _ in parts)
assert interruptions > 0, "no run was interrupted"
print(f"{kills} kills, {interruptions} interrupted runs, {sum(e - b for b, e, _ in parts)} s of practice")
PYTHON
