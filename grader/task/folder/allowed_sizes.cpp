#include "grader/task/folder/allowed_sizes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grader/task/folder/expression.hpp"

namespace opgrade {
namespace {

bool holds(const std::string& constraint, const Coordinates& sizes) try {
  return evaluate(constraint, sizes) != 0;
} catch (const std::invalid_argument&) {
  return false;
}

/// The change of one size that leaves the fewest violated constraints; the smallest such change.
class BestChange {
 public:
  explicit BestChange(const TaskDescription& task) : task_(task) {}

  /// Tries all values of the size number `which`, the nearest first.
  void try_size(Coordinates sizes, std::size_t which) {
    constexpr int kFarthest = 4096;
    const SizeDescription& size = task_.sizes[which];
    const auto now = static_cast<int>(sizes[which].value);
    for (int by = 1; by <= kFarthest && by < distance_; ++by) {
      if (now - by < size.from && now + by > size.random) return;
      for (const int value : {now - by, now + by}) {
        if (value < size.from || value > size.random) continue;
        sizes[which].value = value;
        const int broken = broken_constraints(task_, sizes);
        if (broken > broken_ || (broken == broken_ && by >= distance_)) continue;
        broken_ = broken;
        distance_ = broken == 0 ? by : kFarthest + 1;
        best_ = sizes;
        if (broken == 0) return;
      }
    }
  }

  const std::optional<Coordinates>& best() const { return best_; }
  int broken() const { return broken_; }

 private:
  const TaskDescription& task_;
  std::optional<Coordinates> best_;
  int broken_ = 1 << 30;
  int distance_ = 1 << 30;
};

}  // namespace

int broken_constraints(const TaskDescription& task, const Coordinates& sizes) {
  return static_cast<int>(
      std::ranges::count_if(task.constraints, [&](const auto& c) { return !holds(c, sizes); }));
}

std::optional<Coordinates> allowed_sizes_near(const TaskDescription& task, Coordinates sizes) {
  // Each change but the last may violate a constraint that another change satisfied.
  constexpr int kMostChanges = 16;
  for (int change = 0; change < kMostChanges; ++change) {
    if (broken_constraints(task, sizes) == 0) return sizes;
    // Rotates the order of the sizes, so that two sizes that depend on each other do not alternate.
    BestChange best(task);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      best.try_size(sizes, (i + static_cast<std::size_t>(change)) % sizes.size());
    if (!best.best()) return std::nullopt;
    sizes = *best.best();
  }
  return std::nullopt;
}

}  // namespace opgrade
