/// Memory that a submission's calls leave behind, on the host and on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// Memory that a process holds, in bytes, before and after each right call.
class MemoryTrail {
 public:
  void begin_layer(std::int64_t held) { layers_.push_back({held}); }
  void call_done(std::int64_t held) { layers_.back().push_back(held); }

  int calls() const;

  /// Memory that a call leaves behind, in the layer that leaves most. The first call may keep
  /// buffers for the others, so it counts only if it is the only one.
  std::int64_t per_call() const;

  /// True if another call may lack memory that earlier ones left behind: less is left than two
  /// calls take, or less than half of what was free at first.
  bool exhausts(std::int64_t limit) const;

 private:
  std::vector<std::vector<std::int64_t>> layers_;
};

/// What each call leaves behind.
struct LeakedMemory {
  std::int64_t bytes = 0;
  bool on_device = false;
};

/// Watches one process of a submission.
class MemoryWatch {
 public:
  /// `gpu` is the device that the submission uses; null if it uses none.
  MemoryWatch(std::int64_t memory_limit, Referee* gpu);

  void begin_layer(const Session& session);
  void call_done(const Session& session);

  /// True if the case ended for lack of memory, after right calls that left some behind.
  bool ran_short(const CaseReport& report) const;

  LeakedMemory per_call() const;

 private:
  std::int64_t on_device() const { return device_limit_ - gpu_->free_memory(); }
  bool leaks_on_device() const;

  std::int64_t limit_;
  Referee* gpu_;
  std::int64_t device_limit_ = 0;
  MemoryTrail host_, device_;
};

}  // namespace opgrade
