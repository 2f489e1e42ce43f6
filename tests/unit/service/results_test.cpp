// Results as the service shows them: only whole ones, by the config of now, without reading twice.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/service/queue/worker.hpp"
#include "grader/service/state/ranking.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ResultsTest : public testing::Test {
 protected:
  test::SampleService s;

  std::int64_t hand_in(const std::string& login, const std::string& assignment,
                       const std::string& key) {
    return json::parse(s.submit(login, assignment, key, "int " + key + ";").body).at("id");
  }
  HandIn claim(std::int64_t id) {
    return s.service.queue
        .claim("worker 1", s.now, [&](const std::vector<HandIn>&) { return std::optional(id); })
        .value();
  }
  /// Ranks cpu/high/1000, which the config shows.
  void rank_the_class() {
    s.config_of = [](const course::Assignment&) {
      Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
      config.stages.at(0).cases.push_back({.model = "high", .batch = 1000});
      config.ranking = RankingConfig{.stage = "cpu", .model = "high", .batch = 1000};
      return config;
    };
  }
  Grade by_rules_of_now(Grade grade) {
    const auto rules = s.service.files.facts_of(*s.folder.course.find("m1")).rules;
    grade.config_sha256 = rules->config_sha256;
    grade.machine.opgrade_version = rules->version;
    return grade;
  }
  /// Passed, with this Op Time.
  Grade timed(double ms) {
    Grade grade = by_rules_of_now(opgrade::test::passed_grade());
    grade.max_points = 100;
    for (auto& call : grade.stages.at(0).cases.at(0).calls) call.op_time = summarize({ms / 2});
    return grade;
  }
  Ranking ranking(const char* own) {
    return ranking_of(s.service, *s.folder.course.find("m2"), own);
  }
};

TEST_F(ResultsTest, AReportIsShownWhenAllGradingsAreDone) {
  const std::int64_t id = hand_in("ada", "m3", "key00001");  // the median of three
  const HandIn run = claim(id);
  course::test::publish(s.store, s.place.path(), run.submission,
                        by_rules_of_now(course::test::grade_of(77)), 1);
  const std::string address = "/submissions/" + std::to_string(id);
  const auto shown = [&] {
    for (const auto& path : {"/api" + address + "/report", address + "/report"})
      if (s.get("ada", path).status != 404) return true;
    return s.get("ada", "/api" + address).body.find("77") != std::string::npos ||
           s.get("ada", address).body.find("77 of") != std::string::npos ||
           s.get("sam", "/staff").body.find("77 of") != std::string::npos;
  };
  EXPECT_FALSE(shown()) << "the first of three is no verdict";
  s.service.queue.give_back(id, run.run, s.now);
  EXPECT_FALSE(shown()) << "an interrupted run's";
  const HandIn again = claim(id);
  for (const int number : {2, 3})
    course::test::publish(s.store, s.place.path(), run.submission,
                          by_rules_of_now(course::test::grade_of(77)), number);
  s.service.queue.finish(id, again.run, {}, s.now);
  EXPECT_TRUE(shown());
}

TEST_F(ResultsTest, AnInterruptedMedianIsCompletedAfterAnUpgrade) {
  const std::int64_t id = hand_in("ada", "m3", "key00001");  // the median of three
  const course::Assignment& m3 = *s.folder.course.find("m3");
  const course::Student& ada = *s.folder.roster.find("ada");
  HandIn run = claim(id);
  course::test::publish(s.store, s.place.path(), run.submission,
                        by_rules_of_now(course::test::grade_of(10)), 1);
  s.service.queue.give_back(id, run.run, s.now);
  s.version = "99.0.0+new.task";
  const auto entry = [&] {
    course::AssignmentFacts facts = course::facts_of(s.config_of(m3));
    facts.rules->version = s.version;
    return course::Gradebook(s.folder, s.store, {{"m3", facts}}).entry(ada, m3);
  };
  EXPECT_EQ(entry().state, course::Entry::State::open) << "one of three gradings";
  const course::Rules rules{course::facts_of(s.config_of(m3)).rules->config_sha256, s.version};
  double points = 40;
  course::LocalExecutor executor([&](const auto&, const std::string&, auto...) {
    return course::test::grade_of(points += 10, rules.config_sha256, rules.version);
  });
  run = claim(id);
  grade_hand_in({s.folder, s.store, s.service.queue, run, m3, 0s}, rules, executor);
  EXPECT_EQ(s.service.queue.find(id)->state, State::done);
  EXPECT_EQ(s.store.attempts(id).size(), 4u);
  EXPECT_EQ(course::grade_text(entry()), "60 of 100") << "of 50, 60 and 70";
}

