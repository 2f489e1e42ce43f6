#include "grader/report/words/text_layout.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace opgrade::report {
namespace {

TEST(TextLayout, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("µs ±"), 4);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);
  EXPECT_EQ(display_width("\xF0\x9F\x98\x80"), 2);
  EXPECT_EQ(display_width("\xFF\xC3"), 2);  // broken UTF-8 does not run past the end
}

TEST(TextLayout, AsciiKeepsTheMeaning) {
  EXPECT_EQ(to_ascii("14 µs ±3 % – a · b ≠ c é ‘d’ “e”"), "14 us +-3 % - a - b != c ? 'd' \"e\"");
}

TEST(TextLayout, WrapBreaksAtBlanks) {
  EXPECT_EQ(wrap("one two three four five", 20, "- ", "  "), "- one two three four\n  five\n");
  EXPECT_EQ(wrap("", 20, "- ", "  "), "- \n");
}

TEST(TextLayout, WrapBreaksLongWordsWithoutLosingAny) {
  const std::string word(50, 'x');
  std::istringstream lines(wrap(word, 20, "", ""));
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 20u);
    joined += line;
  }
  EXPECT_EQ(joined, word);
}

TEST(TextLayout, PaintIsOffWithoutColour) {
  EXPECT_EQ(paint("a", Colour::red, false), "a");
  EXPECT_EQ(paint("a", Colour::red, true), "\x1b[31ma\x1b[0m");
  EXPECT_EQ(paint("", Colour::red, true), "");
}

Table sample() {
  Table table({{"case"}, {"empty"}, {"time", true, true}, {"why"}});
  table.add({{"a"}, {""}, {"1 ms"}, {"short"}});
  table.add({{"longer"}, {""}, {"123 ms"}, {"a text of several words that can be wrapped"}});
  return table;
}

TEST(TextLayout, TableAlignsAndDropsEmptyColumns) {
  EXPECT_EQ(sample().str(100, "  ", false),
            "  case      time  why\n"
            "  a         1 ms  short\n"
            "  longer  123 ms  a text of several words that can be wrapped\n");
}

TEST(TextLayout, NarrowTableWrapsItsLastColumn) {
  EXPECT_EQ(sample().str(46, "  ", false),
            "  case      time  why\n"
            "  a         1 ms  short\n"
            "  longer  123 ms  a text of several words that\n"
            "                  can be wrapped\n");
}

TEST(TextLayout, NarrowerTableLosesItsOptionalColumn) {
  Table table({{"case"}, {"time", true, true}, {"points", true}});
  table.add({{"cpu/high/1000"}, {"123 ms"}, {"5/5"}});
  EXPECT_EQ(table.str(24, "", false), "case           points\ncpu/high/1000     5/5\n");
}

TEST(TextLayout, NarrowestTableBecomesAListWithEverything) {
  EXPECT_EQ(sample().str(20, "", false),
            "a\n  time: 1 ms\n  why: short\n"
            "longer\n  time: 123 ms\n  why: a text of\n  several words that\n"
            "  can be wrapped\n");
}

}  // namespace
}  // namespace opgrade::report
