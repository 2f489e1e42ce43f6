// The one function that a student may change, and what else is refused.
#include "grader/tasks/folder/edited_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace opgrade {
namespace {

using testing::HasSubstr;

const std::string kGiven = R"(#include <math.h>
// Sums.
int sum(const int* x, int n);  // declared first

int helper(int a) { return a + 1; }

int sum(const int* x, int n) {
  int s = 0;
  for (int i = 1; i < n; ++i) s += x[i];
  return s;
}

int last() { return 0; }
)";

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& edited) {
  try {
    with_function_of(kGiven, edited, "sum");
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

TEST(EditedFunction, ItsTokensComeIntoTheGivenFile) {
  const auto text =
      with_function_of(kGiven, replaced_in(kGiven, "i = 1", "i = 0 /* mended */"), "sum");
  EXPECT_THAT(text,
              HasSubstr("for (int i = 0 ; i < n; ++i) s += x[i];\nreturn s;\n (void)opgrade_"));
  EXPECT_THAT(text, testing::EndsWith(";}\n\nint last() { return 0; }\n"));
  EXPECT_THAT(text, HasSubstr("// declared first")) << "the given file's comments stay";
}

TEST(EditedFunction, ANameOfItsBodyMustBeKnownAtItsEnd) {
  const auto text = with_function_of(kGiven, kGiven, "sum");
  const auto name = text.substr(text.find("opgrade_"), 8 + 64);
  EXPECT_THAT(text, HasSubstr("{enum { " + name + " };"));
  EXPECT_THAT(text, HasSubstr("(void)" + name + ";}"));
}

TEST(EditedFunction, NumbersAndStringsStayWhole) {
  const auto text =
      with_function_of(kGiven,
                       replaced_in(kGiven, "int s = 0;",
                                   "double s = 1.5e-3f + 1'000; puts(\"} // x\"); char c = '}';"),
                       "sum");
  EXPECT_THAT(text, HasSubstr("1.5e-3f + 1'000; puts(\"} // x\"); char c = '}';"));
}

TEST(EditedFunction, LayoutAndCommentsElsewhereMayDiffer) {
  EXPECT_EQ(complaint(replaced_in(kGiven, "// Sums.", "/* By me: { */\n\n")), "");
  EXPECT_EQ(complaint(replaced_in(kGiven, "return a + 1; }", "\n  return a+1;\n}")), "");
}

TEST(EditedFunction, AnythingElseIsRefusedWithItsLine) {
  EXPECT_THAT(complaint(replaced_in(kGiven, "a + 1", "a + 2")), HasSubstr("line 5 differs"));
  EXPECT_THAT(complaint(replaced_in(kGiven, "<math.h>", "<stdlib.h>")),
              HasSubstr("line 1 differs"));
  EXPECT_THAT(complaint(kGiven + "int more;\n"), HasSubstr("line 14 differs"));
  EXPECT_THAT(complaint(replaced_in(kGiven, "int last() { return 0; }", "")), HasSubstr("differs"));
  EXPECT_THAT(
      complaint(replaced_in(kGiven, "int sum(const int* x, int n) {", "int sum(int* x, int n) {")),
      HasSubstr("line 7 differs"));
  EXPECT_THAT(complaint("int x;"), HasSubstr("does not define sum()"));
  EXPECT_THAT(complaint(""), HasSubstr("does not define sum()"));
}

TEST(EditedFunction, WhatTheCompilerReadsOtherwiseIsRefused) {
  for (const char* body : {"#define n 5", "#if 0", "R\"x( \" )x\";", "\"open", "'", "\\",
                           "%:define n 5", "<% %>", "u8R\"(a)\";"})
    EXPECT_THAT(
        complaint(replaced_in(kGiven, "int s = 0;", std::string("int s = 0;\n  ") + body + "\n")),
        testing::Not(testing::IsEmpty()))
        << body;
  // The comment goes on in the next line, for the compiler as well as for us.
  EXPECT_EQ(complaint(replaced_in(kGiven, "int s = 0;", "int s = 0; // \\\n } int more; {")), "");
}

}  // namespace
}  // namespace opgrade
