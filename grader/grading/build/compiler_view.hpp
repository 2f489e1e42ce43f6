/// What a compiler sees of the machine: compilers, headers and libraries.
///
/// /usr is not shown as a whole, because the grader's own solutions, labs and images and other
/// people's files lie below it. A source can include only what is listed here, and a tool that runs
/// on a student's files can open nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

/// Adds the system's compilers, headers and libraries, and the environment of its programs.
void add_system_view(SandboxPolicy& policy);

/// Adds the libraries in a folder that may also hold whole programs, as /usr/local/lib does.
void add_libraries(SandboxPolicy& policy, const std::filesystem::path& folder);

/// Adds a compiler or toolkit with a folder of its own: `prefix`, which has bin/.
void add_prefix(SandboxPolicy& policy, const std::filesystem::path& prefix);

/// Adds the CUDA toolkit, also by the usual link to it, which sources and flags name.
void add_toolkit(SandboxPolicy& policy, const std::filesystem::path& root);

/// Adds the compiler to which the system's name for it links, and what a config's flags name:
/// folders of headers and libraries, files, nvcc's host compiler.
void add_compilers(SandboxPolicy& policy, const Toolchain& tools,
                   const std::vector<std::string>& flags);

/// Adds `path`. If a folder holds one of `hidden`, its other entries are added instead. Nothing is
/// added if `path` does not exist or an earlier mount shows it.
void add_readable(SandboxPolicy& policy, const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& hidden);

}  // namespace opgrade
