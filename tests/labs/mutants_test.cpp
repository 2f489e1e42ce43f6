#include "grader/authoring/mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::string& source) {
  std::vector<std::string> all;
  for (const auto& mutant : mutants_of(source)) all.push_back(mutant.text);
  return all;
}

TEST(Mutants, EachDiffersInOnePlace) {
  EXPECT_THAT(texts("__syncthreads();"), ElementsAre(";"));
  EXPECT_THAT(texts("if (i < n)"), ElementsAre("if (i <= n)"));
  EXPECT_THAT(texts("y[i + 1]"), ElementsAre("y[i ]"));
  EXPECT_THAT(texts("int i = 0;"), ElementsAre("int i = 1;"));
  EXPECT_THAT(texts("s += x"), ElementsAre("s = x"));
  EXPECT_THAT(texts("a && b"), ElementsAre("a || b"));
  EXPECT_THAT(texts("threadIdx.y"), ElementsAre("threadIdx.x"));
  EXPECT_THAT(texts("blockIdx.x"), ElementsAre("threadIdx.x"));
  EXPECT_THAT(texts("#pragma omp for reduction(+ : s) nowait\n"),
              ElementsAre("#pragma omp for nowait\n"));
  EXPECT_THAT(texts("#pragma omp critical\ns;"), ElementsAre("\ns;"));
  EXPECT_THAT(texts("atomicAdd(&bins[f(x, 2)], g(a, b));"),
              ElementsAre("*(&bins[f(x, 2)]) += (g(a, b));"));
}

TEST(Mutants, SaysTheLineAsItThenIs) {
  EXPECT_EQ(mutants_of("f();\n  if (i < n)\n;").front().what, "line 2: <= for <: if (i <= n)");
}

TEST(Mutants, LaunchesCastsAndCommentsStay) {
  EXPECT_THAT(texts("k<<<g, b>>>(x);"), IsEmpty());
  EXPECT_THAT(texts("static_cast<int>(x)"),
              testing::Not(testing::Contains("static_cast<=int>(x)")));
  EXPECT_THAT(texts("// i < n\n/* a && b */\n#define F(a) (a && 1)\n\"x < y\" '<'"), IsEmpty());
  EXPECT_THAT(texts("a << b; a <<= b;"), IsEmpty());
}

TEST(Mutants, NameTheLine) {
  const auto mutants = mutants_of("int a;\n\n  a += 1;");
  ASSERT_EQ(mutants.size(), 1U);
  EXPECT_EQ(mutants[0].what, "line 3: = for +=: a = 1;");
}

TEST(Mutants, AnyTextEnds) {
  for (const char* text :
       {"", "\"", "'", "/*", "atomicAdd(", "atomicAdd(a", "\\", "#", "__syncthreads("})
    EXPECT_THAT(texts(text), IsEmpty()) << text;
}

}  // namespace
}  // namespace opgrade
