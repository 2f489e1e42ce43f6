#include "grader/grading/pipeline/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/task/config/load.hpp"

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

TEST(Selection, AProfileShowsTheLargestCaseOnAGpuAndTheSmallestOnTheEmulatedDevice) {
  const auto to_profile = [](const std::string& interface, const std::string& cases,
                             Device device) {
    const Config all = parse_config("opgrade: 1\nname: c\ninterface: " + interface +
                                        "\nmodels: {m: {network: n, weights: w}}\nstages:\n"
                                        "  - {name: gpu, device: cuda, cases: [" +
                                        cases + "]}\n",
                                    "c.yaml")
                           .config;
    return Selection(all, {}).to_profile(all.stages.at(0), device);
  };
  const std::string layers =
      "{name: middle, sizes: {B: 4, M: 4, C: 4, H: 9, W: 9, K: 3}}, "
      "{name: small, sizes: {B: 1, M: 1, C: 1, H: 9, W: 90, K: 1}}, "
      "{name: large, sizes: {B: 99, M: 9, C: 9, H: 9, W: 9, K: 3}}, "
      "{name: secret, sizes: {B: 999, M: 9, C: 9, H: 9, W: 9, K: 3}, hidden: true}";
  EXPECT_EQ(to_profile("minidnn-3", layers, Device::cuda), "gpu/large");
  EXPECT_EQ(to_profile("minidnn-3", layers, Device::emulated), "gpu/small");
  EXPECT_EQ(to_profile("minidnn-3", layers, Device::cpu), "");
  // A network says more than one layer of it.
  const std::string both =
      "{name: one, sizes: {B: 1, M: 1, C: 1, H: 9, W: 9, K: 3}}, {model: m, batch: 10}, "
      "{model: m, batch: 100}";
  EXPECT_EQ(to_profile("minidnn-3", both, Device::cuda), "gpu/m/100");
  EXPECT_EQ(to_profile("minidnn-3", both, Device::emulated), "gpu/m/10");
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
