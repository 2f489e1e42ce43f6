#include "grader/base/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace opgrade {
namespace {

TEST(ParallelFor, EveryIndexOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const int count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      parallel_for(count, threads, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1) << threads << " threads, " << count;
    }
  }
}

TEST(ParallelFor, OneThreadIsTheCallers) {
  const auto self = std::this_thread::get_id();
  parallel_for(5, 1, [&](int) { EXPECT_EQ(std::this_thread::get_id(), self); });
}

TEST(ParallelFor, ThrowsTheFailureAndHandsOutNoMoreWork) {
  for (const int threads : {1, 4}) {
    std::atomic<int> calls{0};
    try {
      parallel_for(1'000'000, threads, [&](int i) {
        ++calls;
        if (i == 3) throw std::runtime_error("third");
        // A thread that throws may wait for a processor, while the others hand out all that is
        // left.
        if (i > 3) std::this_thread::sleep_for(std::chrono::microseconds(100));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "third");
    }
    EXPECT_LT(calls, 1'000'000);
  }
}

TEST(ParallelForPieces, EveryElementOnceInPiecesOfOneSizeButTheLast) {
  for (const int threads : {1, 3}) {
    for (const std::size_t total : {0U, 1U, 7U, 8U, 9U, 30U}) {
      std::vector<std::atomic<int>> calls(total);
      parallel_for_pieces(total, 8, threads, [&](std::size_t begin, std::size_t size) {
        EXPECT_EQ(begin % 8, 0U);
        EXPECT_EQ(size, begin + 8 <= total ? 8 : total % 8) << begin << " of " << total;
        for (std::size_t i = begin; i < begin + size; ++i) ++calls[i];
      });
      for (const auto& n : calls) EXPECT_EQ(n, 1) << threads << " threads, " << total;
    }
  }
}

}  // namespace
}  // namespace opgrade
