// A plain right submission to every interface of the course passes, on the CPU and emulated; a
// wrong one does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grader/base/core/resources.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

const fs::path kSubmissions = OPGRADE_SOURCE_DIR "/tests/corpus/terms";

class Interfaces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
    OPGRADE_SKIP_UNLESS("data", fs::exists(default_data_source().images),
                        "the package dataset-fashion-mnist is not installed");
  }

  Grade grade(const fs::path& submission, std::set<std::string> only = {},
              std::optional<double> tolerance = {}) {
    LoadedConfig loaded = load_config(kSubmissions / GetParam() / "config.yaml");
    EXPECT_EQ(to_text(loaded.problems), "");
    for (auto& stage : loaded.config.stages) stage.tolerance = tolerance;
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
    for (const auto& c : stage.cases)
      EXPECT_EQ(c.outcome, Outcome::passed) << c.id << report::sentence_of(c.reason);
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
    EXPECT_EQ(stage.cases[0].outcome, Outcome::wrong_output)
        << report::sentence_of(stage.cases[0].reason);
  }
  EXPECT_EQ(result.points, 0);
}

TEST_P(Interfaces, AnotherSignatureIsExplained) {
  const TempDir folder("opgrade-test-");
  for (const char* place : {"ece408_src", "custom"}) {
    fs::create_directory(folder.path() / place);
    for (const char* name :
         {"new-forward.h", "new-forward.cuh", "cpu-new-forward.cc", "new-forward.cu"})
      std::ofstream(folder.path() / place / name) << "void conv_forward(float *) {}\n";
  }
  const Grade result = grade(folder.path(), {"cpu/random", "gpu/random"});
  ASSERT_EQ(result.stages.size(), 2U);
  for (const auto& stage : result.stages) {
    EXPECT_EQ(stage.build.outcome, Outcome::build_failed) << stage.name;
    EXPECT_NE(report::hint_of(stage.build.reason).find("forward"), std::string::npos)
        << report::hint_of(stage.build.reason);
  }
}

/// The three functions' submission with `from` replaced, on the emulated device.
class ThreeFunctions : public Interfaces {
 protected:
  Grade grade_with(const std::string& from, const std::string& to,
                   std::optional<double> tolerance = {}) {
    const TempDir folder("opgrade-test-");
    fs::copy(kSubmissions / GetParam(), folder.path(), fs::copy_options::recursive);
    const fs::path file = folder.path() / "custom/new-forward.cu";
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    std::string changed = text.str();
    const auto at = changed.find(from);
    EXPECT_NE(at, changed.npos);
    std::ofstream(file) << changed.replace(at, from.size(), to);
    return grade(folder.path(), {"gpu/high/1", "gpu/random"}, tolerance);
  }
};

TEST_P(ThreeFunctions, MayCopyMoreWeightsThanThereAre) {
  const Grade result = grade_with(
      "  cudaMemcpy(*device_k_ptr, host_k, sizeof(float) * M * C * K * K, "
      "cudaMemcpyHostToDevice);\n",
      "  static float weights[16384];\n"
      "  memcpy(weights, host_k, sizeof weights);\n"
      "  cudaMemcpy(*device_k_ptr, weights, sizeof(float) * M * C * K * K, "
      "cudaMemcpyHostToDevice);\n");
  for (const auto& c : result.stages.at(0).cases)
    EXPECT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
}

TEST_P(ThreeFunctions, MayRegisterHostMemoryAndForgetIt) {
  const Grade result = grade_with("  cudaMalloc((void **)device_y_ptr",
                                  "  for (const void *tensor : {(const void *)host_y, (const void "
                                  "*)host_x, (const void *)host_k})\n"
                                  "    if (cudaHostRegister((void *)tensor, 4, "
                                  "cudaHostRegisterDefault) != cudaSuccess) exit(3);\n"
                                  "  cudaMalloc((void **)device_y_ptr");
  for (const auto& c : result.stages.at(0).cases)
    EXPECT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
}

