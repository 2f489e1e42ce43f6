#include "grader/course/gradings/grade_assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/job_order.hpp"
#include "grader/course/results/result_folder.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class GradeAssignment : public testing::Test {
 protected:
  CourseRun grade(const std::string& assignment) {
    LocalExecutor executor(grade_one);
    return grade_assignment(folder, store, *folder.course.find(assignment), grading, executor);
  }
  void hand_in(const std::string& assignment, const std::string& owner, const std::string& time,
               const std::string& text) {
    test::hand_in(folder, store, assignment, owner, time, text);
  }
  std::vector<double> points() const {
    std::vector<double> all;
    for (const auto& a : store.attempts()) all.push_back(a.points);
    return all;
  }

  const TempDir place{"opgrade-test-"};
  const CourseFolder folder = test::make_course(place.path());
  Store store = Store::create(place.path());
  Rules grading = test::wanted_grading();
  GradeOne grade_one = test::grade_by_content;
};

TEST_F(GradeAssignment, GradesWhatCountsAndHasNoResult) {
  hand_in("m1", "ada", "2026-10-12T10:00:00Z", "50");
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  hand_in("m1", "bob", "2026-10-12T11:00:00Z", "70");
  hand_in("m1", "bob", "2026-10-20T11:00:00Z", "99");  // after the last late day
  hand_in("m2", "bob", "2026-10-12T11:00:00Z", "80");
  CourseRun run = grade("m1");
  EXPECT_EQ(run.graded, 2u);
  EXPECT_THAT(points(), UnorderedElementsAre(60, 70));
  run = grade("m1");
  EXPECT_EQ(run.graded, 0u);
  EXPECT_EQ(run.had, 2u);
  EXPECT_THAT(verify(folder, store), IsEmpty());
}

TEST_F(GradeAssignment, AJobThatHasToWaitIsNotBegun) {
  hand_in("m1", "ada", "2026-10-12T10:00:00Z", "50");
  hand_in("m1", "bob", "2026-10-12T10:00:00Z", "60");
  const auto run_while = [&](const LocalExecutor::Waits& waits) {
    LocalExecutor executor(grade_one, 1, waits);
    return grade_assignment(folder, store, *folder.course.find("m1"), grading, executor);
  };
  CourseRun run =
      run_while([begun = 0](const GradingJob&) mutable { return begun++ == 0 ? "" : "until six"; });
  EXPECT_EQ(run.graded, 1u) << "what runs goes on to its end";
  ASSERT_EQ(run.undone.size(), 1u);
  EXPECT_EQ(run.undone[0].why, "until six");
  run = run_while([](const GradingJob&) { return ""; });
  EXPECT_EQ(run.graded, 1u);
  EXPECT_THAT(run.undone, IsEmpty());
}

TEST_F(GradeAssignment, EachSubmissionWhereTheBestCounts) {
  hand_in("m2", "ada", "2026-10-12T10:00:00Z", "50");
  hand_in("m2", "ada", "2026-10-12T11:00:00Z", "40");
  EXPECT_EQ(grade("m2").graded, 2u);
}

TEST_F(GradeAssignment, TheLastOneThreeTimesForAMedianOfThree) {
  hand_in("m3", "ada", "2026-10-12T10:00:00Z", "50");
  hand_in("m3", "ada", "2026-10-12T11:00:00Z", "40");
  EXPECT_EQ(grade("m3").graded, 3u);
  EXPECT_THAT(points(), ElementsAre(40, 40, 40));
  std::vector<int> numbers;
  for (const auto& a : store.attempts()) numbers.push_back(a.number);
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  EXPECT_EQ(grade("m3").graded, 0u);
}

/// A class then ends with short ones.
TEST_F(GradeAssignment, BeginsWithWhatTookLongestBefore) {
  std::vector<double> begun;
  grade_one = [&](const std::filesystem::path& file, const std::string& name, GradedAt at) {
    Grade made = test::grade_by_content(file, name, at);
    begun.push_back(made.points);
    made.stages.emplace_back().build.elapsed_s = made.points;
    return made;
  };
  hand_in("m1", "ada", "2026-10-12T10:00:00Z", "10");
  hand_in("m1", "bob", "2026-10-12T10:00:00Z", "30");
  hand_in("m2", "eve", "2026-10-12T10:00:00Z", "99");
  grade("m1");
  grade("m2");
  EXPECT_THAT(begun, ElementsAre(10, 30, 99)) << "nothing is known: as they are";
  begun.clear();
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "11");
  hand_in("m1", "bob", "2026-10-12T11:00:00Z", "31");
  hand_in("m1", "eve", "2026-10-12T11:00:00Z", "21");
  grade("m1");
  EXPECT_THAT(begun, ElementsAre(21, 31, 11)) << "of eve another assignment's alone is known";
}

