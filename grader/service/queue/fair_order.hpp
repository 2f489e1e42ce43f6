/// Computes the order of the queue and the waiting times. All functions are pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opgrade::service {

/// Submissions of staff, who try a config or regrade. They are few and short, and a teacher may
/// wait in class.
inline constexpr int kStaffPriority = 2;
/// Submissions to an assignment whose deadline is near.
inline constexpr int kDeadlinePriority = 1;
/// Practice runs, which come after all submissions that count.
inline constexpr int kPracticePriority = -1;

struct Waiting {
  std::int64_t id = 0;  ///< ids are in the order of arrival
  std::string owner;
  int priority = 0;                   ///< the larger one first
  std::chrono::seconds estimate{60};  ///< estimated time of the grading
  /// What must happen before it can begin; other submissions may begin before it.
  std::string waits_for;
  /// For a practice run: the time that workers spent on the owner's runs in the last hours, less
  /// the time that this run has waited. The smallest comes first, so owners who used little come
  /// first, and each run gets its turn.
  std::chrono::seconds used{0};
  bool uses_gpu = false;  ///< it needs a GPU of this machine
};

/// Positions in `waiting`, in the order of grading. Within a priority, the owner with the least
/// work in the queue and on workers comes first, then the least `used`. `running` counts each
/// owner's submissions on workers.
std::vector<std::size_t> fair_order(std::span<const Waiting> waiting,
                                    const std::map<std::string, int>& running);

/// The time until each submission of `in_order` is done if `workers` grade them one after the
/// other. `busy` has the time that each running submission still needs. nullopt if there are no
/// workers.
std::vector<std::optional<std::chrono::seconds>> times_to_end(
    std::span<const Waiting> in_order, std::vector<std::chrono::seconds> busy, int workers);

}  // namespace opgrade::service
