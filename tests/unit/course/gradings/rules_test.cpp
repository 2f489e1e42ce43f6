// Rules that change after a class was graded: nothing moves before a rejudge is applied.
#include "grader/course/gradings/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/gradings/rejudge.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const Rules kThen{std::string(64, 'c'), "1.2.3+aaa.fff"};

TEST(Rules, SayWhatDiffers) {
  struct Row {
    const char* version;
    const char* text;
    bool may_move_points;
  };
  for (const Row& row :
       {Row{"1.2.3+aaa.fff", "", false},
        {"1.2.3+bbb.fff", "graded by opgrade 1.2.3+aaa.fff, now opgrade 1.2.3+bbb.fff", false},
        {"1.2.4+bbb.fff", "graded by opgrade 1.2.3+aaa.fff, now opgrade 1.2.4+bbb.fff", false},
        {"1.3.0+aaa.fff", "graded by opgrade 1.2.3+aaa.fff, now opgrade 1.3.0+aaa.fff", true},
        {"2.2.3+aaa.fff", "graded by opgrade 1.2.3+aaa.fff, now opgrade 2.2.3+aaa.fff", true},
        {"1.2.3+aaa.eee", "graded by task fff, now task eee", true},
        {"", "", false}}) {
    const Rules now{kThen.config_sha256, row.version};
    EXPECT_EQ(change_text(kThen, now), row.text);
    EXPECT_EQ(change_between(kThen, now).may_move_points(), row.may_move_points) << row.version;
  }
  const Rules config{std::string(64, 'd'), kThen.version};
  EXPECT_EQ(change_text(kThen, config), "graded by config cccccccccccc, now config dddddddddddd");
  EXPECT_TRUE(change_between(kThen, config).may_move_points());
}

TEST(Rules, APartThatAnOlderReportLacksIsUnknown) {
  const Rules older{kThen.config_sha256, "1.2.3+aaa"};
  EXPECT_FALSE(change_between(older, kThen).may_move_points());
  EXPECT_FALSE(change_between({kThen.config_sha256, "1.2.3"}, kThen).may_move_points());
  EXPECT_TRUE(change_between({kThen.config_sha256, "1.1.0"}, kThen).may_move_points());
}

TEST(Rules, ChangedKeysAreNamedByTheirPlaces) {
  EXPECT_THAT(
      changed_keys("points: 5\nstages:\n  - {name: cpu, cases: [{batch: 1}]}\n",
                   "points: 6\nstages:\n  - {name: cpu, cases: [{batch: 1}, {batch: 2}]}\n"),
      ElementsAre("points: 5 -> 6", "stages.cpu.cases.2.batch: none -> 2"));
}

/// 200 graded students, a fifth of them late.
class NewRules : public testing::Test {
 protected:
  explicit NewRules(int students = 200) {
    std::string roster = "id,login,name,email\n";
    for (int i = 0; i < students; ++i)
      roster += fmt::format("{0},s{0},Student {0},s{0}@x.edu\n", 1000 + i);
    test::write_text(folder.path / kRosterFile, roster);
    folder = open_course_folder(folder.path);
    m1 = *folder.course.find("m1");
    for (int i = 0; i < students; ++i)
      test::hand_in(folder, store, "m1", fmt::format("s{}", 1000 + i),
                    i % 5 == 0 ? "2026-10-13T10:00:00Z" : "2026-10-12T10:00:00Z",
                    fmt::format("{}", i % 6));
    keep_config(folder.path, dump_config(config));
    EXPECT_EQ(grade().graded, static_cast<std::size_t>(students));
  }

