// One planted mistake in a right submission: what `opgrade check` tells its author.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const fs::path kCpu = OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good/cpu-new-forward.cc";
const fs::path kGpu = OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3/new-forward.cu";

class Planted : public test::SandboxedCli {
 protected:
  void SetUp() override {
    SandboxedCli::SetUp();
    config("5 min");
  }

  void config(const std::string& wall) const {
    std::string text =
        "opgrade: 1\nname: c\nmodels: {high: {network: fmnist-86, weights: fmnist-86-high}}\n"
        "limits: {run: {wall: " +
        wall + "}}\nstages:\n";
    for (const char* device : {"cpu", "emulated"})
      text += "  - {name: " + std::string(device) + ", device: " + device +
              ", random_shapes: {count: 8, points: 1}, cases: [{model: high, batch: 2, points: 1}]"
              "}\n";
    write("c.yaml", text);
  }

  /// A copy of `source` with `from` replaced by `to`; remembers the line.
  void plant(const fs::path& source, const std::string& from, const std::string& to) {
    std::ostringstream read;
    read << std::ifstream(source).rdbuf();
    std::string text = read.str();
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos);
    here = source.filename().string() + ":" +
           std::to_string(
               1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    text.replace(at, from.size(), to);
    fs::create_directories(place.path() / "own");
    std::ofstream(place.path() / "own" / source.filename()) << text;
  }

  /// The text report on one stage, with each run of blanks as one.
  std::string told(const std::string& stage, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"check",   "own",    "--config", "c.yaml",
                                       "--quiet", "--only", stage};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto report = run(arguments);
    code = test::exit_code(report);
    std::string text;
    for (const char c : report.standard_output)
      if ((c != ' ' && c != '\n') || !text.ends_with(' ')) text += c == '\n' ? ' ' : c;
    return text + report.standard_error;
  }

  std::string here;  ///< of the planted line
  int code = -1;
};

TEST_F(Planted, ACrashOnTheCpuHasALine) {
  // 4 TiB away: nothing is there, whatever else the process has mapped.
  plant(kCpu, "y4(b, m, h, w) = sum;", "y[b == B - 1 ? -(1L << 40) : 0] = sum;");
  const std::string text = told("cpu/random");
  EXPECT_EQ(code, 1);
  EXPECT_THAT(text, AllOf(HasSubstr("crashed"), HasSubstr("Fix " + here + " first."),
                          HasSubstr("out_of_bounds in conv_forward_cpu: The code writes")));
}

TEST_F(Planted, AnAccessInFrontOfATensorHasALine) {
  plant(kCpu, "sum += x4(b, c, h + p, w + q)", "sum += x4(b, c, h + p, w + q - 1)");
  // Where the system maps nothing in front of a tensor's pages, the plain build crashes before.
  EXPECT_THAT(told("cpu/random"),
              AllOf(HasSubstr("Fix " + here + " first."),
                    AnyOf(AllOf(HasSubstr("wrong output"),
                                HasSubstr("in front of the first element of a tensor")),
                          AllOf(HasSubstr("crashed"), HasSubstr("out_of_bounds")))));
}

TEST_F(Planted, AMistakeThatHappensToWorkOnTheCpuIsAWarningAndCostsNothing) {
  plant(kCpu, "  const int H_out",
        "  auto* const few = new volatile float[2];\n  few[K < 99 ? 2 : 0] = 1;\n  delete[] few;\n"
        "  const int H_out");
  const std::string text = told("cpu/random");
  EXPECT_EQ(code, 0) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("PASSED"), HasSubstr("Fix cpu-new-forward.cc:8 first."),
                          HasSubstr("The code writes outside memory that it allocated in "
                                    "cpu-new-forward.cc:7")));
}

TEST_F(Planted, ARightSubmissionIsToldNothing) {
  plant(kCpu, "float sum = 0;", "float sum = 0;");
  const std::string text = told("cpu");
  EXPECT_EQ(code, 0) << text;
  EXPECT_THAT(text, Not(HasSubstr("cpu-new-forward.cc:")));
}

TEST_F(Planted, AVariableWithoutAValueIsTheReason) {
  for (const auto& [source, stage] : {std::pair{kCpu, "cpu"}, std::pair{kGpu, "emulated"}}) {
    plant(source, "float sum = 0;", "float sum;");
    const std::string text = told(stage);
    // The compiler names the line of the use or of the declaration.
    EXPECT_THAT(text, AllOf(HasSubstr("uninitialized_variable"), HasSubstr("next: Fix "),
                            HasSubstr("the same in: "), Not(HasSubstr("was written"))));
  }
}

