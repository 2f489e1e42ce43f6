/// Watches whether the course's database changes, and whether it accepts changes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "grader/course/store/store.hpp"

namespace opgrade::service {

/// Polls the store ten times a second, in a thread of its own.
class StoreWatch {
 public:
  /// `blocked_after`: how long the store must refuse changes before blocked() reports it.
  StoreWatch(course::Store& store, std::chrono::milliseconds blocked_after);

  /// A number that grows with every change in the store, whichever process made it.
  std::int64_t changes() const { return changes_; }
  /// Why changes wait: another program holds the database, or it cannot be written. In words that
  /// everybody may read; empty if changes are accepted.
  std::string blocked() const;

 private:
  void look(std::int64_t& seen);

  course::Store& store_;
  const std::chrono::milliseconds blocked_after_;
  std::atomic<std::int64_t> changes_ = 0;
  mutable std::mutex guard_;
  /// Since when the store has refused changes.
  std::optional<std::chrono::steady_clock::time_point> refused_since_;
  std::string refusal_;
  std::jthread thread_;
};

}  // namespace opgrade::service
