#include "grader/course/gradebook/gradebook.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/course/folder/csv_reader.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using State = Entry::State;

class GradebookTest : public testing::Test {
 protected:
  Submission hand_in(const std::string& assignment, const std::string& owner,
                     const std::string& time) {
    return test::hand_in(folder, store, assignment, owner, time, "x" + std::to_string(++count));
  }
  void result(const Submission& s, double points, int number = 1,
              const std::string& version = "1.0+abc", double open = 0) {
    Grade grade = test::grade_of(points, std::string(64, 'c'), version);
    grade.open_points = open;
    test::publish(store, folder.path, s, grade, number);
  }
  void set(const std::string& student, Change::Kind kind, std::optional<double> points,
           const std::string& item = "") {
    store.change({.at = test::utc("2026-10-20T00:00:00Z"),
                  .who = "tom",
                  .student = student,
                  .assignment = "m1",
                  .kind = kind,
                  .item = item,
                  .points = points,
                  .reason = "because"});
  }
  /// None: the rule decides again.
  void choose(const std::string& student, const std::string& assignment,
              std::optional<std::int64_t> submission) {
    store.change({.at = test::utc("2026-11-01T00:00:00Z"),
                  .who = "tom",
                  .student = student,
                  .assignment = assignment,
                  .kind = Change::Kind::counts,
                  .reason = "because",
                  .submission = submission});
  }
  Gradebook book() const {
    std::map<std::string, AssignmentFacts> facts;
    for (const auto& a : folder.course.assignments) facts[a.name] = {100, {{"report", 10}}};
    return {folder, store, facts};
  }
  Entry entry(const std::string& student, const std::string& assignment) const {
    return book().entry(*folder.roster.find(student), *folder.course.find(assignment));
  }

  const TempDir place{"opgrade-test-"};
  CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());
  int count = 0;
};

TEST_F(GradebookTest, TheLastAcceptedSubmissionCountsLessItsLateness) {
  result(hand_in("m1", "ada", "2026-10-12T11:00:00Z"), 100);
  const Submission late = hand_in("m1", "ada", "2026-10-14T11:00:00Z");
  EXPECT_EQ(entry("ada", "m1").state, State::open) << "it is not graded yet";
  result(late, 80);
  hand_in("m1", "ada", "2026-10-30T11:00:00Z");  // too late to count
  const Entry ada = entry("ada", "m1");
  EXPECT_EQ(ada.state, State::graded);
  EXPECT_DOUBLE_EQ(ada.points.value(), 64) << "80 less 20 %";
  EXPECT_EQ(ada.reason, "80 of 100, -20 % of the points (2 days late)");
  EXPECT_EQ(entry("bob", "m1").state, State::missing);
  EXPECT_FALSE(entry("bob", "m1").points);
}

TEST_F(GradebookTest, LateWorkHasThePointsThatTheRulesGiveIt) {
  const auto graded = [&](const std::string& owner, const std::string& time) {
    Grade grade = test::grade_of(80);
    grade.late_points = 50;
    grade.stages.resize(1);
    grade.stages[0].cases.clear();
    grade.stages[0].points = {{.name = "speed",
                               .points = 80,
                               .max_points = 100,
                               .reason = text_reason("a time"),
                               .late_points = 50}};
    test::publish(store, folder.path, hand_in("m1", owner, time), grade, 1);
    return entry(owner, "m1");
  };
  EXPECT_DOUBLE_EQ(graded("ada", "2026-10-12T12:00:00Z").points.value(), 80) << "in time";
  EXPECT_DOUBLE_EQ(graded("eve", "2026-10-13T12:00:00Z").points.value(), 80) << "by an extension";
  const Entry bob = graded("bob", "2026-10-13T11:00:00Z");
  EXPECT_DOUBLE_EQ(bob.points.value(), 45) << "50 less 10 %";
  EXPECT_EQ(bob.reason, "50 of 100, by the points of late work, -10 % of the points (1 day late)");
  const std::string stages = gradebook_table("stages", book(), folder, {.only = "m1"}).csv;
  const std::string stage = test::grade_of(1).stages[0].name;
  EXPECT_THAT(stages, HasSubstr("ada,1,Ada Lovelace,A,m1," + stage + ",80,100,0"));
  EXPECT_THAT(stages, HasSubstr("bob,2,Bob Bell,A,m1," + stage + ",50,100,0"));
  // An extension that comes later needs no grading.
  test::write_text(folder.path / kRosterFile,
                   "id,login,name,email,section,team,extension,canvas_id\n"
                   "2,bob,Bob Bell,bob@x.edu,A,red,m1=1 d,902\n");
  folder = open_course_folder(folder.path);
  EXPECT_DOUBLE_EQ(entry("bob", "m1").points.value(), 80);
}

