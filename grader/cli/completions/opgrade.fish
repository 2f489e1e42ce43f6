# Completion of opgrade for fish. The program itself knows its verbs, options and values; where it offers
# nothing, files are completed.
function __opgrade_offered
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c opgrade -n 'count (__opgrade_offered) >/dev/null' -f -a '(__opgrade_offered)'
