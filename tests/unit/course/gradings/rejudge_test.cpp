#include "grader/course/gradings/rejudge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/results/results_lock.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Rejudging : public testing::Test {
 protected:
  Rejudging() {
    test::hand_in(folder, store, "m1", "ada", "2026-10-12T11:00:00Z", "60");
    test::hand_in(folder, store, "m1", "bob", "2026-10-12T11:00:00Z", "70");
    LocalExecutor executor(test::grade_by_content);
    grade_assignment(folder, store, m1, grading, executor);
    grade_one = [this](const auto& file, const auto& name, auto...) {
      Grade grade = test::grade_by_content(file, name);
      grade.points += bonus;
      return grade;
    };
  }
  Rejudge begin(const RejudgeFilter& filter = {}, int repeat = 1) {
    return begin_rejudge(folder, store, m1, grading,
                         {filter, "self-check", repeat, "staff", "the reference was wrong"});
  }
  CourseRun run(const Rejudge& rejudge) {
    LocalExecutor executor(grade_one);
    return run_rejudge(folder, store, rejudge, grading, executor);
  }
  std::vector<std::string> changes(const Rejudge& rejudge) const {
    std::vector<std::string> all;
    for (const auto& c : preview(folder, store, m1, rejudge, {100, {}}, {100, {}}))
      all.push_back(c.student->login + ": " + c.before + " -> " + c.after);
    return all;
  }
  double points(const std::string& login) const {
    const Gradebook book(folder, store, {{"m1", {100, {}}}});
    return book.entry(*folder.roster.find(login), m1).points.value_or(-1);
  }

  const TempDir place{"opgrade-test-"};
  const CourseFolder folder = test::make_course(place.path());
  const Assignment& m1 = *folder.course.find("m1");
  Store store = Store::create(place.path());
  Rules grading = test::wanted_grading();
  GradeOne grade_one;
  double bonus = 10;
};

TEST_F(Rejudging, CountsWhenItIsAppliedAndOldResultsStay) {
  const Rejudge rejudge = begin();
  EXPECT_EQ(run(rejudge).graded, 2u);
  EXPECT_EQ(points("ada"), 60);
  EXPECT_THAT(changes(rejudge),
              ElementsAre("ada: 60 of 100 -> 70 of 100", "bob: 70 of 100 -> 80 of 100"));
  EXPECT_TRUE(store.decide(rejudge.id, true, rejudge.at, "staff"));
  EXPECT_EQ(points("ada"), 70);
  EXPECT_EQ(points("bob"), 80);
  EXPECT_THAT(store.attempts(), SizeIs(4));
  EXPECT_FALSE(store.decide(rejudge.id, false, rejudge.at, "other"));
  EXPECT_EQ(store.rejudges()[0].state, Rejudge::State::applied);
  EXPECT_EQ(store.rejudges()[0].reason, "the reference was wrong");
  EXPECT_THAT(verify(folder, store), IsEmpty());
  LocalExecutor executor(test::grade_by_content);
  EXPECT_EQ(grade_assignment(folder, store, m1, grading, executor).graded, 0u);
}

TEST_F(Rejudging, WhatItChangedOfLateWorkAreItsPointsOfLateWork) {
  test::hand_in(folder, store, "m1", "eve", "2026-10-14T11:00:00Z", "80");
  const auto grade_late = [this](double more) {
    return [this, more](const auto& file, const auto& name, auto...) {
      Grade grade = test::grade_by_content(file, name);
      grade.points += more;
      grade.late_points = grade.points / 2;
      return grade;
    };
  };
  LocalExecutor executor(grade_late(0));
  grade_assignment(folder, store, m1, grading, executor);
  grade_one = grade_late(10);
  const Rejudge rejudge = begin();
  run(rejudge);
  store.decide(rejudge.id, true, rejudge.at, "staff");
  std::vector<std::string> changed;
  for (const auto& [submission, text] : changed_by(folder, store, m1, store.rejudges()[0]))
    changed.push_back(submission.owner + ": " + text);
  EXPECT_THAT(changed, testing::UnorderedElementsAre("ada: 60 of 100 became 70 of 100",
                                                     "bob: 70 of 100 became 80 of 100",
                                                     "eve: 40 of 100 became 45 of 100"));
}

