#include "grader/base/core/counted.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

TEST(Counted, OneIsSingularAndAllOthersArePlural) {
  EXPECT_EQ(counted(0, "worker"), "0 workers");
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(2, "worker"), "2 workers");
  EXPECT_EQ(counted(21, "worker"), "21 workers");
}

TEST(Counted, APluralOfItsOwn) {
  EXPECT_EQ(counted(1, "grading is", "gradings are"), "1 grading is");
  EXPECT_EQ(counted(3, "grading is", "gradings are"), "3 gradings are");
}

}  // namespace
}  // namespace opgrade
