#!/usr/bin/env bash
# Completes lines as a shell does and compares what is offered.
#   run.sh bash|zsh|fish OPGRADE COMPLETIONS
# Exit code 77: skipped, with the reason.
set -euo pipefail
shell=$1 opgrade=$2 completions=$3
command -v "$shell" > /dev/null || {
  echo "no $shell here"
  exit 77
}
work=$(mktemp -d "${TMPDIR:-/tmp}/opgrade-completions-XXXXXX")
trap 'rm -rf "$work"' EXIT
ln -s "$opgrade" "$work/opgrade"
export PATH=$work:$PATH HOME=$work
cd "$work"
touch file-of-mine

# offered LINE: what the shell offers for its last word, one a line.
offered_bash() {
  # As readline calls it: the words of the line, the last of which may be empty.
  bash --norc --noprofile -c '
    source "$1"
    read -r -a COMP_WORDS <<< "$2"
    [[ $2 != *" " ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    complete -p opgrade | grep -q -- "-o default" || echo "no files"
    _opgrade
    printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/opgrade.bash" "$1"
}
offered_fish() {
  fish --no-config -c "source '$completions/opgrade.fish'; complete --do-complete '$1'" | cut -f 1
}
offered_zsh() {
  # The completion's own functions are replaced by ones that print what they are given.
  zsh -f -c '
    _describe() { print -l -- "${(@)${(@P)2}%%:*}"; }
    _files() { print -l -- *; }
    line=$2
    words=(${=line})
    [[ $line != *" " ]] || words+=("")
    CURRENT=$#words
    complete_opgrade() { source "$1"; }
    complete_opgrade "$1"' zsh "$completions/_opgrade" "$1"
}

failed=0
# expect LINE WANTED...: all of them are offered; expect_not LINE UNWANTED...: none is.
expect() {
  local line=$1 word offered
  shift
  offered=$("offered_$shell" "$line")
  for word; do
    grep -qxF -e "$word" <<< "$offered" || {
      echo "FAILED: '$line' does not offer '$word', but: ${offered//$'\n'/ }"
      failed=1
    }
  done
}
expect_not() {
  local line=$1 word offered
  shift
  offered=$("offered_$shell" "$line")
  for word; do
    ! grep -qxF -e "$word" <<< "$offered" || {
      echo "FAILED: '$line' offers '$word'"
      failed=1
    }
  done
}

mapfile -t verbs < <(opgrade --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
((${#verbs[@]} >= 20)) || {
  echo "FAILED: the help lists ${#verbs[@]} verbs"
  failed=1
}
expect "opgrade " "${verbs[@]}"
for verb in "${verbs[@]}"; do
  # ladder is a program of its own.
  [[ $verb == ladder ]] || expect "opgrade $verb --he" --help
done
expect_not "opgrade " __complete
expect "opgrade che" check check-config
expect_not "opgrade che" grade
expect "opgrade check --wa" --watch
expect "opgrade check --dev" --device
expect "opgrade check . --device em" emulated
expect "opgrade check . --config 2026" 2026sp
expect "opgrade check . --only " cpu gpu cpu/random gpu/high/100
expect "opgrade check . --config 2026sp --only m1-c" m1-cpu/high/3000
expect_not "opgrade check . --config none --only " cpu
expect "opgrade init new --term 20" 2017fa 2026sp
expect "opgrade explain wrong_" wrong_output wrong_accuracy
expect_not "opgrade explain wrong_" crashed
expect "opgrade sub" submit
expect "opgrade course " add grade gradebook
expect "opgrade course add --ti" --time
expect "opgrade serve . --device em" emulated
if [[ $shell == bash ]]; then
  # Files come from readline, where the function offers nothing.
  expect_not "opgrade check f" check "no files"
else
  expect "opgrade check f" file-of-mine
fi
exit $failed
