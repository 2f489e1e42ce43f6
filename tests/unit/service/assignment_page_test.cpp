// Staff's page of an assignment.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/base/core/text_parts.hpp"
#include "grader/service/state/failures.hpp"
#include "grader/service/state/students_files.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class AssignmentPage : public testing::Test {
 protected:
  test::SampleService s;
  int keys = 0;

  std::string page(const std::string& query = "", const std::string& login = "sam") {
    return s.get(login, "/staff/assignments/m1" + query).body;
  }
  std::int64_t graded(const std::string& login, const std::string& text, Grade grade) {
    const std::int64_t id =
        nlohmann::json::parse(s.submit(login, "m1", fmt::format("key{:05}", ++keys), text).body)
            .at("id");
    s.grade(id, grade);
    return id;
  }
  /// Everything builds and passes.
  static Grade clean() {
    Grade grade = course::test::grade_of(100);
    for (auto& stage : grade.stages) {
      stage.build.outcome = Outcome::passed;
      for (auto& c : stage.cases) c.outcome = Outcome::passed;
    }
    return grade;
  }
  /// The first case has a finding at this line.
  static Grade with_finding(int line, const std::string& kind = "data_race",
                            const std::string& folder = ".") {
    Grade grade = course::test::grade_of(10);
    auto& stage = grade.stages.at(0);
    stage.folder = folder;
    stage.files = {"cpu-new-forward.cc"};
    stage.cases.at(0).outcome = Outcome::wrong_output;
    stage.cases.at(0).findings = {{.kind = kind,
                                   .kernel = "k",
                                   .file = "cpu-new-forward.cc",
                                   .line = line,
                                   .message = "two threads"}};
    return grade;
  }
};

TEST_F(AssignmentPage, CountsWhoHandedInAndNamesWhoDidNot) {
  EXPECT_THAT(page(), AllOf(HasSubstr("0 of 3 students handed in"), HasSubstr("Not handed in yet"),
                            HasSubstr("No student has points yet")));
  s.now = course::test::utc("2026-10-11T08:00:00Z");
  graded("ada", "int a;", course::test::grade_of(40));
  s.now = course::test::utc("2026-10-12T08:00:00Z");
  graded("ada", "int aa;", course::test::grade_of(80));
  graded("bob", "int b;", course::test::grade_of(60));
  const std::string shown = page();
  EXPECT_THAT(shown, AllOf(HasSubstr("2 of 3 students handed in, 3 submissions in all"),
                           HasSubstr("Mean 70.0, median 70"), HasSubstr("Hand-ins over time"),
                           HasSubstr("Points of 2 students")));
  EXPECT_THAT(shown.substr(shown.find("Not handed in yet")),
              AllOf(HasSubstr("1 student:"), HasSubstr("Eve Stone (eve)")));
  EXPECT_THAT(shown, HasSubstr("<a href=\"/staff/submissions?assignment=m1&amp;counts=on&amp;"
                               "outcome=passed\">2</a>"));
  EXPECT_THAT(shown,
              AllOf(HasSubstr("/staff/finals/m1"), HasSubstr("/staff/rejudges?assignment=m1"),
                    HasSubstr("/staff/extensions?assignment=m1")));
  // eve has an extension.
  EXPECT_THAT(shown.substr(shown.find("<h2>Extensions")), HasSubstr("2026-10-13"));
}

TEST_F(AssignmentPage, SaysInHowManyTheSameLineFails) {
  // The same words in other lines, since students write above them.
  const auto first = graded("ada", "int a;\nacc += s[k];\n", with_finding(2));
  graded("bob", "int b;\n\n  acc += s[k];\n", with_finding(3));
  graded("eve", "int e;\nacc = 0;\n", with_finding(2));
  const std::string shown = page();
  EXPECT_THAT(shown, HasSubstr("<code>acc += s[k];</code>"));
  const std::string row = shown.substr(shown.find("<code>acc += s[k];</code>"));
  EXPECT_THAT(row.substr(0, row.find("</tr>")),
              AllOf(HasSubstr("cpu-new-forward.cc, line 2, 3"), HasSubstr("2 of 3"),
                    HasSubstr(fmt::format("/submissions/{}", first))));
  EXPECT_LT(shown.find("2 of 3"), shown.find("1 of 3")) << "the commonest comes first";
  EXPECT_THAT(shown, HasSubstr("data_race"));
}

