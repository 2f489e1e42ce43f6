#include "grader/base/core/printable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace opgrade {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

/// An independent and slow decoder: true when `text` is UTF-8 as RFC 3629 defines it.
bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
    };
    const int length = byte(0) < 0x80             ? 1
                       : (byte(0) & 0xE0) == 0xC0 ? 2
                       : (byte(0) & 0xF0) == 0xE0 ? 3
                       : (byte(0) & 0xF8) == 0xF0 ? 4
                                                  : 0;
    if (length == 0) return false;
    unsigned code = length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
    for (int k = 1; k < length; ++k) {
      if ((byte(static_cast<std::size_t>(k)) & 0xC0) != 0x80) return false;
      code = code << 6 | (byte(static_cast<std::size_t>(k)) & 0x3F);
    }
    constexpr unsigned kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      return false;
    i += static_cast<std::size_t>(length);
  }
  return true;
}

TEST(Printable, Table) {
  const std::pair<std::string, std::string> table[] = {
      {"", ""},
      {"plain text\n\twith a tab\n", "plain text\n\twith a tab\n"},
      {"Zürich 漢 😀", "Zürich 漢 😀"},
      {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
      {"a\0b"s, "a\\x00b"},
      {"\x7f", "\\x7f"},
      {"one\rtwo", "one\ntwo"},
      {"one\r\ntwo\r\n", "one\ntwo\n"},
      {"end\r", "end\n"},
      {"\xff\xfe", "\\xff\\xfe"},
      {"\xc3", "\\xc3"},                             // cut in the middle
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong '/'
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond U+10FFFF
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},  // the C1 form of ESC [
      {"\xe2\x80\xae"
       "txt",
       "\\xe2\\x80\\xaetxt"},  // right-to-left override
      {"\xe2\x81\xa6"
       "x",
       "\\xe2\\x81\\xa6x"},                 // isolate
      {"\xe2\x80\xa9", "\\xe2\\x80\\xa9"},  // paragraph separator
  };
  for (const auto& [bytes, shown] : table) EXPECT_EQ(printable(bytes), shown);
}

TEST(Printable, CharactersThatCannotBeSeenAreShown) {
  const auto utf8 = [](char32_t c) {
    std::string bytes;
    if (c < 0x800) {
      bytes = {static_cast<char>(0xC0 | (c >> 6))};
    } else if (c < 0x10000) {
      bytes = {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F))};
    } else {
      bytes = {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
               static_cast<char>(0x80 | ((c >> 6) & 0x3F))};
    }
    return bytes + static_cast<char>(0x80 | (c & 0x3F));
  };
  for (const char32_t c :
       {0x00AD,  0x034F,  0x061C,  0x115F,  0x17B4,  0x180E,  0x200B, 0x200D, 0x200E,
        0x200F,  0x2028,  0x2029,  0x202A,  0x202E,  0x2060,  0x2066, 0x206F, 0x3164,
        0xFE00,  0xFE0F,  0xFDD0,  0xFEFF,  0xFFA0,  0xFFF9,  0xFFFE, 0xFFFF, 0x1BCA0,
        0x1D173, 0xE0001, 0xE0041, 0xE01EF, 0x1FFFE, 0x10FFFF}) {
    EXPECT_EQ(printable(utf8(c)).substr(0, 2), "\\x") << std::hex << int(c);
    EXPECT_EQ(printable_line("a" + utf8(c) + "b").substr(0, 3), "a\\x") << std::hex << int(c);
  }
  for (const char32_t c :
       {0x00A1, 0x00E4, 0x0627, 0x2010, 0x2026, 0x2030, 0x4E2D, 0xFE10, 0xFFFD, 0x1F600, 0xE1000})
    EXPECT_EQ(printable(utf8(c)), utf8(c)) << std::hex << int(c);
}

TEST(Printable, LongLinesAreCutWithAMarkAndTheNextLineIsWhole) {
  EXPECT_EQ(printable(std::string(12, 'a') + "\nnext", 10), "aaaaaaaaaa [line cut]\nnext");
  EXPECT_EQ(printable(std::string(10, 'a') + "\n", 10), "aaaaaaaaaa\n");
}

TEST(Printable, RandomBytesAlwaysComeOutClean) {
  std::mt19937 random(7);
  // Mostly from the bytes that start and continue sequences, so that many are nearly valid.
  const std::string interesting =
      "a\n\r\t\x1b\x7f\x80\xa0\xbf\xc2\xc3\xe2\xed\xef\xf0\xf4\xff"s + '\0';
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = interesting[random() % interesting.size()];
    for (const std::string& shown : {printable(bytes, 20), printable_line(bytes, 20)}) {
      ASSERT_TRUE(is_utf8(shown)) << testing::PrintToString(bytes);
      for (const char c : shown) {
        const auto code = static_cast<unsigned char>(c);
        ASSERT_TRUE(code >= 0x20 || c == '\n' || c == '\t') << testing::PrintToString(bytes);
        ASSERT_NE(code, 0x7F);
      }
    }
  }
}

TEST(PrintableLine, HasOneLineAndABound) {
  EXPECT_EQ(printable_line("a\nb\tc"), "a b c");
  const std::string many_lines = [] {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "line\n";
    return text;
  }();
  EXPECT_LE(printable_line(many_lines, 50).size(), 66U);
  EXPECT_THAT(printable_line(std::string(500, 'x'), 50), HasSubstr("[line cut]"));
}

TEST(PrintableLine, IsNotCutInsideACharacter) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "ü\n";
  for (std::size_t length = 10; length < 20; ++length) {
    EXPECT_TRUE(is_utf8(printable_line(text, length))) << length;
  }
}

}  // namespace
}  // namespace opgrade
