/// Two texts, line by line.
#pragma once

#include <string>
#include <vector>

namespace opgrade::service {

struct DifferenceLine {
  enum class Side { both, before, after };
  Side side = Side::both;
  std::string text;
};

/// What the comparisons of one answer may cost together: products of numbers of lines.
struct DifferenceWork {
  std::size_t left = 4'000'000;
};

/// The fewest lines that change; of texts that cost more than is left, all lines of one and then
/// all of the other.
std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work);

}  // namespace opgrade::service