TEST_F(Rejudging, WaitsForTheCoursesLockAndGoesOn) {
  const Rejudge rejudge = begin();
  std::optional<ResultsLock> other(folder.path);
  std::vector<std::string> said;
  CourseOptions options;
  options.log = [&](const std::string& line) {
    said.push_back(line);
    other.reset();  // the other grading ends
  };
  LocalExecutor executor(grade_one);
  EXPECT_EQ(run_rejudge(folder, store, rejudge, grading, executor, options).graded, 2u);
  EXPECT_THAT(said, ElementsAre(HasSubstr("waiting for another grading of the course: process")));
  other.emplace(folder.path);
  EXPECT_NO_THROW(begin_rejudge(folder, store, m1, grading,
                                {{}, "self-check", 1, "staff", "once more"}, options));
}

TEST_F(Rejudging, ACancelledOneChangesNothing) {
  const Rejudge rejudge = begin();
  run(rejudge);
  store.decide(rejudge.id, false, rejudge.at, "staff");
  EXPECT_EQ(points("ada"), 60);
  EXPECT_THAT(store.attempts(), SizeIs(4));
  EXPECT_THROW(run(store.rejudges()[0]), UsageError);
}

/// Staff doubt the first run: the machine was broken, say.
TEST_F(Rejudging, ACopyOfWhatIsRejudgedIsGradedByItself) {
  const Rejudge rejudge = begin({.student = "ada"});
  run(rejudge);
  const auto grade_copy = [&](const std::string& owner) {
    test::hand_in(folder, store, "m1", owner, "2026-10-12T11:30:00Z", "60");
    LocalExecutor executor(grade_one);
    EXPECT_EQ(grade_assignment(folder, store, m1, grading, executor).graded, 1u);
    return store.attempts().back().points;
  };
  EXPECT_EQ(grade_copy("eve"), 70) << "not decided yet";
  store.decide(rejudge.id, true, rejudge.at, "staff");
  bonus = 20;
  EXPECT_EQ(grade_copy("bob"), 70) << "the first run that nobody doubts";
}

TEST_F(Rejudging, ACopyHasTheGradeThatACancelledOneLeft) {
  const Rejudge rejudge = begin({.student = "ada"});
  run(rejudge);
  store.decide(rejudge.id, false, rejudge.at, "staff");
  test::hand_in(folder, store, "m1", "eve", "2026-10-12T11:00:00Z", "60");
  LocalExecutor executor(grade_one);
  EXPECT_EQ(grade_assignment(folder, store, m1, grading, executor).graded, 1u);
  EXPECT_EQ(store.attempts().back().points, 60);
}

TEST_F(Rejudging, TakesSeveralStudentsByAnySeparator) {
  for (const char* both : {"ada,bob", "ada bob", "ada;\tbob", " ada,\r\nbob,"}) {
    const Rejudge rejudge = begin({.student = both});
    EXPECT_THAT(store.rejudge_jobs(rejudge.id), SizeIs(2)) << both;
    store.decide(rejudge.id, false, rejudge.at, "staff");
  }
  EXPECT_THAT(store.rejudge_jobs(begin({.student = "bob"}).id), SizeIs(1));
  EXPECT_THROW(begin({.student = "nobody"}), UsageError);
}

TEST_F(Rejudging, TakesWhatTheFilterTakes) {
  EXPECT_EQ(run(begin({.student = "ada"})).graded, 1u);
  EXPECT_EQ(run(begin({.verdict = "passed"})).graded, 2u);
  EXPECT_EQ(run(begin({.version = "1.0"})).graded, 2u);
  EXPECT_THROW(begin({.verdict = "crashed"}), UsageError);
  EXPECT_THROW(begin({.machine = "no such machine"}), UsageError);
  EXPECT_THAT(store.rejudges()[0].filter, HasSubstr("student ada"));
}

