#include "grader/service/line_difference.hpp"

#include <algorithm>

#include "grader/core/text_parts.hpp"

namespace opgrade::service {

std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work) {
  using Side = DifferenceLine::Side;
  const auto a = split(before, '\n'), b = split(after, '\n');
  const std::size_t cost = (a.size() + 1) * (b.size() + 1);
  const bool whole = cost > work.left;
  if (!whole) work.left -= cost;
  // Lengths of the longest common subsequences of what follows line i of one and j of the other.
  std::vector<int> common(whole ? 0 : cost);
  const auto at = [&](std::size_t i, std::size_t j) -> int& {
    return common[i * (b.size() + 1) + j];
  };
  for (std::size_t i = whole ? 0 : a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<DifferenceLine> all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool both = i < a.size() && j < b.size();
    if (both && a[i] == b[j] && !whole) {
      all.push_back({Side::both, a[i++]});
      ++j;
    } else if (i < a.size() && (!both || whole || at(i + 1, j) >= at(i, j + 1))) {
      all.push_back({Side::before, a[i++]});
    } else {
      all.push_back({Side::after, b[j++]});
    }
  }
  return all;
}

}  // namespace opgrade::service
