/// The order of the queue and the waiting times: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opgrade::service {

/// Staff try a config or regrade: few, short, and a teacher waits in class.
inline constexpr int kStaffPriority = 2;
/// The assignment's deadline is near.
inline constexpr int kDeadlinePriority = 1;
/// After all that counts.
inline constexpr int kPracticePriority = -1;

struct Waiting {
  std::int64_t id = 0;  ///< in the order of arrival
  std::string owner;
  int priority = 0;                   ///< the larger one first
  std::chrono::seconds estimate{60};  ///< of its grading
  std::string waits_for;              ///< what it cannot begin without; others may begin before it
  /// Of a practice run: the time that workers had the owner's runs in the last hours, less the time
  /// that this one has waited. The smaller one first: an owner who used little comes first, and
  /// each run gets its turn.
  std::chrono::seconds used{0};
  bool uses_gpu = false;  ///< of this machine
};

/// Positions in `waiting`, the first to be graded first. Within a priority, the owner with the
/// least work in the queue and on workers comes first, then the least `used`; `running` counts the
/// work on workers.
std::vector<std::size_t> fair_order(std::span<const Waiting> waiting,
                                    const std::map<std::string, int>& running);

/// The time until each of `waiting`, in the order of the queue, is done, when `workers` take one
/// after the other. `busy` has the time that each running one still needs. Nothing without workers.
std::vector<std::optional<std::chrono::seconds>> times_to_end(
    std::span<const Waiting> in_order, std::vector<std::chrono::seconds> busy, int workers);

}  // namespace opgrade::service
