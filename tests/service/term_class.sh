#!/usr/bin/env bash
# term_class.sh <build folder> <project root>: a term's course folder is made, served and filled by a scripted class over
# all labs and milestones with tiny data. Meanwhile one test changes, a team splits, a student leaves and opgrade is
# upgraded. The gradebook must equal a table that is computed here from the plan, and for 12 students stands in
# term_class.csv. 12 students; 200, or $STUDENTS, with OPGRADE_LONG_TESTS=1.
set -euo pipefail
build=$(realpath "${1:?usage: term_class.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: term_class.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
students=12
[[ ${OPGRADE_LONG_TESTS:-} != 1 ]] || students=${STUDENTS:-200}
fail() {
  echo "FAILED: $*"
  tail -n 20 said.txt 2>/dev/null || true
  exit 1
}
# expect <exit code> <text that the output must have> <command...>
expect() {
  local wanted=$1 text=$2 code=0
  shift 2
  "$@" >said.txt 2>&1 || code=$?
  [[ $code == "$wanted" ]] || fail "$*: exit code $code instead of $wanted"
  grep -qF -- "$text" said.txt || fail "$*: the output lacks '$text'"
}
login_of() { printf 's%03d' "$1"; }

# The plan. Each lab with its two tiny cases, of 40 and 60 points.
labs=(vector_add matrix_product tiled_product convolution_3d equalization reduction scan sparse_product)
folders=(vector_add matrix_product matrix_product convolution_3d equalization reduction scan sparse_product)
cases=('small, sizes: {n: 256}' 'odd, sizes: {n: 300}'
  'small, sizes: {M: 5, N: 4, K: 3}' 'odd, sizes: {M: 17, N: 19, K: 18}'
  'tiles, sizes: {M: 16, N: 32, K: 16}' 'odd, sizes: {M: 17, N: 19, K: 18}'
  'small, sizes: {z_size: 3, y_size: 4, x_size: 5}' 'odd, sizes: {z_size: 9, y_size: 5, x_size: 10}'
  'small, sizes: {rows: 8, columns: 9}' 'odd, sizes: {rows: 17, columns: 19}'
  'small, sizes: {n: 64, kind: 1}' 'odd, sizes: {n: 700, kind: 2}'
  'small, sizes: {n: 64, kind: 1}' 'odd, sizes: {n: 1500, kind: 2}'
  'small, sizes: {dim: 16, nonzeros: 20}' 'odd, sizes: {dim: 33, nonzeros: 100}')
assignments=(lab1 lab2 lab3 lab4 lab5 lab6 lab7 lab8 m1 m2 m3)
# kind_of <student> <assignment's number>: right; wrong; right, then wrong; half: whole blocks alone; or nothing.
kind_of() {
  local s=$1 a=$2
  case $(((s * 5 + a * 7 + s * a) % 18)) in
    0 | 1) echo right ;;
    2) echo wrong ;;
    3) echo right wrong ;;
    4) if ((a == 0)); then echo half; fi ;;
  esac
}
# Before the events, or after them.
phase_of() { if (($1 == 6 || $1 == 7 || $1 == 10)); then echo 2; else echo 1; fi; }
dropped=3 pair=8 leaver=11 late=3 # the pair is in one share of hand_in
# points_of <assignment's number> <kinds>: labs count the best, milestones the last. The fourth lab is a day late. Half is
# whole after the change of the test.
points_of() {
  local a=$1 kinds=" $2 "
  if ((a >= 8)); then
    [[ $kinds == *' wrong ' ]] && echo 0 || echo 5
  elif [[ $kinds == *right* || $kinds == *half* ]]; then
    ((a == late)) && echo 90 || echo 100
  else
    echo 0
  fi
}
expected_table() {
  local s a kinds
  for ((s = 0; s < students; ++s)); do
    ((s != dropped)) || continue
    for a in "${!assignments[@]}"; do
      kinds=$(kind_of "$s" "$a")
      # Both of the pair hand in for it until the leaver leaves: that one has what came alone, later.
      if ((a >= 8 && s == leaver)) && [[ $(phase_of "$a") == 1 ]]; then kinds=; fi
      if ((a >= 8 && s == pair)) && [[ $(phase_of "$a") == 1 ]]; then
        kinds+=" $(kind_of "$leaver" "$a")"
        kinds=${kinds# } kinds=${kinds% }
      fi
      if [[ -n $kinds ]]; then
        echo "$(login_of "$s"),${assignments[a]},$(points_of "$a" "$kinds"),$( ((a >= 8)) && echo 5 || echo 100),graded"
      else
        echo "$(login_of "$s"),${assignments[a]},,,missing"
      fi
    done
  done
}

# The folder.
opgrade course init course --term 2026sp >/dev/null
expect 2 'deadline' opgrade course check course
sed -i 's/YYYY-MM-DD/2099-01-01/; s/America.Chicago/UTC/' course/course.yaml
expect 0 'm3: Conv-forward 2026sp, m3, graded by course/m3.yaml: ' opgrade course check course
grep -qF 'lab5: Histogram equalisation, a program with files, graded by equalization_program: 100 points' said.txt ||
  fail "a lab is not in the course"
yesterday=$(date -u -d '-12 hours' '+%F %H:%M')
for a in "${!labs[@]}"; do
  cat >"course/lab$((a + 1)).yaml" <<YAML
extends: ${labs[a]}_program
opgrade: 1
name: lab$((a + 1))
pass_mark: 0
stages:
  - name: gpu
    random_shapes: ~
    counts: ~
    cases:
      - {name: ${cases[2 * a]}, points: 40}
      - {name: ${cases[2 * a + 1]}, points: 60}
YAML
  sed -i "s/config: ${labs[a]}_program\$/config: lab$((a + 1)).yaml/" course/course.yaml
done
sed -i "/name: lab4\$/,/deadline/s/deadline:.*/deadline: $yesterday\n    late: {percent_a_day: 10, days: 3}/" course/course.yaml
for m in m1 m2 m3; do
  printf 'extends: %s\nopgrade: 1\nname: %s\n' "$root/tests/configs/cli.yaml" $m >course/$m.yaml
done
roster() { # the students' file, with the logins that have left and the pair as it is
  echo "id,login,name,team"
  local s team
  for ((s = 0; s < students; ++s)); do
    [[ " $1 " != *" $s "* ]] || continue
    team=
    [[ " $2 " != *" $s "* ]] || team=pair
    echo "$s,$(login_of "$s"),Student $s,$team"
  done
}
roster '' "$pair $leaver" >course/roster.csv
expect 0 'lab8: ' opgrade course check course
opgrade course tokens course | tr -d '\r' >tokens.csv

# What is handed in.
mkdir wrong half
for a in "${!labs[@]}"; do
  lab=${labs[a]}
  cp -r "$root/labs/ece408/${folders[a]}/solution" "right-$a"
  mkdir "wrong-$a"
  printf '#include <wb.h>\nint main() { return 0; }\n' >"wrong-$a/${lab}_program.cu"
done
cp -r right-0 half-0
sed -i 's/<<<(n + 255) \/ 256/<<<n \/ 256 + (n < 256)/' half-0/vector_add.cu # whole blocks alone
for a in 8 9 10; do
  cp -r "$root/tests/corpus/submissions/good" "right-$a"
  cp -r "$root/tests/corpus/submissions/wrong_constant" "wrong-$a"
done
# hand_in <phase> <share> <of>: that share of the students, one after the other.
hand_in() {
  local s a kind
  for ((s = $2; s < students; s += $3)); do
    (($1 == 1 || s != dropped)) || continue
    for a in "${!assignments[@]}"; do
      [[ $(phase_of "$a") == "$1" ]] || continue
      for kind in $(kind_of "$s" "$a"); do
        # Another comment each time: the same bytes again would be no new submission.
        cp -r "$kind-$a" "in-$s-$a"
        find "in-$s-$a" -name '*.c[cu]' -exec sed -i "\$a // $s $a $kind" {} +
        OPGRADE_TOKEN=$(token_of "$(login_of "$s")") opgrade submit "in-$s-$a" --assignment "${assignments[a]}" \
          --quiet >"said-$s-$a" 2>&1 || [[ $? == 1 ]] || { cat "said-$s-$a"; return 1; }
        rm -rf "in-$s-$a"
      done
    done
  done
}
serve_phase() { # <phase>
  start_server --listen 127.0.0.1:0 --workers 2 --interval 0
  expect 0 'logged in' opgrade login --server "$url" < <(token_of "$(login_of 0)")
  expect 0 'lab1-start.zip: ' opgrade fetch --assignment lab1 --out "lab1-start.zip"
  rm lab1-start.zip
  local pids=() i
  for i in 0 1 2; do hand_in "$1" $i 3 & pids+=($!); done
  for i in "${pids[@]}"; do wait "$i" || fail "a student could not hand in"; done
  kill -TERM "$server"
  wait "$server" || fail "the server did not end well"
  server=
}
begin=$SECONDS
serve_phase 1
echo "phase 1: $((SECONDS - begin)) s"

# One test changes: 300 elements were not meant. No grade changes before the rejudge, and halves are whole after it.
opgrade course gradebook course >before.csv
sed -i 's/n: 300/n: 512/' course/lab1.yaml
expect 0 'lab1: grades by other rules' opgrade course check course
opgrade course gradebook course 2>/dev/null | cut -d, -f1-8 | diff <(cut -d, -f1-8 before.csv) - || fail "a changed test moved a grade by itself"
expect 0 'rejudge 1' opgrade course rejudge course lab1 --outdated --reason 'the test was wrong' --quiet
expect 0 'rejudge 1' opgrade course rejudge course lab1 --number 1 --apply
# The team splits, and a student leaves.
roster "$dropped" "$pair" >course/roster.csv
# An upgrade: another build of the same release.
mkdir -p new/opgrade
cp -r "$build/bin" "$build/share" "$build/lib" new/opgrade
echo "another build" >>new/opgrade/bin/opgrade-course
export PATH=$place/new/opgrade/bin:$PATH
serve_phase 2
echo "phases 1 and 2: $((SECONDS - begin)) s"

expect 3 "$(login_of $dropped), whom roster.csv lacks" opgrade course verify course
! grep -v "$(login_of $dropped), whom\|differences\?\$" said.txt || fail "database and files differ"
expected_table | sort >expected.csv
opgrade course gradebook course | tr -d '\r' | sed 1d |
  awk -F, '{sub("not handed in yet", "missing"); print $1 "," $6 "," $7 "," ($9 == "missing" ? "" : $8) "," $9}' | sort >seen.csv
diff expected.csv seen.csv || {
  diff expected.csv seen.csv | sed -n 's/^> \([^,]*\),\([^,]*\),.*/\1 \2/p' | while read -r login assignment; do
    opgrade course why course "$login" --assignment "$assignment" || true
  done
  fail "the gradebook differs from the plan"
}
if ((students == 12)); then diff "$root/tests/service/term_class.csv" expected.csv || fail "the plan changed"; fi
echo "$students students, $(grep -c graded seen.csv) grades as planned"
