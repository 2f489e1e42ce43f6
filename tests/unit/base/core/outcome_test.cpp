#include "grader/base/core/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "grader/base/core/device.hpp"

namespace opgrade {
namespace {

// Other programs read these: a change here breaks them.
TEST(Outcome, IdsAreTheOnesThatReportsPromise) {
  const std::pair<Outcome, const char*> table[] = {
      {Outcome::passed, "passed"},
      {Outcome::wrong_output, "wrong_output"},
      {Outcome::wrong_accuracy, "wrong_accuracy"},
      {Outcome::mistake_found, "mistake_found"},
      {Outcome::not_credible, "not_credible"},
      {Outcome::crashed, "crashed"},
      {Outcome::exited_early, "exited_early"},
      {Outcome::out_of_time, "out_of_time"},
      {Outcome::out_of_memory, "out_of_memory"},
      {Outcome::over_limit, "over_limit"},
      {Outcome::build_failed, "build_failed"},
      {Outcome::refused, "refused"},
      {Outcome::not_emulated, "not_emulated"},
      {Outcome::not_run, "not_run"},
      {Outcome::grader_fault, "grader_fault"},
  };
  EXPECT_EQ(std::size(table), kOutcomes.size());
  for (const auto& [outcome, id] : table) {
    EXPECT_EQ(words(outcome).id, id);
    EXPECT_EQ(words(outcome).outcome, outcome);
  }
}

TEST(Outcome, EveryTextIsThereOnce) {
  std::set<std::string_view> texts;
  for (const auto& entry : kOutcomes) {
    EXPECT_FALSE(entry.text.empty()) << entry.id;
    EXPECT_TRUE(texts.insert(entry.text).second) << entry.text;
  }
}

TEST(Device, Names) {
  EXPECT_EQ(name_of(Device::cpu), "cpu");
  EXPECT_EQ(name_of(Device::cuda), "cuda");
  EXPECT_EQ(name_of(Device::emulated), "emulated");
}

}  // namespace
}  // namespace opgrade