TEST_F(GradebookTest, AnExtensionMovesTheDeadline) {
  result(hand_in("m1", "eve", "2026-10-13T12:00:00Z"), 80);
  EXPECT_DOUBLE_EQ(entry("eve", "m1").points.value(), 80);
}

TEST_F(GradebookTest, TheBestIsChosenAfterTheLateRule) {
  const Submission early = hand_in("m2", "ada", "2026-10-12T11:00:00Z");
  const Submission late = hand_in("m2", "ada", "2026-10-13T11:00:00Z");
  result(late, 95);
  EXPECT_EQ(entry("ada", "m2").state, State::open);
  result(early, 70);
  EXPECT_DOUBLE_EQ(entry("ada", "m2").points.value(), 70) << "95 - 30 is less";
}

TEST_F(GradebookTest, TheMedianOfThreeGradings) {
  const Submission s = hand_in("m3", "ada", "2026-10-12T11:00:00Z");
  result(s, 90, 1);
  result(s, 60, 2);
  EXPECT_EQ(entry("ada", "m3").state, State::open);
  result(s, 70, 3);
  EXPECT_DOUBLE_EQ(entry("ada", "m3").points.value(), 70);
  result(s, 10, 1, "2.0+def");
  EXPECT_EQ(entry("ada", "m3").state, State::open) << "a new program grades anew";
}

TEST_F(GradebookTest, ATeamSharesItsPoints) {
  result(hand_in("m4", "team red", "2026-10-12T11:00:00Z"), 55);
  EXPECT_DOUBLE_EQ(entry("ada", "m4").points.value(), 55);
  EXPECT_DOUBLE_EQ(entry("bob", "m4").points.value(), 55);
  EXPECT_EQ(entry("eve", "m4").state, State::missing);
}

TEST_F(GradebookTest, OnlyTooLateSubmissionsAreZeroWithTheReason) {
  hand_in("m3", "ada", "2026-10-12T12:00:01Z");
  const Entry ada = entry("ada", "m3");
  EXPECT_EQ(ada.state, State::graded);
  EXPECT_DOUBLE_EQ(ada.points.value(), 0);
  EXPECT_THAT(ada.reason, HasSubstr("no submission was accepted: handed in after Mon 2026-10-12"));
}

TEST_F(GradebookTest, GraderFaultsAndOpenPointsAreNotFinal) {
  const Submission s = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  Grade fault = test::grade_of(0);
  fault.outcome = Outcome::grader_fault;
  test::publish(store, folder.path, s, fault, 1);
  EXPECT_EQ(entry("ada", "m1").state, State::open);
  EXPECT_FALSE(entry("ada", "m1").points);
  result(s, 60, 2, "1.0+abc", 40);
  const Entry open = entry("ada", "m1");
  EXPECT_EQ(open.state, State::open);
  EXPECT_THAT(open.reason, HasSubstr("40 points are not decided"));
}

TEST_F(GradebookTest, StaffItemsAndGradedPointsDoNotEraseEachOther) {
  const Submission s = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  result(s, 60, 1, "1.0+abc", 10);
  set("ada", Change::Kind::item, 7, "report");
  EXPECT_EQ(entry("ada", "m1").state, State::graded) << "what was open is given";
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 67);
  result(s, 80, 2, "1.0+abc", 10);
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 87);
  set("ada", Change::Kind::item, 9, "report");
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 89);
  set("ada", Change::Kind::item, std::nullopt, "report");
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 80);
  EXPECT_EQ(entry("ada", "m1").state, State::open);
}

TEST_F(GradebookTest, AnOverrideHoldsUntilItIsTakenBack) {
  const Submission s = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  result(s, 60);
  set("ada", Change::Kind::points, 75);
  result(s, 10, 2);
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 75);
  EXPECT_EQ(entry("ada", "m1").reason, "set by tom: because");
  set("ada", Change::Kind::excused, std::nullopt);
  EXPECT_EQ(entry("ada", "m1").state, State::excused);
  set("ada", Change::Kind::none, std::nullopt);
  EXPECT_DOUBLE_EQ(entry("ada", "m1").points.value(), 10);
  EXPECT_EQ(entry("ada", "m1").changes.size(), 3u);
}

