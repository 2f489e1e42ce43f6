# A synthetic class: the corpus of wrong and right submissions, each student's files a little different. Sourced; needs
# `opgrade` on the PATH.
# make_class <project root> <course folder> <students> <config>: assignment m1, where the last submission counts. Every
# eighth student is a day late; every fifth hands in a second time. $class_of: folders below the root, instead of the corpus.
make_class() {
  local root=$1 course=$2 students=$3 config=$4 handed_in i login from file
  # Their verdicts are the same on every machine, and their runs are short.
  local corpus=(good wrong_constant own_headers crash_segv good not_compiling wrong_nan own_files missing_file good
    wrong_signature crash_abort good wrong_shifted exits_early wrong_writes_nothing good wrong_flipped_mask
    wrong_channels forged_text)
  [[ -z ${class_of:-} ]] || read -ra corpus <<<"$class_of"
  opgrade course init "$course" >/dev/null
  cat >"$course/course.yaml" <<YAML
opgrade_course: 1
title: Synthetic class
time_zone: America/Chicago
assignments:
  - {name: m1, config: $config, deadline: 2026-10-12 23:59, late: {percent_a_day: 10, days: 3}}
YAML
  echo "id,login,name,section" >"$course/roster.csv"
  handed_in=$(mktemp -d)
  for ((i = 0; i < students; i++)); do
    login=$(printf 's%04d' "$i")
    echo "$((100000 + i)),$login,Student $i,$((i % 3))" >>"$course/roster.csv"
    from=${corpus[i % ${#corpus[@]}]}
    for file in first second; do
      [[ $file == first ]] || ((i % 5 == 0)) || continue
      mkdir -p "$handed_in/$file"
      [[ -d $root/$from ]] || from=tests/corpus/submissions/$from
      cp -r "$root/$from" "$handed_in/$file/$login"
      rm -f "$handed_in/$file/$login/expect.yaml"
      find "$handed_in/$file/$login" -name '*.cc' -exec sed -i "\$a // $login, $file" {} +
      if [[ $file == second ]]; then
        find "$handed_in/$file/$login" -exec touch -d '2026-10-12 21:00 UTC' {} +
      elif ((i % 8 == 3)); then
        find "$handed_in/$file/$login" -exec touch -d '2026-10-14 03:00 UTC' {} +
      else
        find "$handed_in/$file/$login" -exec touch -d '2026-10-12 20:00 UTC' {} +
      fi
    done
  done
  for file in first second; do
    [[ ! -d $handed_in/$file ]] || opgrade course add "$course" m1 "$handed_in/$file"
  done
  rm -rf "$handed_in"
}
