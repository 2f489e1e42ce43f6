// A second task through the whole program: right and wrong submissions and two cheats, on the CPU
// and on the emulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/matmul/graded.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

using nlohmann::json;

const std::filesystem::path kSolution = OPGRADE_SOURCE_DIR "/grader/tasks/matmul/solution/matmul";

class Matmul : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }
};

TEST_F(Matmul, SubmissionsGetTheirVerdictsOnTheCpu) {
  const test::MatmulRun run("cpu", "");
  for (const auto& name : test::matmul_submissions("cpu")) {
    SCOPED_TRACE(name);
    test::expect_matmul_verdict(run, "cpu", name);
  }
}

TEST_F(Matmul, SubmissionsGetTheirVerdictsOnTheEmulatedDevice) {
  const test::MatmulRun run("gpu", "emulated");
  for (const auto& name : test::matmul_submissions("gpu")) {
    SCOPED_TRACE(name);
    test::expect_matmul_verdict(run, "gpu", name);
  }
}

TEST_F(Matmul, TheReferenceSolutionPassesItsOwnConfig) {
  const test::Workplace place;
  const auto run = place.run({"grade", kSolution, "--config", "matmul", "--device", "emulated",
                              "--out", place.path() / "results"});
  const json report = test::read_report(place.path() / "results", "matmul");
  ASSERT_TRUE(report.is_object()) << run.standard_output << run.standard_error;
  EXPECT_EQ(report["outcome"], "passed") << report["reason"];
  EXPECT_TRUE(report["passed"]);
  const json& cpu = report["stages"].at(0);
  EXPECT_THAT(cpu["points"].at(0)["reason"], testing::HasSubstr("(the reference takes "));
  EXPECT_EQ(cpu["points"].at(0)["name"], "Op Time square");
  EXPECT_TRUE(report["stages"].at(1)["points"].at(0)["open"]) << "emulated: no Op Time";
}

TEST_F(Matmul, AMistakeIsNamedInTheTasksOwnCoordinates) {
  const test::Workplace place;
  const auto run = place.run({"check", test::kMatmulSubmissions / "wrong_last_rows", "--config",
                              test::kMatmulConfig, "--only", "cpu/uneven"});
  EXPECT_THAT(run.standard_output,
              testing::AllOf(testing::HasSubstr("uneven at (row=496, column=0): got NaN"),
                             testing::HasSubstr("shape of uneven: M=509 N=383 K=257")));
}

TEST_F(Matmul, TheTemplateBuildsAndEarnsNothing) {
  const test::Workplace place;
  const auto made = place.run({"init", "mine", "--term", "matmul"});
  EXPECT_THAT(made.standard_output, testing::HasSubstr("Write the CPU matrix product"));
  const auto run =
      place.run({"check", "mine", "--config", "matmul", "--only", "cpu/random", "--json"});
  const json report = json::parse(run.standard_output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << made.standard_error << run.standard_error;
  EXPECT_EQ(report["outcome"], "wrong_output");
  EXPECT_EQ(report["points"], 0);
}

}  // namespace
}  // namespace opgrade
