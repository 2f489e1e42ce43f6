#include "grader/task/config/stage_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace opgrade {
namespace {

using testing::ElementsAre;

StageConfig every_kind() {
  StageConfig stage;
  stage.name = "m3";
  stage.cases = {{.model = "high", .batch = 100}, {.model = "narrow", .sizes = {{"N", 7}}}};
  stage.random_shapes.count = stage.random_batches.count = 1;
  stage.fixed_shapes.shapes = {{{"N", 7}}};
  return stage;
}

TEST(StageCase, EachKindHasItsIdAndIsFoundByIt) {
  const StageConfig stage = every_kind();
  const auto cases = cases_of(stage);
  std::vector<std::string> ids;
  for (const Case& c : cases) ids.push_back(c.id);
  EXPECT_THAT(ids, ElementsAre("m3/random", "m3/batches", "m3/fixed", "m3/high/100", "m3/narrow"));
  for (const Case& c : cases) {
    const Case found = case_of(stage, c.id);
    EXPECT_EQ(found.id, c.id);
    EXPECT_EQ(found.kind.index(), c.kind.index()) << c.id;
  }
  EXPECT_TRUE(cases[3].is<NetworkCase>());
  EXPECT_TRUE(cases[4].is<SizesCase>());
  EXPECT_THAT(std::ranges::count_if(cases, &Case::is_timed), 2);
}

TEST(StageCase, AVisitHasTheConfigOfATimedCaseOrTheKind) {
  const StageConfig stage = every_kind();
  const auto batch = [&](const char* id) {
    return case_of(stage, id).visit([](const CaseConfig& listed) { return listed.batch; },
                                    [](const auto&) { return -1; });
  };
  EXPECT_EQ(batch("m3/high/100"), 100);
  EXPECT_EQ(batch("m3/narrow"), 0);
  for (const char* id : {"m3/random", "m3/batches", "m3/fixed"}) EXPECT_EQ(batch(id), -1) << id;
}

TEST(StageCase, NamesEndAtASlash) {
  EXPECT_TRUE(is_named("m3/high/100", "m3"));
  EXPECT_TRUE(is_named("m3/high/100", "m3/high"));
  EXPECT_TRUE(is_named("m3/high/100", "m3/high/100"));
  EXPECT_FALSE(is_named("m3/high/100", "m3/hi"));
  EXPECT_FALSE(is_named("m3/high/100", "m3/high/1000"));
}

}  // namespace
}  // namespace opgrade