TEST_F(ResultsTest, ACopyHasTheGradeOfTheFirstAndRunsNothing) {
  const course::Assignment& m3 = *s.folder.course.find("m3");  // the median of three
  const course::Rules rules{course::facts_of(s.config_of(m3)).rules->config_sha256, s.version};
  double points = 40;
  course::LocalExecutor executor([&](const auto&, const std::string&, auto...) {
    return course::test::grade_of(points += 10, rules.config_sha256, rules.version);
  });
  std::vector<std::int64_t> ids;
  for (const char* login : {"ada", "eve"})
    ids.push_back(json::parse(s.submit(login, "m3", std::string("key00") + login, "int same;").body)
                      .at("id"));
  for (const std::int64_t id : ids) {
    grade_hand_in({s.folder, s.store, s.service.queue, claim(id), m3, 0s}, rules, executor);
    std::vector<double> all;
    for (const auto& a : s.store.attempts(id)) all.push_back(a.points);
    EXPECT_THAT(all, testing::ElementsAre(50, 60, 70));
    EXPECT_EQ(s.service.queue.find(id)->state, State::done);
  }
}

TEST_F(ResultsTest, ThePlaceInTheQueueNeedsNoScript) {
  hand_in("eve", "m1", "key00001");
  const std::string page = "/submissions/" + std::to_string(hand_in("ada", "m1", "key00002"));
  EXPECT_THAT(s.get("ada", page).body, HasSubstr("position 2 of 2"));
}

TEST_F(ResultsTest, AnUndecidedRejudgeShowsNothing) {
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, course::test::grade_of(80));
  const HandIn h = s.service.queue.find(id).value();
  course::Rejudge rejudge{0,     "m1",  "other", std::string(64, 'd'), 1,
                          "all", s.now, "sam",   "a better config"};
  s.store.begin(rejudge, {{id, std::string(64, 'd'), "1.0+abc", 1}});
  course::test::publish(s.store, s.place.path(), h.submission,
                        course::test::grade_of(13, std::string(64, 'd')), 1);
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("13 of")));
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("80 of"));
  EXPECT_THAT(s.get("ada", "/submissions/" + std::to_string(id)).body, Not(HasSubstr("13 of")));
}

TEST_F(ResultsTest, TheRankingReadsAReportOnce) {
  rank_the_class();
  s.grade(hand_in("ada", "m2", "key00001"), timed(4));
  s.grade(hand_in("eve", "m2", "key00002"), timed(8));
  const auto first = ranking("eve");
  ASSERT_EQ(first.rows.size(), 2u) << first.why_none << first.own_text;
  EXPECT_DOUBLE_EQ(first.rows[0].time_ms, 4);
  EXPECT_THAT(first.own_text, HasSubstr("rank 2 of 2"));
  std::filesystem::remove_all(s.place.path() / course::kResults);
  EXPECT_EQ(ranking("ada").rows.size(), 2u);
  EXPECT_THAT(ranking("ada").own_text, HasSubstr("rank 1 of 2"));
  choose_name(s.service, "ada", "Heron");
  EXPECT_EQ(ranking("ada").rows[0].name, "\"Heron\"") << "a name is read anew";
  s.grade(hand_in("bob", "m2", "key00003"), timed(2));
  const auto later = ranking("bob");
  ASSERT_EQ(later.rows.size(), 3u) << "a new result is there at once";
  EXPECT_TRUE(later.rows[0].own);
}

