#include "grader/task/folder/distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/task/folder/stored_types.hpp"

namespace opgrade {
namespace {

using testing::Each;
using testing::ElementsAre;

const Coordinates kCase{{"n", 1000}, {"nnz", 5000}};

std::vector<double> drawn(const std::string& text, const char* type_name, std::size_t count,
                          unsigned seed = 1, int threads = 1) {
  const ElementType& type = *find_element_type(type_name);
  std::vector<std::byte> bytes(count * type.bytes);
  std::mt19937_64 random(seed);
  Distribution(text, kCase, type).fill(bytes, random, threads);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(load(type, &bytes[i * type.bytes]));
  return values;
}

TEST(Distribution, StaysInItsRange) {
  using testing::AllOf;
  using testing::Ge;
  using testing::Le;
  using testing::Lt;
  EXPECT_THAT(drawn("uniform(2, 2.5)", "double", 1000), Each(AllOf(Ge(2), Lt(2.5))));
  EXPECT_THAT(drawn("integers(-3, n - 995)", "int", 1000), Each(AllOf(Ge(-3), Le(5))));
  EXPECT_THAT(drawn("random", "unsigned char", 1000), Each(AllOf(Ge(0), Le(255))));
  EXPECT_THAT(drawn("random", "signed char", 1000), Each(AllOf(Ge(-100), Le(100))));
}

TEST(Distribution, BothEndsOfWholeNumbersCome) {
  const auto values = drawn("integers(0, 3)", "unsigned int", 200);
  for (const double end : {0.0, 1.0, 2.0, 3.0}) EXPECT_THAT(values, testing::Contains(end));
}

TEST(Distribution, OrderedOnes) {
  const auto sorted = drawn("sorted(0, 9)", "int", 500);
  EXPECT_TRUE(std::ranges::is_sorted(sorted));
  EXPECT_EQ(sorted.back(), 9);
  const auto offsets = drawn("offsets(nnz)", "int", 101);
  EXPECT_TRUE(std::ranges::is_sorted(offsets));
  EXPECT_EQ(offsets.front(), 0);
  EXPECT_EQ(offsets.back(), 5000);
  EXPECT_THAT(drawn("count_from(-2)", "long long", 4), ElementsAre(-2, -1, 0, 1));
  EXPECT_THAT(drawn("constant(n)", "float", 2), ElementsAre(1000, 1000));
  auto permutation = drawn("permutation", "int", 300);
  EXPECT_FALSE(std::ranges::is_sorted(permutation));
  std::ranges::sort(permutation);
  for (std::size_t i = 0; i < permutation.size(); ++i) EXPECT_EQ(permutation[i], i);
}

TEST(Distribution, TheSeedDecides) {
  EXPECT_EQ(drawn("random", "float", 100, 7), drawn("random", "float", 100, 7));
  EXPECT_NE(drawn("random", "float", 100, 7), drawn("random", "float", 100, 8));
}

TEST(Distribution, ThreadsChangeNoValue) {
  constexpr std::size_t kRun = 1 << 20, kMany = kRun + 5;
  for (const char* text : {"random", "sorted(-5, 1000000)", "falling(0, 9)", "offsets(nnz)",
                           "permutation", "count_from(3)"}) {
    const auto values = drawn(text, "int", kMany);
    EXPECT_TRUE(values == drawn(text, "int", kMany, 1, 4)) << text;
  }
  const auto random = drawn("random", "float", kMany, 1, 2);
  EXPECT_FALSE(std::equal(random.begin(), random.begin() + 5, random.begin() + kRun))
      << "a run repeats the one before it";
  const auto counted = drawn("count_from(3)", "int", kMany, 1, 3);
  EXPECT_EQ(counted.back(), static_cast<double>(kMany + 2));
  EXPECT_TRUE(std::ranges::is_sorted(drawn("sorted(-5, 1000000)", "int", kMany, 1, 3)));
}

TEST(StoredTypes, AHalfIsRoundedAsTheCompilersIs) {
  const auto bits_of = [](double value) {
    return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
  };
  for (unsigned i = 0; i < 0x7c00; ++i) {
    Half half, next;
    half.bits = static_cast<std::uint16_t>(i), next.bits = static_cast<std::uint16_t>(i + 1);
    const auto value = static_cast<double>(half);
    ASSERT_EQ(value, static_cast<double>(std::bit_cast<_Float16>(half.bits)));
    // The last one is infinite; numbers are rounded to it as if it were 65536.
    const double above = std::min(static_cast<double>(next), 65536.0), middle = (value + above) / 2;
    for (const double one :
         {value, middle, std::nextafter(middle, 0), std::nextafter(middle, above)}) {
      ASSERT_EQ(Half(one).bits, bits_of(one)) << one;
      ASSERT_EQ(Half(-one).bits, bits_of(-one)) << one;
    }
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double one : {1e300, kInf, -kInf, 5e-324}) EXPECT_EQ(Half(one).bits, bits_of(one));
  EXPECT_TRUE(std::isnan(static_cast<double>(Half(std::nan("")))));
}

TEST(Distribution, SaysWhatIsWrong) {
  for (const auto& [text, type, why] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"gauss", "float", "there are no values 'gauss'"},
           {"normal", "float", "takes 2 arguments, not 0"},
           {"uniform(1)", "float", "takes 2 arguments, not 1"},
           {"uniform(1, 0)", "float", "goes from 1 to 0"},
           {"uniform(0, 1", "float", "')' is missing"},
           {"integers(0, m)", "int", "'m' is no size"},
           {"integers(0, 256)", "unsigned char", "beyond what unsigned char holds"},
           {"constant(-1)", "unsigned int", "beyond what unsigned int holds"},
           {"constant(nan)", "float", "'nan' is no size"},
       }) {
    try {
      Distribution(text, kCase, *find_element_type(type));
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(why)) << text;
    }
  }
}

}  // namespace
}  // namespace opgrade
