/// From an address in the submission's code to its file and line.
#pragma once

#include <string>

namespace opgrade_emulation {

struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
  bool own = false;  ///< the address lies in the grader's code; then there is no file and line
};

/// `return_address` follows the instruction meant. For functions inlined into each other it gives
/// the innermost one that is not the grader's.
SourceLine source_line(const void* return_address);

/// "line 7", with " of call.cu" behind it unless `here`, which the reader knows, is in that file.
std::string line_in_words(const SourceLine& place, const SourceLine& here = {});

/// For a `site` in the grader's code (a stand-in header's function, an adapter): the address in the
/// nearest calling function of the submission. Null for other sites, and without such a caller.
/// Called while the function at `site` runs.
const void* caller_of(const void* site);

/// The submission's line that led to `site`, which runs.
SourceLine line_behind(const void* site);

/// Name of the variable or function of the program that holds the address, or empty.
std::string variable_at(const void* address);

}  // namespace opgrade_emulation