TEST(Points, HaveTwoDecimalsAtMost) {
  EXPECT_EQ(points_text(72), "72");
  EXPECT_EQ(points_text(72.5), "72.5");
  EXPECT_EQ(points_text(66.666), "66.67");
  EXPECT_EQ(points_text(100), "100");
  EXPECT_EQ(points_text(0), "0");
}

TEST_F(GradebookTest, StaffChooseWhichSubmissionCounts) {
  const Submission first = hand_in("m1", "ada", "2026-10-12T09:00:00Z");
  const Submission last = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  const Submission late = hand_in("m1", "ada", "2026-10-30T11:00:00Z");
  result(first, 90);
  result(last, 40);
  result(late, 100);
  const auto choose = [&](std::optional<std::int64_t> submission) {
    store.change({.at = test::utc("2026-11-01T00:00:00Z"),
                  .who = "tom",
                  .student = "ada",
                  .assignment = "m1",
                  .kind = Change::Kind::counts,
                  .reason = "the last one was a slip",
                  .told = "as agreed",
                  .submission = submission});
  };
  const auto counted = [&] {
    const Entry e = entry("ada", "m1");
    return e.submissions.at(e.counts.value()).standing.submission.id;
  };
  const auto graded_again = [&] {
    std::vector<std::int64_t> ids;
    for (const auto& s : submissions_that_count(folder, store, *folder.course.find("m1")))
      ids.push_back(s.id);
    return ids;
  };
  EXPECT_EQ(counted(), last.id);
  choose(first.id);
  EXPECT_EQ(counted(), first.id);
  EXPECT_EQ(entry("ada", "m1").points, 90);
  EXPECT_THAT(graded_again(), testing::ElementsAre(first.id)) << "a rejudge has the same one";
  const std::string why = why_text(entry("ada", "m1"), folder, "");
  EXPECT_THAT(why, HasSubstr("chosen by tom (the last one was a slip)"));
  EXPECT_THAT(why, HasSubstr("does not count: staff chose submission"));
  const auto told = derivation(entry("ada", "m1"), folder, report::Audience::student);
  EXPECT_THAT(told, testing::Contains(HasSubstr("chosen by staff (as agreed)")));
  EXPECT_THAT(told, testing::Each(Not(HasSubstr("slip"))));
  set("ada", Change::Kind::points, 75);
  EXPECT_EQ(entry("ada", "m1").points, 75) << "points that staff set stay set";
  set("ada", Change::Kind::none, std::nullopt);
  EXPECT_EQ(entry("ada", "m1").points, 90);
  choose(late.id);
  EXPECT_EQ(counted(), late.id) << "staff may accept what the rule does not";
  choose(9999);
  EXPECT_EQ(counted(), last.id) << "no submission of this student: by the rule";
  choose(first.id);
  choose(std::nullopt);
  EXPECT_EQ(counted(), last.id);
  EXPECT_FALSE(entry("ada", "m1").chosen);
  EXPECT_EQ(entry("eve", "m1").state, State::missing) << "of others nothing changed";
}