TEST_F(ResultsTest, StaffSeeWhoIsBehindANameOfTheRanking) {
  rank_the_class();
  s.grade(hand_in("ada", "m2", "key00001"), timed(4));
  s.grade(hand_in("eve", "m2", "key00002"), timed(8));
  choose_name(s.service, "ada", "Heron");
  const std::string alias = RankingNames(s.service)("eve");
  EXPECT_THAT(s.get("sam", "/assignments/m2").body,
              AllOf(HasSubstr("Ada Lovelace (ada)"), HasSubstr("\"Heron\""),
                    HasSubstr("Eve Stone (eve)"), HasSubstr(alias)));
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("Ranking of m2"));
  for (const auto& [login, path] :
       {std::pair{"ada", "/assignments/m2"}, {"sam", "/staff/students/ada/m2"}})
    EXPECT_THAT(s.get(login, path).body, AllOf(HasSubstr(alias), Not(HasSubstr("Eve Stone"))))
        << path;
  EXPECT_THAT(s.get("sam", "/staff/submissions").body,
              AllOf(HasSubstr(">Op Time<"), HasSubstr(">4 ms<"), HasSubstr(">8 ms<")));
  EXPECT_THAT(s.get("sam", "/staff/submissions?assignment=m1").body, Not(HasSubstr("Op Time")));
}

TEST_F(ResultsTest, AClassOfFewHasNoPlotForStudents) {
  rank_the_class();
  s.grade(hand_in("ada", "m2", "key00001"), timed(4));
  s.grade(hand_in("eve", "m2", "key00002"), timed(8));
  const std::string plot = "The class, the fastest first";
  EXPECT_THAT(s.get("ada", "/assignments/m2").body, Not(HasSubstr(plot)));
  EXPECT_THAT(s.get("sam", "/assignments/m2").body, HasSubstr(plot));
  s.store.work([](SQLite::Database& database) {
    for (int i = 1; i <= 8; ++i) {
      const std::string name = fmt::format("removed-{}", i);
      course::sql::execute(database, "INSERT INTO removed_student VALUES (?)", name);
      course::sql::execute(database, "INSERT INTO removed_time VALUES (?, 'm2', ?)", name,
                           10.0 * i);
    }
  });
  s.grade(hand_in("bob", "m2", "key00003"), timed(6));
  EXPECT_THAT(s.get("ada", "/assignments/m2").body,
              AllOf(HasSubstr(plot), HasSubstr("rank 1 of 11")));
}

// By one sentence for all causes: a student does not read that another one has the same files.
TEST_F(ResultsTest, ATimeOfTheRankingThatIsNotTheReportsIsExplained) {
  rank_the_class();
  const std::string unlike = "The report of your submission has ";
  const std::string why =
      "; the ranking combines and rounds times, so that no rank is decided by chance.";
  s.grade(hand_in("bob", "m2", "key00001"), timed(4));
  EXPECT_THAT(s.get("bob", "/assignments/m2").body, Not(HasSubstr(unlike)));
  s.grade(hand_in("ada", "m2", "key00002"), timed(4.003));
  EXPECT_THAT(s.get("ada", "/assignments/m2").body,
              AllOf(HasSubstr("at 4 ms"), HasSubstr(unlike + "4.003 ms" + why)));
  const HandIn run = claim(hand_in("ada", "m3", "key00003"));
  int number = 0;
  for (const double ms : {9., 2., 4.})
    course::test::publish(s.store, s.place.path(), run.submission, timed(ms), ++number);
  EXPECT_THAT(s.get("ada", "/assignments/m3").body, HasSubstr(unlike + "2 ms" + why));
  const auto as_ada = [&](const char* login, const char* key) {
    Grade grade = timed(login == std::string("ada") ? 6 : 8);
    grade.submission_sha256 = "the same";
    s.grade(hand_in(login, "m4", key), grade);
  };
  as_ada("ada", "key00004");
  as_ada("eve", "key00005");
  EXPECT_THAT(s.get("eve", "/assignments/m4").body,
              AllOf(HasSubstr(unlike + "8 ms" + why), Not(HasSubstr("same files")),
                    Not(HasSubstr("copies"))));
}

