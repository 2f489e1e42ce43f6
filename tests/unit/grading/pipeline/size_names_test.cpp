// A lecturer's sizes may have the names of the convolution's, and then mean nothing of it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEveryNth = R"(opgrade: 1
name: every_nth
task:
  function: void every_nth(const float* x, float* y, int B, int S)
  sizes:
    B: {from: 1, to: 1000, random: 200}
    S: {from: 1, to: 64, random: 9}
  buffers:
    x: {extents: [B], values: 'integers(1, 8)'
}
    y: {extents: ["(B + S - 1) / S"]}
stages:
  - name: cpu
    device: cpu
    fixed_shapes: {shapes: [{B: 100, S: 7}, {B: 64, S: 64}], points: 10}
    random_shapes: {count: 4, points: 5}
)";

constexpr const char* kReference = R"(#include "reference.h"
void reference(const float* x, double* y, double* y_scale, long long B, long long S) {
  for (long long i = 0; i * S < B; ++i) y_scale[i] = y[i] = x[i * S];
}
)";

class SizeNames : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    ::chmod(folder.path().c_str(), 0755);
    write("task/task.yaml", kEveryNth);
    write("task/reference.cpp", kReference);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }

  Grade grade(const std::string& index) const {
    write("mine/every_nth.cc",
          "#include \"every_nth.h\"\n"
          "void every_nth(const float* x, float* y, int B, int S) {\n"
          "  for (int i = 0; i * S < B; ++i) y[i] = x[" +
              index + "];\n}\n");
    const LoadedConfig loaded = load_config(folder.path() / "task");
    EXPECT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
    return Grader(loaded.config, {}).grade(folder.path() / "mine", "mine");
  }

  TempDir folder{"opgrade-test-"};
};

TEST_F(SizeNames, AnSOfALecturersIsNoStride) {
  const Grade right = grade("i * S");
  EXPECT_EQ(right.outcome, Outcome::passed) << report::sentence_of(right.reason);
  EXPECT_EQ(grade("i").outcome, Outcome::wrong_output);
}

}  // namespace
}  // namespace opgrade
