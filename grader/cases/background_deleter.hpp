/// Frees large memory on threads of its own, so that the verdict does not wait.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

namespace opgrade {

/// Safe to use from several threads at once. Its destructor waits until everything is gone.
class BackgroundDeleter {
 public:
  template <class T>
  void take(std::unique_ptr<T> what) {
    const std::scoped_lock lock(guard_);
    std::erase_if(going_, [](const std::future<void>& one) {
      return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    going_.push_back(
        std::async(std::launch::async, [what = std::move(what)]() mutable { what.reset(); }));
  }

 private:
  std::mutex guard_;
  std::vector<std::future<void>> going_;
};

}  // namespace opgrade
