#include <gtest/gtest.h>

#include <limits>

#include "grader/grading/profile/tables.hpp"

namespace opgrade {
namespace {

/// A multiprocessor of compute capability 9.0, from the CUDA programming guide's table.
DeviceLimits hopper() {
  return {.multiprocessors = 132,
          .warps = 64,
          .blocks = 32,
          .shared_bytes = 233472,
          .registers = 65536,
          .major = 9};
}

KernelEvent kernel(int threads, int registers, std::int64_t shared = 0) {
  KernelEvent k;
  k.block[0] = threads;
  k.registers = registers;
  k.static_shared = shared;
  return k;
}

// The expected numbers are those of CUDA's occupancy calculator for 9.0.
TEST(Occupancy, RegistersLimit) {
  const auto full = occupancy_of(kernel(256, 32), hopper());
  EXPECT_EQ(full.blocks, 8);
  EXPECT_EQ(full.warps, 1);
  EXPECT_EQ(full.limit, "");
  const auto half = occupancy_of(kernel(256, 64), hopper());
  EXPECT_EQ(half.blocks, 4);
  EXPECT_EQ(half.warps, 0.5);
  EXPECT_EQ(half.limit, "registers");
  // 33 registers are given as 40: 12 warps of each of the four files, six blocks of eight warps.
  const auto odd = occupancy_of(kernel(256, 33), hopper());
  EXPECT_EQ(odd.blocks, 6);
  EXPECT_EQ(odd.warps, 0.75);
}

TEST(Occupancy, SharedMemoryLimitsWithAKibibyteReserved) {
  const auto four = occupancy_of(kernel(128, 32, 56 * 1024), hopper());
  EXPECT_EQ(four.blocks, 4);  // 57 KiB each of 228
  EXPECT_EQ(four.limit, "shared memory");
  const auto three = occupancy_of(kernel(128, 32, 56 * 1024 + 1), hopper());
  EXPECT_EQ(three.blocks, 3);
}

TEST(Occupancy, SmallBlocksAreLimitedByTheirNumber) {
  const auto small = occupancy_of(kernel(32, 16), hopper());
  EXPECT_EQ(small.blocks, 32);
  EXPECT_EQ(small.warps, 0.5);
  EXPECT_EQ(small.limit, "blocks");
}

TEST(Occupancy, PartialWarpsCountInFull) {
  EXPECT_EQ(occupancy_of(kernel(33, 16), hopper()).warps, 1);  // 32 blocks of two warps
}

TEST(Occupancy, NothingForUnknownDevicesAndForgedNumbers) {
  EXPECT_EQ(occupancy_of(kernel(256, 32), {}).blocks, 0);
  EXPECT_EQ(occupancy_of(kernel(0, 32), hopper()).blocks, 0);
  EXPECT_EQ(occupancy_of(kernel(std::numeric_limits<int>::max(), 32), hopper()).blocks, 0);
  EXPECT_EQ(occupancy_of(kernel(32, 32, std::numeric_limits<std::int64_t>::max()), hopper()).blocks,
            0);
}

}  // namespace
}  // namespace opgrade