TEST_F(AssignmentPage, TheSameLineIsOneWhateverFolderAStudentPacked) {
  const auto given = files_to_start_from(s.service, s.folder.course.assignments[0]);
  const auto lines = split(given.at("cpu-new-forward.cc"), '\n');
  const auto code = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find("void conv") != line.npos; });
  ASSERT_NE(code, lines.end());
  for (const char* login : {"ada", "bob", "eve"}) {
    const std::string folder = std::string(login) + "-m1";
    const std::string text = fmt::format("int {};\n{}\n", login, *code);
    const Response taken = s.post(login, "/api/submissions?assignment=m1",
                                  course::pack({{folder + "/cpu-new-forward.cc", text}}),
                                  {{"idempotency-key", folder + "-key"}});
    s.grade(nlohmann::json::parse(taken.body).at("id"), with_finding(2, "data_race", folder));
  }
  EXPECT_THAT(page(),
              AllOf(HasSubstr("cpu-new-forward.cc, line 2, a line of the template"),
                    HasSubstr("3 of 3"), Not(HasSubstr("ada-m1")), Not(HasSubstr("1 of 3"))));
}

TEST_F(AssignmentPage, ALateHandInOfOneWithSlipDaysIsToldOf) {
  EXPECT_THAT(page(), Not(HasSubstr("slip day")));
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: 2\n"
                           "assignments:\n"
                           "  - {name: m1, config: self-check, deadline: 2026-10-20 12:00}\n");
  EXPECT_THAT(page(), HasSubstr("Late: 2 slip days of each student in a term; nothing later is "
                                "accepted."));
}

TEST_F(AssignmentPage, WhatPassesAndWhatIsUndecidedFailsNothing) {
  graded("ada", "int a;", clean());
  Grade undecided = clean();
  undecided.stages.at(0).cases.at(0).outcome = Outcome::not_emulated;
  graded("bob", "int b;", undecided);
  EXPECT_THAT(page(), HasSubstr("No submission that counts fails a case"));
}

TEST_F(AssignmentPage, ShowsOneSectionEverywhere) {
  graded("ada", "int a;", course::test::grade_of(80));
  graded("eve", "int e;\nx;\n", with_finding(2));
  const std::string of_b = page("?section=B");
  EXPECT_THAT(
      of_b, AllOf(HasSubstr("1 of 1 student handed in"), HasSubstr("1 of 1"),
                  HasSubstr("aria-current=\"page\">Section B"), HasSubstr("&amp;section=B"),
                  HasSubstr("<a href=\"/staff?section=B\">Class</a>"), Not(HasSubstr("Lovelace"))));
  EXPECT_THAT(page("?section=A"), Not(HasSubstr("data_race")));
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  EXPECT_THAT(page("", "tim"), AllOf(HasSubstr("1 of 2 students handed in"),
                                     Not(HasSubstr("(eve)")), Not(HasSubstr("/staff/finals"))));
}

TEST_F(AssignmentPage, OfNoAssignmentIsNone) {
  for (const char* name : {"m9", "practice.m1", "..", "ada"})
    EXPECT_EQ(s.get("sam", std::string("/staff/assignments/") + name).status, 404) << name;
  EXPECT_EQ(s.get("ada", "/staff/assignments/m1").status, 403);
}

TEST_F(AssignmentPage, ATeamIsOne) {
  EXPECT_THAT(s.get("sam", "/staff/assignments/m4").body,
              HasSubstr("0 of 2 students and teams handed in"));
}

