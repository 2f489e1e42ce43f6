// The profile, the policy on outside work and compute-sanitizer on a real GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "grader/grading/device/gpu.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kFolder = OPGRADE_SOURCE_DIR "/tests/profile";

class OnGpu : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("gpu", find_gpu(), "there is no GPU here"); }

  /// The report of one submission; `policy` is what the config says of outside work.
  json report(const std::string& verb, const std::string& submission,
              const std::vector<std::string>& more = {}, const std::string& policy = "count") {
    std::ostringstream text;
    text << std::ifstream(std::string(kFolder) + "/config.yaml").rdbuf();
    std::string config = text.str();
    config.replace(config.find("outside_work: count"), 19, "outside_work: " + policy);
    std::ofstream(place_.path() / "config.yaml") << config;
    std::vector<std::string> arguments{verb,       submission, "--config", "config.yaml",
                                       "--device", "cuda",     "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto run = place_.run(arguments);
    const auto parsed = json::parse(run.standard_output, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << run.standard_error << run.standard_output;
    return parsed;
  }
  static std::string own(const char* name) {
    return std::string(OPGRADE_SOURCE_DIR "/tests/corpus/profile/") + name;
  }

 private:
  test::Workplace place_;
};

const json& the_case(const json& report) { return report.at("stages").at(0).at("cases").at(0); }

std::string notes_of(const json& report) { return report.at("notes").dump(); }

TEST_F(OnGpu, CuptiRecordsKernelsCallsAndCopies) {
  const auto r = report("profile", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3");
  const auto& p = the_case(r).at("profile");
  EXPECT_EQ(p["source"], "CUPTI");
  EXPECT_EQ(p["problem"], "");
  ASSERT_EQ(p["kernels"].size(), 1u);
  EXPECT_THAT(p["kernels"][0]["name"].get<std::string>(), HasSubstr("conv_forward_kernel"));
  EXPECT_EQ(p["kernels"][0]["calls"], 2);
  EXPECT_GT(p["kernels"][0]["total_ns"], 0);
  ASSERT_EQ(p["layers"].size(), 2u);
  for (const auto& layer : p["layers"]) {
    EXPECT_EQ(layer["launches"], 1);
    EXPECT_EQ(layer["outside_launches"], 0);
    EXPECT_GT(layer["flops_per_second"], 0);
  }
  ASSERT_EQ(p["launches"].size(), 2u);
  EXPECT_GT(p["launches"][0]["registers"], 0);
  EXPECT_GT(p["launches"][0]["occupancy"], 0);
  std::set<std::string> calls;
  for (const auto& row : p["calls"]) calls.insert(row["name"]);
  // What the solution calls itself, and nothing of the grader's adapter.
  EXPECT_EQ(calls, (std::set<std::string>{"cudaMalloc", "cudaMemcpy", "cudaFree",
                                          "cudaLaunchKernel", "cudaGetLastError"}));
  std::int64_t copied = 0;
  for (const auto& row : p["memory"]) copied += row["bytes"].get<std::int64_t>();
  // x, k and y of both layers at B=4.
  EXPECT_EQ(copied, 4 * (4 * 86 * 86 + 4 * 49 + 4 * 4 * 80 * 80 +  //
                         4 * 4 * 40 * 40 + 16 * 4 * 49 + 4 * 16 * 34 * 34));
  ASSERT_TRUE(p["ceilings"].is_object());
  EXPECT_GT(p["ceilings"]["fp32_flops_per_second"], 0);
}

TEST_F(OnGpu, OutsideWorkIsCountedRefusedOrAllowed) {
  const auto counted = report("check", own("works_in_prolog"), {}, "count");
  EXPECT_EQ(the_case(counted)["outcome"], "passed");
  EXPECT_THAT(notes_of(counted), HasSubstr("4 kernel launches outside the convolution call"));
  EXPECT_THAT(notes_of(counted), HasSubstr("counted into Op Time"));
  const auto refused = report("check", own("works_in_prolog"), {}, "reject");
  EXPECT_EQ(the_case(refused)["outcome"], "refused");
  const auto allowed = report("check", own("works_in_prolog"), {}, "allow");
  EXPECT_EQ(the_case(allowed)["outcome"], "passed");
  EXPECT_THAT(notes_of(allowed), HasSubstr("allows that"));
  const auto honest =
      report("check", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3", {}, "reject");
  EXPECT_EQ(the_case(honest)["outcome"], "passed");
  EXPECT_THAT(notes_of(honest), testing::Not(HasSubstr("outside")));
}

/// The line of a source that holds `text`, counted from 1.
int line_of(const std::string& file, const std::string& text) {
  std::ifstream source(file);
  int number = 1;
  for (std::string line; std::getline(source, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  return 0;
}

TEST_F(OnGpu, TheSanitizersFindingsStandAtTheStudentsLines) {
  const auto race = report("check", own("races"), {"--sanitize"});
  const auto read = report("check", own("reads_past_input"), {"--sanitize"});
  const auto has = [](const json& r, const std::string& kind, int line) {
    for (const auto& f : the_case(r).at("findings")) {
      if (f["kind"] == kind && f["line"] == line && f["file"] == "new-forward.cu") return true;
    }
    return false;
  };
  EXPECT_TRUE(has(race, "data_race", line_of(own("races/new-forward.cu"), "weights[i] = k")))
      << the_case(race)["findings"].dump(1) << notes_of(race);
  EXPECT_TRUE(
      has(read, "invalid_access", line_of(own("reads_past_input/new-forward.cu"), "float beyond")))
      << the_case(read)["findings"].dump(1) << notes_of(read);
  const auto clean =
      report("check", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3", {"--sanitize"});
  EXPECT_TRUE(the_case(clean).at("findings").empty()) << the_case(clean)["findings"].dump(1);
  EXPECT_THAT(notes_of(clean), HasSubstr("compute-sanitizer found nothing"));
}

}  // namespace
}  // namespace opgrade
