# cmake -D SOURCE=tree -D OUT=file -P WriteCommit.cmake: the commit of the tree, for opgrade --version. No file
# where the tree is not a git work tree of its own.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR NOT top STREQUAL SOURCE OR commit STREQUAL "")
  file(REMOVE ${OUT})
else()
  file(CONFIGURE OUTPUT ${OUT} CONTENT "${commit}\n")
endif()