TEST_F(GradebookTest, AChosenSubmissionUsesTheSlipDaysOfItsOwnLateness) {
  folder.course.slip_days = 3;
  const Submission early = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  const Submission late = hand_in("m1", "ada", "2026-10-14T11:00:00Z");   // two days
  const Submission later = hand_in("m1", "ada", "2026-10-30T11:00:00Z");  // not accepted
  for (const Submission* s : {&early, &late, &later}) result(*s, 80);
  // As the gradebook has it, and as pages and uploads ask for it.
  const auto left = [&](const std::string& login, const std::string& of) {
    const int in_book = entry(login, of).due.slip_days;
    const Owner owner = folder.roster.owner_of(*folder.roster.find(login), *folder.course.find(of));
    EXPECT_EQ(DueDates(folder, store).of(owner, *folder.course.find(of)).slip_days, in_book);
    const Student* const only = folder.roster.find(login);
    const Gradebook own(folder, store, {{of, {100, {}}}}, {.only = only});
    EXPECT_EQ(own.entry(*only, *folder.course.find(of)).due.slip_days, in_book);
    return in_book;
  };
  EXPECT_EQ(left("ada", "m2"), 1) << "by the rule the last accepted one";
  choose("ada", "m1", early.id);
  EXPECT_EQ(left("ada", "m2"), 3) << "which was in time";
  choose("ada", "m1", later.id);
  EXPECT_EQ(left("ada", "m2"), 0) << "which needs all of them";
  EXPECT_EQ(left("bob", "m2"), 3) << "of others nothing changed";
  EXPECT_EQ(left("ada", "m4"), 0);
  EXPECT_EQ(left("bob", "m4"), 0) << "a team has those of the member with the fewest";
  const Entry ada = entry("ada", "m1");
  EXPECT_EQ(ada.reason, "80 of 100, -30 % of the points (3 days late), 3 slip days");
  EXPECT_THAT(derivation(ada, folder, report::Audience::student),
              testing::Contains(HasSubstr("after the deadline, 3 days late, 3 slip days")));
  choose("ada", "m1", late.id);
  EXPECT_EQ(left("ada", "m2"), 1);
  choose("ada", "m1", early.id);
  choose("ada", "m1", std::nullopt);
  EXPECT_EQ(left("ada", "m2"), 1) << "the rule decides again";
  choose("ada", "m1", 9999);
  EXPECT_EQ(left("ada", "m2"), 1) << "no submission of this student";
}

TEST_F(GradebookTest, AChosenLateSubmissionWithoutLateDaysIsNotWithinAGracePeriod) {
  const Submission late = hand_in("m3", "ada", "2026-10-14T11:00:00Z");
  for (const int number : {1, 2, 3}) result(late, 80, number);
  choose("ada", "m3", late.id);
  const Entry ada = entry("ada", "m3");
  EXPECT_EQ(ada.points, 80) << "m3 has no late days, so that none costs anything";
  EXPECT_THAT(derivation(ada, folder, report::Audience::student),
              testing::AllOf(testing::Contains(testing::EndsWith("1 d 23 h after the deadline")),
                             testing::Each(Not(HasSubstr("grace")))));
}

TEST_F(GradebookTest, EachMemberOfATeamUsesTheSlipDaysOfTheMembersOwnChoice) {
  folder.course.slip_days = 3;
  const auto teams = [&](const char* name) -> Assignment& {
    return const_cast<Assignment&>(*folder.course.find(name));
  };
  teams("m1").teams = true;
  const Submission early = hand_in("m1", "team red", "2026-10-12T11:00:00Z");
  const Submission late = hand_in("m1", "team red", "2026-10-14T11:00:00Z");
  result(early, 90);
  result(late, 80);
  choose("ada", "m1", early.id);
  EXPECT_EQ(entry("ada", "m2").due.slip_days, 3);
  EXPECT_EQ(entry("bob", "m2").due.slip_days, 1);
  EXPECT_EQ(entry("ada", "m4").due.slip_days, 1) << "their team: the fewest";
  choose("bob", "m1", early.id);
  EXPECT_EQ(entry("ada", "m4").due.slip_days, 3);
}

TEST_F(GradebookTest, AReasonThatWasForStaffStaysWithStaff) {
  const Submission s = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  result(s, 60);
  for (const bool told : {false, true}) {
    Rejudge rejudge{.assignment = "m1",
                    .config = "self-check",
                    .config_sha256 = std::string(64, 'c'),
                    .at = test::utc("2026-10-13T00:00:00Z"),
                    .who = "tom",
                    .reason = told ? "a broken fan" : "suspected of copying",
                    .told = told};
    const int number = store.next_number(s.id, std::string(64, 'c'), "1.0+abc");
    store.begin(rejudge, {{s.id, std::string(64, 'c'), "1.0+abc", number}});
    result(s, told ? 80 : 70, number);
    store.decide(rejudge.id, true, test::utc("2026-10-14T00:00:00Z"), "tom");
  }
  const auto of_student = derivation(entry("ada", "m1"), folder, report::Audience::student);
  EXPECT_THAT(of_student, testing::Contains(testing::EndsWith("graded again by staff")));
  EXPECT_THAT(of_student, testing::Contains(HasSubstr("graded again: a broken fan")));
  EXPECT_THAT(of_student, testing::Each(Not(HasSubstr("suspected"))));
  EXPECT_THAT(derivation(entry("ada", "m1"), folder, report::Audience::staff),
              testing::Contains(HasSubstr("graded again: suspected of copying")));
}

