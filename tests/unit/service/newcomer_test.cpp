// What someone new to the pages stumbles over: which assignment is next, whose run it is, what a
// form means.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/grading/intake/archive.hpp"
#include "grader/task/config/folder_config.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The clock stands on 2026-10-12, 08:00.
class Newcomer : public testing::Test {
 protected:
  test::SampleService s;
  int keys = 0;

  /// Lines of a course's assignments.
  void course_of(const std::string& assignments) {
    std::ofstream(s.place.path() / course::kCourseFile)
        << "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n" + assignments;
  }
  std::int64_t submit(const std::string& login, const std::string& assignment) {
    const auto key = fmt::format("key{:05}", ++keys);
    return nlohmann::json::parse(s.submit(login, assignment, key, "int " + key + ";").body)
        .at("id");
  }
  /// The texts in the order of the page.
  static std::vector<std::string> order_of(const std::string& page,
                                           std::vector<std::string> texts) {
    std::ranges::sort(texts, {}, [&](const std::string& text) { return page.find(text); });
    return texts;
  }
};

TEST_F(Newcomer, FindsWhatIsDueNextAtTheTop) {
  course_of(
      "  - {name: old, config: x, deadline: 2026-09-01 12:00}\n"
      "  - {name: last, config: x, deadline: 2026-10-01 12:00}\n"
      "  - {name: later, config: x, deadline: 2026-10-30 12:00}\n"
      "  - {name: late, config: x, deadline: 2026-10-11 12:00, late: {percent_a_day: 10, days: "
      "3}}\n"
      "  - {name: next, config: x, deadline: 2026-10-13 12:00}\n"
      "  - {name: future, config: x, opens: 2026-10-13 12:00, deadline: 2026-10-14 12:00}\n");
  const auto order = [&](const std::string& page) {
    return order_of(page, {">old<", ">last<", ">later<", ">late<", ">next<", ">future<"});
  };
  const auto expected =
      testing::ElementsAre(">late<", ">next<", ">later<", ">future<", ">last<", ">old<");
  EXPECT_THAT(order(s.browse("ada", "/").body), expected);
  const std::string of_staff = s.browse("sam", "/staff/students/ada").body;
  EXPECT_THAT(order(of_staff.substr(of_staff.find("As ada sees it"))), expected);
}

TEST_F(Newcomer, ReadsOfWhatIsOverItsGradeAndNoLimits) {
  const auto id = submit("ada", "m1");
  s.grade(id, course::test::grade_of(80));
  const auto box = [&] {
    const std::string page = s.browse("ada", "/").body;
    const auto from = page.find(">m1");
    return page.substr(from, page.find("</section>", from) - from);
  };
  EXPECT_THAT(box(), AllOf(HasSubstr("daily limit"), Not(HasSubstr("<details>"))));
  s.now += std::chrono::days(30);
  EXPECT_THAT(box(), AllOf(HasSubstr("Grade: 80"), HasSubstr("<summary>1 submission</summary>"),
                           HasSubstr("/submissions/1"), Not(HasSubstr("daily limit"))));
}

TEST_F(Newcomer, ReadsUntilWhenALateSubmissionIsAccepted) {
  const std::string last = "accepted: ";
  course_of("  - {name: m1, config: x, deadline: 2026-10-11 12:00}\n");
  EXPECT_THAT(s.browse("ada", "/").body, Not(HasSubstr(last)));
  course_of(
      "  - {name: m1, config: x, deadline: 2026-10-13 12:00, late: {points_a_day: 1, days: 2}}\n");
  EXPECT_THAT(s.browse("ada", "/").body, Not(HasSubstr(last)));
  course_of(
      "  - {name: m1, config: x, deadline: 2026-10-11 12:00, late: {points_a_day: 1, days: 2}}\n");
  EXPECT_THAT(s.browse("ada", "/").body,
              HasSubstr("The deadline is over. The last moment at which a submission is accepted: "
                        "Tue 2026-10-13 12:00"));
}

TEST_F(Newcomer, SeesForHowLongTheLastStepHasRun) {
  const auto id = submit("ada", "m1");
  s.now += std::chrono::seconds(7);
  EXPECT_THAT(s.browse("ada", fmt::format("/submissions/{}", id)).body,
              HasSubstr("data-age=\"7\""));
}

TEST_F(Newcomer, ReadsOfAMilestoneWhatToWrite) {
  course_of("  - {name: m1, config: minidnn, deadline: 2026-10-20 12:00}\n");
  EXPECT_THAT(s.browse("ada", "/assignments/m1").body,
              AllOf(HasSubstr("<summary>Statement"), HasSubstr("<code>cpu-new-forward.cc</code>"),
                    HasSubstr("Do not change the names and parameters")));
}

