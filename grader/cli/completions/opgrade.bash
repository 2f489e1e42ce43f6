# Completion of opgrade for bash. The program itself knows its verbs, options and values; where it offers
# nothing, files are completed.
_opgrade() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _opgrade opgrade
