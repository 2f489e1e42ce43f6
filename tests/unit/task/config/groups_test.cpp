// Groups of cases, their visibility and constructs in a config.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task/config/good_config.hpp"

namespace opgrade::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kCase = "      - {model: m, batch: 10, points: 5}\n";

/// The good config with other cases, and what follows them in the stage.
std::string cases(const std::string& text) { return with(kCase, text); }

TEST(Groups, AreReadAndWritten) {
  const std::string text = cases(
      "      - {model: m, batch: 10, group: small}\n"
      "      - {model: m, batch: 11, group: large, points: 2, visibility: after deadline}\n"
      "    groups:\n"
      "      - {name: small, score: fraction, points: 4}\n"
      "      - {name: large, requires: small}\n"
      "    constructs:\n"
      "      - {require: __shared__, points: 1}\n"
      "      - {forbid: \"cub::\"}\n");
  ASSERT_THAT(complaints(text), IsEmpty());
  const Config config = parse_config(text, "c.yaml").config;
  EXPECT_EQ(config.max_points(), 7);
  const StageConfig& stage = config.stages[0];
  EXPECT_EQ(stage.groups[0].score, CaseGroupConfig::Score::fraction);
  EXPECT_EQ(stage.groups[1].needs, "small");
  EXPECT_TRUE(stage.cases[1].hidden);
  EXPECT_EQ(stage.cases[1].visibility, Visibility::after_deadline);
  EXPECT_EQ(stage.constructs[1].forbidden, "cub::");
  const auto again = parse_config(dump_config(config), "c.yaml");
  ASSERT_TRUE(again.problems.empty()) << to_text(again.problems);
  EXPECT_EQ(dump_config(again.config), dump_config(config));
}

TEST(Counts, AreReadAndWritten) {
  const auto rules = [](const std::string& rule) {
    return with("device: cpu", "device: cuda\n    counts: [{model: m, batch: 10, " + rule + "}]");
  };
  const std::string text = rules("count: saved_by_shared, at_least: K / 2, points: 3");
  ASSERT_THAT(complaints(text), IsEmpty());
  const Config config = parse_config(text, "c.yaml").config;
  EXPECT_EQ(config.max_points(), 8);
  EXPECT_EQ(config.stages[0].counts[0].at_least, "K / 2");
  const auto again = parse_config(dump_config(config), "c.yaml");
  ASSERT_TRUE(again.problems.empty()) << to_text(again.problems);
  EXPECT_EQ(dump_config(again.config), dump_config(config));

  EXPECT_THAT(complaints(rules("count: global_load_sectors, at_most: 1.2 x ideal")), IsEmpty());
  EXPECT_THAT(complaints(rules("count: speed, at_most: 1")),
              Contains(HasSubstr("'count' must be launches")));
  EXPECT_THAT(complaints(rules("count: launches, at_most: 2 x ideal")),
              Contains(HasSubstr("launches has no ideal count")));
  EXPECT_THAT(complaints(rules("count: launches, at_most: n / 2")),
              Contains(HasSubstr("the bound 'n / 2' of launches")));
  EXPECT_THAT(complaints(rules("count: launches, at_most: 1, at_least: 1")),
              Contains(HasSubstr("not both")));
  EXPECT_THAT(complaints(rules("count: launches")), Contains(HasSubstr("'at_most'")));
  EXPECT_THAT(complaints(cases(kCase + "    counts: [{model: m, batch: 10, count: launches, "
                                       "at_most: 1}]\n")),
              Contains(HasSubstr("needs a stage with device cuda")));
  EXPECT_THAT(complaints(with("device: cpu",
                              "device: cuda\n    counts: [{model: m, batch: 11, count: launches, "
                              "at_most: 1}]")),
              Contains(HasSubstr("names the case m/11")));
}

TEST(Groups, HiddenInEitherForm) {
  for (const char* form : {"hidden: true", "visibility: hidden"}) {
    const auto config =
        parse_config(cases(std::string("      - {model: m, batch: 10, points: 5, ") + form + "}\n"),
                     "c.yaml")
            .config;
    EXPECT_TRUE(config.stages[0].cases[0].hidden) << form;
    EXPECT_THAT(dump_config(config), testing::Not(HasSubstr("visibility"))) << form;
  }
  EXPECT_THAT(complaints(cases("      - {model: m, batch: 10, hidden: true, visibility: name}\n")),
              Contains(HasSubstr("contradict")));
}

TEST(Groups, MistakesAreNamed) {
  const auto said = [](const std::string& group, const std::string& groups) {
    return complaints(cases("      - {model: m, batch: 10, points: 5" + group + "}\n" +
                            (groups.empty() ? "" : "    groups: [" + groups + "]\n")));
  };
  EXPECT_THAT(said(", group: x", ""), Contains(HasSubstr("has no group 'x'")));
  EXPECT_THAT(said("", "{name: x}"), Contains(HasSubstr("no case is in group 'x'")));
  EXPECT_THAT(said(", group: x", "{name: x, score: all, points: 1}"),
              Contains(HasSubstr("which only the group has")));
  EXPECT_THAT(said(", group: x", "{name: x, points: 1}"), Contains(HasSubstr("name the score")));
  EXPECT_THAT(said(", group: x", "{name: x, requires: y}"),
              Contains(HasSubstr("no earlier group")));
  EXPECT_THAT(said(", group: x", "{name: x, requires: x}"),
              Contains(HasSubstr("no earlier group")));
  EXPECT_THAT(said(", group: x", "{name: x, score: some}"), Contains(HasSubstr("'score' must be")));
  EXPECT_THAT(complaints(cases(kCase + "    constructs: [{points: 3}]\n")),
              Contains(HasSubstr("'require'")));
  EXPECT_THAT(complaints(cases(kCase + "    constructs: [{forbid: a, require: b}]\n")),
              Contains(HasSubstr("not both")));
  const auto about = [&](const char* text) {
    return complaints(cases(kCase + "    constructs: [{require: '" + text + "'}]\n"));
  };
  EXPECT_THAT(about("_Pragma(\"omp parallel"), Contains(HasSubstr("Write '#pragma omp parallel'")));
  EXPECT_THAT(about("#include <omp.h>"), Contains(HasSubstr("those of #pragma alone")));
  EXPECT_THAT(about("f(\"a"), Contains(HasSubstr("quotes are not closed")));
  for (const char* right : {"#pragma omp parallel", "PRAGMA(omp parallel", "f(\"a\")", "++"})
    EXPECT_THAT(about(right), testing::IsEmpty()) << right;
}

}  // namespace
}  // namespace opgrade::test
