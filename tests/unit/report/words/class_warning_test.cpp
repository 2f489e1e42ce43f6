#include "grader/report/words/class_warning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opgrade::report {
namespace {

std::string warning(const std::vector<Outcome>& outcomes) { return class_warning(outcomes); }

TEST(ClassWarning, SaysThatNoRightOutputsHaveTheAccuracy) {
  EXPECT_THAT(warning({Outcome::wrong_output, Outcome::wrong_accuracy, Outcome::wrong_accuracy}),
              testing::AllOf(testing::HasSubstr("2 submissions with right outputs have"),
                             testing::HasSubstr("opgrade check-config")));
  EXPECT_EQ(warning({Outcome::wrong_accuracy, Outcome::passed}), "") << "its own mistake";
  EXPECT_EQ(warning({Outcome::wrong_accuracy, Outcome::not_credible}), "");
  EXPECT_EQ(warning({Outcome::wrong_output, Outcome::crashed}), "");
  EXPECT_EQ(warning({}), "");
}

TEST(ReferenceWarning, NamesWhatTheReferenceSolutionFails) {
  Grade grade;
  grade.submission_path = "/usr/share/a b";
  grade.stages.resize(1);
  const auto add = [&](const char* id, Outcome outcome) -> CaseReport& {
    CaseReport c;
    c.id = id;
    c.outcome = outcome;
    return grade.stages[0].cases.emplace_back(c);
  };
  const auto text = [&] { return reference_warning(grade, "m1.yaml"); };
  add("cpu/random", Outcome::passed);
  add("gpu/a", Outcome::refused);  // the config names files of its own
  add("gpu/b", Outcome::not_emulated);
  add("gpu/c", Outcome::grader_fault);
  add("gpu/d", Outcome::wrong_output).advice = true;
  EXPECT_EQ(text(), "");
  add("gpu/e", Outcome::out_of_time).reason = text_reason("1 s passed");
  EXPECT_THAT(text(),
              testing::AllOf(testing::StartsWith("the reference solution fails gpu/e (out of time: "
                                                 "1 s passed), so right submissions may lose"),
                             testing::HasSubstr("check '/usr/share/a b' --config m1.yaml")));
  add("gpu/f", Outcome::crashed);
  add("gpu/g", Outcome::build_failed);
  EXPECT_THAT(text(), testing::HasSubstr("1 s passed) and 2 other cases, so"));
}

}  // namespace
}  // namespace opgrade::report
