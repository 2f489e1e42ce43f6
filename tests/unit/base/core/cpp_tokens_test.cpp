#include "grader/base/core/cpp_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> tokens(const std::string& text) {
  std::vector<std::string> all;
  for (const auto& token : cpp_tokens(text)) all.emplace_back(token.in(text));
  return all;
}

TEST(CppTokens, WordsNumbersAndSigns) {
  EXPECT_THAT(tokens("k<<<1'000, n>>>(x_1);"),
              ElementsAre("k", "<<<", "1'000", ",", "n", ">>>", "(", "x_1", ")", ";"));
  EXPECT_THAT(tokens("1.e1'0-.5f+0x1p-3"), ElementsAre("1.e1'0", "-", ".5f", "+", "0x1p-3"));
}

TEST(CppTokens, NothingOfComments) {
  EXPECT_THAT(tokens("// a \\\n b\n/* c\nd */"), IsEmpty());
  EXPECT_THAT(tokens("a // b"), ElementsAre("a"));
  EXPECT_THAT(tokens("/* never closed"), IsEmpty());
}

TEST(CppTokens, ATextAndADirectiveAreOneEach) {
  EXPECT_THAT(tokens("'e' \"f \\\" g\" u8R\"x(h)\" i)x\""),
              ElementsAre("'e'", "\"f \\\" g\"", "u8R\"x(h)\" i)x\""));
  EXPECT_THAT(tokens("R\"("), ElementsAre("R\"("));
  EXPECT_THAT(tokens("a # b\n/*\n*/ #define C \\\n  d\ne"),
              ElementsAre("a", "#", "b", "#define C \\\n  d", "e"));
}

TEST(CppTokens, EachKnowsItsLine) {
  const auto all = cpp_tokens("a\n/*\n*/ b\n#define X \\\n c\nd");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].line, 1);
  EXPECT_EQ(all[1].line, 3);
  EXPECT_EQ(all[2].line, 4);
  EXPECT_EQ(all[3].line, 6);
}

TEST(CppTokens, ANameHasLettersOfAnyLanguage) {
  EXPECT_THAT(tokens("größe=a$b;"), ElementsAre("größe", "=", "a$b", ";"));
}

TEST(CppTokens, AQuoteThatIsNotClosedEndsWithItsLine) {
  EXPECT_THAT(tokens("don't\nx"), ElementsAre("don", "'t", "x"));
  EXPECT_THAT(tokens("'a\\\nb'"), ElementsAre("'a\\\nb'"));
}

TEST(CppTokens, LinesUpToADirectiveCanBePassedOver) {
  CppLexer lexer("a\n' #\n# 1 \"f\"\nb");
  lexer.skip_to_directive();
  const auto directive = lexer.next();
  ASSERT_TRUE(directive);
  EXPECT_EQ(directive->line, 3);
  EXPECT_EQ(directive->size, 7u);
  lexer.skip_to_directive();
  EXPECT_FALSE(lexer.next());
}

}  // namespace
}  // namespace opgrade
