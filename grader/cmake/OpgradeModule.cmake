# Warnings and hardening that are private to opgrade's own targets.
add_library(opgrade_options INTERFACE)
target_compile_options(opgrade_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${OPGRADE_WERROR}>>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # GCC 14 takes what std::optional::emplace makes for uninitialised (core/json_reader.hpp); GCC 12 keeps the warning.
  target_compile_options(opgrade_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # As on x86-64: a seed makes the same inputs, to the last bit.
  target_compile_options(opgrade_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fsigned-char>)
endif()

# All of opgrade's own code and its tests, except targets with OPGRADE_WITHOUT_TSAN: what runs inside the sandbox, whose
# limit on memory counts the sanitizer's shadow, programs that a test starts, and the loops of the reference.
option(OPGRADE_TSAN "Compile with the thread sanitizer: make test-tsan" OFF)
if(OPGRADE_TSAN)
  set(without "$<BOOL:$<TARGET_PROPERTY:OPGRADE_WITHOUT_TSAN>>")
  target_compile_options(opgrade_options INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:${without}>>:-fsanitize=thread;-g1;-Wno-tsan>")
  target_link_options(opgrade_options INTERFACE "$<$<NOT:${without}>:-fsanitize=thread>")
endif()

# In a unity build modules share a precompiled header, one for each level of optimisation: 1 to 2 of 3 to 10 s of a
# batch. A plain build has none, and so finds a missing include.
set(unity_release OFF)
if(CMAKE_UNITY_BUILD AND CMAKE_BUILD_TYPE STREQUAL Release)
  set(unity_release ON)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/grader/module_headers.cpp CONTENT "")
  foreach(level O1 O2)
    add_library(opgrade_headers_${level} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/grader/module_headers.cpp)
    target_link_libraries(opgrade_headers_${level} PRIVATE opgrade_options fmt::fmt)
    target_compile_features(opgrade_headers_${level} PRIVATE cxx_std_20)
    target_compile_options(opgrade_headers_${level} PRIVATE -${level})
    target_precompile_headers(opgrade_headers_${level} PRIVATE <fmt/format.h> <fmt/ranges.h> <algorithm> <atomic>
      <chrono> <cmath> <filesystem> <fstream> <functional> <future> <map> <memory> <optional> <random> <set> <sstream>
      <string> <thread> <unordered_map> <variant> <vector>)
  endforeach()
endif()

# opgrade_compiled(<target> O1|O2)
# O1: modules that wait for files, sockets and people; -O2 would add a fifth to their compile time.
function(opgrade_compiled target level)
  if(unity_release)
    # -fPIC in programs, too, as the header has it.
    target_compile_options(${target} PRIVATE -${level} -fPIC)
    target_precompile_headers(${target} REUSE_FROM opgrade_headers_${level})
  endif()
endfunction()

# opgrade_module(<name> SOURCES ... HEADERS ... DEPENDS <modules> EXTERNAL <imported targets>)
# One module of the grader: a static library opgrade::<name> whose headers are included from the
# project's root as "grader/<room>/<name>/<header>.hpp". DEPENDS is the direction of dependency that
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

# opgrade_embed(<module> <header> <constant> <file>)
# The text of a style sheet, script or picture as `extern const char* const opgrade::<constant>`, which the header
# declares. The program needs no file of its own where it runs.
function(opgrade_embed module header constant file)
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${file}.cpp @ONLY CONTENT
"#include \"@header@\"
const char* const opgrade::@constant@ = R\"embedded(@text@)embedded\";
")
  target_sources(opgrade_${module} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${file}.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()