  AssignmentFacts facts() const {
    AssignmentFacts made = facts_of(config);
    made.rules->version = version;
    return made;
  }
  Gradebook book() const { return {folder, store, {{"m1", facts()}}}; }
  Rules rules() const { return *facts().rules; }
  /// Points for what the submission's file says, of the config's.
  LocalExecutor executor() const {
    return LocalExecutor([this, now = rules()](const auto& file, const std::string& name, auto...) {
      Grade grade = test::grade_of(std::stod(text_of_file(file)) * config.max_points() / 5,
                                   now.config_sha256, now.version);
      grade.submission = name;
      grade.max_points = config.max_points();
      return grade;
    });
  }
  CourseRun grade() {
    LocalExecutor run = executor();
    return grade_assignment(folder, store, m1, rules(), run);
  }
  std::string table(std::string_view format, bool as_graded = true) const {
    return gradebook_table(format, book(), folder, {.only = "m1", .as_graded = as_graded}).csv;
  }
  std::vector<std::string> exports() const {
    return {table("canvas"), table("gradescope"), table("moodle")};
  }
  bool is_refused(const char* format = "canvas") const {
    try {
      table(format, false);
    } catch (const UsageError&) {
      return true;
    }
    return false;
  }
  /// "last", "best", "median of 3": of m1 from now on.
  void count(const std::string& rule) {
    const fs::path file = folder.path / kCourseFile;
    std::string text = text_of_file(file);
    const std::string after = "{name: m1, ";
    test::write_text(file, text.insert(text.find(after) + after.size(), "counts: " + rule + ", "));
    folder = open_course_folder(folder.path);
    m1 = *folder.course.find("m1");
  }
  void set(const std::string& login, Change::Kind kind, std::optional<double> points) {
    set(login, kind, points, config.max_points());
  }
  void set(const std::string& login, Change::Kind kind, std::optional<double> points,
           std::optional<double> maximum) {
    store.change({.at = test::utc("2026-10-20T00:00:00Z"),
                  .who = "tom",
                  .student = login,
                  .assignment = "m1",
                  .kind = kind,
                  .points = points,
                  .maximum = maximum,
                  .reason = "because"},
                 "a test");
  }
  Entry entry(const std::string& login) const {
    return book().entry(*folder.roster.find(login), m1);
  }

  const TempDir place{"opgrade-test-"};
  CourseFolder folder = test::make_course(place.path());
  Assignment m1 = *folder.course.find("m1");
  Store store = Store::create(place.path());
  Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  std::string version = "1.0.0+prog.task";
};

TEST_F(NewRules, MoveNoExportedNumberBeforeARejudgeIsApplied) {
  const auto before = exports();
  EXPECT_THAT(before[0], HasSubstr("Points Possible,,,,,5\r\n"));
  const Config old = config;
  struct Setting {
    const char* what;
    std::function<void()> change;
    bool stops;
  };
  for (const Setting& setting : std::vector<Setting>{
           {"nothing", [] {}, false},
           {"points", [&] { config.stages[0].random_shapes.points = 100; }, true},
           {"a tolerance", [&] { config.tolerance *= 2; }, true},
           {"a case", [&] { config.stages[0].random_shapes.count = 3; }, true},
           {"the reference solution", [&] { version = "1.0.0+prog.other"; }, true},
           {"a patch of the program", [&] { version = "1.0.1+other.task"; }, false},
           {"the program", [&] { version = "1.1.0+other.task"; }, true}}) {
    SCOPED_TRACE(setting.what);
    config = old;
    version = "1.0.0+prog.task";
    setting.change();
    EXPECT_EQ(exports(), before);
    EXPECT_EQ(grade().graded, 0u) << "what has a result is a rejudge's work";
    for (const char* format : {"canvas", "gradescope", "moodle"}) {
      EXPECT_EQ(is_refused(format), setting.stops) << format;
    }
    const auto lines = outdated_grades(folder, book(), m1, dump_config(config));
    const std::string what = setting.what;
    EXPECT_EQ(lines.empty(), what == "nothing");
    if (!lines.empty()) {
      EXPECT_THAT(lines[0], testing::StartsWith("200 grades graded by "));
    }
    if (what == "points") {
      EXPECT_THAT(lines, testing::Contains("  stages.cpu.random_shapes.points: 5 -> 100"));
    }
  }

  config = old;
  version = "1.0.0+prog.task";
  config.stages[0].random_shapes.points = 100;
  const Rejudge rejudge = begin_rejudge(
      folder, store, m1, rules(),
      {.filter = {.outdated = true}, .config = "new", .who = "staff", .reason = "new points"});
  EXPECT_EQ(exports(), before);
  LocalExecutor run = executor();
  EXPECT_EQ(run_rejudge(folder, store, rejudge, rules(), run).graded, 200u);
  EXPECT_EQ(exports(), before);
  const auto changes = preview(folder, store, m1, rejudge, facts(), facts());
  ASSERT_EQ(changes.size(), 200u);
  EXPECT_EQ(changes[1].before + " -> " + changes[1].after, "1 of 5 -> 20 of 100");
  EXPECT_TRUE(store.decide(rejudge.id, true, rejudge.at, "staff"));
  EXPECT_THAT(table("canvas", false), HasSubstr("Points Possible,,,,,100\r\n"));
  EXPECT_THAT(table("moodle", false), HasSubstr("1001,s1001,s1001@x.edu,20\r\n"));
  EXPECT_THROW(begin_rejudge(folder, store, m1, rules(),
                             {.filter = {.outdated = true}, .config = "new", .reason = "x"}),
               UsageError)
      << "all are by the rules of now";
}

