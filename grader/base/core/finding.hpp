/// A mistake that a watched run found.
#pragma once

#include <string>

namespace opgrade {

/// One finding of the emulated device, at the student's own line.
struct Finding {
  std::string kind;
  std::string kernel;
  std::string file;
  int line = 0;
  std::string message;
  bool operator==(const Finding&) const = default;
};

}  // namespace opgrade
