/// Runs independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace opgrade {

/// Calls `work(i)` for every i in [0, count) on up to `threads` threads, the caller's among them.
/// The first exception is thrown again here once all threads have stopped.
template <class Work>
void parallel_for(int count, int threads, Work&& work) {
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex failure_guard;
  const auto loop = [&] {
    try {
      for (int i; (i = next.fetch_add(1)) < count;) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  for (int t = 1; t < std::min(threads, count); ++t) helpers.emplace_back(loop);
  loop();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace opgrade
