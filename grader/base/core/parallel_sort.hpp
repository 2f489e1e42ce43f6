/// Sorts on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "grader/base/core/parallel.hpp"

namespace opgrade {

/// Sorts pieces of equal size and merges them pairwise. If all equivalent values are identical, the
/// result does not depend on the number of threads.
template <class T, class Less>
void parallel_sort(std::vector<T>& values, int threads, Less less) {
  constexpr std::size_t kSmallest = 1 << 16;
  std::size_t pieces = 1;
  while (pieces < static_cast<std::size_t>(threads) && values.size() / pieces > kSmallest)
    pieces *= 2;
  const auto cut = [&](std::size_t piece) {
    return values.begin() + static_cast<std::ptrdiff_t>(values.size() * piece / pieces);
  };
  parallel_for(static_cast<int>(pieces), threads, [&](int i) {
    const auto piece = static_cast<std::size_t>(i);
    std::sort(cut(piece), cut(piece + 1), less);
  });
  for (std::size_t run = 1; run < pieces; run *= 2) {
    parallel_for(static_cast<int>(pieces / (2 * run)), threads, [&](int i) {
      const std::size_t piece = static_cast<std::size_t>(i) * 2 * run;
      std::inplace_merge(cut(piece), cut(piece + run), cut(piece + 2 * run), less);
    });
  }
}

}  // namespace opgrade
