#!/usr/bin/env bash
# words.sh <project root>
# Decisions rest on values, and grader/report alone makes sentences of them. No other code searches or cuts the texts of a
# Grade, or those that become its texts (searched), and no module that fills a Grade writes one (written). Both tables have
# the places that still do, with their number; they only shrink.
set -euo pipefail
cd "${1:?usage: words.sh <project root>}"
declare -A searched=(
  [grader/grading/intake/intake.cpp]=2       # a refusal without its path
  [grader/grading/intake/stage_files.cpp]=1  # equal refusals of two stages
)
declare -A written=(
  [grader/grading/cases/layer/problem_run.cpp]=1      # of a check, next to the task's explanations
  [grader/grading/cases/layer/referee_run.cpp]=1      # likewise
  [grader/grading/cases/layer/device_target.cpp]=1    # of a time's adjustment
  [grader/grading/score/rank.cpp]=2             # of a ranking, which is no Grade
)
# A note is a value of core/notes. What stands in it comes from outside; the reader of reports alone has notes that are sentences.
declare -A noted=()
# config/stage_case.hpp alone makes the ids of cases, takes them apart and asks which kind of case the config lists.
declare -A spelled=()
# File and line of each match, from the files on stdin.
matches() {
  perl -e 'undef $/; my $pattern = shift; for my $file (<STDIN> =~ /[^\n]+/g) {
    open(my $in, "<", $file) or die "$file: $!\n";
    my $code = <$in>;
    $code =~ s{//[^\n]*}{}g;
    while ($code =~ /$pattern/g) { print "$file:", 1 + (substr($code, 0, $-[0]) =~ tr/\n//), ": ", $& =~ s/\s+/ /gr, "\n" }
  }' "$1"
}
complaints=0
# check <table> <what the code does> < matches
check() {
  local -n allowed=$1
  local -A found=()
  local place file count
  while IFS= read -r place; do
    file=${place%%:*}
    found[$file]+=$place$'\n'
  done
  for file in "${!found[@]}" "${!allowed[@]}"; do
    count=$(grep -c . <<<"${found[$file]-}" || true)
    ((count == ${allowed[$file]-0})) && continue
    complaints=$((complaints + 1))
    if ((count < ${allowed[$file]-0})); then
      echo "$file: $count places $2 a text, tests/lint/words.sh allows ${allowed[$file]}: lower the number"
    elif [[ -n ${found[$file]-} ]]; then
      echo "$file: $count places $2 a text of a grade, allowed ${allowed[$file]-0}; use a value instead:"
      printf %s "${found[$file]}"
    fi
  done
}
sources() { find "$@" -name '*.cpp' -o -name '*.hpp' | sort; }
reports='^grader/report/(?!bundle/)'
texts='(?:reason|words|hint|limit_hit|notes?|student_output|compiler_output|repeat_command)'
searches='(?:find|rfind|find_first_of|find_last_of|starts_with|ends_with|contains|compare|substr|erase|replace)'
check searched search < <(sources grader | grep -vP "$reports" | matches "\\b$texts(?:\\(\\))?\\.$searches\\(")
text='(?:"|fmt::format\()'
grading=(grader/grading/{build,cases,device,measure,pipeline,profile,run,score} grader/authoring grader/course/results)
check written write < <(sources "${grading[@]}" |
  matches "(?:(?:\\.|->)(?:reason|words|hint)|\\b(?:case_notes_|notes?_?))\\s*(?:\\+?=|\\.push_back\\()\\s*\\{?\\s*(?:[\\w.]+,\\s*)?$text|\\btext_reason\\(\\s*$text|\\badd_once\\(notes,\\s*\"")
check noted "put a sentence into a note instead of" < <(sources grader | grep -vP "$reports|^grader/base/core/" |
  matches "\bEarlierNote\b|\bnotes::\w+\s*\{[^{};]*$text")
check spelled "take apart the id of a case as" < <(sources "${grading[@]}" grader/report |
  matches "\\bid\\.$searches\\(")
check spelled "make a case's id or kind from" < <(sources grader | grep -v '^grader/task/config/' |
  matches '"/(?:random|batches|fixed)"|\bname \+ "/" \+ case_name\(|\{\}/\{\}[^"]*",\s*[\w>.-]+,\s*case_name\(|\bsizes\.empty\(\)')
((complaints == 0)) || exit 1
echo "words: no text decides, except in ${#searched[@]} files; none but those of ${#written[@]} files is written outside report"
