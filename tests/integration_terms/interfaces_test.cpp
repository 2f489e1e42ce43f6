// A plain right submission to every interface of the course passes, on the CPU and emulated; a
// wrong one does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "grader/app/grader.hpp"
#include "grader/config/load.hpp"
#include "grader/core/resources.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/data/dataset.hpp"
#include "grader/sandbox/sandbox.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

const fs::path kSubmissions = OPGRADE_SOURCE_DIR "/tests/submissions_terms";

class Interfaces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", SandboxSupport::detect().tier != SandboxTier::none,
                        "there is no sandbox here");
    OPGRADE_SKIP_UNLESS("data", fs::exists(default_data_source().images),
                        "the package dataset-fashion-mnist is not installed");
  }

  Grade grade(const fs::path& submission, std::set<std::string> only = {}) {
    LoadedConfig loaded = load_config(kSubmissions / GetParam() / "config.yaml");
    EXPECT_EQ(to_text(loaded.problems), "");
    GraderOptions options;
    options.gpu_device = Device::emulated;
    options.only = std::move(only);
    options.data_folder = resources::share_folder() / "test-data";
    return Grader(loaded.config, options).grade(submission, GetParam());
  }
};

TEST_P(Interfaces, APlainRightSubmissionPassesOnTheCpuAndEmulated) {
  const Grade result = grade(kSubmissions / GetParam());
  ASSERT_EQ(result.stages.size(), 2U);
  for (const auto& stage : result.stages) {
    EXPECT_EQ(stage.build.outcome, Outcome::passed) << stage.build.compiler_output;
    for (const auto& c : stage.cases) EXPECT_EQ(c.outcome, Outcome::passed) << c.id << c.reason;
  }
  EXPECT_EQ(result.points, result.max_points - 2);
  EXPECT_EQ(result.open_points, 2);  // the report, which staff give
}

TEST_P(Interfaces, OneWrongSignIsFound) {
  const TempDir folder("opgrade-test-");
  fs::copy(kSubmissions / GetParam(), folder.path(), fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::string changed = text.str();
    // h + p: the row of the input.
    for (const char* from : {"h + p", "h * S + p"}) {
      if (const auto at = changed.find(from); at != changed.npos)
        changed.replace(at, std::string(from).size(), std::string(from) + " * (K > 1 ? 0 : 1)");
    }
    std::ofstream(entry.path()) << changed;
  }
  const Grade result = grade(folder.path(), {"cpu/random", "gpu/random"});
  ASSERT_EQ(result.stages.size(), 2U);
  for (const auto& stage : result.stages) {
    ASSERT_EQ(stage.cases.size(), 1U);
    EXPECT_EQ(stage.cases[0].outcome, Outcome::wrong_output) << stage.cases[0].reason;
  }
  EXPECT_EQ(result.points, 0);
}

TEST_P(Interfaces, AnotherSignatureIsExplained) {
  const TempDir folder("opgrade-test-");
  for (const char* place : {"ece408_src", "custom"}) {
    fs::create_directory(folder.path() / place);
    for (const char* name : {"new-forward.h", "cpu-new-forward.cc"})
      std::ofstream(folder.path() / place / name) << "void conv_forward(float *) {}\n";
  }
  const Grade result = grade(folder.path(), {"cpu/random"});
  ASSERT_EQ(result.stages.size(), 1U);
  EXPECT_EQ(result.stages[0].build.outcome, Outcome::build_failed);
  EXPECT_NE(result.stages[0].build.hint.find("forward"), std::string::npos)
      << result.stages[0].build.hint;
}

INSTANTIATE_TEST_SUITE_P(Course, Interfaces, testing::Values("mxnet", "minidnn-1", "minidnn-3s"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace opgrade
