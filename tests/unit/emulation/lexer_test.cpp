#include "grader/emulation/translator/lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade::emulation {
namespace {

std::vector<std::string> texts(const LexedText& lexed) {
  std::vector<std::string> out;
  for (const Token& t : lexed.tokens) out.emplace_back(t.text);
  return out;
}

using testing::ElementsAre;

TEST(Lexer, cuts_at_what_a_launch_needs) {
  EXPECT_THAT(texts(lex("# 1 \"a.cu\"\nns::k<T,4><<<g>>>(a->b...);\n", "")),
              ElementsAre("ns", "::", "k", "<", "T", ",", "4", ">", "<", "<", "<", "g", ">", ">",
                          ">", "(", "a", "->", "b", "...", ")", ";"));
}

TEST(Lexer, keeps_literals_whole) {
  EXPECT_THAT(
      texts(
          lex("# 1 \"a.cu\"\nx(\"<<<\\\"\", '\\'', R\"y(\" )z\" {\n)y\", 1'000.5e-3f, u8\"{\");\n",
              "")),
      ElementsAre("x", "(", "\"<<<\\\"\"", ",", "'\\''", ",", "R\"y(\" )z\" {\n)y\"", ",",
                  "1'000.5e-3f", ",", "u8", "\"{\"", ")", ";"));
}

TEST(Lexer, knows_the_place_of_a_token_in_the_students_file) {
  const LexedText lexed =
      lex("# 1 \"a.cu\"\nint x;\n# 40 \"dir/b.cuh\" 1\n\n  y;\n# 3 \"a.cu\" 2\nz;\n", "");
  ASSERT_EQ(lexed.tokens.size(), 7u);
  const Token& y = lexed.tokens[3];
  EXPECT_EQ(lexed.files[static_cast<std::size_t>(y.file)], "dir/b.cuh");
  EXPECT_EQ(y.line, 41);
  EXPECT_EQ(y.column, 3);
  const Token& z = lexed.tokens[5];
  EXPECT_EQ(lexed.files[static_cast<std::size_t>(z.file)], "a.cu");
  EXPECT_EQ(z.line, 3);
}

TEST(Lexer, leaves_system_headers_and_its_own_out) {
  const LexedText lexed =
      lex("# 1 \"a.cu\"\n# 1 \"/usr/include/x.h\" 1 3\nsystem_word;\n# 2 \"a.cu\" 2\n"
          "# 1 \"/own/include/y.h\" 1\nown_word;\n# 3 \"a.cu\" 2\nmine;\n",
          "/own/include");
  EXPECT_THAT(texts(lexed), ElementsAre("mine", ";"));
}

TEST(Lexer, takes_a_system_macro_in_a_students_file_for_the_students) {
  // What `assert(k<<<1, 1>>>...)` and `fprintf(stderr, ..)` leave behind.
  const LexedText lexed =
      lex("# 1 \"a.cu\"\nf(\n# 1 \"a.cu\" 3 4\n stderr\n# 1 \"a.cu\"\n );\n", "");
  EXPECT_THAT(texts(lexed), ElementsAre("f", "(", "stderr", ")", ";"));
}

TEST(Lexer, passes_over_pragmas) {
  EXPECT_THAT(texts(lex("# 1 \"a.cu\"\n#pragma unroll 4\nfor\n", "")), ElementsAre("for"));
}

TEST(Lexer, bears_pasted_characters_and_unfinished_literals) {
  EXPECT_THAT(texts(lex("# 1 \"a.cu\"\nx \xe2\x80\xa6 \"never closed\ny\n", "")),
              ElementsAre("x", "\xe2\x80\xa6", "\"never closed", "y"));
}

}  // namespace
}  // namespace opgrade::emulation