TEST_F(Rejudging, TheFilterLooksAtTheResultNotAtALaterFault) {
  Grade fault = test::grade_of(0, std::string(64, 'd'));
  fault.outcome = Outcome::grader_fault;
  for (const auto& s : store.submissions("m1")) test::publish(store, folder.path, s, fault, 1);
  EXPECT_EQ(store.rejudge_jobs(begin({.verdict = "passed"}).id).size(), 2u);
  grading = test::wanted_grading(std::string(64, 'd'));
  EXPECT_EQ(store.rejudge_jobs(begin({.outdated = true}).id).size(), 2u);
  EXPECT_THROW(begin({.verdict = "grader_fault"}), UsageError) << "its result stands";
}

TEST_F(Rejudging, RepeatedGradingsCountByTheirMedian) {
  const std::vector<double> extra{30, 0, 10};
  std::size_t next = 0;
  grade_one = [&](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    grade.points += extra[next++ % extra.size()];
    return grade;
  };
  const Rejudge rejudge = begin({.student = "ada"}, 3);
  EXPECT_EQ(run(rejudge).graded, 3u);
  EXPECT_THAT(changes(rejudge), ElementsAre("ada: 60 of 100 -> 70 of 100"));
}

/// One grading of each submission after the other, until all have theirs.
TEST_F(Rejudging, GradesInTurn) {
  std::vector<std::string> order;
  grade_one = [&](const auto& file, const auto& name, auto...) {
    order.push_back(name);
    return test::grade_by_content(file, name);
  };
  run(begin({}, 3));
  ASSERT_THAT(order, SizeIs(6));
  for (const std::size_t i : {0, 2, 4}) EXPECT_NE(order[i], order[i + 1]);
}

TEST_F(Rejudging, ARankingIsProvisionalUntilTheFinalTiming) {
  grade_one = [](const auto& file, const auto& name, auto...) {
    Grade grade = test::grade_by_content(file, name);
    grade.stages = opgrade::test::passed_grade().stages;
    return grade;
  };
  for (const bool final : {false, true}) {
    const Rejudge rejudge = begin({.final = final});
    run(rejudge);
    store.decide(rejudge.id, true, rejudge.at, "staff");
    const AssignmentFacts facts{
        100, {}, RankingConfig{.stage = "cpu", .model = "high", .batch = 1000}};
    const auto table = Gradebook(folder, store, {{"m1", facts}}).ranking(m1);
    ASSERT_TRUE(table.front().rank);
    EXPECT_EQ(is_provisional(table), !final);
  }
  EXPECT_EQ(store.rejudges()[1].filter, kFinalTiming);
}

TEST_F(Rejudging, AFaultIsGradedAgainAndAnInterruptLosesNothing) {
  const auto well = grade_one;
  int calls = 0;
  struct Killed {};
  grade_one = [&](const auto& file, const auto& name, auto...) {
    if (++calls == 2) throw Killed{};
    Grade grade = well(file, name, GradedAt::hand_in);
    grade.outcome = Outcome::grader_fault;
    return grade;
  };
  const Rejudge rejudge = begin();
  EXPECT_THROW(run(rejudge), Killed);
  EXPECT_EQ(gradings_of(store, rejudge).open, 2u);
  grade_one = well;
  EXPECT_EQ(run(rejudge).graded, 2u);
  EXPECT_EQ(gradings_of(store, rejudge).open, 0u);
  EXPECT_EQ(run(rejudge).graded, 0u);
  EXPECT_THAT(changes(rejudge), SizeIs(2));
}

TEST_F(Rejudging, AnotherConfigIsTriedWithoutTouchingTheClass) {
  grading = test::wanted_grading(std::string(64, 'd'));
  grade_one = [](const auto&, const auto&, auto...) {
    return test::grade_of(99, std::string(64, 'd'));
  };
  const Rejudge rejudge = begin();
  run(rejudge);
  EXPECT_THAT(changes(rejudge), SizeIs(2));
  EXPECT_EQ(points("ada"), 60);
  grading = test::wanted_grading();
  LocalExecutor executor(test::grade_by_content);
  EXPECT_EQ(grade_assignment(folder, store, m1, grading, executor).graded, 0u);
}

