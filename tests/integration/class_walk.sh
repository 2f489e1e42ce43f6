#!/usr/bin/env bash
# class_walk.sh <build folder> <project root>: runs every command of docs/class.md, in its order, on a small
# class. Only the config is another one, which is graded in seconds.
set -euo pipefail
build=$(realpath "${1:?usage: class_walk.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: class_walk.sh <build folder> <project root>}")
place=$(mktemp -d)
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data

cat >walk.yaml <<'END'
opgrade: 1
name: walk
pass_mark: 10
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
timing: {repetitions: 1}
limits: {build: {wall: 20 s}, run: {wall: 60 s}}
stages:
  - name: cpu
    device: cpu
    cases: [{model: high, batch: 100, accuracy: 0.86, points: 5}]
    random_shapes: {count: 2, points: 5}
END

# Three students hand in: a folder, an archive, and a folder with a typing error in its name.
mkdir handed-in
cp -r "$root/tests/corpus/submissions/good" handed-in/ada
cp -r "$root/tests/corpus/submissions/wrong_constant" handed-in/grase
(cd "$root/tests/corpus/submissions/good" && tar czf "$place/handed-in/charles.tar.gz" .)
find handed-in -exec touch -d '2026-10-12 20:00 UTC' {} +
touch -d '2026-10-16 04:00 UTC' handed-in/charles.tar.gz  # one day after his extension

mkdir lastterm
cp -r "$root/tests/corpus/submissions/good" my-conv  # a student's, checked before it is handed in

failures=0
# expect <text> <command's output>
expect() {
  grep -qF -- "$1" <<<"$2" && return
  echo "'$1' is not in the output of: $command"
  failures=$((failures + 1))
}

mapfile -t commands < <(sed -n 's/^    opgrade /opgrade /p' "$root/docs/class.md")
[[ ${#commands[@]} -ge 15 ]] || { echo "docs/class.md has only ${#commands[@]} commands"; exit 1; }
for command in "${commands[@]}"; do
  # Section 6: other points, which move nothing before a rejudge is applied.
  if [[ $command == *' check '* && -d gpu/results/m1 ]]; then sed -i 's/points: 5/points: 50/g' walk.yaml; fi
  code=0
  said=$(bash -c "$command" 2>&1) || code=$?
  echo "\$ $command"
  echo "$said"
  wanted=0
  case $command in
    *' init '*) printf 'extends: %s\nname: m1-students\n' "$place/walk.yaml" >gpu/m1-students.yaml; sed -i "s|config: self-check.*|config: $place/walk.yaml|; 0,/deadline: /s/deadline: [^ ]*/deadline: 2026-10-12/" gpu/course.yaml ;;
    *m1-check.yaml*) ;;
    *' check '*)
      expect 'due Mon 2026-10-12 23:59:00 CDT' "$said"
      if [[ -d gpu/results/m1 ]]; then
        expect '2 grades graded by config' "$said"
        expect 'random_shapes.points: 5 -> 50' "$said"
        canvas=0
        opgrade course gradebook gpu m1 --format canvas >refused.csv 2>&1 || canvas=$?
        ((canvas == 2)) || { echo "the export of outdated grades has exit code $canvas"; failures=$((failures + 1)); }
      fi ;;
    *--outdated*) expect '3 submissions: the stored results are scored anew; only cases without a verdict' "$said"; expect 'rejudge 2, open: 2 grades would change' "$said"; sed -i 's/points: 50/points: 5/g' walk.yaml ;;
    *--dry-run) wanted=1; expect 'nearest in the roster: grace (Grace Hopper, 100003)' "$said" ;;
    *handed-in) wanted=1; expect '2 added, 0 were there, 1 not added' "$said" ;;
    *--as*) expect '1 added, 2 were there, 0 not added' "$said" ;;
    *' grade '*) expect 'm1: 3 graded, 0 submissions had a result' "$said" ;;
    *'gradebook gpu m1') expect 'ada,100001,Ada Lovelace' "$said"; expect '(1 day late)' "$said" ;;
    *'why gpu ada cpu/high/100 -a m1') expect 'Op Times of' "$said" ;;
    *'why gpu ada') expect 'this one counts' "$said" ;;
    *'--points 8 '*) expect 'ada, m1: 8 of 10 (set by' "$said" ;;
    *--excused*) expect 'excused' "$said" ;;
    *canvas.csv) expect 'Points Possible' "$(cat canvas.csv)"; expect ',EX' "$(cat canvas.csv)" ;;
    *'--times 3'*) expect 'rejudge 1, open: 0 grades would change' "$said" ;;
    *--apply) expect 'rejudge 1 applied' "$said" ;;
    *export-code*) expect '3 submissions in similar' "$said"; expect '-old lastterm -new similar' "$said"; expect 'conv_forward' "$(cat similar/ada/*)" ;;
    *backup* | *restore*) expect '3 submissions and 18 results; database and files agree' "$said" ;;
    *export-student*) expect '"login": "ada"' "$(cat ada-data/student.json)" ;;
    *remove-student*) expect 'nothing was removed; --yes removes it' "$said"; expect 'the line of ada in roster.csv' "$said" ;;
    *verify*) expect '3 submissions and 18 results; database and files agree' "$said" ;;
  esac
  if ((code != wanted)); then
    echo "exit code $code, not $wanted: $command"
    failures=$((failures + 1))
  fi
done
command='opgrade course grade gpu m1'
expect 'm1: 0 graded, 3 submissions had a result' "$($command 2>&1)"
((failures == 0)) || exit 1
echo "docs/class.md: ${#commands[@]} commands ran as told"
