#include "grader/report/formats/exporters.hpp"

#include <gtest/gtest.h>

#include <set>

#include "grader/base/core/error.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

TEST(Exporters, NamesAndStoredFilesAreUnique) {
  std::set<std::string_view> names, files;
  for (const Exporter& e : exporters()) {
    EXPECT_TRUE(names.insert(e.name).second) << e.name;
    if (e.stored) {
      EXPECT_TRUE(files.insert(e.file).second) << e.file;
    }
    EXPECT_EQ(e.file.find('/'), e.file.npos);
    EXPECT_FALSE(e.sentence.empty()) << e.name;
  }
}

TEST(Exporters, GradeStoresTheseFiles) {
  std::set<std::string_view> staff, student;
  for (const Exporter& e : exporters())
    if (e.stored) (e.audience == Audience::staff ? staff : student).insert(e.file);
  EXPECT_EQ(staff, (std::set<std::string_view>{"report.json"}));
  EXPECT_EQ(student, (std::set<std::string_view>{"report.txt", "report.html", "junit.xml"}));
}

TEST(Exporters, TheHelpNamesAll) {
  const std::string list = list_of_exporters();
  for (const Exporter& e : exporters()) {
    EXPECT_NE(list.find(std::string(e.name) + " ("), list.npos) << e.name;
    EXPECT_EQ(&exporter(e.name), &e);
  }
  EXPECT_THROW(exporter("pdf"), Error);
  EXPECT_THROW(exporter("github-log").write(test::passed_grade(), {}), Error) << "no guard";
}

// As a failure: the points are the same, the mistake is not to be missed.
TEST(Exporters, AWarningStandsInAll) {
  Grade grade = test::passed_grade();
  CaseReport& c = grade.stages[0].cases[0];
  c.reason = text_reason("right here; a GPU may hide this: fix a.cu:44");
  grade.reason = text_reason(c.id + ": " + test::sentence_in(c.reason).words);
  c.findings = {{"data_race", "tiled", "a.cu", 44, "Nothing orders the two accesses."}};
  for (const Exporter& e : exporters()) {
    const std::string text = e.write(grade, {Audience::student, {}, "0123456789abcdef"});
    EXPECT_NE(text.find("a GPU may hide this"), text.npos) << e.name << "\n" << text;
  }
}

TEST(Exporters, AHiddenCaseIsHiddenFromStudentsInAll) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases[0].hidden = true;
  grade.stages[0].cases[0].student_output = "printed by the hidden one";
  grade.stages[0].cases[0].findings = {{"race", "kernel_of_it", "a.cu", 7, "found in it"}};
  for (const Exporter& e : exporters()) {
    const std::string text = e.write(grade, {Audience::student, {}, "0123456789abcdef"});
    for (const char* secret : {"cpu/high", "what happened", "printed by", "found in it", "0.886"})
      EXPECT_EQ(text.find(secret), text.npos) << e.name << ": " << secret;
  }
}

}  // namespace
}  // namespace opgrade::report
