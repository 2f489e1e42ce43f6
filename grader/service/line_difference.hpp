/// Two texts, line by line.
#pragma once

#include <string>
#include <vector>

namespace opgrade::service {

struct DifferenceLine {
  enum class Side { both, before, after };
  Side side = Side::both;
  int before = 0, after = 0;  ///< line numbers from 1; 0 where the text lacks it
  std::string text;
};

/// The fewest lines that change; of texts with a product of lines above `most_work`, all lines of
/// one and then all of the other.
std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            std::size_t most_work = 4'000'000);

}  // namespace opgrade::service
