# opgrade for a course repository:
#   find_package(opgrade REQUIRED)
#   opgrade_add_submission(conv CONFIG course.yaml FOLDER conv)
# The target `conv` checks the folder and prints the report; ctest has the test `conv`.
get_filename_component(_opgrade_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(OPGRADE_EXECUTABLE "${_opgrade_prefix}/bin/opgrade")
if(NOT EXISTS "${OPGRADE_EXECUTABLE}")
  set(opgrade_FOUND FALSE)
  set(opgrade_NOT_FOUND_MESSAGE "${OPGRADE_EXECUTABLE} does not exist: install opgrade again.")
  return()
endif()
if(NOT TARGET opgrade::opgrade)
  add_executable(opgrade::opgrade IMPORTED GLOBAL)
  set_target_properties(opgrade::opgrade PROPERTIES IMPORTED_LOCATION "${OPGRADE_EXECUTABLE}")
endif()

# opgrade_add_submission(<target> CONFIG <file or name> [FOLDER <folder>] [DEVICE auto|cuda|emulated]
#                        [ONLY <case or stage>...] [TIMEOUT <seconds>] [LABELS <label>...]
#                        [EXPECT <regular expression>] [SKIP_UNDECIDED])
# FOLDER defaults to the current source folder; relative paths are relative to it. The test passes at
# exit code 0, or with EXPECT if the report has a match: for mistakes. SKIP_UNDECIDED skips it at exit
# code 3, for configs with points that only a GPU or staff can give; what is wrong still fails. A
# grader or machine fault has that code, too.
function(opgrade_add_submission target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SKIP_UNDECIDED" "CONFIG;FOLDER;DEVICE;EXPECT;TIMEOUT" "ONLY;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "opgrade_add_submission(${target}): unknown arguments: "
      "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_CONFIG)
    message(FATAL_ERROR "opgrade_add_submission(${target}): CONFIG is missing; "
      "name a config file or one of opgrade's own, such as self-check")
  endif()
  get_filename_component(folder "${arg_FOLDER}" ABSOLUTE)
  if(NOT IS_DIRECTORY "${folder}")
    message(FATAL_ERROR "opgrade_add_submission(${target}): FOLDER ${folder} does not exist")
  endif()
  set(config "${arg_CONFIG}")
  if(config MATCHES "[./]")  # else the name of one of opgrade's own
    get_filename_component(config "${config}" ABSOLUTE)
    # A config with an error stops the configuration, with file, line and column.
    execute_process(COMMAND "${OPGRADE_EXECUTABLE}" check-config "${config}"
      OUTPUT_QUIET ERROR_VARIABLE problems RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "opgrade_add_submission(${target}): ${problems}")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${config}")
  endif()
  set(command "${OPGRADE_EXECUTABLE}" check "${folder}" --config "${config}")
  if(arg_DEVICE)
    list(APPEND command --device ${arg_DEVICE})
  endif()
  foreach(part ${arg_ONLY})
    list(APPEND command --only "${part}")
  endforeach()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_custom_target(${target} COMMAND ${command} VERBATIM USES_TERMINAL)
  add_test(NAME ${target} COMMAND ${command} --quiet)
  set_tests_properties(${target} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "opgrade;${arg_LABELS}")
  if(arg_EXPECT)
    set_tests_properties(${target} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_EXPECT}")
  endif()
  if(arg_SKIP_UNDECIDED)
    set_tests_properties(${target} PROPERTIES SKIP_RETURN_CODE 3)
  endif()
endfunction()
