/// Tensors in large memory: found ahead, used by one submission after another, and freed while
/// grading goes on. Finding a GiB takes the system 0.2 to 0.4 s.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "grader/grading/run/chain_tensors.hpp"

namespace opgrade {

/// Safe to use from several threads at once. Its destructor waits until everything is gone.
class TensorStore {
 public:
  /// If no tensors of those shapes exist yet, threads begin to find memory for them.
  void prepare(const std::vector<CallShape>& shapes);

  /// Tensors that were prepared or used, else new ones. Used ones hold whatever is there.
  std::unique_ptr<ChainTensors> take(const std::vector<CallShape>& shapes);

  /// Keeps the tensors for the next submission. The processes that had them must have ended, or be
  /// stopped until the values are written again.
  void give_back(std::unique_ptr<ChainTensors> tensors);

  /// Frees memory on a thread of its own, so that no verdict waits.
  template <class T>
  void discard(std::unique_ptr<T> what) {
    const std::scoped_lock lock(guard_);
    std::erase_if(going_, [](const std::future<void>& one) {
      return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    going_.push_back(
        std::async(std::launch::async, [what = std::move(what)]() mutable { what.reset(); }));
  }

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<ChainTensors>> here_;
  std::vector<std::vector<CallShape>> known_;  ///< shapes that were prepared or taken
  std::vector<std::future<void>> going_;
};

}  // namespace opgrade
