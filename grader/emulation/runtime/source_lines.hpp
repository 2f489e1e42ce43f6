/// From an address in the submission's code to its file and line.
#pragma once

#include <string>

namespace opgrade_emulation {

struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
};

/// `return_address` follows the instruction meant. Of functions inlined into each other the
/// innermost one that is not in the stand-in headers is told.
SourceLine source_line(const void* return_address);

}  // namespace opgrade_emulation