TEST_F(Planted, AKernelThatIsNotLaunchedIsMissedAndNotTheRightCopy) {
  plant(kGpu, "conv_forward_kernel<<<", "if (B < 0) conv_forward_kernel<<<");
  EXPECT_THAT(told("emulated"), AllOf(HasSubstr("next: No kernel was launched before line "),
                                      Not(HasSubstr("Fix "))));
}

TEST_F(Planted, AGridThatLeavesImagesOutIsNamedWithTheImages) {
  plant(kGpu, "<<<grid, ", "<<<dim3(grid.x, grid.y, 1), ");
  EXPECT_THAT(told("emulated/random"),
              AllOf(HasSubstr("uninitialized_copy (note): After this launch of "
                              "conv_forward_kernel, with a grid of "),
                    HasSubstr("Fix " + here + " first."),
                    HasSubstr("image 0 is right, and no element of image")));
}

TEST_F(Planted, AReadOfWhatWasNeverCopiedNamesTheAllocation) {
  plant(kGpu, "check(cudaMemcpy(*device_k", "if (B < 0) check(cudaMemcpy(*device_k");
  EXPECT_THAT(told("emulated/random"),
              AllOf(HasSubstr("uninitialized_read in conv_forward_kernel: "),
                    HasSubstr(", of an allocation of "), HasSubstr("(made in line "),
                    HasSubstr(" of new-forward.cu)")));
}

// Shapes with an even C look as if the sum over c were missing, others as if the mask were
// transposed.
TEST_F(Planted, AGuessThatAnotherShapeContradictsIsNotMade) {
  plant(kCpu, "sum += x4(b, c, h + p, w + q) * k4(m, c, p, q)",
        "sum += C % 2 == 0 ? (c == 0) * x4(b, c, h + p, w + q) * k4(m, c, p, q)\n"
        "                         : x4(b, c, h + p, w + q) * k4(m, c, q, p)");
  for (const char* seed : {"1", "2", "3"})
    EXPECT_THAT(told("cpu/random", {"--seed", seed}),
                AllOf(HasSubstr("next: Print the indices that your code uses"),
                      Not(HasSubstr("is missing")), Not(HasSubstr("is transposed"))));
  plant(kCpu, "k4(m, c, p, q)", "k4(m, c, q, p)");
  EXPECT_THAT(told("cpu/random", {"--seed", "1"}), HasSubstr("next: the mask is transposed"));
}

TEST_F(Planted, OpenMpWithoutItsFlagIsMentioned) {
  plant(kCpu, "  for (int b = 0", "#pragma omp parallel for\n  for (int b = 0");
  EXPECT_THAT(told("cpu/random", {"--html", "page.html"}),
              AllOf(HasSubstr("PASSED"), HasSubstr(here + ": #pragma omp has no effect")));
  std::ifstream page(place.path() / "page.html");
  const std::string html{std::istreambuf_iterator<char>(page), {}};
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("cpu/random")));
}

TEST_F(Planted, AnOutputThatTheTaskClearsIsNotSaidToLackIt) {
  // Wrong in the first call with an n, right in the second.
  plant(OPGRADE_SOURCE_DIR "/labs/openmp_histogram/solution/openmp_histogram.cc",
        "#pragma omp parallel\n",
        "  static int last = -1;\n  if (last != n) ++counts[0];\n  last = n;\n"
        "#pragma omp parallel\n");
  const auto report =
      run({"check", "own", "--config", "openmp_histogram", "--quiet", "--only", "cpu/random"});
  EXPECT_THAT(report.standard_output, HasSubstr("elements are wrong"));
  EXPECT_THAT(report.standard_output, Not(HasSubstr("not cleared")));
}

TEST_F(Planted, AnEndlessLoopHasALineAndCostsOneLimit) {
  config("3 s");
  for (const auto& [source, stage, step] :
       {std::tuple{kCpu, "cpu", "q++"}, std::tuple{kGpu, "emulated", "++q"}}) {
    plant(source, step, "q += 0");
    const std::string text = told(stage);
    EXPECT_THAT(text, AllOf(HasSubstr("out of time"), HasSubstr("endless_loop"),
                            HasSubstr("next: Fix " + source.filename().string() + ":"),
                            HasSubstr("the same in: " + std::string(stage) + "/high/2")));
  }
}

}  // namespace
}  // namespace opgrade
