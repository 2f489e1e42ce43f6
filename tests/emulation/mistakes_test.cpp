// Every folder under mistakes/ holds a small program with one mistake, what the checks have to say
// about it, and its corrected twin, about which they must say nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(OPGRADE_SOURCE_DIR) / "tests/emulation/mistakes"; }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(corpus()))
    if (entry.is_directory()) all.push_back(entry.path().filename().string());
  std::sort(all.begin(), all.end());
  return all;
}

/// Number of the line that holds the marker: `// here`, but not within `// and here`.
int line_with(const fs::path& source, const std::string& marker) {
  std::ifstream in(source);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find(marker) != std::string::npos) return number;
  }
  return 0;
}

class Mistake : public testing::TestWithParam<std::string> {
 protected:
  /// The checks find while it runs what the front end refuses, too, because a build may have none.
  static bool is_refused_by_nvcc() {
    static const std::set<std::string> kRefused{"host_variable_in_kernel",
                                                "kernel_called_as_function",
                                                "static_shared_too_large", "constants_too_large"};
    return kRefused.contains(GetParam());
  }
  Ran build_and_run(const char* file) {
    std::vector<std::string> flags{"--check"};
    if (is_refused_by_nvcc()) flags.push_back("--no-front-end");
    const Built built = build(corpus() / GetParam() / file, folder_.path(), flags);
    EXPECT_TRUE(built.ok) << built.messages;
    return built.ok ? run(built.object) : Ran{};
  }
  TempDir folder_{"opgrade-mistakes"};
};

TEST_P(Mistake, is_found_at_its_line) {
  const Ran ran = build_and_run("broken.cu");
  ASSERT_TRUE(ran.report.is_object()) << ran.output;
  std::ifstream in(corpus() / GetParam() / "expect.json");
  const auto expected = nlohmann::json::parse(in);
  bool expects_launch = false;
  for (const auto& want : expected["findings"]) {
    const int line = line_with(corpus() / GetParam() / "broken.cu", want["at"]);
    ASSERT_GT(line, 0) << "no line of broken.cu has the marker " << want["at"];
    const bool found = std::any_of(
        ran.report["findings"].begin(), ran.report["findings"].end(),
        [&](const nlohmann::json& finding) {
          return finding["kind"] == want["kind"] && finding["line"] == line &&
                 finding["file"] == "broken.cu" && finding["severity"] == want["severity"] &&
                 finding["kernel"] == want["kernel"] &&
                 (want["kernel"] == "" || finding.contains("thread")) &&
                 finding["message"].get<std::string>().find(want.value("says", "")) !=
                     std::string::npos;
        });
    EXPECT_EQ(want["severity"] == "error", !is_note({.kind = want["kind"]}));
    expects_launch = expects_launch || want["kind"] == "grid_outside_memory";
    EXPECT_TRUE(found) << "expected " << want["kind"] << " in line " << line << ", found "
                       << ran.report["findings"].dump(1);
  }
  // A launch is blamed for what no line of the kernel can mend, and for nothing else.
  for (const auto& finding : ran.report["findings"])
    EXPECT_TRUE(expects_launch || finding["kind"] != "grid_outside_memory") << finding.dump();
}

TEST_P(Mistake, is_not_seen_in_the_corrected_twin) {
  const Ran ran = build_and_run("fixed.cu");
  ASSERT_TRUE(ran.report.is_object()) << ran.output;
  EXPECT_EQ(ran.report["findings"].size(), 0u) << ran.report["findings"].dump(1);
  EXPECT_EQ(ran.report["status"], 0);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Mistake, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

// Whatever call of CUDA returns an error is named, once, at its line; what succeeds is not.
TEST(FailedCall, is_found_at_the_line_that_calls) {
  const std::vector<std::pair<std::string, std::string>> failing{
      {"cudaMalloc(&x, static_cast<size_t>(-1000))", "cudaErrorMemoryAllocation: out of memory"},
      {"cudaMallocManaged(&x, static_cast<size_t>(-1000))", "cudaErrorMemoryAllocation"},
      {"cudaMallocPitch(&x, &pitch, static_cast<size_t>(-1000), 4)", "cudaErrorMemoryAllocation"},
      {"cudaMemcpy2D(x, 4, x + 8, 4, 8, 2, cudaMemcpyDeviceToDevice)",
       "cudaErrorInvalidPitchValue"},
      {"cudaHostUnregister(host)", "cudaHostUnregister returned cudaErrorHostMemoryNotRegistered"},
      {"cudaSetDevice(3)", "cudaErrorInvalidDevice"},
      {"cudaFuncSetAttribute(one, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)",
       "cudaErrorInvalidValue"},
      {"cudaEventElapsedTime(&ms, event, nullptr)", "cudaEventElapsedTime returned"},
  };
  std::string source =
      "__global__ void one(float* x) { x[threadIdx.x] = 1; }\n"
      "extern \"C\" int run() {\n"
      "  float *x, *kept, ms, host[4]; size_t pitch; cudaEvent_t event;\n"
      "  cudaEventCreate(&event); cudaMalloc(&kept, 256); x = kept;\n"
      "  cudaMemcpy(host, x, 16, cudaMemcpyDeviceToHost);\n";
  const int first = static_cast<int>(std::ranges::count(source, '\n')) + 1;
  for (const auto& [call, words] : failing) source += "  " + call + ";\n";
  source +=
      "  cudaSetDevice(0); one<<<1, 32>>>(kept); cudaDeviceSynchronize(); cudaFree(kept);\n"
      "  cudaEventDestroy(event);\n  return 0;\n}\n";
  const TempDir folder("opgrade-failed");
  std::ofstream(folder.path() / "calls.cu") << source;
  const Built built = build(folder.path() / "calls.cu", folder.path(), {"--check"});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran ran = run(built.object);
  ASSERT_TRUE(ran.report.is_object()) << ran.output;
  std::map<int, std::string> found;
  for (const auto& finding : ran.report["findings"])
    if (finding["kind"] == "failed_call") found[finding["line"]] = finding["message"];
  for (std::size_t i = 0; i < failing.size(); ++i)
    EXPECT_NE(found[first + static_cast<int>(i)].find(failing[i].second), std::string::npos)
        << failing[i].first << ": " << ran.report["findings"].dump(1);
  EXPECT_EQ(found.size(), failing.size()) << ran.report["findings"].dump(1);
}

}  // namespace
}  // namespace opgrade::emulation_test
