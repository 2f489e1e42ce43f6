# Each module of this room with a task.cpp is a task of opgrade itself; task.cpp defines `const Task& <module>_task()`.
# grader/platform/gpu compiles what is in its device/. Its adapters/ join those of the harness, and solution/<interface>/ is
# its reference solution.
get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} DIRECTORY)
file(GLOB task_files CONFIGURE_DEPENDS ${room}/*/task.cpp)
set(declarations)
set(entries)
set(copies)
set(emulated_adapters)
file(GLOB_RECURSE adapter_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/grader/platform/harness/adapters
  ${PROJECT_SOURCE_DIR}/grader/platform/harness/adapters/*)
foreach(file ${task_files})
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  string(APPEND declarations "const Task& ${name}_task();\n")
  list(APPEND entries "&${name}_task()")
  if(EXISTS ${folder}/adapters)
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_directory ${folder}/adapters
      ${PROJECT_BINARY_DIR}/share/opgrade/adapters)
    file(GLOB gpu_adapters CONFIGURE_DEPENDS ${folder}/adapters/*/gpu.cu)
    list(APPEND emulated_adapters ${gpu_adapters})
    file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE ${folder}/adapters ${folder}/adapters/*)
    list(APPEND adapter_files ${names})
    install(DIRECTORY ${folder}/adapters/ DESTINATION ${CMAKE_INSTALL_DATADIR}/opgrade/adapters)
  endif()
  if(EXISTS ${folder}/solution)
    list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_directory ${folder}/solution
      ${PROJECT_BINARY_DIR}/share/opgrade/solutions)
    install(DIRECTORY ${folder}/solution/ DESTINATION ${CMAKE_INSTALL_DATADIR}/opgrade/solutions)
  endif()
endforeach()
list(LENGTH entries count)
list(JOIN entries ", " entries)
list(JOIN adapter_files "\", \"" adapter_files)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/task_table.hpp @ONLY CONTENT
"#pragma once
#include <array>
#include <string_view>
#include \"grader/task/interface/task.hpp\"
namespace opgrade {
@declarations@
inline std::array<const Task*, @count@> task_table() { return {@entries@}; }
inline constexpr std::string_view adapter_table[] = {\"submission_abi.h\", \"@adapter_files@\"};
}  // namespace opgrade
")

add_custom_target(opgrade-task-files ALL ${copies})
add_dependencies(opgrade-adapters opgrade-task-files)

# Adapters that include nothing of a submission, compiled once for the emulated device, with and without checks.
# Their messages and findings name the same paths as where a submission's build compiles them.
set(objects)
foreach(adapter ${emulated_adapters})
  file(STRINGS ${adapter} included REGEX "opgrade_submission.h")
  if(included)
    continue()
  endif()
  get_filename_component(folder ${adapter} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/../*.h ${folder}/* ${PROJECT_SOURCE_DIR}/grader/platform/harness/*.h)
  set(copies ${PROJECT_BINARY_DIR}/share/opgrade/adapters)
  foreach(check "" check)
    set(object ${PROJECT_BINARY_DIR}/lib/opgrade/emulation/adapters/${name}$<$<BOOL:${check}>:.checked>.o)
    add_custom_command(OUTPUT ${object} DEPENDS ${sources} opgrade-cucc opgrade-task-files
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/opgrade/emulation/adapters
      COMMAND opgrade-cucc --$<IF:$<BOOL:${check}>,check,no-check> --any-processor -std=c++17 -O1
        -DOPGRADE_EMULATED -I${copies}/${name}/include -I${copies}
        -ffile-prefix-map=${PROJECT_BINARY_DIR}=/opgrade/emulation -ffile-prefix-map=${copies}=/opgrade/adapters
        -c ${copies}/${name}/gpu.cu -o ${object}
      COMMENT "Compiling the adapter of ${name} for the emulated device" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
endforeach()
add_custom_target(opgrade-emulated-adapters ALL DEPENDS ${objects})
add_dependencies(opgrade-emulated-adapters opgrade-adapters)
install(FILES ${objects} DESTINATION lib/opgrade/emulation/adapters)