TEST(Contenders, ForgetsWhatWasNotAskedForForLong) {
  const TempDir place{"opgrade-test-"};
  const CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());
  Contenders contenders(place.path(), 5);
  for (int i = 0; i < 30; ++i) {
    const Submission s =
        test::hand_in(folder, store, "m1", "ada", fmt::format("2026-10-11T10:{:02}:00Z", i),
                      fmt::format("x{}", i));
    contenders.of(std::vector{test::publish(store, place.path(), s, test::grade_of(50), 1)}, {});
    EXPECT_LE(contenders.size(), 10u);
  }
}

class Tables : public GradebookTest {
 protected:
  void SetUp() override {
    result(hand_in("m1", "ada", "2026-10-12T11:00:00Z"), 66.666);
    hand_in("m1", "bob", "2026-10-12T11:00:00Z");
    set("eve", Change::Kind::excused, std::nullopt);
    options.only = "m1";
  }
  TableOptions options;
};

TEST_F(Tables, Canvas) {
  auto& m1 = const_cast<Assignment&>(*folder.course.find("m1"));
  m1.title = "Milestone 1";
  m1.canvas_id = "4711";
  const GradebookTable table = gradebook_table("canvas", book(), folder, options);
  EXPECT_EQ(table.csv,
            "Student,ID,SIS User ID,SIS Login ID,Section,Milestone 1 (4711)\r\n"
            "    Points Possible,,,,,100\r\n"
            "\"Lovelace, Ada\",901,1,ada,A,66.67\r\n"
            "\"Bell, Bob\",902,2,bob,A,\r\n"
            "\"Stone, Eve\",903,3,eve,B,EX\r\n");
  EXPECT_THAT(table.warnings, testing::ElementsAre(HasSubstr("bob, m1: left empty, open")));
  m1.canvas_id = folder.roster.students[0].canvas_id = "";
  EXPECT_THAT(gradebook_table("canvas", book(), folder, options).warnings,
              testing::IsSupersetOf(
                  {HasSubstr("m1: no canvas_id in course.yaml, so Canvas will offer a new "
                             "assignment; it is the number at the end"),
                   HasSubstr("1 student has no canvas_id in roster.csv")}));
}

TEST_F(Tables, Gradescope) {
  EXPECT_EQ(gradebook_table("gradescope", book(), folder, options).csv,
            "First Name,Last Name,SID,Email,Sections,m1,m1 - Max Points\r\n"
            "Ada,Lovelace,1,ada@x.edu,A,66.67,100\r\n"
            "Bob,Bell,2,bob@x.edu,A,,100\r\n"
            "Eve,Stone,3,eve@x.edu,B,,100\r\n");
}

TEST_F(Tables, Moodle) {
  EXPECT_EQ(gradebook_table("moodle", book(), folder, options).csv,
            "idnumber,username,email,m1\r\n"
            "1,ada,ada@x.edu,66.67\r\n"
            "2,bob,bob@x.edu,-\r\n"
            "3,eve,eve@x.edu,-\r\n");
}

TEST_F(Tables, Plain) {
  EXPECT_EQ(gradebook_table("plain", book(), folder, options).csv,
            "login,id,name,section,team,assignment,points,maximum,state,late_days,reason\r\n"
            "ada,1,Ada Lovelace,A,red,m1,66.67,100,graded,0,66.67 of 100\r\n"
            "bob,2,Bob Bell,A,red,m1,,100,open,,1 submission is not graded yet\r\n"
            "eve,3,Eve Stone,B,,m1,,100,excused,,excused by tom: because\r\n");
}

TEST_F(Tables, NothingIsMissingUntilTheDeadline) {
  options = {.only = "m4", .missing_is_zero = true, .now = test::utc("2026-10-12T12:00:00Z")};
  const auto plain = [&] { return gradebook_table("plain", book(), folder, options).csv; };
  EXPECT_THAT(plain(), HasSubstr("m4,,100,not handed in yet,,no submission\r\n"));
  EXPECT_THAT(gradebook_table("moodle", book(), folder, options).csv, HasSubstr("bob@x.edu,-\r\n"));
  options.now += std::chrono::seconds(1);
  EXPECT_THAT(plain(), HasSubstr("m4,0,100,missing,,no submission\r\n"));
}