TEST_F(NewRules, OnlyTheCasesThatTheyChangeRunAgain) {
  const Config old = config;
  const auto begun = [&](RejudgeOrder order) {
    order.config = "new";
    order.who = "staff";
    order.reason = "new rules";
    begin_rejudge(folder, store, m1, rules(), order);
    return store.rejudges().back();  // as another process finds it
  };
  const auto lines = [&](const Rejudge& rejudge) {
    return runs_again(folder, store, m1, rejudge, config);
  };
  config.stages[0].random_shapes.points = 100;
  const Rejudge points = begun({.filter = {.outdated = true}});
  EXPECT_THAT(
      lines(points),
      ElementsAre(
          "200 submissions: the stored results are scored anew; only cases without a verdict or of "
          "another machine are run again"));
  const auto earlier = earlier_results(folder, store, m1, points);
  ASSERT_EQ(earlier.size(), 200u);
  const auto& [file, was] = *earlier.begin();
  ASSERT_TRUE(earlier_run(folder, was, config));
  EXPECT_EQ(dump_config(earlier_run(folder, was, config)->config), dump_config(old));
  EXPECT_EQ(earlier_run(folder, was, config)->grade.points, was.points);
  test::write_text(folder.path / was.result, text_of_file(folder.path / was.result) + " ");
  EXPECT_FALSE(earlier_run(folder, was, config)) << "its report was changed";
  fs::remove_all(folder.path / kResults / "configs");
  EXPECT_THAT(lines(points), ElementsAre("200 submissions: every case is run again"));
  keep_config(folder.path, dump_config(old));

  // A doubt about the runs themselves.
  for (const RejudgeOrder& order : std::vector<RejudgeOrder>{
           {},
           {.filter = {.outdated = true}, .repeat = 3},
           {.filter = {.machine = test::grade_of(1).machine.host_cpu, .outdated = true}},
           {.filter = {.version = "1.0.0", .outdated = true}},
           {.filter = {.verdict = "passed", .outdated = true}}}) {
    const Rejudge other = begun(order);
    EXPECT_THAT(earlier_results(folder, store, m1, other), testing::IsEmpty()) << other.filter;
  }
  config = old;
  config.tolerance *= 2;
  EXPECT_THAT(lines(begun({.filter = {.outdated = true}})),
              ElementsAre("200 submissions: every case is run again"));
  config = old;
  config.stages[0].fixed_shapes.points = 1;
  config.stages[0].fixed_shapes.shapes = {
      {{"B", 1}, {"M", 1}, {"C", 1}, {"H", 4}, {"W", 4}, {"K", 2}}};
  EXPECT_THAT(lines(begun({.filter = {.outdated = true}})),
              ElementsAre("200 submissions: at least 1 of 2 cases are run again: cpu/fixed"));
  version = "1.1.0+other.task";
  EXPECT_THAT(earlier_results(folder, store, m1, begun({.filter = {.outdated = true}})),
              testing::IsEmpty());
}

class NewRulesForSome : public NewRules {
 protected:
  NewRulesForSome() : NewRules(10) {}
};

TEST_F(NewRulesForSome, DoNotCompleteTheGradingsOfOlderOnes) {
  const auto before = exports();
  count("median of 3");
  EXPECT_EQ(entry("s1001").state, Entry::State::open);
  config.stages[0].random_shapes.points = 100;
  EXPECT_EQ(grade().graded, 0u) << "a rejudge's work";
  EXPECT_EQ(exports(), before);
  EXPECT_TRUE(is_refused());
  EXPECT_TRUE(entry("s1001").outdated);
  config.stages[0].random_shapes.points = 5;
  EXPECT_EQ(grade().graded, 20u) << "by the same rules what is missing is graded";
  EXPECT_EQ(entry("s1001").state, Entry::State::graded);
}

TEST_F(NewRulesForSome, TheBestOfTwoSetsOfRulesHasTheGreatestShareAndIsMarked) {
  count("best");
  config.stages[0].random_shapes.points = 100;
  for (const char* login : {"s1001", "s1004"})
    test::hand_in(folder, store, "m1", login, "2026-10-12T11:00:00Z", "3");
  EXPECT_EQ(grade().graded, 2u);
  EXPECT_EQ(grade_text(entry("s1001")), "60 of 100") << "1 of 5 before";
  EXPECT_EQ(grade_text(entry("s1004")), "4 of 5") << "and 60 of 100";
  for (const char* login : {"s1001", "s1004"})
    EXPECT_TRUE(entry(login).outdated) << "4 and 1 of 5 may be more by the rules of now";
}

