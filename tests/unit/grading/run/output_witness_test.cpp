#include "grader/grading/run/output_witness.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <vector>

namespace opgrade {
namespace {

TEST(OutputWitness, AnOutputThatStays) {
  std::vector<float> y(1000, 1.0F);
  y[7] = std::numeric_limits<float>::quiet_NaN();
  OutputWitness witness(std::as_bytes(std::span(y)), 1);
  witness.look();
  EXPECT_FALSE(witness.changed()) << "NaN is not equal to itself, and stays all the same";
}

TEST(OutputWitness, AnOutputThatComesLater) {
  std::vector<float> y(1000);
  OutputWitness witness(std::as_bytes(std::span(y)), 1);
  witness.look();
  for (float& v : y) v = -0.0F;
  EXPECT_TRUE(witness.changed()) << "bit for bit";
}

TEST(OutputWitness, SeesEachByteOfAnOutputOfAFewBytes) {
  for (std::size_t size = 1; size <= 9; ++size)
    for (std::size_t late = 0; late < size; ++late) {
      alignas(4) std::byte y[9]{};
      OutputWitness witness({y, size}, 1);
      witness.look();
      EXPECT_FALSE(witness.changed());
      y[late] = std::byte{1};
      EXPECT_TRUE(witness.changed()) << late << " of " << size;
    }
}

/// 10 % that come later are missed by 64 places once in 850 times, by one place in 10 of 11.
TEST(OutputWitness, LooksAtManyPlacesEachTimeAtOthers) {
  int found = 0;
  for (std::uint64_t random = 1; random <= 100; ++random) {
    std::vector<float> y(1000);
    OutputWitness witness(std::as_bytes(std::span(y)), random);
    witness.look();
    for (std::size_t i = 900; i < y.size(); ++i) y[i] = 1;
    if (witness.changed()) ++found;
  }
  EXPECT_GT(found, 95);
}

}  // namespace
}  // namespace opgrade