TEST_F(Rejudging, AnAppliedOneReplacesTheGradingThatItRejudged) {
  const auto ada = store.submissions("m1").at(0);
  const Rejudge rejudge = begin({.student = "ada"});
  test::publish(store, folder.path, ada, test::grade_of(65, std::string(64, 'c'), "2.0+def"), 1);
  run(rejudge);
  EXPECT_THAT(changes(rejudge), IsEmpty()) << "a later grading counts";
  store.decide(rejudge.id, true, rejudge.at, "staff");
  EXPECT_EQ(points("ada"), 65);
  bonus = 20;
  const Rejudge later = begin({.student = "ada", .version = "2.0+def"});
  run(later);
  EXPECT_THAT(changes(later), ElementsAre("ada: 65 of 100 -> 80 of 100"));
  store.decide(later.id, true, later.at, "staff");
  EXPECT_EQ(points("ada"), 80);
}

TEST_F(Rejudging, TheLastDecisionOfTwoCounts) {
  const Rejudge first = begin({.student = "ada"});
  run(first);
  bonus = 20;
  const Rejudge second = begin({.student = "ada"});
  run(second);
  store.decide(second.id, true, second.at, "staff");
  EXPECT_EQ(points("ada"), 80);
  EXPECT_THAT(changes(first), ElementsAre("ada: 80 of 100 -> 70 of 100"));
  store.decide(first.id, true, second.at + std::chrono::seconds(1), "staff");
  EXPECT_EQ(points("ada"), 70);
}

TEST_F(Rejudging, ALaterSubmissionCountsBeforeARejudgedOne) {
  const Rejudge rejudge = begin({.student = "ada"});
  test::hand_in(folder, store, "m1", "ada", "2026-10-12T11:30:00Z", "50");
  LocalExecutor executor(test::grade_by_content);
  grade_assignment(folder, store, m1, grading, executor);
  run(rejudge);
  EXPECT_THAT(changes(rejudge), IsEmpty());
  store.decide(rejudge.id, true, rejudge.at, "staff");
  EXPECT_EQ(points("ada"), 50);
}

TEST_F(Rejudging, ItsNumbersAreNotTakenByAGrading) {
  const Rejudge rejudge = begin();
  test::hand_in(folder, store, "m1", "eve", "2026-10-12T11:00:00Z", "50");
  LocalExecutor executor(test::grade_by_content);
  EXPECT_EQ(grade_assignment(folder, store, m1, grading, executor).graded, 1u);
  EXPECT_EQ(run(rejudge).graded, 2u);
  EXPECT_THAT(verify(folder, store), IsEmpty());
}

/// A course with an assignment of these keys, whose only student has this extension; handed in and
/// graded.
struct DeadlineCourse {
  DeadlineCourse(const std::string& keys, const std::string& extension, int slip_days = 0) {
    test::write_text(place.path() / kCourseFile,
                     fmt::format("opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: {}\n"
                                 "assignments:\n  - {{name: m1, config: self-check, {}}}\n",
                                 slip_days, keys));
    test::write_text(place.path() / kRosterFile,
                     "id,login,name,section,extension\n1,ada,Ada,B," + extension + "\n");
    folder.emplace(open_course_folder(place.path()));
    store.emplace(Store::create(place.path()));
    test::hand_in(*folder, *store, "m1", "ada", "2020-01-01T11:00:00Z", "60");
    LocalExecutor executor([this](const auto& file, const auto& name, GradedAt at) {
      gradings.push_back(at);
      return test::grade_by_content(file, name);
    });
    grade_assignment(*folder, *store, m1(), rules, executor);
  }
  const Assignment& m1() const { return *folder->course.find("m1"); }
  Rejudge begin(bool final = false, int repeat = 1) {
    RejudgeFilter filter;
    filter.final = final;
    return begin_rejudge(*folder, *store, m1(), rules, {filter, "self-check", repeat, "sam", "y"});
  }
  /// How the rejudge graded.
  std::vector<GradedAt> run(const Rejudge& rejudge) {
    gradings.clear();
    LocalExecutor executor([this](const auto& file, const auto& name, GradedAt at) {
      gradings.push_back(at);
      Grade grade = test::grade_by_content(file, name);
      grade.machine.opgrade_version = rules.version;
      if (faults-- > 0) grade.outcome = Outcome::grader_fault;
      return grade;
    });
    run_rejudge(*folder, *store, rejudge, rules, executor);
    return gradings;
  }

