#include "grader/course/folder/roster.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"

namespace opgrade::course {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Saturday before the clocks go back: 2026-11-01T04:59Z.
Course a_course(bool teams = false) {
  Course course;
  course.zone = TimeZone::find("America/Chicago");
  for (const char* name : {"m1", "m2"}) {
    Assignment a;
    a.name = name;
    a.deadline = course.zone->moment(parse_wall_time("2026-10-31 23:59")->time);
    a.grace = std::chrono::minutes(5);
    a.late = {LateRule::Price::points, 5, 2};
    a.teams = teams;
    course.assignments.push_back(a);
  }
  return course;
}

std::string extended(const std::string& extension, const std::string& assignment = "m1") {
  const auto [roster, problems] = parse_roster(
      "id,login,name,extension\n1,ada,Ada,\"" + extension + "\"\n", "r.csv", a_course());
  EXPECT_EQ(to_text(problems), "");
  const auto& deadlines = roster.students.at(0).extended;
  const auto found = deadlines.find(assignment);
  return found == deadlines.end() ? "none" : iso_text(found->second);
}

/// a_course(): the clocks go back between the code's deadline and the report's, due a day later.
std::string report_extended(const std::string& extension) {
  Course course = a_course();
  Assignment& documents = course.reports.emplace_back(course.assignments[0]);
  documents.name = "report.m1";
  documents.report_of = "m1";
  documents.deadline = course.zone->moment(parse_wall_time("2026-11-01 23:59")->time);
  const auto [roster, problems] =
      parse_roster("id,login,name,extension\n1,ada,Ada,\"" + extension + "\"\n", "r.csv", course);
  EXPECT_EQ(to_text(problems), "");
  return course.zone->text(roster.students.at(0).extended.at("report.m1"));
}

TEST(Roster, AnExtensionOfTheCodeExtendsItsReportAcrossAChangeOfTheClocks) {
  EXPECT_EQ(report_extended("m1=3 d"), "Wed 2026-11-04 23:59:00 CST");
  EXPECT_EQ(report_extended("*=3 d"), "Wed 2026-11-04 23:59:00 CST");
  EXPECT_EQ(report_extended("m1=2026-11-03 23:59"), "Wed 2026-11-04 23:59:00 CST");
  EXPECT_EQ(report_extended("m1=2 h"), "Mon 2026-11-02 01:59:00 CST");
}

TEST(Roster, AnExtensionOfTheReportHoldsWhereverItStands) {
  for (const char* entries :
       {"report.m1=5 d; m1=1 d", "m1=1 d; report.m1=5 d", "report.m1=5 d; *=1 d", "report.m1=5 d"})
    EXPECT_EQ(report_extended(entries), "Fri 2026-11-06 23:59:00 CST") << entries;
}

TEST(Roster, IsEditedByOneProgramAtATime) {
  const TempDir place("opgrade-roster-");
  const auto file = place.path() / "roster.csv";
  std::ofstream(file) << "id,login,name\n1,ada,Ada\n";
  const auto edit = [&](const std::filesystem::path& folder) {
    return edit_roster(
        folder,
        [](const std::string& roster) -> tl::expected<std::string, std::string> {
          return roster + "2,bob,Bob\n";
        },
        std::chrono::milliseconds(0));
  };
  {
    const Fd other(::open(place.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
    const auto refused = edit(place.path());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "another program edits roster.csv; repeat it");
    EXPECT_THAT(text_of_file(file), Not(HasSubstr("bob")));
  }
  EXPECT_TRUE(edit(place.path()));
  EXPECT_THAT(text_of_file(file), HasSubstr("bob"));
  const auto nowhere = edit(place.path() / "none");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error(), HasSubstr("check the rights on the folder"));
}

TEST(Roster, ReadsStudentsByColumnName) {
  const auto [roster, problems] = parse_roster(
      "Login,ID,Name,E-Mail,section,team\nada,7,\"Lovelace, Ada\",ada@x.edu,A,red\nbob,8,Bob,,B,\n",
      "r.csv", a_course());
  ASSERT_EQ(to_text(problems), "");
  ASSERT_EQ(roster.students.size(), 2u);
  EXPECT_EQ(roster.find("ada")->name, "Lovelace, Ada");
  EXPECT_EQ(roster.find("7")->email, "ada@x.edu");
  EXPECT_EQ(roster.find("nobody"), nullptr);
}

TEST(Roster, ExtensionsAgainstHandComputedMoments) {
  EXPECT_EQ(extended(""), "none");
  EXPECT_EQ(extended("m1=2 d"), "2026-11-03T05:59:00Z") << "Monday 23:59 CST: 49 hours";
  EXPECT_EQ(extended("m1=36 h"), "2026-11-02T16:59:00Z");
  EXPECT_EQ(extended("m1=2026-11-05 12:00"), "2026-11-05T18:00:00Z");
  EXPECT_EQ(extended("m1=2026-11-05 24:00"), "2026-11-06T06:00:00Z");
  EXPECT_EQ(extended("*=1 d", "m2"), "2026-11-02T05:59:00Z");
  EXPECT_EQ(extended("m1=1 d; m2=3 d", "m2"), "2026-11-04T05:59:00Z");
  EXPECT_EQ(extended("m2=1 d"), "none");
}

TEST(Roster, ATeamChangesFromADateAndASectionHasItsDeadline) {
  Course course = a_course(true);
  course.assignments[1].deadline += std::chrono::days(30);
  course.assignments[0].section_deadlines["B"] =
      course.assignments[0].deadline + std::chrono::days(1);
  const auto [roster, problems] = parse_roster(
      "id,login,name,section,team,extension\n1,ada,A,A,red; blue from 2026-11-10,\n"
      "2,bob,B,B,blue,m1=1 h\n3,cy,C,A,red,\n",
      "r.csv", course);
  ASSERT_EQ(to_text(problems), "");
  const auto key = [&, &all = roster](int student, int assignment) {
    return all.owner_of(all.students.at(student), course.assignments.at(assignment)).key;
  };
  EXPECT_EQ(key(0, 0), "team red");
  EXPECT_EQ(key(0, 1), "team blue");
  EXPECT_EQ(key(2, 1), "team red");
  EXPECT_EQ(roster.members(course.assignments[1], "team blue").size(), 2u);
  const auto due = [&, &all = roster](int student) {
    const Assignment& m1 = course.assignments[0];
    return iso_text(due_of(all.owner_of(all.students.at(student), m1), m1).deadline);
  };
  EXPECT_EQ(due(2), "2026-11-01T04:59:00Z");
  EXPECT_EQ(due(1), "2026-11-02T05:59:00Z") << "an hour after the section's own deadline";
  EXPECT_THAT(
      to_text(parse_roster("id,login,name,team\n1,ada,A,red; blue\n", "r.csv", course).problems),
      HasSubstr("r.csv:2:1: 'blue' is no change of the team"));
}

TEST(Roster, ATeamHasTheLatestOfItsMembersDeadlines) {
  const Course course = a_course(true);
  const auto [roster, problems] = parse_roster(
      "id,login,name,team,extension\n1,ada,A,red,\n2,bob,B,red,m1=1 d\n3,cy,C,,m1=36 h\n4,di,D,,\n",
      "r.csv", course);
  ASSERT_EQ(to_text(problems), "");
  const Assignment& m1 = course.assignments[0];
  const Owner red = roster.owner_of(roster.students[0], m1);
  EXPECT_EQ(red.key, "team red");
  EXPECT_EQ(red.members.size(), 2u);
  EXPECT_EQ(iso_text(due_of(red, m1).deadline), "2026-11-02T05:59:00Z");
  EXPECT_EQ(due_of(red, m1).grace, std::chrono::minutes(5));
  EXPECT_EQ(due_of(red, m1).late_days, 2);
  EXPECT_EQ(roster.owners(m1).size(), 3u) << "red, cy and di";
  EXPECT_EQ(roster.owner_of(roster.students[2], m1).key, "cy") << "a student without a team";
  const Course alone = a_course(false);
  EXPECT_EQ(roster.owner_of(roster.students[0], alone.assignments[0]).key, "ada");
  EXPECT_EQ(iso_text(due_of(roster.owner_of(roster.students[0], alone.assignments[0]),
                            alone.assignments[0])
                         .deadline),
            "2026-11-01T04:59:00Z");
}

TEST(Roster, TeamsExtensionsAndTheClocksInOneTable) {
  Course course;
  course.zone = TimeZone::find("America/Chicago");
  Assignment m1;
  m1.name = "m1";
  // Midnight of Friday to Saturday, 05:00 UTC. In the night to Sunday the clocks go back.
  m1.deadline = course.zone->moment(parse_wall_time("2026-10-30 24:00")->time);
  m1.grace = std::chrono::minutes(10);
  m1.late = {LateRule::Price::points, 10, 2};
  m1.teams = true;
  course.assignments.push_back(m1);
  const auto [roster, problems] =
      parse_roster("id,login,name,team,extension\n1,ada,A,red,\n2,bob,B,red,m1=1 d\n3,cy,C,,\n",
                   "r.csv", course);
  ASSERT_EQ(to_text(problems), "");
  struct HandIn {
    const char* handed_in;
    double cy, red;  ///< of 80 points; -1: not accepted
  };
  for (const auto& [handed_in, cy, red] :
       {HandIn{"2026-10-31T05:00:00Z", 80, 80}, HandIn{"2026-10-31T05:10:00Z", 80, 80},
        HandIn{"2026-10-31T05:10:01Z", 70, 80},  // cy's first late day, Saturday
        HandIn{"2026-11-01T05:00:00Z", 70, 80},  // the team's deadline: midnight, still CDT
        HandIn{"2026-11-01T05:10:00Z", 70, 80}, HandIn{"2026-11-01T05:10:01Z", 60, 70},
        HandIn{"2026-11-02T06:10:00Z", 60, 70},  // Sunday has 25 hours: midnight is 06:00, CST
        HandIn{"2026-11-02T06:10:01Z", -1, 60}, HandIn{"2026-11-03T06:10:00Z", -1, 60},
        HandIn{"2026-11-03T06:10:01Z", -1, -1}}) {
    const auto points = [&](const Student& student) {
      const Due due = due_of(roster.owner_of(student, m1), m1);
      const Lateness late = lateness(*course.zone, due, parse_moment(handed_in).value());
      return late.accepted ? points_after(m1.late, late.days, 80, 100) : -1;
    };
    EXPECT_EQ(points(*roster.find("cy")), cy) << handed_in;
    EXPECT_EQ(points(*roster.find("ada")), red) << handed_in;
    EXPECT_EQ(points(*roster.find("bob")), red) << handed_in;
  }
}

TEST(Roster, EveryProblemHasItsLine) {
  const std::pair<std::string_view, const char*> kRows[] = {
      {"", "r.csv: is empty"},
      {"id,login\n1,a\n", "r.csv:1:1: the column 'name' is missing"},
      {"id,login,name,sectoin\n", "r.csv:1:1: unknown column 'sectoin'; did you mean 'section'?"},
      {"id,login,name\n", "r.csv: has no students"},
      {"ID;Login;Name\n1;a;A\n",
       "r.csv:1:1: ';' separates the columns; save the file as CSV with commas"},
      {"id\tlogin\tname\n1\ta\tA\n", "r.csv:1:1: tabs separate the columns; save"},
      {"id,login,name\n1,a,J\xfcrgen\n",
       "r.csv:2:1: 'J\\xfcrgen' is not UTF-8; save the file as UTF-8 CSV"},
      {"id,login,name\n1,a,J\xe2\x80\xaern\n",
       "r.csv:2:1: 'J\\xe2\\x80\\xaern' has invisible characters"},
      {std::string_view("\xff\xfei\0d\0,\0", 8),
       "r.csv: is saved as UTF-16; save the file as UTF-8 CSV"},
      {"id,login,name\n1,a,A\n2,b\n", "r.csv:3:1: 2 cells where the first line has 3"},
      {"id,login,name\n1,a,A\n1,b,B\n", "r.csv:3:1: the id '1' is that of line 2 too"},
      {"id,login,name\n1,a,A\n2,a,B\n", "r.csv:3:1: the login 'a' is that of line 2 too"},
      {"id,login,name\n1,,A\n", "r.csv:2:1: the login is empty"},
      {"id,login,name\n1,\"a\n", "r.csv:2:1: a quoted cell has no closing quote"},
      {"id,login,name,extension\n1,a,A,m9=1 d\n", "r.csv:2:1: the course has no assignment 'm9'"},
      {"id,login,name,extension\n1,a,A,soon\n", "r.csv:2:1: 'soon' is no extension; an extension"},
      {"id,login,name,extension\n1,a,A,m1=soon\n", "r.csv:2:1: 'soon' is no extension"},
      {"id,login,name,extension\n1,a,A,m1=2026-10-30 12:00\n", "is before the deadline"},
  };
  for (const auto& [text, expected] : kRows)
    EXPECT_THAT(to_text(parse_roster(std::string(text), "r.csv", a_course()).problems),
                HasSubstr(expected));
}

}  // namespace
}  // namespace opgrade::course
