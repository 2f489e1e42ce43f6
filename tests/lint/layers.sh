#!/usr/bin/env bash
# layers.sh <project root>
# Holds the code to the table of modules in grader/README.md:
#   - a module names in DEPENDS what its row of the table allows, neither more nor less;
#   - it includes only headers of modules it depends on;
#   - rows come in an order in which each depends on rows above it only, so there is no cycle;
#   - check, score and report touch no process, clock or file;
#   - measure has no clock but its target's, and touches no process, thread or file.
# Every complaint is one line; exit code 1 when there is any.
set -euo pipefail
root=${1:?usage: layers.sh <project root>}
cd "$root"
complaints=0
complain() {
  echo "$1"
  complaints=$((complaints + 1))
}

declare -A allowed
order=()
while IFS='|' read -r _ name deps _; do
  name=${name//[\` ]/}
  [[ -d grader/$name ]] || continue
  order+=("$name")
  if [[ $deps == *"all above"* ]]; then
    allowed[$name]="${order[*]} reference"
  else
    allowed[$name]=$deps
  fi
done < <(grep '^| `' grader/README.md)

for folder in grader/*/; do
  name=$(basename "$folder")
  [[ $name == cmake || -n ${allowed[$name]+set} ]] ||
    complain "grader/$name/ has no row in the table of grader/README.md"
done

above=" reference "
for name in "${order[@]}"; do
  permitted=" ${allowed[$name]} "
  for other in ${allowed[$name]}; do
    [[ $above == *" $other "* || $name == "$other" ]] ||
      complain "grader/README.md: '$name' may include '$other', which is not in a row above it"
  done
  above+="$name "

  list=grader/$name/CMakeLists.txt
  if grep -q "^opgrade_module($name\b" "$list"; then
    depends=$(tr '\n' ' ' <"$list" | sed -nE "s/.*opgrade_module\($name ([^)]*)\).*/\1/p" |
      sed -nE 's/.*DEPENDS (([a-z]+ ?)*).*/\1/p')
    for other in $depends; do
      [[ $permitted == *" $other "* ]] ||
        complain "$list: DEPENDS names '$other', which the table of grader/README.md does not allow to '$name'"
    done
  fi

  while IFS=: read -r file line include; do
    other=${include#*\"}
    other=${other#grader/}
    other=${other%%/*}
    [[ $other == "$name" || $permitted == *" $other "* ]] ||
      complain "$file:$line: '$name' may not include '$other' (table in grader/README.md)"
  done < <(grep -rnoE --include='*.cpp' --include='*.hpp' --include='*.cu' --include='*.cuh' --include='*.inc' \
    '^ *#include "(grader|reference|kernels|tests)/[^"]*"' "grader/$name" || true)
done

while IFS=: read -r file line include; do
  complain "$file:$line: $include: check, score and report touch no process, clock or file"
done < <(grep -rnE '#include <(chrono|ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/check grader/score grader/report || true)

while IFS=: read -r file line what; do
  complain "$file:$line: $what: measure has its target's clock only, and no process, thread or file"
done < <(grep -rnoE '(steady|system|high_resolution)_clock|#include <(ctime|cstdio|fcntl\.h|filesystem|fstream|thread|unistd\.h|sys/.*)>' \
  grader/measure || true)

((complaints == 0)) || exit 1
echo "layers: ${#order[@]} modules, no complaint"
