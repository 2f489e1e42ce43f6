/// Runs independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace opgrade {

/// Calls `work(i)` for every i in [0, count) on up to `threads` threads, the caller's included.
/// After all threads have stopped, the first exception is thrown here.
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

/// Like parallel_for(), calls `work(begin, size)` for each piece of [0, total). A piece has `most`
/// elements, the last one the rest.
template <std::integral Size, class Work>
void parallel_for_pieces(Size total, std::type_identity_t<Size> most, int threads, Work&& work) {
  parallel_for(static_cast<int>((total + most - 1) / most), threads, [&](int piece) {
    const Size begin = static_cast<Size>(piece) * most;
    work(begin, std::min(most, total - begin));
  });
}

}  // namespace opgrade
