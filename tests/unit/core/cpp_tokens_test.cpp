#include "grader/core/cpp_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tokens(const std::string& text,
                                Directives directives = Directives::skipped) {
  std::vector<std::string> all;
  for (const auto& token : cpp_tokens(text, directives)) all.emplace_back(token.in(text));
  return all;
}

TEST(CppTokens, WordsNumbersAndSigns) {
  EXPECT_THAT(tokens("k<<<1'000, n>>>(x_1);"),
              ElementsAre("k", "<<<", "1'000", ",", "n", ">>>", "(", "x_1", ")", ";"));
}

TEST(CppTokens, NothingOfCommentsAndTexts) {
  EXPECT_THAT(tokens("// a \\\n b\n/* c\nd */ 'e' \"f \\\" g\" R\"x(h)\" i)x\""), IsEmpty());
  EXPECT_THAT(tokens("a // b"), ElementsAre("a"));
  EXPECT_THAT(tokens("/* never closed"), IsEmpty());
  EXPECT_THAT(tokens("R\"("), IsEmpty());
}

TEST(CppTokens, DirectivesAreSkippedUnlessMacrosCount) {
  const std::string text =
      "#include <cub/cub.cuh>\n#define ADD(p, v) \\\n  atomicAdd(p, v)\nint x;\n";
  EXPECT_THAT(tokens(text), ElementsAre("int", "x", ";"));
  EXPECT_THAT(tokens(text, Directives::macro_bodies),
              ElementsAre("atomicAdd", "(", "p", ",", "v", ")", "int", "x", ";"));
  EXPECT_THAT(tokens("#define EMPTY\n#define F(", Directives::macro_bodies), IsEmpty());
}

TEST(CppTokens, WhatIsSwitchedOffIsSkipped) {
  EXPECT_THAT(tokens("a\n#if 0\nb\n#if 1\nc\n#endif\n#else\nd\n#endif\ne"),
              ElementsAre("a", "d", "e"));
  EXPECT_THAT(tokens("#if 0\nb"), IsEmpty());
}

TEST(CppTokens, EachKnowsItsLine) {
  const auto all = cpp_tokens("a\n/*\n*/ b\n#define X \\\n c\nd", Directives::macro_bodies);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].line, 1);
  EXPECT_EQ(all[1].line, 3);
  EXPECT_EQ(all[2].line, 5);
  EXPECT_EQ(all[3].line, 6);
}

}  // namespace
}  // namespace opgrade
