#include "grader/base/files/yaml_reader.hpp"

#include <gtest/gtest.h>

#include "grader/base/core/nearest.hpp"

namespace opgrade {
namespace {

TEST(ParseNumber, WholeTextOrNothing) {
  EXPECT_EQ(parse_number("12"), 12);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_number("1e3"), 1000);
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "nan", "NaN", ".nan", "inf", "-inf",
                           ".inf", "1e999", "1,5", "one"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(ParseDuration, NumberAndUnit) {
  EXPECT_EQ(parse_duration_ms("500 ms"), 500);
  EXPECT_EQ(parse_duration_ms("10 s"), 10'000);
  EXPECT_EQ(parse_duration_ms("1.5s"), 1500);
  EXPECT_EQ(parse_duration_ms("2 min"), 120'000);
  for (const char* text : {"", "5", "s", "5 h", "-5 s", "5 S", "nan s", "1.2.3 s", "5 s s"}) {
    EXPECT_FALSE(parse_duration_ms(text)) << text;
  }
}

TEST(Nearest, OnlyWhatCanBeMeant) {
  const std::set<std::string> known{"batch", "points", "model", "hidden"};
  EXPECT_EQ(nearest("bacth", known), "batch");
  EXPECT_EQ(nearest("point", known), "points");
  EXPECT_EQ(nearest("Model", known), "model");
  EXPECT_EQ(nearest("weights", known), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(ToText, PlaceWhereThereIsOne) {
  EXPECT_EQ(to_text({{"a.yaml", 3, 7, "wrong"}, {"b.yaml", 0, 0, "unreadable"}}),
            "a.yaml:3:7: wrong\nb.yaml: unreadable\n");
}

}  // namespace
}  // namespace opgrade
