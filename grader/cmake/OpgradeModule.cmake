# Warnings and hardening that are private to opgrade's own targets.
add_library(opgrade_options INTERFACE)
target_compile_options(opgrade_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${OPGRADE_WERROR}>>:-Werror>)

# For modules that wait for files, sockets and people: -O2 would add a fifth to their compile time.
set(OPGRADE_QUICK_TO_COMPILE)
if(CMAKE_UNITY_BUILD AND CMAKE_BUILD_TYPE STREQUAL Release)
  set(OPGRADE_QUICK_TO_COMPILE -O1)
endif()

# opgrade_module(<name> SOURCES ... HEADERS ... DEPENDS <modules> EXTERNAL <imported targets>)
# One module of the grader: a static library opgrade::<name> whose headers are included from the
# project's root as "grader/<name>/<header>.hpp". DEPENDS is the direction of dependency that
# tests/lint/layers.sh also checks.
function(opgrade_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;DEPENDS;EXTERNAL;PRIVATE" ${ARGN})
  add_library(opgrade_${name} STATIC ${arg_SOURCES})
  add_library(opgrade::${name} ALIAS opgrade_${name})
  target_sources(opgrade_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_compile_features(opgrade_${name} PUBLIC cxx_std_20)
  list(TRANSFORM arg_DEPENDS PREPEND opgrade::)
  target_link_libraries(opgrade_${name} PUBLIC ${arg_DEPENDS} ${arg_EXTERNAL}
                                        PRIVATE $<BUILD_INTERFACE:opgrade_options> ${arg_PRIVATE})
  set_target_properties(opgrade_${name} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