TEST_F(ResultsTest, TheRankingLeavesOutWhatIsNotDone) {
  rank_the_class();
  const HandIn run = claim(hand_in("ada", "m3", "key00001"));  // the median of three
  const auto ranked = [&] { return ranking_of(s.service, *s.folder.course.find("m3"), "ada"); };
  int number = 0;
  for (const double ms : {9., 2.}) {
    course::test::publish(s.store, s.place.path(), run.submission, timed(ms), ++number);
    EXPECT_TRUE(ranked().rows.empty());
    EXPECT_EQ(ranked().own_text, "not ranked: 1 submission is not graded yet");
    s.store.change({.at = s.now,
                    .who = "sam",
                    .student = "ada",
                    .assignment = "m3",
                    .points = 7,
                    .reason = "for staff alone"});
  }
  course::test::publish(s.store, s.place.path(), run.submission, timed(4), ++number);
  ASSERT_EQ(ranked().rows.size(), 1u);
  EXPECT_DOUBLE_EQ(ranked().rows[0].time_ms, 4) << "the median of the three times";
}

/// What staff's command prints: opgrade course rank.
std::map<std::string, std::string> ranks_of_the_command(const test::SampleService& s,
                                                        const char* assignment) {
  const auto folder = course::open_course_folder(s.place.path());
  const auto& a = *folder.course.find(assignment);
  const course::Gradebook book(folder, s.store, {{a.name, course::facts_of(s.config_of(a))}});
  std::map<std::string, std::string> ranks;
  for (const Ranked& r : book.ranking(a))
    if (r.rank) ranks[r.who.name] = fmt::format("{}: {:g} ms", *r.rank, r.who.time_ms);
  return ranks;
}

/// What each student's page and command print.
std::map<std::string, std::string> ranks_of_the_pages(test::SampleService& s,
                                                      const std::string& assignment) {
  std::map<std::string, std::string> ranks;
  for (const char* login : {"ada", "bob", "eve"}) {
    const json table = json::parse(s.get(login, "/api/ranking?assignment=" + assignment).body);
    for (const json& row : table.at("rows"))
      if (row.at("own"))
        ranks[login] =
            fmt::format("{}: {:g} ms", row.at("rank").get<int>(), row.at("time_ms").get<double>());
  }
  return ranks;
}

TEST_F(ResultsTest, TheHandInThatCountsRanksWhereverTheRankingIsShown) {
  rank_the_class();
  const auto graded = [&](const char* login, const char* key, double ms, double points) {
    Grade grade = timed(ms);
    grade.points = points;
    s.grade(hand_in(login, "m2", key), grade);
  };
  graded("ada", "key00001", 9, 100);
  graded("ada", "key00002", 2, 60);  // faster, with fewer points: it does not count
  graded("bob", "key00003", 8, 100);
  graded("bob", "key00004", 4, 100);  // of equal points the faster one counts
  graded("bob", "key00005", 6, 100);
  graded("eve", "key00006", 5, 100);
  const std::map<std::string, std::string> expected{
      {"ada", "3: 9 ms"}, {"bob", "1: 4 ms"}, {"eve", "2: 5 ms"}};
  EXPECT_EQ(ranks_of_the_pages(s, "m2"), expected);
  EXPECT_EQ(ranks_of_the_command(s, "m2"), expected);
  EXPECT_THAT(s.get("ada", "/assignments/m2").body, HasSubstr("rank 3 of 3 at 9 ms"));
  const std::string finals = s.get("sam", "/staff/finals/m2").body;
  for (const auto& [key, is_in] :
       {std::pair{"key00001", true}, {"key00002", false}, {"key00004", true}, {"key00005", false}})
    EXPECT_EQ(finals.find(std::string("int ") + key) != finals.npos, is_in) << key;
}

