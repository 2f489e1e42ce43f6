/// What a compiler sees of the machine: compilers, headers and libraries.
///
/// Not /usr as a whole: below it lie the grader's own solutions, labs and images, and other
/// people's files. What is listed here is all that a source can include, and that a tool run on a
/// student's files can open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

/// The system's, and the environment in which its programs run.
void add_system_view(SandboxPolicy& policy);

/// The libraries in a folder that may hold whole programs as well, as /usr/local/lib does.
void add_libraries(SandboxPolicy& policy, const std::filesystem::path& folder);

/// A compiler's or toolkit's own, below the folder that has bin/.
void add_prefix(SandboxPolicy& policy, const std::filesystem::path& prefix);

/// The CUDA toolkit's, also by the usual link to it, which sources and flags name.
void add_toolkit(SandboxPolicy& policy, const std::filesystem::path& root);

/// The compiler to which the system's name for it links, and what a config's flags name: folders of
/// headers and libraries, files, nvcc's host compiler.
void add_compilers(SandboxPolicy& policy, const Toolchain& tools,
                   const std::vector<std::string>& flags);

/// Adds `path`. A folder that holds one of `hidden` is added by its entries, without that one.
/// Nothing is added if there is nothing, or if an earlier mount shows it.
void add_readable(SandboxPolicy& policy, const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& hidden);

}  // namespace opgrade
