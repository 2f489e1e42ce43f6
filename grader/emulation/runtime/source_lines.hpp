/// Finds the file and line of an address in the submission's code.
#pragma once

#include <string>

namespace opgrade_emulation {

struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
  bool own = false;  ///< the address lies in the grader's code; then there are no file and line
};

/// `return_address` points behind the instruction. If functions are inlined into each other,
/// returns the line of the innermost one that is not the grader's.
SourceLine source_line(const void* return_address);

/// "line 7", followed by " of call.cu" unless `here`, which the reader knows, is in that file.
std::string line_in_words(const SourceLine& place, const SourceLine& here = {});

/// For a `site` in the grader's code (a stand-in header's function, an adapter), returns the
/// address in the nearest calling function of the submission. Null for other sites, and if there is
/// no such caller. Must be called while the function at `site` runs.
const void* caller_of(const void* site);

/// The submission's line that led to `site`, whose function must be running.
SourceLine line_behind(const void* site);

/// Name of the variable or function of the program that holds the address, or empty.
std::string variable_at(const void* address);

}  // namespace opgrade_emulation
