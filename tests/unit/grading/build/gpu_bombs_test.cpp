// Sources that keep a real GPU compiler busy for ever, where there is a CUDA toolkit; no GPU is
// needed. The emulated device's compiler gets the same ones in tests/integration/hostile_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/registry.hpp"
#include "tests/support/long_tests.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = OPGRADE_SOURCE_DIR "/tests/corpus";

class GpuCompiler : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    OPGRADE_SKIP_UNLESS("cuda", tools.cuda_root.has_value(), "no CUDA toolkit here");
    sandbox.emplace(support);
    // An honest source takes 1.7 s of processor time; a busy machine makes that long on the clock.
    limits.wall = std::chrono::minutes(2);
    limits.cpu = std::chrono::seconds(5);
    limits.memory_bytes = std::int64_t{2} << 30;
  }

  BuildReport build(const fs::path& source) {
    std::ifstream file(source);
    std::ostringstream text;
    text << file.rdbuf();
    const TakenFiles files{".", {{"new-forward.cu", text.str()}}};
    const TempDir folder("opgrade-test-");
    sandbox->hand_over(folder.path());
    return compile({find_interface("minidnn-3"),
                    Device::cuda,
                    {"new-forward.cu"},
                    {},
                    {},
                    files,
                    limits},
                   tools, *sandbox, folder.path())
        .report;
  }

  const Toolchain tools = Toolchain::detect();
  LimitConfig limits = Config{}.build_limits;
  std::optional<Sandbox> sandbox;
};

class GpuBomb : public GpuCompiler, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Source, GpuBomb,
                         testing::Values("h55_kernel_bomb", "h55_inline_bomb", "h55_table_bomb"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(GpuBomb, StopsAtALimit) {
  if (GetParam() != std::string_view("h55_kernel_bomb") && !test::long_tests())
    GTEST_SKIP() << "OPGRADE_LONG_TESTS=1 compiles it: each bomb takes all of the limit";
  const BuildReport report = build(kCorpus / "hostile" / GetParam() / "new-forward.cu");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::sentence_of(report.reason),
              testing::MatchesRegex("the compiler was stopped at its limit: "
                                    "(CPU time 5 s|memory.*|file size.*)"))
      << report.compiler_output;
}

// The loop is too long to unroll, and nvcc leaves it as it is.
TEST_F(GpuCompiler, UnrollingAMillionTimesIsNotDone) {
  const BuildReport report = build(kCorpus / "hostile/h55_unroll_bomb/new-forward.cu");
  EXPECT_EQ(report.outcome, Outcome::passed)
      << report::sentence_of(report.reason) << report.compiler_output;
}

TEST_F(GpuCompiler, AnHonestSourceFitsTheSameLimits) {
  const BuildReport report = build(kCorpus / "hostile_gpu/control/new-forward.cu");
  EXPECT_EQ(report.outcome, Outcome::passed)
      << report::sentence_of(report.reason) << report.compiler_output;
}

}  // namespace
}  // namespace opgrade