TEST_F(Newcomer, FindsByTheUnpackedFolderWhatCheckIsToCheckBy) {
  const auto checked_by = [&] {
    const auto unpacked = read_archive(
        s.get("ada", "/api/assignments/m1/files").body, [](const std::string&) { return true; },
        1 << 20);
    const TempDir folder{"opgrade-test-"};
    for (const ArchiveFile& file : unpacked.value())
      course::test::write_text(folder.path() / file.path, file.bytes);
    const std::string config = config_of_folder_or(folder.path() / "m1", "none");
    const std::string place = folder.path().string() + "/";
    return config.starts_with(place) ? config.substr(place.size()) : config;
  };
  course_of("  - {name: m1, config: minidnn, deadline: 2026-10-20 12:00}\n");
  EXPECT_EQ(checked_by(), "minidnn");
  course_of("  - {name: m1, config: own.yaml, deadline: 2026-10-20 12:00}\n");
  EXPECT_EQ(checked_by(), "m1/m1.yaml");
}

TEST_F(Newcomer, SeesThatAPracticeRunIsOne) {
  course_of(
      "  - {name: m1, title: Convolution, config: self-check, deadline: 2026-10-20 12:00, "
      "practice: "
      "self-check}\n");
  const auto id = submit("ada", "practice.m1");
  const std::string page = s.browse("ada", fmt::format("/submissions/{}", id)).body;
  EXPECT_THAT(page, AllOf(HasSubstr(fmt::format("<h1>Practice run {} for m1</h1>", id)),
                          HasSubstr("<a href=\"/assignments/m1\">m1: Convolution</a>")));
}

TEST_F(Newcomer, FindsTheConfigThatThePageOfAPracticeRunNames) {
  course_of("  - {name: m1, config: x, deadline: 2026-10-20 12:00, practice: y}\n");
  EXPECT_THAT(s.get("ada", "/api/assignments/m1/files").body,
              AllOf(HasSubstr("practice.m1.yaml"), HasSubstr("cpu-new-forward.cc")));
  course_of("  - {name: m1, config: x, deadline: 2026-10-20 12:00}\n");
  EXPECT_THAT(s.get("ada", "/api/assignments/m1/files").body, Not(HasSubstr("practice.m1.yaml")));
}

TEST_F(Newcomer, FindsTheAssignmentOfTheWeekInAForm) {
  course_of(
      "  - {name: old, config: x, deadline: 2026-09-01 12:00}\n"
      "  - {name: now, config: x, deadline: 2026-10-11 12:00}\n"
      "  - {name: soon, config: x, opens: 2026-10-12 12:00, deadline: 2026-10-12 13:00}\n"
      "  - {name: later, config: x, deadline: 2026-10-20 12:00}\n");
  for (const char* path : {"/staff/extensions", "/staff/rejudges", "/staff/students/ada"})
    EXPECT_THAT(s.browse("sam", path).body, HasSubstr("value=\"now\" selected")) << path;
  EXPECT_THAT(s.browse("sam", "/staff/extensions?assignment=old").body,
              AllOf(HasSubstr("value=\"old\" selected"), Not(HasSubstr("value=\"now\" selected"))));
}

TEST_F(Newcomer, ReadsTheFormBeforeALongListOfExtensions) {
  const std::string page = s.browse("sam", "/staff/extensions").body;
  EXPECT_THAT(order_of(page, {"Deadlines that were extended", "Extend for several"}),
              testing::ElementsAre("Extend for several", "Deadlines that were extended"));
}

TEST_F(Newcomer, ReadsNoAliasOfARankingInTheTableOfGrades) {
  s.config_of = [](const course::Assignment&) {
    Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
    config.ranking = RankingConfig{};
    return config;
  };
  const std::string page = s.browse("sam", "/staff").body;
  const auto row = page.find("Ada Lovelace (ada)");
  ASSERT_NE(row, page.npos);
  EXPECT_THAT(page.substr(row, page.find("</td>", row) - row), Not(HasSubstr("class=\"soft\"")));
}

TEST_F(Newcomer, FindsEachMemberOfATeamThatHandedInNothing) {
  const std::string page = s.browse("sam", "/staff/assignments/m4").body;
  const auto missing = page.find("Not handed in yet");
  ASSERT_NE(missing, page.npos);
  EXPECT_THAT(page.substr(missing), AllOf(HasSubstr("2 students and teams:"), HasSubstr("(ada)"),
                                          HasSubstr("(bob)"), HasSubstr("(eve)")));
}

}  // namespace
}  // namespace opgrade::service
