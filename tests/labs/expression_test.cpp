#include "grader/task/folder/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace opgrade {
namespace {

const Coordinates kSizes{{"n", 10}, {"rows", 3}};

TEST(Expression, ComputesAsCDoes) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"7", 7},
           {"n", 10},
           {"rows + 1", 4},
           {" n*rows - 4 / 3 ", 29},
           {"(n + 3) * 2 % 7", 5},
           {"-n + 1", -9},
           {"-7 / 2", -3},
           {"min(n, rows)", 3},
           {"max(n, rows * 4)", 12},
           {"ceil_div(n, 4)", 3},
           {"ceil_div(12, 4)", 3},
           {"pow2_ceil(n)", 16},
           {"pow2_ceil(n + 6)", 16},
           {"pow2_ceil(n + 7) * rows", 96},
           {"pow2_ceil(1)", 1},
           {"pow2_ceil(0)", 1},
           {"pow2_ceil(-n)", 1},
           {"pow2_ceil(max(n, rows))", 16},
           {"pow2_ceil(4611686018427387904)", 4611686018427387904},
           {"rows * rows <= n", 1},
           {"n < 10", 0},
           {"n % 2 == 0", 1},
           {"n != 10", 0},
           {"n >= 11", 0},
           {"n > 9", 1},
           {"9223372036854775807", 9223372036854775807},
       })
    EXPECT_EQ(evaluate(text, kSizes), value) << text;
}

TEST(Expression, SaysWhatIsWrong) {
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "is missing"},
           {"n +", "is missing"},
           {"n n", "not expected"},
           {"(n", "')' is missing"},
           {"m", "'m' is no size"},
           {"n / 0", "division by zero"},
           {"n % (rows - 3)", "division by zero"},
           {"ceil_div(n, 0)", "division by zero"},
           {"abs(n, 1)", "no function 'abs'"},
           {"min(n)", "',' is missing"},
           {"pow2_ceil(n, 2)", "')' is missing"},
           {"pow2_ceil()", "is missing"},
           {"floor(n)", "no function 'floor'"},
           {"floor(n, 1)", "no function 'floor'"},
           {"pow2_ceil", "'pow2_ceil' is no size"},
           {"pow2_ceil(4611686018427387905)", "64 bits"},
           {"9223372036854775808", "64 bits"},
           {"9223372036854775807 + 1", "64 bits"},
           {"9223372036854775807 * n", "64 bits"},
           {"-9223372036854775807 - n", "64 bits"},
           {"n; rows", "not expected"},
       }) {
    try {
      evaluate(text, kSizes);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(why)) << text;
    }
  }
}

TEST(Expression, DeepNestingIsRefused) {
  EXPECT_THROW(evaluate(std::string(100'000, '('), kSizes), std::invalid_argument);
  EXPECT_THROW(evaluate(std::string(100'000, '-'), kSizes), std::invalid_argument);
}

}  // namespace
}  // namespace opgrade