TEST_F(ResultsTest, AStudentsPlotHasTheBoundsOfTheRankedStageThatAreShown) {
  rank_the_class();
  Grade grade = timed(20);
  const auto bound = [&](const std::string& case_id, double full_ms, const std::string& stage) {
    Reason reason = why::OpTime{.full_ms = full_ms, .zero_ms = 10 * full_ms};
    reason.about = case_id;
    auto at = std::ranges::find(grade.stages, stage, &StageReport::name);
    if (at == grade.stages.end()) {
      grade.stages.insert(grade.stages.begin(), StageReport{.name = stage});
      at = grade.stages.begin();
    }
    at->points.insert(at->points.begin(),
                      PointItem{.name = case_id + " op_time", .reason = reason});
  };
  bound(grade.stages.at(0).cases.at(0).id, 22.125, "cpu");
  CaseReport hidden = grade.stages.at(0).cases.at(0);
  hidden.id = "cpu/zebra/9";
  hidden.hidden = true;
  grade.stages.at(0).cases.push_back(hidden);
  bound("cpu/zebra/9", 33.125, "cpu");
  bound("other/high/1", 44.125, "other");
  s.grade(hand_in("ada", "m2", "key00001"), grade);
  s.grade(hand_in("ada", "m2", "key00002"), grade);
  const std::string shown = s.get("ada", "/assignments/m2").body;
  EXPECT_THAT(shown,
              testing::AllOf(HasSubstr("22.12"), Not(HasSubstr("33.12")), Not(HasSubstr("44.12"))));
}

TEST_F(ResultsTest, AStudentsPagesReadTheStudentsRowsAlone) {
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, by_rules_of_now(course::test::grade_of(80)));
  int steps = 0;  // of the database's machine
  s.store.read([&](SQLite::Database& database) {
    const auto count = [](void* counter) { return ++*static_cast<int*>(counter), 0; };
    sqlite3_progress_handler(database.getHandle(), 1, count, &steps);
  });
  const auto steps_of = [&](const std::string& path) {
    steps = 0;
    EXPECT_EQ(s.get("ada", path).status, 200) << path;
    return steps;
  };
  const std::string own = "/submissions/" + std::to_string(id);
  const std::vector<std::string> paths{"/",          "/assignments/m1", own,
                                       "/api" + own, "/api/history",    "/api/me"};
  std::map<std::string, int> before;
  for (const auto& path : paths) before[path] = steps_of(path);
  s.store.work([&](SQLite::Database& database) {
    for (int i = 1000; i < 1300; ++i)
      database.exec(fmt::format(
          "INSERT INTO submission (id, assignment, owner, sha256, file, handed_in, source, added, "
          "added_by) VALUES ({0}, 'm1', 's{0}', '{0}', '{0}.zip', {0}, '', 0, '');"
          "INSERT INTO hand_in (submission, person, key, state, staff, queued, started, ended) "
          "VALUES ({0}, 's{0}', 'k{0}', 'done', 0, 0, 1, 2);"
          "INSERT INTO attempt (submission, config_sha256, version, number, machine, tier, device, "
          "started, outcome, points, max_points, open_points, result, result_sha256) "
          "VALUES ({0}, 'c', 'v', 1, '', '', '', '', 'passed', 0, 100, 0, '{0}', '');",
          i));
  });
  for (const auto& path : paths) EXPECT_LT(steps_of(path), 2 * before[path]) << path;
}

TEST_F(ResultsTest, TheConfigIsThatOfItsFileNow) {
  std::string title = "first";
  s.config_of = [&](const course::Assignment& a) {
    Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
    config.files.take = {a.name + "-" + title + ".cc"};
    return config;
  };
  const auto files = [&] { return s.get("ada", "/api/me").body; };
  EXPECT_THAT(files(), HasSubstr("m1-first.cc"));
  EXPECT_THAT(files(), HasSubstr("m2-first.cc")) << "both name the config self-check";
  const auto before = s.service.files.config_of(*s.folder.course.find("m1"));
  s.now += 1min;
  EXPECT_EQ(s.service.files.config_of(*s.folder.course.find("m1")), before) << "the same content";
  title = "second";
  s.now += 1min;
  EXPECT_THAT(files(), HasSubstr("m1-second.cc"));
  s.config_of = [&](const course::Assignment&) -> Config {
    throw UsageError("the config has problems", "correct them");
  };
  s.now += 1min;
  EXPECT_THAT(files(), HasSubstr("m1-second.cc")) << "the last good one";
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("the config has problems"));
}

}  // namespace
}  // namespace opgrade::service
