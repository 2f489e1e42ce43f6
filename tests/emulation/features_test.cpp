// Self-checking programs, one for each part of CUDA: each is built with and without the checks, and
// its run() counts what is not as it should be.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

std::filesystem::path source(const std::string& name) {
  return std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/emulation/features" / (name + ".cu");
}

class Feature : public testing::TestWithParam<const char*> {
 protected:
  Built build_it(std::vector<std::string> flags) {
    flags.push_back("-I" OPGRADE_SOURCE_DIR "/grader/platform/harness/adapters");
    flags.push_back("-lcublas");
    Built built = build(source(GetParam()), folder_.path(), flags);
    EXPECT_TRUE(built.ok) << built.messages;
    return built;
  }
  Ran build_and_run(const std::vector<std::string>& flags) {
    const Built built = build_it(flags);
    return built.ok ? run(built.object) : Ran{};
  }
  TempDir folder_{"opgrade-features"};
};

TEST_P(Feature, works) {
  const Ran ran = build_and_run({});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

TEST_P(Feature, works_unoptimised) {
  const Ran ran = build_and_run({"-O0"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

// What right programs do not depend on. The last level of optimisation copies the most code.
TEST_P(Feature, works_in_other_orders_with_other_memory_and_optimised_further) {
  const Built built = build_it({"-O3"});
  for (const char* environment :
       {"OPGRADE_EMULATION_ORDER=reversed OPGRADE_EMULATION_FILL=75",
        "OPGRADE_EMULATION_ORDER=interleaved", "OPGRADE_EMULATION_ORDER=late"}) {
    const Ran ran = run(built.object, environment);
    ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
    EXPECT_EQ(ran.report["result"], 0) << environment << ": " << ran.output;
  }
}

TEST_P(Feature, works_under_the_checks) {
  const Ran ran = build_and_run({"--check"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
  for (const auto& finding : ran.report["findings"]) {
    const std::string name = GetParam();
    // Some programs test what a wrong call returns.
    const bool meant = name == "errors" || name == "barriers" || name == "sides" ||
                       finding["kind"] == "failed_call";
    EXPECT_TRUE(meant) << finding.dump(1);
  }
}

TEST_P(Feature, works_in_the_counting_build) {
  // Millions of accesses without a barrier take minutes there.
  if (std::string(GetParam()) == "heap") GTEST_SKIP() << "too long for a build that counts";
  const Ran ran = build_and_run({"--count"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Cuda, Feature,
                         testing::Values("launches", "barriers", "warps", "atomics", "exchanges",
                                         "groups", "wmma", "memory", "heap", "ptx", "pipelines",
                                         "graphs", "waits", "errors", "libraries", "compiler",
                                         "shared_bounds", "lab_header", "sides", "missing_results",
                                         "parameters", "shared_names", "shared_scopes",
                                         "variables"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Order, is_the_same_on_any_number_of_host_threads) {
  const TempDir folder("opgrade-order");
  const Built built = build(source("order"), folder.path(), {});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran one = run(built.object, "OPGRADE_EMULATION_THREADS=1");
  ASSERT_EQ(one.report["result"], 0) << one.output;
  for (const char* threads : {"2", "3", "8"}) {
    const Ran many = run(built.object, std::string("OPGRADE_EMULATION_THREADS=") + threads);
    EXPECT_EQ(many.output, one.output) << threads << " threads";
  }
}

TEST(LostUpdates, show_where_blocks_run_at_the_same_time) {
  const TempDir folder("opgrade-lost-updates");
  const Built built = build(source("lost_updates"), folder.path(), {});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran in_order = run(built.object);
  EXPECT_EQ(in_order.report["result"], 0) << "right by the order of blocks and threads";
  EXPECT_EQ(in_order.report["findings"].size(), 0U);
  for (int i = 0; i < 5; ++i) {
    const Ran ran = run(built.object, "OPGRADE_EMULATION_ORDER=interleaved");
    EXPECT_EQ(ran.report["result"], 4) << "each is wrong in each run";
    std::vector<int> lines;
    for (const auto& finding : ran.report["findings"]) {
      EXPECT_EQ(finding["kind"], "lost_update");
      lines.push_back(finding["line"]);
    }
    std::ranges::sort(lines);
    EXPECT_EQ(lines, (std::vector{9, 12, 18, 25})) << ran.report["findings"].dump(1);
  }
}

/// The number of the line of missing_waits.cu that ends with the comment, and the names of all
/// programs there.
std::map<std::string, int> blamed_lines() {
  std::map<std::string, int> lines;
  std::ifstream in(source("missing_waits"));
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t comment = line.find(";  // ");
    if (comment != line.npos) lines[line.substr(comment + 6)] = number;
  }
  return lines;
}

TEST(MissingWaits, ShowWhereWorkIsLate) {
  const TempDir folder("opgrade-missing-waits");
  const Built built = build(source("missing_waits"), folder.path(), {"-g"});
  ASSERT_TRUE(built.ok) << built.messages;
  const auto lines = blamed_lines();
  ASSERT_EQ(lines.size(), 19U);
  for (const auto& [program, line] : lines) {
    const Ran at_once = run(built.object, "MISSING_WAIT=" + program);
    EXPECT_EQ(at_once.report["result"], 0) << program << " is right if work is done in the call";
    EXPECT_EQ(at_once.report["findings"].size(), 0U) << program;
    const Ran late = run(built.object, "OPGRADE_EMULATION_ORDER=late MISSING_WAIT=" + program);
    EXPECT_NE(late.report["result"], 0) << program;
    ASSERT_EQ(late.report["findings"].size(), 1U) << program << late.output;
    EXPECT_EQ(late.report["findings"][0]["kind"], "missing_wait");
    EXPECT_EQ(late.report["findings"][0]["line"], line) << late.report["findings"].dump(1);
  }
}

/// Where nothing else limits memory, RLIMIT_DATA does: it counts private memory that nobody has
/// touched.
TEST(Stacks, of_many_host_threads_are_no_data_of_the_process) {
  const TempDir folder("opgrade-stacks");
  const Built built = build(source("stacks"), folder.path(), {});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran ran = run(built.object, "OPGRADE_EMULATION_THREADS=16 prlimit --data=1073741824");
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

/// As the packages of distributions put them into /usr/include.
TEST(ToolkitsOwnHeaders, NeedAGpuWhereverTheyAre) {
  const TempDir folder("opgrade-toolkit");
  const std::filesystem::path headers = folder.path() / "usr/include";
  const std::filesystem::path file = folder.path() / "case.cu";
  for (const auto& [header, text, feature] :
       {std::tuple("thrust/complex.h", "namespace thrust { template <class T> struct complex; }",
                   "a part of Thrust (thrust/complex.h)"),
        std::tuple("curand.h", "int curandCreate();", "cuRAND (curand.h)"),
        std::tuple("cuda/std/array", "#error needs a GPU's compiler",
                   "libcu++ (cuda/std/array)")}) {
    std::filesystem::create_directories((headers / header).parent_path());
    std::ofstream(headers / header) << text << "\n";
    std::ofstream(file) << "#include <vector>\n#include <" << header
                        << ">\nint run() { return 0; }\n";
    const Built built = build(file, folder.path(), {"-isystem", headers.string(), "-c"});
    EXPECT_FALSE(built.ok) << header;
    EXPECT_NE(built.messages.find(std::string("case.cu:2: not emulated: ") + feature),
              std::string::npos)
        << built.messages;
  }
}

}  // namespace
}  // namespace opgrade::emulation_test