TEST(InTurns, NoSubmissionHasItsSecondGradingBeforeAllHaveOne) {
  const auto job = [](std::int64_t submission, int number) {
    GradingJob made;
    made.submission = submission;
    made.number = number;
    return made;
  };
  const std::vector<GradingJob> jobs{job(1, 1), job(1, 2), job(2, 1), job(3, 1), job(2, 2)};
  std::vector<std::pair<std::int64_t, int>> order;
  for (const GradingJob& one : in_turns(jobs, [](const GradingJob& of) {
         return std::optional<double>(static_cast<double>(of.submission));
       }))
    order.emplace_back(one.submission, one.number);
  EXPECT_THAT(order, ElementsAre(std::pair(3, 1), std::pair(2, 1), std::pair(1, 1), std::pair(2, 2),
                                 std::pair(1, 2)));
}

TEST_F(GradeAssignment, OneADayAndOneForATeam) {
  hand_in("m4", "team red", "2026-10-11T10:00:00Z", "50");
  hand_in("m4", "team red", "2026-10-11T11:00:00Z", "60");
  EXPECT_EQ(grade("m4").graded, 1u);
  EXPECT_THAT(points(), ElementsAre(50)) << "the second of that day is kept and not graded";
}

TEST_F(GradeAssignment, AFaultIsGradedAgainAndStaysInTheHistory) {
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  grade_one = [](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    grade.outcome = Outcome::grader_fault;
    grade.points = 0;
    return grade;
  };
  CourseRun run = grade("m1");
  EXPECT_EQ(run.faults, 1u);
  grade_one = test::grade_by_content;
  EXPECT_EQ(grade("m1").graded, 1u);
  EXPECT_THAT(points(), ElementsAre(0, 60));
}

TEST_F(GradeAssignment, TheSameFilesHaveOneGrade) {
  double next = 0;
  grade_one = [&](const auto&, const auto& name, auto...) {
    Grade grade = test::grade_of(++next);
    grade.submission = name;
    return grade;
  };
  hand_in("m3", "ada", "2026-10-12T11:00:00Z", "same");
  hand_in("m3", "bob", "2026-10-12T11:00:00Z", "other");
  hand_in("m3", "eve", "2026-10-12T11:00:00Z", "same");
  EXPECT_EQ(grade("m3").graded, 9u);
  EXPECT_EQ(next, 6);
  std::map<std::string, std::vector<double>> points;
  const auto submissions = store.submissions_by_id();
  for (const auto& a : store.attempts())
    points[submissions.at(a.submission).owner].push_back(a.points);
  EXPECT_THAT(points.at("eve"), testing::ElementsAreArray(points.at("ada")));
  EXPECT_THAT(verify(folder, store), IsEmpty());
  const auto last = read_result((place.path() / store.attempts().back().result).parent_path());
  EXPECT_EQ(last->submission, "eve");
  EXPECT_THAT(last->submission_path, HasSubstr("/m3/eve/"));
}

TEST_F(GradeAssignment, ACopyThatComesLaterHasTheGradeOfTheFirst) {
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  EXPECT_EQ(grade("m1").graded, 1u);
  hand_in("m1", "bob", "2026-10-12T11:00:00Z", "60");
  hand_in("m2", "bob", "2026-10-12T11:00:00Z", "60");
  grade_one = [](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    grade.points /= 2;
    return grade;
  };
  EXPECT_EQ(grade("m1").graded, 1u);
  EXPECT_EQ(grade("m2").graded, 1u) << "another assignment";
  EXPECT_THAT(points(), ElementsAre(60, 60, 30));
  grading.config_sha256 = std::string(64, 'd');
  hand_in("m1", "eve", "2026-10-12T11:00:00Z", "60");
  grade_one = [](const auto&, const auto& name, auto...) {
    Grade grade = test::grade_of(20, std::string(64, 'd'));
    grade.submission = name;
    return grade;
  };
  EXPECT_EQ(grade("m1").graded, 1u);
  EXPECT_THAT(points(), ElementsAre(60, 60, 30, 20)) << "other rules";
}

