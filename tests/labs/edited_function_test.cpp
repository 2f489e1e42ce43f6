// The one function that a student may change, and what else is refused.
#include "grader/task/folder/edited_function.hpp"

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

TEST(EditedFunction, EditorsMayChangeTheLayoutOfAllLines) {
  const std::string mended = replaced_in(kGiven, "i = 1", "i = 0");
  std::string windows;
  for (const char c : mended) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& text :
       {windows, "\xEF\xBB\xBF" + mended, "\xEF\xBB\xBF" + windows,
        replaced_in(mended, "#include <math.h>", " #  include <math.h>"),
        replaced_in(mended, "#include <math.h>", "#include <math.h> // for sqrt"),
        replaced_in(mended, "#include <math.h>", "#include <math.h> /* two\nlines */"),
        replaced_in(mended, "#include <math.h>", "/* first */ #include /* it */ <math.h>"),
        replaced_in(mended, "#include <math.h>", "#\tinclude\\\n <math.h>"),
        replaced_in(mended, "int n) {\n  int s", "int n) // of n\n{\n\n  int s")})
    EXPECT_EQ(with_function_of(kGiven, text, "sum").find('\r'), std::string::npos)
        << complaint(text);
  EXPECT_THAT(complaint(replaced_in(windows, "a + 1", "a + 2")), HasSubstr("line 5 differs"));
  EXPECT_THAT(
      complaint(replaced_in(mended, "#include <math.h>", "#include <math.h> /* */ \n int y;")),
      HasSubstr("line 2 differs"));
  EXPECT_THAT(complaint(replaced_in(mended, "#include <math.h>", "#include <math.h>\n#define s 1")),
              HasSubstr("line 2 differs"));
}

TEST(EditedFunction, EveryFormOfADefinitionIsFound) {
  for (const char* form :
       {"auto sum(const int* x, int n) -> int {", "int sum(const int* x, int n) noexcept(true)\n{",
        "[[nodiscard]] int sum(const int* x, int n) __attribute__((hot)) {",
        "extern \"C\" { int sum(const int* x, int n) {", "static inline int sum (int)\n\n{",
        "template <class T> auto sum(T x) -> decltype(f(x)) {",
        "__global__ void __launch_bounds__(128) sum(int n) /* kernel */ {"}) {
    const std::string given = std::string("int use() { return sum(1) > 2 ? 1 : 0; }\n") + form +
                              " return 1; }\nint last;\n";
    const std::string text =
        with_function_of(given, replaced_in(given, "return 1;", "return 2;"), "sum");
    EXPECT_THAT(text, HasSubstr("return 2;")) << form;
    EXPECT_THAT(text, testing::EndsWith(";}\nint last;\n")) << form;
  }
}

TEST(EditedFunction, APragmaOfALoopMayStandInIt) {
  const auto text = with_function_of(
      kGiven,
      replaced_in(kGiven, "  for (int i = 1", "#pragma unroll 4 // faster\n  for (int i = 0"),
      "sum");
  EXPECT_THAT(text, HasSubstr("\n# pragma unroll 4 \n for (int i = 0"));
  for (const char* body : {"#pragma push_macro(\"n\")", "#pragma GCC poison x", "#pragma once"})
    EXPECT_NE(
        complaint(replaced_in(kGiven, "int s = 0;", std::string("int s = 0;\n") + body + "\n")), "")
        << body;
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
  for (const char* body : {"#define n 5", "#if 0", "R\"x( \" )x\";", "\"open", "'", "\\", "L\"open",
                           "\"open\\\"", "'a", "'\\'", "%:define n 5", "<% %>", "u8R\"(a)\";"})
    EXPECT_THAT(
        complaint(replaced_in(kGiven, "int s = 0;", std::string("int s = 0;\n  ") + body + "\n")),
        testing::Not(testing::IsEmpty()))
        << body;
  // The comment goes on in the next line, for the compiler as well as for us.
  EXPECT_EQ(complaint(replaced_in(kGiven, "int s = 0;", "int s = 0; // \\\n } int more; {")), "");
}

}  // namespace
}  // namespace opgrade
