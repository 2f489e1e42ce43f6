/// The share of a kernel's time that belongs to a line of its source.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

struct LineShare {
  std::string file;  ///< relative to the submission's folder; for other files only the name
  int line = 0;
  double share = 0;  ///< of all samples, 0 to 1

  bool operator==(const LineShare&) const = default;
};

/// "new-forward.cu:37 61.2 %, new-forward.cu:41 20.1 %, 3 other lines 18.7 %".
std::string text_of(const std::vector<LineShare>& lines);

}  // namespace opgrade
