/// Counts the processor cores that are free while GPUs are timed.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace opgrade {

/// Safe to use from several threads at once.
class SpareCores {
 public:
  /// Releases a core when destroyed.
  class Taken {
   public:
    explicit Taken(SpareCores& from) : from_(from) {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() { from_.give_back(); }

   private:
    SpareCores& from_;
  };

  /// A run on a GPU uses two cores: one for the submission's process, one for the grader's thread
  /// that times the calls and checks the outputs.
  SpareCores(int cores, int parallel_runs)
      : spare_(std::max(cores - 2 * parallel_runs, 0)), beside_(spare_ > 0) {
    spare_ = std::max(spare_, 1);
  }

  /// Returns false if no core is free while runs on GPUs go on.
  bool try_take() {
    const std::lock_guard lock(guard_);
    if (!beside_ || spare_ == 0) return false;
    --spare_;
    return true;
  }

  /// Waits for a core. For work whose own run on a GPU has ended, so that one core exists on every
  /// machine.
  void take() {
    std::unique_lock lock(guard_);
    freed_.wait(lock, [this] { return spare_ > 0; });
    --spare_;
  }

  void give_back() {
    {
      const std::lock_guard lock(guard_);
      ++spare_;
    }
    freed_.notify_one();
  }

 private:
  std::mutex guard_;
  std::condition_variable freed_;
  int spare_;
  bool beside_;
};

}  // namespace opgrade