  const TempDir place{"opgrade-test-"};
  std::optional<CourseFolder> folder;
  std::optional<Store> store;
  Rules rules = test::wanted_grading();
  std::vector<GradedAt> gradings;
  int faults = 0;
};

TEST(RejudgeAtTheDeadline, RunsAllCasesOfThoseWhoCanHandInNothingMore) {
  struct Case {
    const char *keys, *extension;
    GradedAt at;
  };
  using enum GradedAt;
  for (const auto& [keys, extension, at] :
       {Case{"deadline: 2020-01-01 12:00", "", deadline},
        Case{"deadline: 2020-01-01 12:00", "m1=2 d", deadline},
        Case{"deadline: 2020-01-01 12:00, late: {percent_a_day: 1, days: 5}", "", deadline},
        Case{"deadline: 2099-01-01 12:00", "", hand_in},
        Case{"deadline: 2020-01-01 12:00", "m1=2099-01-01 12:00", hand_in},
        Case{"deadline: 2020-01-01 12:00, section_deadlines: {B: 2099-01-01 12:00}", "", hand_in},
        Case{"deadline: 2099-01-01 12:00, section_deadlines: {B: 2020-01-01 12:00}", "", deadline},
        Case{"deadline: 2020-01-01 12:00, grace: 900000 h", "", hand_in}}) {
    DeadlineCourse course(keys, extension);
    EXPECT_EQ(course.gradings, std::vector{hand_in}) << keys;
    EXPECT_EQ(course.run(course.begin()), std::vector{at}) << keys << " " << extension;
    EXPECT_EQ(course.run(course.begin(true)), std::vector{deadline}) << "staff end it: " << keys;
  }
}

TEST(RejudgeAtTheDeadline, LateAndSlipDaysThatAreLeftAreTimeToHandIn) {
  const std::string yesterday = iso_text(this_second() - std::chrono::hours(24)).substr(0, 10);
  DeadlineCourse none("deadline: " + yesterday + " 00:00", "", 0);
  EXPECT_EQ(none.run(none.begin()), std::vector{GradedAt::deadline});
  DeadlineCourse some("deadline: " + yesterday + " 00:00", "", 9);
  EXPECT_EQ(some.run(some.begin()), std::vector{GradedAt::hand_in});
  DeadlineCourse late("deadline: " + yesterday + " 00:00, late: {percent_a_day: 1, days: 9}", "");
  EXPECT_EQ(late.run(late.begin()), std::vector{GradedAt::hand_in});
}

TEST(RejudgeAtTheDeadline, WhatWasDecidedHoldsWhenItGoesOn) {
  DeadlineCourse course("deadline: 2099-01-01 12:00", "");
  const Rejudge rejudge = course.begin(false, 3);
  course.faults = 2;
  EXPECT_EQ(course.run(rejudge), std::vector(3, GradedAt::hand_in));
  // Meanwhile the deadline passes.
  test::write_text(
      course.place.path() / kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n  - {name: m1, config: "
      "self-check, deadline: 2020-01-01 12:00}\n");
  course.folder.emplace(open_course_folder(course.place.path()));
  EXPECT_EQ(course.run(rejudge), std::vector(2, GradedAt::hand_in));
  EXPECT_EQ(course.run(course.begin()), std::vector{GradedAt::deadline}) << "another one";
  course.rules.version = "1.1+abd";
  const Rejudge final = course.begin(true, 1);
  course.rules.version = "1.1+abe";
  EXPECT_EQ(course.run(final), std::vector{GradedAt::deadline}) << "by a newer program";
}

}  // namespace
}  // namespace opgrade::course
