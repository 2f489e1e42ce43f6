// Grades tests/corpus/findings on the emulated device with every access watched: each submission
// has its outcome, and what is found names the submission's own lines, however its process ends.
// Once with `findings: decide`, once as in a course's config, where outputs decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/graded_group.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFindings = OPGRADE_SOURCE_DIR "/tests/corpus/findings";

std::unique_ptr<test::GradedGroup> graded_with(
    const char* config, const std::vector<std::string>& names = test::submissions_in(kFindings)) {
  auto made = std::make_unique<test::GradedGroup>();
  for (const auto& name : names)
    made->add_copy(kFindings / name, OPGRADE_SOURCE_DIR "/tests/corpus/cheats/common/honest.cuh");
  made->grade(config, {"--device", "emulated", "--jobs", "2"});
  return made;
}

/// All of them, graded together.
const test::GradedGroup& graded() {
  static const auto group = graded_with(OPGRADE_SOURCE_DIR "/tests/configs/findings.yaml");
  return *group;
}
const test::GradedGroup& graded_by_course() {
  static const auto group = graded_with(OPGRADE_SOURCE_DIR "/tests/configs/findings-course.yaml");
  return *group;
}

/// Number of the line that ends with "// here".
int marked_line(const fs::path& source) {
  std::ifstream in(source);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with("// here")) return number;
  }
  return 0;
}

class Findings : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }
};

INSTANTIATE_TEST_SUITE_P(All, Findings, testing::ValuesIn(test::submissions_in(kFindings)),
                         [](const auto& submission) { return submission.param; });

