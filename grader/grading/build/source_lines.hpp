/// Finds the lines of a submission for addresses in its code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

struct SourceLine {
  std::string file;  ///< without folders
  int line = 0;      ///< 0: none of the submission's is known
  std::string function;
};

/// The submission's line at each address, as `addr2line` has it: the innermost of inlined functions
/// that is not the grader's or the library's. `shared_object` was built by the submission's
/// compiler, so it is read in the sandbox. Lines are unknown if the machine has no addr2line.
std::vector<SourceLine> source_lines(const Sandbox& sandbox,
                                     const std::filesystem::path& shared_object,
                                     const std::vector<std::uint64_t>& addresses);

/// Reads the output of addr2line -a -i -f -C.
std::vector<SourceLine> read_source_lines(const std::string& text);

/// True if a path in debugging information leads to the grader's or the library's own source.
bool is_own_source(const std::string& path);

}  // namespace opgrade