TEST_P(ThreeFunctions, ReducedPrecisionIsNamedAndCanBeAccepted) {
  const std::string from = "sum += x[((b * C + c) * H + h * S + p) * W + w * S + q]";
  const std::string half =
      "sum += __half2float(__float2half(x[((b * C + c) * H + h * S + p) * W + w * S + q] * 1e-2f)) "
      "* 1e2f";
  const Grade refused = grade_with(from, half);
  for (const auto& c : refused.stages.at(0).cases) {
    EXPECT_EQ(c.outcome, Outcome::wrong_output) << c.id;
    EXPECT_NE(report::hint_of(c.reason).find("reduced precision"), std::string::npos)
        << c.id << report::hint_of(c.reason);
  }
  const Grade accepted = grade_with(from, half, 2e-3);
  for (const auto& c : accepted.stages.at(0).cases)
    EXPECT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
}

TEST_P(ThreeFunctions, ARefusedLaunchIsExplainedByItsLine) {
  const Grade result = grade_with("<<<grid, 128>>>", "<<<grid, 2048>>>");
  for (const auto& c : result.stages.at(0).cases) {
    EXPECT_EQ(c.outcome, Outcome::wrong_output) << c.id;
    EXPECT_TRUE(report::hint_of(c.reason).starts_with("new-forward.cu:36:"))
        << c.id << ": " << report::hint_of(c.reason);
  }
}

/// The CPU function of the three functions' interface, which notes each call, with its own timing.
class Competition : public Interfaces {
 protected:
  CaseReport run(TimingConfig timing) {
    const TempDir folder("opgrade-test-");
    fs::copy(kSubmissions / GetParam(), folder.path(), fs::copy_options::recursive);
    const fs::path file = folder.path() / "custom/cpu-new-forward.cc";
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    std::string changed = text.str();
    const auto body = changed.find('{', changed.find("conv_forward_cpu("));
    changed.insert(body + 1, " dprintf(1, \"call\\n\"); usleep(20000);");
    std::ofstream(file) << "#include <stdio.h>\n#include <unistd.h>\n" << changed;
    LoadedConfig loaded = load_config(kSubmissions / GetParam() / "config.yaml");
    loaded.config.stages[0].cases[0].timing = timing;
    GraderOptions options;
    options.only = {"cpu/high/10"};
    options.data_folder = resources::share_folder() / "test-data";
    const Grade grade = Grader(loaded.config, options).grade(folder.path(), "competition");
    return grade.stages.at(0).cases.at(0);
  }
  static long calls(const CaseReport& c) {
    const std::string& text = c.student_output;
    return std::count(text.begin(), text.end(), '\n') + (text.ends_with("call") ? 1 : 0);
  }
};

TEST_P(Competition, WarmUpsAreCalledAndNotTimed) {
  const CaseReport c = run({.repetitions = 2, .warm_up = false, .warm_ups = 3});
  ASSERT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
  for (const auto& call : c.calls) EXPECT_EQ(call.op_time.samples_ms.size(), 2U);
  EXPECT_GE(calls(c), 2 * (3 + 2)) << "two layers; a call whose clocks disagree is repeated";
}

TEST_P(Competition, ASlowFirstWarmUpEndsIt) {
  const CaseReport c = run({.repetitions = 2,
                            .warm_up = false,
                            .warm_ups = 3,
                            .abort_above = std::chrono::milliseconds(5)});
  ASSERT_EQ(c.outcome, Outcome::passed) << report::sentence_of(c.reason);
  EXPECT_NE(report::sentence_of(c.reason).find("longer than 5 ms"), std::string::npos)
      << report::sentence_of(c.reason);
  for (const auto& call : c.calls) {
    EXPECT_TRUE(call.too_slow);
    EXPECT_FALSE(call.timed);
    EXPECT_TRUE(call.check.passed());
  }
  EXPECT_EQ(calls(c), 2) << "one of each layer";
}

INSTANTIATE_TEST_SUITE_P(Course, Competition, testing::Values("minidnn-3s"),
                         [](const auto&) { return "cpu"; });

INSTANTIATE_TEST_SUITE_P(Course, ThreeFunctions, testing::Values("minidnn-3s"),
                         [](const auto&) { return "emulated"; });

INSTANTIATE_TEST_SUITE_P(Course, Interfaces, testing::Values("mxnet", "minidnn-1", "minidnn-3s"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace opgrade