/// The expectation, with the number of the marked line.
YAML::Node wanted_of(const std::string& name) {
  std::ifstream file(kFindings / name / "expect.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const int line = marked_line(kFindings / name / "new-forward.cu");
  for (auto at = text.find("{here}"); at != text.npos; at = text.find("{here}"))
    text.replace(at, 6, std::to_string(line));
  return YAML::Load(text);
}

/// Kinds and places, a line each.
std::string found_in(const json& c) {
  std::string found;
  for (const json& finding : c["findings"])
    found += finding["kind"].get<std::string>() + " " + finding["file"].get<std::string>() + ":" +
             std::to_string(finding["line"].get<int>()) + "\n";
  return found;
}

TEST_P(Findings, AreThoseExpected) {
  const json report = graded().report_of(GetParam());
  ASSERT_FALSE(report.is_null());
  const YAML::Node wanted = wanted_of(GetParam());
  test::expect_keys(wanted, {"outcome", "reason", "hint", "next", "finds", "says", "silent",
                             "course", "course_reason", "course_hint", "course_finds"});

  const json& stage = report["stages"].at(0);
  ASSERT_EQ(stage["build"]["outcome"], "passed") << stage["build"]["compiler_output"];
  const json& random = stage["cases"].at(0);
  const std::string reason = random["reason"], hint = random["hint"];
  std::string messages;
  for (const json& finding : random["findings"]) {
    messages += finding["message"].get<std::string>() + "\n";
    // A launch that is missing has no place.
    const bool missing = finding["kind"] == "uninitialized_copy" && finding["line"] == 0;
    EXPECT_THAT(finding["file"], testing::AnyOf("new-forward.cu", "honest.cuh", missing ? "" : "-"))
        << finding.dump();
  }
  EXPECT_THAT(reason + hint, testing::Not(testing::HasSubstr("need not be")));
  test::expect_match(wanted, "outcome", random["outcome"], true);
  test::expect_match(wanted, "reason", reason, false);
  test::expect_match(wanted, "hint", hint, false);
  test::expect_match(wanted, "finds", found_in(random), false);
  test::expect_match(wanted, "says", messages, false);
  if (wanted["silent"]) {
    EXPECT_FALSE(std::regex_search(messages, std::regex(wanted["silent"].Scalar()))) << messages;
  }
  if (wanted["next"]) {
    const auto shown = graded().place.run({"show", graded().results / GetParam()});
    test::expect_match(wanted, "next", shown.standard_output, false);
  }
}

// Without `course` the outcome is the same. A case that passes has all its points.
TEST_P(Findings, CostPointsInACourseWhereAnOutputIsWrong) {
  const json report = graded_by_course().report_of(GetParam());
  ASSERT_FALSE(report.is_null());
  const YAML::Node wanted = wanted_of(GetParam());
  const json& random = report["stages"].at(0)["cases"].at(0);
  test::expect_match(wanted, wanted["course"] ? "course" : "outcome", random["outcome"], true);
  test::expect_match(wanted, "course_reason", random["reason"], false);
  test::expect_match(wanted, "course_hint", random["hint"], false);
  test::expect_match(wanted, "course_finds", found_in(random), false);
  EXPECT_EQ(report["points"], random["outcome"] == "passed" ? 10 : 0);
}

// Without random cases the layers run watched; the case itself runs again as above.
TEST(FindingsOfLayers, CostPointsWhereTheCaseIsWrong) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  const auto graded = graded_with(
      OPGRADE_SOURCE_DIR "/tests/configs/findings-layers.yaml",
      {"last_value_wins", "last_thread_wins", "misaligned_pair", "misaligned_behind_megabyte",
       "megabyte_behind", "unset_value_in_sum", "far_behind"});
  const auto case_of = [&](const char* name) {
    return graded->report_of(name)["stages"].at(0)["cases"].at(0);
  };
  EXPECT_EQ(case_of("last_value_wins")["outcome"], "passed");
  EXPECT_THAT(case_of("last_value_wins")["reason"].get<std::string>(),
              testing::StartsWith("right here; a GPU may hide this: fix new-forward.cu:"));
  EXPECT_EQ(case_of("last_thread_wins")["outcome"], "mistake_found");
  EXPECT_THAT(case_of("last_thread_wins")["hint"].get<std::string>(),
              testing::HasSubstr("wrong with blocks and threads in reverse order: conv1: "));
  EXPECT_EQ(case_of("misaligned_pair")["outcome"], "mistake_found");
  EXPECT_EQ(case_of("misaligned_behind_megabyte")["outcome"], "mistake_found");
  EXPECT_EQ(case_of("megabyte_behind")["outcome"], "passed");
  const auto notes_of = [&](const char* name) { return graded->report_of(name)["notes"].dump(); };
  for (const char* const name : {"unset_value_in_sum", "megabyte_behind", "far_behind"})
    EXPECT_THAT(notes_of(name), testing::Not(testing::HasSubstr("watched")))
        << "to the end, or the case itself crashed";
}

// The MXNet adapter allocates the tensors itself, and its epilog frees them.
TEST(FindingsOfAnAdapter, AreNotTheSubmissions) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  const fs::path mxnet = OPGRADE_SOURCE_DIR "/tests/corpus/terms/mxnet";
  const test::Workplace place;
  const fs::path source = place.path() / "in/ece408_src/new-forward.cuh";
  fs::copy(mxnet, place.path() / "in", fs::copy_options::recursive);
  std::ifstream file(source);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string last = "MSHADOW_CUDA_CALL(cudaDeviceSynchronize());";
  ASSERT_NE(text.find(last), text.npos);
  std::ofstream(source) << text.replace(text.find(last), last.size(), "throw 1;");

  const auto run = place.run({"check", "in", "--config", mxnet / "config.yaml", "--device",
                              "emulated", "--only", "gpu", "--json"});
  const json grade = json::parse(run.standard_output, nullptr, false);
  ASSERT_FALSE(grade.is_discarded()) << run.standard_error;
  for (const json& c : grade.at("stages").at(0).at("cases")) {
    EXPECT_EQ(c["outcome"], "crashed") << c["reason"];
    EXPECT_EQ(c["findings"], json::array());
  }
}

}  // namespace
}  // namespace opgrade
