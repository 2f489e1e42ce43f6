// A submission that uses more of CUDA than is emulated is left undecided, and no other one is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The reference solution's source with `before` above it and `in_kernel` at the start of its
/// kernel.
std::string source(const std::string& before, const std::string& in_kernel = "") {
  std::ifstream in(OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3/new-forward.cu");
  std::stringstream text;
  text << in.rdbuf();
  std::string s = text.str();
  const std::string body = "const int H_out = H - K + 1;";
  s.insert(s.find(body), in_kernel);
  const std::string leaves = "std::exit(1);";
  s.erase(s.find(leaves), leaves.size());
  return before + s;
}

class NotEmulated : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }

  /// Grades the random shapes of a submission with this source; the report's one case.
  nlohmann::json check(const std::string& text) {
    const auto folder = place_.path() / "submission";
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "new-forward.cu") << text;
    const auto run = place_.run({"check", folder, "--config", "self-check", "--device", "emulated",
                                 "--only", "gpu/random", "--json"});
    exit_code_ = test::exit_code(run);
    grade_ = nlohmann::json::parse(run.standard_output, nullptr, false);
    if (grade_.is_discarded()) return {{"outcome", run.standard_error}};
    return grade_["stages"][0]["cases"][0];
  }

  void expect_undecided(const nlohmann::json& c, const std::string& reason) {
    EXPECT_EQ(c["outcome"], "not_emulated") << c["reason"] << grade_["stages"][0]["build"];
    EXPECT_THAT(c["reason"], StartsWith(reason));
    EXPECT_EQ(grade_["outcome"], "not_emulated");
    EXPECT_EQ(grade_["points"], 0);
    EXPECT_EQ(grade_["open_points"], grade_["max_points"]);
    EXPECT_EQ(grade_["passed"], false);
    EXPECT_EQ(exit_code_, 3);
  }

  void expect_not_built(const nlohmann::json& c, const std::string& output) {
    EXPECT_EQ(c["outcome"], "build_failed") << c["reason"];
    EXPECT_THAT(grade_["stages"][0]["build"]["compiler_output"], HasSubstr(output));
    EXPECT_EQ(grade_["open_points"], 0);
    EXPECT_EQ(exit_code_, 1);
  }

  test::Workplace place_;
  nlohmann::json grade_;
  int exit_code_ = -1;
};

TEST_F(NotEmulated, AHeaderOfALibraryIsNamedWithItsLine) {
  expect_undecided(
      check(source("\n#include <thrust/async/sort.h>\n")),
      "new-forward.cu:2: the emulated device lacks a part of Thrust (thrust/async/sort.h)");
}

TEST_F(NotEmulated, AFunctionIsNamedWithItsLine) {
  expect_undecided(check(source("void f(cudaTextureObject_t* t) { (void)t; }\n")),
                   "new-forward.cu:1: the emulated device lacks textures (cudaTextureObject_t)");
}

/// As under nvcc without -rdc=true.
TEST_F(NotEmulated, ALaunchFromAKernelDoesNotBuild) {
  expect_not_built(check(source("__global__ void inner() {}\n", "\ninner<<<1, 1>>>();\n")),
                   "requires separate compilation mode");
}

TEST_F(NotEmulated, AMistakeOfTheSourceIsItsOwn) {
  expect_not_built(check(source("int f() { return tile }\n")), "tile");
  expect_not_built(check(source("int f() { return tile; }\nthrust::host_vector<int> v;\n")),
                   "tile");
  expect_not_built(check(source("#include \"thrust.h\"\n")), "thrust.h");
}

TEST_F(NotEmulated, TheWordsOfASourceAreNotBelieved) {
  expect_not_built(check(source("#error a.cu:1: not emulated: Thrust\n")), "not emulated: Thrust");
  expect_not_built(check(source("#pragma message \"\\na.cu:1: not emulated: Thrust\"\nint f(\n")),
                   "error: ");
}

TEST_F(NotEmulated, TheDevicesHeapAndTheSamplesHeaderAreThere) {
  const auto c = check(source("#include <helper_cuda.h>\n",
                              "float* own = (float*)malloc(8 * sizeof(float)); own[7] = K;\n"
                              "asm volatile(\"\" ::: \"memory\");\n"
                              "if (own[7] != K) return;\nfree(own);\n"));
  EXPECT_EQ(c["outcome"], "passed") << c["reason"] << grade_["stages"][0]["build"];
  EXPECT_EQ(exit_code_, 0);
}

TEST_F(NotEmulated, AWrongSubmissionEarnsNothingByIt) {
  const auto c = check(source("#include <cub/grid/grid_queue.cuh>\n", "return;"));
  expect_undecided(
      c, "new-forward.cu:1: the emulated device lacks a part of CUB (cub/grid/grid_queue.cuh)");
}

}  // namespace
}  // namespace opgrade
