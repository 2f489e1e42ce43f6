#include "grader/app/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/config/load.hpp"
#include "grader/core/error.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Config config() {
  return parse_config(R"(opgrade: 1
name: two-stages
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
stages:
  - name: cpu
    device: cpu
    cases:
      - {model: high, batch: 100, points: 1}
      - {model: high, batch: 1000, points: 1}
    random_shapes: {count: 3, points: 1}
  - name: cpu-2
    device: cpu
    random_shapes: {count: 3, points: 1}
)",
                      "two-stages.yaml")
      .config;
}

TEST(Selection, EverythingUnlessSomethingIsNamed) {
  const Config all = config();
  const Selection selection(all, {});
  EXPECT_TRUE(selection.is_all());
  EXPECT_TRUE(selection.any_of(all.stages[0]));
  EXPECT_THAT(selection.ids(all.stages[0]),
              ElementsAre("cpu/random", "cpu/high/100", "cpu/high/1000"));
}

TEST(Selection, AdviceComesLast) {
  Config all = config();
  all.stages[0].random_batches = {.model = "high", .count = 2};
  all.stages[0].random_shapes.advice = true;
  EXPECT_THAT(Selection(all, {}).ids(all.stages[0]),
              ElementsAre("cpu/batches", "cpu/high/100", "cpu/high/1000", "cpu/random"));
}

TEST(Selection, ACaseAStageOrAModelOfAStage) {
  const Config all = config();
  const Selection one(all, {"cpu/high/100"});
  EXPECT_THAT(one.ids(all.stages[0]), ElementsAre("cpu/high/100"));
  EXPECT_FALSE(one.any_of(all.stages[1]));
  const Selection stage(all, {"cpu-2"});
  EXPECT_THAT(stage.ids(all.stages[0]), IsEmpty()) << "a name is not the beginning of another";
  EXPECT_THAT(stage.ids(all.stages[1]), ElementsAre("cpu-2/random"));
  const Selection model(all, {"cpu/high"});
  EXPECT_THAT(model.ids(all.stages[0]), ElementsAre("cpu/high/100", "cpu/high/1000"));
}

TEST(Selection, WhatTheConfigDoesNotHave) {
  for (const char* const wanted : {"gpu", "cpu/high/10", "cp", "cpu/", ""}) {
    try {
      Selection(config(), {wanted});
      ADD_FAILURE() << wanted;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.hint, HasSubstr("cpu/high/100, cpu/high/1000, cpu/random")) << wanted;
    }
  }
}

}  // namespace
}  // namespace opgrade