TEST_F(AssignmentPage, ATeamThatIsMissingHasAllItsMembers) {
  const auto missing = [&](const std::string& login = "sam", const std::string& query = "") {
    const std::string shown = s.get(login, "/staff/assignments/m4" + query).body;
    return shown.substr(shown.find("Not handed in yet"));
  };
  for (const char* query : {"", "?section=A"})
    EXPECT_THAT(missing("sam", query),
                AllOf(HasSubstr("team red ("), HasSubstr("Ada Lovelace (ada)"),
                      HasSubstr("Bob Bell (bob)")))
        << query;
  EXPECT_THAT(missing(), AllOf(HasSubstr("2 students and teams:"), HasSubstr("Eve Stone (eve)")));
  course::test::write_text(s.place.path() / course::kRosterFile,
                           "id,login,name,section,team\n1,ada,Ada Lovelace,A,red\n"
                           "2,bob,Bob Bell,B,red\n3,eve,Eve Stone,B,\n");
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  EXPECT_THAT(missing("tim"), AllOf(HasSubstr("(ada)"), Not(HasSubstr("(bob)"))))
      << "staff of a section read no names of others";
  const std::int64_t id = nlohmann::json::parse(s.submit("bob", "m4", "key-of-bob").body).at("id");
  s.grade(id, course::test::grade_of(50));
  const std::int64_t other =
      nlohmann::json::parse(s.submit("eve", "m4", "key-of-eve", "int e;").body).at("id");
  s.grade(other, course::test::grade_of(60));
  EXPECT_THAT(s.get("sam", "/staff/assignments/m4").body,
              AllOf(HasSubstr("Ada Lovelace, Bob Bell"), Not(HasSubstr("Not handed in yet"))))
      << "the plot names the team";
}

TEST(FailureCache, ForgetsWhatWasNotAskedForForLong) {
  test::SampleService s;
  FailureCache cache(5);
  const auto config = s.service.files.config_of(s.folder.course.assignments[0]);
  for (int i = 0; i < 30; ++i) {
    const std::int64_t id =
        nlohmann::json::parse(
            s.submit("ada", "m1", fmt::format("key{:05}", i), fmt::format("int x{};", i)).body)
            .at("id");
    s.grade(id, course::test::grade_of(10));
    course::GradedSubmission g;
    g.standing.submission = s.service.queue.find(id)->submission;
    g.attempts = s.store.attempts(id);
    g.result = course::result_of(g.attempts, 1);
    std::size_t may_read = 1;
    EXPECT_NE(cache.of(s.place.path(), g, config, may_read), nullptr);
    EXPECT_LE(cache.size(), 10u);
    may_read = 0;
    EXPECT_NE(cache.of(s.place.path(), g, config, may_read), nullptr) << "it is known now";
  }
}

TEST(FailureCache, ReadsEachReportOnceAndNoMoreThanItMay) {
  test::SampleService s;
  std::vector<course::GradedSubmission> all;
  for (const char* login : {"ada", "bob", "eve"}) {
    const std::int64_t id =
        nlohmann::json::parse(s.submit(login, "m1", std::string("key-of-") + login).body).at("id");
    s.grade(id, course::test::grade_of(10));
    course::GradedSubmission& g = all.emplace_back();
    g.standing.submission = s.service.queue.find(id)->submission;
    g.attempts = s.store.attempts(id);
    g.result = course::result_of(g.attempts, 1);
  }
  FailureCache cache;
  const auto config = s.service.files.config_of(s.folder.course.assignments[0]);
  const auto read = [&](std::size_t may_read) {
    std::size_t known = 0;
    for (const auto& g : all)
      known += cache.of(s.place.path(), g, config, may_read) != nullptr ? 1 : 0;
    return known;
  };
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(2), 2u);
  EXPECT_EQ(read(2), 3u) << "the two that are known cost nothing";
  std::filesystem::remove_all(s.place.path() / course::kResults);
  EXPECT_EQ(read(0), 3u);
}

}  // namespace
}  // namespace opgrade::service
