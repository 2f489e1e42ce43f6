#include "grader/service/line_difference.hpp"

#include <algorithm>

#include "grader/core/text_parts.hpp"

namespace opgrade::service {
namespace {

/// Lengths of the longest common subsequences of what follows line i of one and j of the other.
class CommonLines {
 public:
  CommonLines(const std::vector<std::string>& a, const std::vector<std::string>& b)
      : width_(b.size() + 1), length_((a.size() + 1) * width_) {
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        length_[i * width_ + j] =
            a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  int at(std::size_t i, std::size_t j) const { return length_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<int> length_;
};

}  // namespace

std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work) {
  using Side = DifferenceLine::Side;
  const auto a = split(before, '\n'), b = split(after, '\n');
  const std::size_t cost = (a.size() + 1) * (b.size() + 1);
  const bool whole = cost > work.left;
  if (!whole) work.left -= cost;
  const CommonLines common(whole ? std::vector<std::string>{} : a,
                           whole ? std::vector<std::string>{} : b);
  std::vector<DifferenceLine> all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const int before_line = static_cast<int>(i) + 1, after_line = static_cast<int>(j) + 1;
    const bool both = i < a.size() && j < b.size();
    if (both && a[i] == b[j] && !whole) {
      all.push_back({Side::both, before_line, after_line, a[i++]});
      ++j;
    } else if (i < a.size() && (!both || whole || common.at(i + 1, j) >= common.at(i, j + 1))) {
      all.push_back({Side::before, before_line, 0, a[i++]});
    } else {
      all.push_back({Side::after, 0, after_line, b[j++]});
    }
  }
  return all;
}

}  // namespace opgrade::service
