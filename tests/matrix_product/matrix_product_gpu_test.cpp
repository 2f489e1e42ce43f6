// The same submissions on a GPU, where the referee writes B and checks C on the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/matrix_product/graded.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

using nlohmann::json;

class MatrixProductGpu : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("gpu", std::filesystem::exists("/dev/nvidiactl"), "no GPU here");
    OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  }
};

TEST_F(MatrixProductGpu, SubmissionsGetTheirVerdicts) {
  const test::ProductRun run("gpu", "cuda");
  for (const std::string name : {"right", "wrong_depth"}) {
    SCOPED_TRACE(name);
    test::expect_product_verdict(run, "gpu", name);
  }
}

TEST_F(MatrixProductGpu, TheReferenceSolutionIsTimedOnTheDevice) {
  const test::Workplace place;
  const auto run = place.run({"grade", OPGRADE_SOURCE_DIR "/labs/ece408/matrix_product/solution",
                              "--config", test::kProductConfig, "--only", "gpu", "--device", "cuda",
                              "--out", place.path() / "results"});
  const json report = test::read_report(place.path() / "results", "solution");
  ASSERT_TRUE(report.is_object()) << run.standard_output << run.standard_error;
  EXPECT_EQ(report["outcome"], "passed") << report["reason"];
  const json& stage = report["stages"].at(0);
  EXPECT_THAT(stage["points"].at(0)["reason"], testing::HasSubstr("(the reference takes "));
  for (const json& c : stage["cases"])
    for (const json& call : c["convs"]) {
      // The referee worked: it could open C and B, and Op Time has no copies.
      if (call["timed"].get<bool>()) {
        EXPECT_EQ(call["measurement"]["whole_layer"], "") << c["id"];
        EXPECT_TRUE(call["measurement"]["calls"].back().contains("proven_ns"));
      }
    }
}

}  // namespace
}  // namespace opgrade