TEST_F(GradeAssignment, AnArchiveThatIsNotTheOneHandedInIsAGraderFault) {
  for (const char* owner : {"ada", "bob", "eve"})
    hand_in("m1", owner, "2026-10-12T11:00:00Z", "60");
  const auto file_of = [&](std::size_t i) { return place.path() / store.submissions()[i].file; };
  std::filesystem::remove(file_of(0));
  test::write_text(file_of(1), "");
  test::write_text(file_of(2), "99");
  LocalExecutor executor(grade_one);
  EXPECT_EQ(grade_assignment(folder, store, *folder.course.find("m1"), grading, executor,
                             {.keep_going = true})
                .faults,
            3u);
  std::vector<std::string> reasons;
  for (const auto& a : store.attempts()) {
    EXPECT_EQ(a.outcome, Outcome::grader_fault);
    reasons.push_back(
        opgrade::test::sentence_in(read_result((place.path() / a.result).parent_path())->reason)
            .words);
  }
  EXPECT_THAT(reasons,
              ElementsAre(HasSubstr("the stored archive is missing; restore it from a backup"),
                          HasSubstr("has changed since"), HasSubstr("has changed since")));
  for (std::size_t i : {0, 1, 2}) test::write_text(file_of(i), "60");
  EXPECT_EQ(grade("m1").graded, 3u) << "restored from a backup";
  EXPECT_THAT(points(), ElementsAre(0, 0, 0, 60, 60, 60));
}

TEST_F(GradeAssignment, ACourseThatIsMovedDuringAGradingIsNotMadeAnewAtItsOldPlace) {
  const std::filesystem::path moved = place.path().string() + ".moved";
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  grade_one = [&](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    std::filesystem::rename(place.path(), moved);
    return grade;
  };
  EXPECT_THROW(grade("m1"), Error);
  EXPECT_FALSE(std::filesystem::exists(place.path()));
  std::filesystem::rename(moved, place.path());
  EXPECT_THAT(points(), IsEmpty());
}

TEST_F(GradeAssignment, AResultThatLiesInAnotherCourseIsNotRecorded) {
  const TempDir other("opgrade-test-");
  const std::filesystem::path moved = place.path().string() + ".moved";
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  grade_one = [&](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    std::filesystem::copy(place.path(), other.path() / "copy",
                          std::filesystem::copy_options::recursive);
    std::filesystem::rename(place.path(), moved);
    std::filesystem::rename(other.path() / "copy", place.path());
    return grade;
  };
  EXPECT_THROW(grade("m1"), Error) << "the database of this grading is not that of the copy";
  std::filesystem::remove_all(place.path());
  std::filesystem::rename(moved, place.path());
  EXPECT_THAT(points(), IsEmpty());
}

TEST_F(GradeAssignment, ANewConfigOrProgramGradesOnlyWhatHasNoResult) {
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  hand_in("m3", "ada", "2026-10-12T11:00:00Z", "60");
  grade("m1");
  grade_one = [n = 0](const auto& file, const auto& name, auto...) mutable {
    Grade made = test::grade_by_content(file, name);
    if (++n == 3) made.outcome = Outcome::grader_fault;
    return made;
  };
  grade("m3");
  grading = test::wanted_grading(std::string(64, 'd'));
  grade_one = [](const auto&, const auto&, auto...) {
    return test::grade_of(65, std::string(64, 'd'));
  };
  EXPECT_EQ(grade("m1").graded, 0u);
  EXPECT_THAT(points(), ElementsAre(60, 60, 60, 60)) << "another grade is a rejudge's work";
  hand_in("m1", "bob", "2026-10-12T11:00:00Z", "60");
  EXPECT_EQ(grade("m1").graded, 1u);
  EXPECT_EQ(grade("m3").graded, 3u) << "two of the three gradings of before are no result";
}

TEST_F(GradeAssignment, AResultOfAnotherProgramIsNoResult) {
  hand_in("m1", "ada", "2026-10-12T11:00:00Z", "60");
  grade_one = [](const auto&, const auto&, auto...) {
    return test::grade_of(65, std::string(64, 'd'));
  };
  EXPECT_THROW(grade("m1"), Error);
  EXPECT_THAT(points(), IsEmpty());
}

TEST_F(GradeAssignment, StopsWhereTheFirstThreeAreFaults) {
  for (const char* text : {"10", "20", "30", "40", "50"})
    hand_in("m2", "ada", "2026-10-12T10:00:0" + std::string(1, text[0]) + "Z", text);
  grade_one = [](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    grade.outcome = Outcome::grader_fault;
    return grade;
  };
  EXPECT_THROW(grade("m2"), Error);
  EXPECT_EQ(points().size(), 3u) << "they stay in the history";
}

TEST_F(GradeAssignment, WhoIsNotInTheRosterIsTold) {
  hand_in("m1", "mallory", "2026-10-12T11:00:00Z", "60");
  const CourseRun run = grade("m1");
  EXPECT_THAT(run.unknown, ElementsAre("mallory"));
  EXPECT_THAT(points(), IsEmpty());
}

}  // namespace
}  // namespace opgrade::course
