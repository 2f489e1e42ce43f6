// YAML that is damaged, hostile, or not what it looks like.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "grader/base/core/printable.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/task/config/good_config.hpp"

namespace opgrade {
namespace {

using test::complaints;
using test::kGoodConfig;
using test::with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LoadConfig, WhatIsNoMapping) {
  EXPECT_THAT(complaints(""), ElementsAre("0:0: the config must be a mapping of keys to values"));
  EXPECT_THAT(complaints("just text"),
              ElementsAre("1:1: the config must be a mapping of keys to values"));
  EXPECT_THAT(complaints("- a\n- b\n"),
              ElementsAre("1:1: the config must be a mapping of keys to values"));
}

TEST(LoadConfig, BrokenYamlNamesItsPlace) {
  const auto lines = complaints("opgrade: 1\nname: [a, b\nstages: }\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], testing::StartsWith("2:7: this '[' is not closed in its line"));
  EXPECT_THAT(lines[0],
              testing::EndsWith(": name: [a, b; other problems show once this is corrected"));
}

TEST(LoadConfig, BrokenYamlThatIsNoticedAtTheEndShowsItsLine) {
  EXPECT_THAT(complaints("opgrade: 1\nstages: [{name: a\n  - x\n\n"),
              ElementsAre(HasSubstr("): stages: [{name: a; other")));
}

TEST(LoadConfig, ATabInTheIndentationIsNamed) {
  for (const char* text : {"opgrade: 1\nmodels:\n\tm: {network: n, weights: w}\n",
                           "opgrade: 1\nmodels:\n  \tm: {network: n, weights: w}\n",
                           "opgrade: 1\nstages:\n-\tname: a\n\tdevice: cpu\n"})
    EXPECT_THAT(complaints(text),
                ElementsAre(testing::HasSubstr("a tab: YAML is indented by spaces alone")))
        << text;
}

TEST(LoadConfig, HostileYamlIsAProblemNotACrash) {
  EXPECT_EQ(complaints(std::string(20'000, '[')).size(), 1U);
  EXPECT_EQ(complaints(std::string(20'000, '{')).size(), 1U);
  EXPECT_THAT(complaints(std::string("opgrade: 1\0name: x", 18)),
              ElementsAre("0:0: not a text file"));
  EXPECT_FALSE(complaints("\xff\xfe\x00").empty());
  EXPECT_FALSE(complaints("stages: &a [*a]").empty());
  // A tenth power of lists by anchors: must not be walked.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const auto n = std::to_string(i), m = std::to_string(i - 1);
    bomb += "a" + n + ": &a" + n + " [*a" + m + ", *a" + m + ", *a" + m + ", *a" + m + ", *a" + m +
            ", *a" + m + ", *a" + m + ", *a" + m + ", *a" + m + ", *a" + m + "]\n";
  }
  EXPECT_FALSE(complaints(bomb).empty());
}

TEST(LoadConfig, AnchorsMeanWhatTheyStandFor) {
  const LoadedConfig loaded = parse_config(
      with("model: m, batch: 10, points: 5", "model: m, batch: &size 10, points: *size"), "c.yaml");
  ASSERT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.config.stages[0].cases[0].points, 10);
}

TEST(LoadConfig, AliasesThatStandForTooMuchAreRefused) {
  // 2,000 stages that share 1,000 cases: a file of 60 KB that stands for ten million values.
  std::string cases = "&all [";
  for (int i = 1; i <= 1000; ++i) cases += fmt::format("{{model: m, batch: {}}},", i);
  std::string text =
      with("cases:\n      - {model: m, batch: 10, points: 5}", "cases: " + cases + "]");
  for (int i = 0; i < 2000; ++i)
    text += fmt::format("  - {{name: s{}, device: cpu, cases: *all}}\n", i);
  EXPECT_THAT(complaints(text), ElementsAre(HasSubstr("more than 100000 values")));
}

TEST(LoadConfig, NestedAliasesAreCountedWithoutBeingFollowed) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 90; ++i) text += fmt::format("a{}: &a{} [*a{}, *a{}]\n", i, i, i - 1, i - 1);
  EXPECT_THAT(complaints(text), ElementsAre(HasSubstr("more than 100000 values")));
}

TEST(LoadConfig, WhatAComplaintQuotesIsPrintable) {
  for (const char* const text :
       {"\"\\e[2J\": 1\n", "\"a\\u202eb\": 1\n", "opgrade: 1\nname: x\npass_mark: \"\\e]0;x\\a\"\n",
        "opgrade: 1\nname: x\nstages:\n  - {name: \"\\e[31m\", device: \"\\u200b\"}\n"}) {
    const auto lines = complaints(text);
    EXPECT_THAT(lines, testing::Not(IsEmpty()));
    for (const auto& line : lines) EXPECT_EQ(line, printable_line(line, 2000));
  }
}

TEST(LoadConfig, TextThatCannotBeSeenIsRefused) {
  EXPECT_THAT(complaints(with("name: good", "name: \"go\\e[31mod\"")),
              ElementsAre("2:7: 'name' holds characters that cannot be seen: go\\x1b[31mod"));
  EXPECT_THAT(complaints(with("name: good", "name: go\u200bod")),
              ElementsAre("2:7: 'name' holds characters that cannot be seen: go\\xe2\\x80\\x8bod"));
  EXPECT_THAT(complaints(with("  m: {net", "  \"m\\u202e\": {net")),
              testing::Contains(HasSubstr("cannot be seen: m\\xe2")));
  EXPECT_THAT(complaints(with("device: cpu", "device: cpu\n    flags: [\"-D\\u200f\"]")),
              ElementsAre(HasSubstr("'flags' holds characters that cannot be seen")));
  EXPECT_THAT(complaints(with("name: good", "name: good\ntitle: Übung 3, “Faltung” 中")),
              IsEmpty());
}

TEST(LoadConfig, MergeKeysAreNotSilentlyIgnored) {
  // yaml-cpp does not merge: a config that relies on it must not load as something else.
  EXPECT_THAT(complaints(with("points: 5}", "<<: {points: 5}}")),
              ElementsAre(HasSubstr("unknown key '<<' in a case")));
}

TEST(LoadConfig, ASecondDocumentIsNotSilentlyIgnored) {
  EXPECT_THAT(complaints(std::string(kGoodConfig) + "---\nname: other\n"), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace opgrade