TEST_F(NewRulesForSome, AGradeThatStaffSetKeepsItsMaximum) {
  set("s1003", Change::Kind::points, 4.5);
  set("s1002", Change::Kind::excused, std::nullopt);
  EXPECT_FALSE(is_refused());
  EXPECT_THAT(table("moodle", false), HasSubstr("1003,s1003,s1003@x.edu,4.5\r\n"));
  config.stages[0].random_shapes.points = 100;
  EXPECT_EQ(grade_text(entry("s1003")), "4.5 of 5");
  EXPECT_TRUE(entry("s1003").outdated);
  EXPECT_FALSE(entry("s1002").outdated) << "excused by whatever rules";
  const auto lines = outdated_grades(folder, book(), m1, dump_config(config));
  EXPECT_THAT(lines, testing::Contains(AllOf(HasSubstr("1 grade set as 4.5 of 5, now of 100"),
                                             HasSubstr("opgrade course set"))));

  const Rejudge rejudge = begin_rejudge(
      folder, store, m1, rules(),
      {.filter = {.outdated = true}, .config = "new", .who = "staff", .reason = "new points"});
  LocalExecutor run = executor();
  run_rejudge(folder, store, rejudge, rules(), run);
  store.decide(rejudge.id, true, rejudge.at, "staff");
  EXPECT_TRUE(is_refused()) << "staff's own grade is of the old maximum";
  const auto made = gradebook_table("canvas", book(), folder, {.only = "m1", .as_graded = true});
  EXPECT_THAT(made.csv, HasSubstr("Points Possible,,,,,100\r\n"));
  EXPECT_THAT(made.csv, HasSubstr("\"1003, Student\",,1003,s1003,,\r\n"));
  EXPECT_THAT(made.warnings, testing::Contains(HasSubstr("s1003, m1: left empty: 4.5 of 5")));
  set("s1003", Change::Kind::points, 90);
  EXPECT_FALSE(is_refused());
  EXPECT_THAT(table("moodle", false), HasSubstr("1003,s1003,s1003@x.edu,90\r\n"));
}

TEST_F(NewRulesForSome, AGradeThatStaffSetIsExportedWhereTheMaximumWasAddedUpInAnotherOrder) {
  config.stages[0].random_shapes.points = 0.1;
  config.stages[0].open_items = {{"report", 0.2}, {"quiz", 0.3}};
  const double summed = 0.3 + 0.2 + 0.1;
  ASSERT_NE(summed, config.max_points());
  for (int i = 0; i < 6; ++i) {
    const std::string login = fmt::format("s{}", 1000 + i);
    set(login, Change::Kind::points, 0.5, i < 3 ? summed : config.max_points());
    EXPECT_FALSE(entry(login).outdated) << entry(login).graded_by;
  }
  const auto made = gradebook_table("moodle", book(), folder, {.only = "m1", .as_graded = true});
  for (int i = 0; i < 6; ++i)
    EXPECT_THAT(made.csv, HasSubstr(fmt::format("{0},s{0},s{0}@x.edu,0.5\r\n", 1000 + i)));
}

TEST_F(NewRulesForSome, AGradeThatStaffSetOfAnUnknownMaximumIsMarked) {
  set("s1003", Change::Kind::points, 4.5, std::nullopt);
  EXPECT_TRUE(is_refused());
  EXPECT_THAT(entry("s1003").graded_by, "set as 4.5 of an unknown maximum, now of 5");
}

TEST_F(NewRulesForSome, AColumnHasOneMaximum) {
  config.stages[0].random_shapes.points = 100;
  test::hand_in(folder, store, "m1", "s1000", "2026-10-13T11:00:00Z", "5");
  EXPECT_EQ(grade().graded, 1u);
  const auto made = gradebook_table("canvas", book(), folder, {.only = "m1", .as_graded = true});
  EXPECT_THAT(made.csv, HasSubstr("Points Possible,,,,,5\r\n"));
  EXPECT_THAT(made.csv, HasSubstr("\"1000, Student\",,1000,s1000,,\r\n"));
  EXPECT_THAT(made.warnings,
              testing::Contains(HasSubstr("s1000, m1: left empty: 90 of 100, and the column has a "
                                          "maximum of 5")));
}

