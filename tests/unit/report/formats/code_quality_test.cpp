#include "grader/report/formats/code_quality.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

nlohmann::json issues_of(const Grade& grade) {
  return nlohmann::json::parse(code_quality_report(grade, Audience::student));
}

TEST(CodeQuality, ErrorsAndFindingsStandAtTheirLines) {
  Grade grade = test::grade_with(Outcome::crashed);
  StageReport& stage = grade.stages[0];
  stage.folder = "src/custom";
  stage.files = {"new-forward.cu"};
  stage.cases[0].findings = {{"data_race", "k", "./new-forward.cu", 9, "Nothing orders the two."}};
  const auto issues = issues_of(grade);
  ASSERT_EQ(issues.size(), 2U) << issues.dump(2);
  EXPECT_EQ(issues[0]["location"]["path"], "src/custom/new-forward.cu");
  EXPECT_EQ(issues[0]["location"]["lines"]["begin"], 9);
  EXPECT_EQ(issues[0]["check_name"], "data_race");
  EXPECT_EQ(issues[0]["description"], "cpu/high/1000: Nothing orders the two.");
}

TEST(CodeQuality, EachEntryHasWhatGitlabAsksFor) {
  Grade grade = test::grade_with(Outcome::crashed);
  grade.stages[0].cases[0].findings.assign(
      3, {"data_race", "k", "../elsewhere.cu", 9, "\xff\"\n::error::forged"});
  std::set<std::string> prints;
  const auto issues = issues_of(grade);
  ASSERT_EQ(issues.size(), 4U) << issues.dump(2);
  for (const auto& issue : issues) {
    EXPECT_TRUE(prints.insert(issue["fingerprint"].get<std::string>()).second)
        << "GitLab shows the first of two equal ones alone";
    const auto path = issue["location"]["path"].get<std::string>();
    EXPECT_FALSE(path.empty());
    EXPECT_FALSE(path.starts_with("..") || path.starts_with("/")) << path;
    EXPECT_GE(issue["location"]["lines"]["begin"].get<int>(), 1);
    const std::set<std::string> scale{"info", "minor", "major", "critical", "blocker"};
    EXPECT_TRUE(scale.contains(issue["severity"].get<std::string>()));
  }
}

TEST(CodeQuality, ARightSubmissionHasNoEntry) {
  EXPECT_EQ(issues_of(test::passed_grade()), nlohmann::json::array());
}

}  // namespace
}  // namespace opgrade::report
