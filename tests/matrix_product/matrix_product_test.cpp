// A task's folder through the whole program: right and wrong submissions and two cheats, on the CPU
// and on the emulated device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/matrix_product/graded.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

using nlohmann::json;

const std::filesystem::path kSolution = OPGRADE_SOURCE_DIR "/labs/ece408/matrix_product/solution";

class MatrixProduct : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }
};

TEST_F(MatrixProduct, SubmissionsGetTheirVerdictsOnTheCpu) {
  const test::ProductRun run("cpu", "");
  for (const auto& name : test::product_submissions("cpu")) {
    SCOPED_TRACE(name);
    test::expect_product_verdict(run, "cpu", name);
  }
}

TEST_F(MatrixProduct, SubmissionsGetTheirVerdictsOnTheEmulatedDevice) {
  const test::ProductRun run("gpu", "emulated");
  for (const auto& name : test::product_submissions("gpu")) {
    SCOPED_TRACE(name);
    test::expect_product_verdict(run, "gpu", name);
  }
}

TEST_F(MatrixProduct, TheReferenceSolutionPassesItsOwnConfig) {
  const test::Workplace place;
  const auto run = place.run({"grade", kSolution, "--config", test::kProductConfig, "--device",
                              "emulated", "--out", place.path() / "results"});
  const json report = test::read_report(place.path() / "results", "solution");
  ASSERT_TRUE(report.is_object()) << run.standard_output << run.standard_error;
  EXPECT_EQ(report["outcome"], "passed") << report["reason"];
  EXPECT_TRUE(report["passed"]);
  const json& cpu = report["stages"].at(0);
  EXPECT_EQ(cpu["points"].at(0)["name"], "Op Time square");
  EXPECT_TRUE(report["stages"].at(1)["points"].at(0)["open"]) << "emulated: no Op Time";
}

TEST_F(MatrixProduct, AMistakeIsNamedInTheTasksOwnCoordinates) {
  const test::Workplace place;
  const auto run = place.run({"check", test::kProductSubmissions / "wrong_last_rows", "--config",
                              test::kProductConfig, "--only", "cpu/uneven"});
  EXPECT_THAT(run.standard_output,
              testing::AllOf(testing::HasSubstr("uneven at (i=496, j=0): got NaN"),
                             testing::HasSubstr("shape of uneven: M=509 N=383 K=257")));
}

TEST_F(MatrixProduct, TheTemplateBuildsAndEarnsNothing) {
  const test::Workplace place;
  const auto made = place.run({"init", "mine", "--term", "matrix_product"});
  EXPECT_THAT(made.standard_output,
              testing::HasSubstr("Write matrix_product.cc and matrix_product.cu"));
  const auto run =
      place.run({"check", "mine", "--config", "matrix_product", "--only", "cpu/random", "--json"});
  const json report = json::parse(run.standard_output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << made.standard_error << run.standard_error;
  EXPECT_EQ(report["outcome"], "wrong_output");
  EXPECT_EQ(report["points"], 0);
}

}  // namespace
}  // namespace opgrade