TEST_F(Tables, HostileNamesStayInTheirCells) {
  auto& ada = const_cast<Student&>(*folder.roster.find("ada"));
  ada.name = "=HYPERLINK(\"http://x\")\r\n1,bob,\"";
  ada.section = "@SUM(1)\n";
  ada.email = "+cmd|' /C calc'!A0,\"";
  auto& m1 = const_cast<Assignment&>(*folder.course.find("m1"));
  m1.title = "-1+1\",\r\n";
  m1.canvas_id = "4711";
  for (const auto& format : table_formats()) {
    const auto rows = read_csv(gradebook_table(format, book(), folder, options).csv);
    ASSERT_TRUE(rows) << rows.error().text;
    // One row says the possible points; other tables have none of unread reports and of no marks.
    if (format != "stages" && !is_about_marks(format)) {
      EXPECT_EQ(rows->size(), format == "canvas" ? 5u : 4u);
    }
    for (const CsvRow& row : *rows) {
      EXPECT_EQ(row.cells.size(), rows->front().cells.size());
      for (const auto& cell : row.cells)
        EXPECT_TRUE(cell.empty() || cell == "-" ||
                    std::string("=+-@\t\r\n").find(cell[0]) == std::string::npos)
            << cell;
    }
  }
}

TEST_F(Tables, AMissingSubmissionIsAnEmptyCellOrZero) {
  options.only = "m2";
  EXPECT_THAT(gradebook_table("moodle", book(), folder, options).csv,
              HasSubstr("1,ada,ada@x.edu,-\r\n"));
  options.missing_is_zero = true;
  EXPECT_THAT(gradebook_table("moodle", book(), folder, options).csv,
              HasSubstr("1,ada,ada@x.edu,0\r\n"));
}

TEST_F(Tables, AGradeAboveTheMaximumIsTold) {
  set("ada", Change::Kind::points, 120);
  EXPECT_THAT(gradebook_table("moodle", book(), folder, options).warnings,
              testing::Contains(HasSubstr("ada, m1: 120 is above the maximum 100")));
}

TEST_F(GradebookTest, WhyTellsTheWholeStory) {
  result(hand_in("m1", "eve", "2026-10-12T11:00:00Z"), 50);
  const Submission late = hand_in("m1", "eve", "2026-10-14T11:00:00Z");
  result(late, 80);
  set("eve", Change::Kind::item, 5, "report");
  const std::string text = why_text(entry("eve", "m1"), folder, "");
  for (const char* part :
       {"eve (Eve Stone), m1: 77 of 100\n", "graded 80 of 100", "5 for report, given by staff",
        "due Tue 2026-10-13 12:00:00 UTC, extended from Mon 2026-10-12 12:00:00 UTC",
        "does not count: a later submission counts", "23 h after the deadline, 1 day late",
        "from a test, added by staff",
        "grading 1: passed, 80 of 100; config cccccccccccc, opgrade "
        "1.0+abc",
        "-10 % of the points (1 day late): 80 become 72",
        "change of Tue 2026-10-20 00:00:00 UTC by tom: item report 5 - because"})
    EXPECT_THAT(text, HasSubstr(part));
  const std::string id = test::grade_of(80).stages.at(0).cases.at(0).id;
  EXPECT_THAT(text, HasSubstr(id + ": "));
  EXPECT_THAT(text, Not(HasSubstr("Op Times of")));
  EXPECT_THAT(why_text(entry("eve", "m1"), folder, id), HasSubstr(": 1.25, 1.5, 2.75 ms"));
  EXPECT_THAT(why_text(entry("eve", "m1"), folder, "cpu/nothing"),
              HasSubstr("this result has no case cpu/nothing; it has " + id));
}

TEST_F(GradebookTest, WhySaysWhatARefusedSubmissionLacks) {
  const Submission s = hand_in("m1", "ada", "2026-10-12T11:00:00Z");
  Grade grade = test::grade_of(0);
  grade.stages.at(0).build = {
      .outcome = Outcome::refused,
      .reason = text_reason("new-forward.cu is missing", "Found there: new_forward.cu.")};
  test::publish(store, folder.path, s, grade, 1);
  EXPECT_THAT(why_text(entry("ada", "m1"), folder, ""),
              HasSubstr(grade.stages.at(0).name + ": refused - new-forward.cu is missing\n"
                                                  "        next: Found there: new_forward.cu.\n"));
}

}  // namespace
}  // namespace opgrade::course
