/// Compiles sources with the real compilers in the real sandbox.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/task/config/registry.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade::test {

inline constexpr const char* kSignature =
    "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, "
    "const int C, const int H, const int W, const int K)";
inline const std::string kGood =
    std::string("#include \"cpu-new-forward.h\"\n") + kSignature + " {}\n";

class Compile : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    OPGRADE_SKIP_UNLESS("compiler", tools.cxx.has_value(), "no C++ compiler");
    sandbox.emplace(support);
    limits.wall = std::chrono::seconds(20);
    limits.memory_bytes = 512 << 20;
  }

  BuildReport build(const std::string& source, std::vector<TakenFile> others = {}) {
    TakenFiles files{".", {{"cpu-new-forward.cc", source}}};
    for (auto& file : others) files.files.push_back(std::move(file));
    folder.emplace("opgrade-test-");
    const CompileJob job{
        find_interface("minidnn-3"), Device::cpu, {"cpu-new-forward.cc"}, flags, {}, files, limits};
    Compiled compiled = compile(job, tools, *sandbox, folder->path());
    EXPECT_EQ(compiled.report.outcome == Outcome::passed,
              std::filesystem::exists(compiled.submission));
    return compiled.report;
  }

  Toolchain tools = Toolchain::detect();
  std::vector<std::string> flags{"-O1"};
  LimitConfig limits = Config{}.build_limits;
  std::optional<Sandbox> sandbox;
  std::optional<TempDir> folder;
};

}  // namespace opgrade::test
