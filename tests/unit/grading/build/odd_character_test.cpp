#include "grader/grading/build/odd_character.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

/// "line:column name -> instead" of the first odd character, with an error in that line.
std::string found(const std::string& source, const std::string& messages = "a.cu:2:1: error: x") {
  const auto odd = find_odd_character(source, "a.cu", messages);
  if (!odd) return "";
  return std::to_string(odd->line) + ":" + std::to_string(odd->column) + " " + odd->name + " -> " +
         odd->instead;
}

TEST(OddCharacter, IsNamedWithItsPlace) {
  EXPECT_EQ(found("int a;\nif (a)\u200B return;\n"), "2:7 a zero-width space (U+200B) -> ");
  EXPECT_EQ(found("int a;\nint\u00A0b;\n"), "2:4 a no-break space (U+00A0) -> a space");
  EXPECT_EQ(found("int a;\ns = \u201Cx\u201D;\n"), "2:5 a typographic quote (U+201C) -> \"");
  EXPECT_EQ(found("int a;\nc = \u2018x\u2019;\n"), "2:5 a typographic quote (U+2018) -> '");
  EXPECT_EQ(found("int a;\n\uFEFFint b;\n"), "2:1 a byte-order mark (U+FEFF) -> ");
  EXPECT_EQ(found("int a;\nint b\u2028;\n"), "2:6 a line separator (U+2028) -> ");
  EXPECT_EQ(found("int a;\nb = 1 \u2013 2;\n"), "2:7 a dash (U+2013) -> -");
  EXPECT_EQ(found("int a;\nint b\u037E\n"), "2:6 a Greek question mark (U+037E) -> ;");
  EXPECT_EQ(found("int a;\nint b\uFF1B\n"), "2:6 a full-width character (U+FF1B) -> ;");
  EXPECT_EQ(found("int a;\nb = a \u2264 3;\n"), "2:7 a sign of comparison (U+2264) -> <=");
  EXPECT_EQ(found("int a;\n#include \u201Cwb.h\u201D\n"),
            "2:10 a typographic quote (U+201C) -> \"");
  EXPECT_EQ(found("\u200Bint a;\n", "a.cu:1:1: error: x"), "1:1 a zero-width space (U+200B) -> ");
  EXPECT_EQ(found("/* \u00E9\u00E9 */ int\u00A0b;", "a.cu(1): error: x"),
            "1:13 a no-break space (U+00A0) -> a space");
}

TEST(OddCharacter, InANameIsFoundWhereTheNameIsMissed) {
  const std::string missed = "a.cu:9:3: error: 'count' was not declared in this scope";
  EXPECT_EQ(found("int co\u200Bunt;\n", missed), "1:7 a zero-width space (U+200B) -> ");
  EXPECT_EQ(found("int \u0441ount;\n", missed), "1:5 a Cyrillic letter (U+0441) -> c");
  EXPECT_EQ(found("int total;\nt\u043Etal = 1;\n"), "2:2 a Cyrillic letter (U+043E) -> o");
}

TEST(OddCharacter, HonestSourcesHaveNone) {
  const std::string texts =
      "const char* a = \"\u201Cx\u201D \u200B\"; // \u00A0\nchar b = '\u00A0'; /* \u2028 */\n";
  EXPECT_EQ(found(texts), "") << "texts and comments";
  EXPECT_EQ(found("auto s = R\"(\u200B\n\u201C)\";\n"), "") << "a raw text";
  EXPECT_EQ(found("#define A \"\u201C\"\n#define B \"\u201C\" // \u00A0\n"), "")
      << "in a directive";
  EXPECT_EQ(found("\uFEFFint a;\nint b\n"), "") << "UTF-8 with its mark";
  EXPECT_EQ(found("int a;\nint \u0447\u0438\u0441\u043B\u043E = b;\n"), "") << "a Russian name";
  EXPECT_EQ(found("int a;\nint \u0441\u043E = b;\n"), "") << "one of letters that look alike";
  EXPECT_EQ(found("int a;\nint gr\u00F6\u00DFe = b;\n"), "") << "a German name";
  EXPECT_EQ(found("int a\u200B;\nint b\n"), "") << "the error is elsewhere";
  EXPECT_EQ(found("int a;\nint b\n"), "");
  EXPECT_EQ(found("int a;\nint \xE2\x80"), "") << "half a character";
}

TEST(OddCharacter, ManyCostLittle) {
  std::string source;
  for (int i = 0; i < 300'000; ++i) source += "a\u200B ";
  EXPECT_EQ(found(source, "a.cu:2:1: error: x"), "");
}

}  // namespace
}  // namespace opgrade