TEST(ReferenceSolution, IsGradedOnceForEachConfigAndProgram) {
  const TempDir place("opgrade-test-");
  const CourseFolder folder = test::make_course(place.path());
  const Assignment& m1 = *folder.course.find("m1");
  const Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  Outcome outcome = Outcome::grader_fault;
  int graded = 0;
  std::vector<std::optional<Outcome>> told;
  const auto warning = [&](const Rules& rules) {
    const auto grade = [&](const fs::path& file, const std::string&, GradedAt at) {
      EXPECT_EQ(at, GradedAt::deadline) << "with all cases";
      EXPECT_THAT(told, testing::SizeIs(2 * graded + 1)) << "its begin";
      ++graded;
      EXPECT_TRUE(fs::exists(file / "cpu-new-forward.cc")) << file;
      Grade made = test::grade_of(0);
      for (auto& stage : made.stages)
        for (auto& c : stage.cases) c.outcome = outcome;
      made.outcome = outcome;
      return made;
    };
    check_reference(folder.path, config, rules, grade, [&](const Event& event) {
      told.push_back(std::get<events::ReferenceGraded>(event).outcome);
    });
    return reference_warning(folder.path, m1, rules);
  };
  EXPECT_EQ(reference_warning(folder.path, m1, kThen), "");
  EXPECT_EQ(warning(kThen), "");
  outcome = Outcome::wrong_output;
  EXPECT_THAT(warning(kThen), testing::StartsWith("m1: the reference solution fails "));
  EXPECT_EQ(graded, 2) << "a fault of the grader says nothing of the config";
  outcome = Outcome::passed;
  EXPECT_THAT(warning(kThen), HasSubstr("fails"));
  EXPECT_EQ(graded, 2);
  const Rules config_of_now{std::string(64, 'd'), kThen.version};
  EXPECT_EQ(warning(config_of_now), "");
  EXPECT_EQ(warning({kThen.config_sha256, "1.2.4+aaa.fff"}), "");
  EXPECT_EQ(graded, 4);
  using enum Outcome;
  EXPECT_THAT(told, testing::ElementsAre(std::nullopt, grader_fault, std::nullopt, wrong_output,
                                         std::nullopt, passed, std::nullopt, passed));
  const Store store = Store::create(folder.path);
  EXPECT_THAT(verify(folder, store), testing::IsEmpty());
}

/// A task that copies numbers, with the solutions of these folders.
void write_copy_task(const fs::path& folder, bool has_solution) {
  test::write_text(folder / "task.yaml", fmt::format(R"(opgrade: 1
name: {}
task:
  function: void copy(const float* x, float* y, int n)
  sizes: {{n: {{to: 100}}}}
  buffers: {{x: {{extents: [n]}}, y: {{extents: [n]}}}}
stages:
  - {{name: cpu, device: cpu, random_shapes: {{count: 1, points: 5}}}}
)",
                                                     folder.filename().string()));
  test::write_text(folder / "reference.cpp", "");
  if (has_solution) test::write_text(folder / "solution" / "any.cc", "");
}

TEST(ReferenceSolution, OfSeveralExercisesAllAreThere) {
  using Names = std::vector<std::string>;
  for (const Names& with : {Names{}, Names{"one"}, Names{"two"}, Names{"one", "two"}}) {
    const TempDir place("opgrade-test-");
    for (const std::string name : {"one", "two"})
      write_copy_task(place.path() / name, std::ranges::find(with, name) != with.end());
    test::write_text(place.path() / "hw.yaml", "opgrade: 1\nname: hw\nexercises: [./one, ./two]\n");
    const LoadedConfig loaded = load_config(place.path() / "hw.yaml");
    ASSERT_EQ(to_text(loaded.problems), "");
    int graded = 0;
    check_reference(
        place.path(), loaded.config, kThen,
        [&](const fs::path& file, const std::string&, GradedAt) {
          ++graded;
          EXPECT_TRUE(fs::exists(file / "one/any.cc") && fs::exists(file / "two/any.cc"));
          return test::grade_of(0);
        });
    EXPECT_EQ(graded, with.size() == 2 ? 1 : 0) << with.size();
  }
}

TEST(ReferenceSolution, ItsGradingHindersNoOther) {
  const TempDir place("opgrade-test-");
  const CourseFolder folder = test::make_course(place.path());
  const Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  int graded = 0;
  const auto check = [&](const std::function<void()>& meanwhile) {
    check_reference(folder.path, config, kThen, [&](const fs::path&, const std::string&, GradedAt) {
      ++graded;
      meanwhile();
      return test::grade_of(0);
    });
  };
  EXPECT_NO_THROW(check([] { throw Error("no space left on the device", ""); }));
  EXPECT_THROW(check([] { throw interrupt::Interrupted(); }), interrupt::Interrupted);
  EXPECT_EQ(graded, 2);
  check([&] { check([] {}); });
  EXPECT_EQ(graded, 3) << "one worker grades it";
  check([] {});
  EXPECT_EQ(graded, 3);
}

}  // namespace
}  // namespace opgrade::course
