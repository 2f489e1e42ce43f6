#include "grader/base/core/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace opgrade {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::optional<std::string> nearest(const std::string& word, const std::set<std::string>& known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const auto& candidate : known) {
    if (const auto distance = edit_distance(word, candidate); distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::set<std::string>& known) {
  const auto meant = nearest(word, known);
  return meant ? "; did you mean '" + *meant + "'?" : "";
}

}  // namespace opgrade
