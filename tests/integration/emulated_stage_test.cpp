// The GPU stage of the course's config on a machine without a GPU. Batches of 10000 are long tests:
// each takes 40 s of one core.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/long_tests.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

TEST(EmulatedStage, TheCoursesGpuStageIsGradedWithoutAGpu) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  const test::Workplace place;
  std::vector<std::string> arguments{"check",    OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3",
                                     "--config", "minidnn",
                                     "--device", "emulated",
                                     "--json",   "--only"};
  if (test::long_tests()) {
    arguments.push_back("gpu");
  } else {
    for (const char* id : {"gpu/random", "--only", "gpu/high/100", "--only", "gpu/high/1000"})
      arguments.push_back(id);
  }
  const auto report = place.run(arguments);
  const auto grade = nlohmann::json::parse(report.standard_output, nullptr, false);
  ASSERT_FALSE(grade.is_discarded()) << report.standard_error;
  const auto& stages = grade.at("stages");
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0].at("device"), "emulated");
  std::map<std::string, double> accuracies;
  for (const auto& c : stages[0].at("cases")) {
    EXPECT_EQ(c.at("outcome"), "passed") << c.at("reason");
    if (!c.at("accuracy").is_null()) accuracies[c.at("id")] = c.at("accuracy");
  }
  // The course's published accuracies, and the low model's own.
  std::map<std::string, double> published{{"gpu/high/100", 0.86}, {"gpu/high/1000", 0.886}};
  if (test::long_tests()) published.insert({{"gpu/high/10000", 0.8714}, {"gpu/low/10000", 0.629}});
  EXPECT_EQ(accuracies, published);
  if (!test::long_tests()) return;
  EXPECT_EQ(grade.at("points"), 50);
  EXPECT_EQ(grade.at("open_points"), 20) << "points for speed need a GPU";
}

}  // namespace
}  // namespace opgrade
