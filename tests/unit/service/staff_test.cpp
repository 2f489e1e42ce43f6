// Staff's pages: grades, extensions, rejudges, exports, workers; each change is in the audit log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/task/config/load.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StaffTest : public testing::Test {
 protected:
  test::SampleService s;

  std::int64_t hand_in(const std::string& login, const std::string& assignment,
                       const std::string& key) {
    return json::parse(s.submit(login, assignment, key, "int " + key + ";").body).at("id");
  }
  /// A form as a browser with sam's session sends it.
  Response send(const std::string& path, const std::string& body) {
    return s.post("sam", path, body, {{"content-type", "application/x-www-form-urlencoded"}});
  }
  std::string audit() { return s.get("sam", "/staff/audit").body; }
};

TEST_F(StaffTest, AnExtensionNeedsAReasonAndIsInTheRosterAndTheAuditLog) {
  s.now = course::test::utc("2026-10-17T00:00:00Z");  // after m1's last late day
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 403);
  const std::string path = "/staff/students/ada/extension";
  EXPECT_EQ(send(path, "assignment=m1&until=7+d&reason=").status, 400);
  EXPECT_EQ(send(path, "assignment=m9&until=7+d&reason=ill").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&until=soon&reason=ill").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&until=2+d;*%3D9+d&reason=ill").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&until=2026-10-01+12:00&reason=ill").status, 400)
      << "before the deadline";
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 403) << "nothing was changed";
  EXPECT_EQ(send(path, "assignment=m1&until=7+d&reason=ill").status, 303);
  EXPECT_THAT(audit(), AllOf(HasSubstr("extend"), HasSubstr("ada m1 7 d: ill")));
  EXPECT_THAT(s.get("sam", "/staff/students/ada").body, HasSubstr("2026-10-19"));
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  EXPECT_EQ(s.submit("bob", "m1", "key00001").status, 403) << "another's deadline stays";
  EXPECT_EQ(send(path, "assignment=m1&until=&reason=well").status, 303);
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int b;").status, 403);
}

TEST_F(StaffTest, ARefusedExtensionKeepsWhatWasTyped) {
  const auto session = s.service.accounts.begin_session(s.tokens.at("sam"), s.now).value();
  const auto refused = [&](const std::string& path, const std::string& more) {
    const Response answer = s.ask(
        {.method = "POST",
         .path = path,
         .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                     {"content-type", "application/x-www-form-urlencoded"}},
         .body = "form_key=" + session.form_key + "&assignment=m2&until=soon&reason=ill" + more});
    EXPECT_EQ(answer.status, 400);
    return answer.body;
  };
  const auto kept = AllOf(HasSubstr("Nothing was changed"), HasSubstr("value=\"soon\""),
                          HasSubstr("value=\"ill\""), HasSubstr("value=\"m2\" selected"));
  EXPECT_THAT(refused("/staff/students/ada/extension", ""), kept);
  EXPECT_THAT(refused("/staff/extensions", "&students=ada%0Abob"),
              AllOf(kept, HasSubstr("ada\nbob</textarea>")));
}

TEST_F(StaffTest, NothingIsMissingOnTheFirstPageUntilTheDeadline) {
  EXPECT_THAT(s.get("sam", "/staff").body,
              AllOf(HasSubstr("not handed in yet"), Not(HasSubstr("missing"))));
  EXPECT_THAT(s.get("sam", "/staff/students/bob").body, HasSubstr("not handed in yet"));
  s.now = course::test::utc("2026-10-12T12:00:01Z");
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("missing"));
}

TEST_F(StaffTest, EqualFilesArePointedOutToStaffAlone) {
  for (const char* login : {"ada", "bob", "eve"}) s.submit(login, "m1", "key00001", "int same;");
  s.submit("eve", "m1", "key00002", "int other;");
  s.submit("ada", "m1", "key00002", "int same;");
  EXPECT_THAT(s.get("sam", "/staff").body,
              AllOf(HasSubstr("same files as bob, eve<"), HasSubstr("same files as ada, eve<"),
                    Not(HasSubstr("same files as ada, bob"))));
  s.tokens["tia"] = s.service.accounts.make_token("tia", Role::staff, s.now, "B");
  s.now += std::chrono::seconds(1);
  s.submit("eve", "m1", "key00003", "int same;");
  EXPECT_THAT(s.get("tia", "/staff").body, HasSubstr("same files as 2 others<"));
  for (const char* path : {"/", "/assignments/m1", "/submissions/1", "/api/history"})
    EXPECT_THAT(s.get("ada", path).body, Not(HasSubstr("same files"))) << path;
}

TEST_F(StaffTest, WhatLooksLikeATypingMistakeNeedsAConfirmation) {
  const std::string points = "/staff/students/ada/points", until = "/staff/students/ada/extension";
  const std::string set = "assignment=m1&kind=points&reason=r&points=";
  EXPECT_THAT(send(points, set + "1000000000").body, HasSubstr("If they are meant, tick"));
  EXPECT_EQ(send(points, set + "1000000000").status, 400);
  EXPECT_TRUE(s.store.changes().empty());
  EXPECT_EQ(send(points, set + "1000000000&sure=on").status, 303);
  EXPECT_EQ(send(points, set + "5").status, 303);
  const std::string extend = "assignment=m1&reason=r&until=";
  EXPECT_EQ(send(until, extend + "999999+d").status, 400);
  EXPECT_THAT(send(until, extend + "999999+d").body, HasSubstr("confirm"));
  EXPECT_EQ(send(until, extend + "400+d&sure=on").status, 303);
  EXPECT_EQ(send(until, extend + "300+d").status, 303);
}

TEST(RosterEdit, KeepsTheRestOfTheRoster) {
  const auto course = course::parse_course(
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00}\n"
      "  - {name: m2, config: self-check, deadline: 2026-10-12 12:00}\n",
      "course.yaml");
  ASSERT_TRUE(course.problems.empty());
  const auto edit = [&](const std::string& roster, const char* login, const char* until) {
    return course::with_extension(roster, course.course, {{login}, "m1", until});
  };
  EXPECT_EQ(
      edit("id,login,name\n1,ada,\"Lovelace, \"\"A.\"\"\"\n2,bob,Bob\n", "bob", "2 d").value(),
      "id,login,name,extension\n1,ada,\"Lovelace, \"\"A.\"\"\",\n2,bob,Bob,m1=2 d\n");
  const std::string roster = "Login,ID,Name,Extension\r\nada,1,Ada,m1=1 d; m2=36 h\r\n";
  EXPECT_EQ(edit(roster, "ada", "2026-10-15 23:59").value(),
            "Login,ID,Name,Extension\nada,1,Ada,m2=36 h; m1=2026-10-15 23:59\n");
  EXPECT_EQ(edit(roster, "ada", "").value(), "Login,ID,Name,Extension\nada,1,Ada,m2=36 h\n");
  const auto taken_back = edit("id,login,name,extension\n1,ada,Ada,*=3 d\n", "ada", "").value();
  const auto read = course::parse_roster(taken_back, "roster.csv", course.course).roster;
  EXPECT_EQ(read.students.at(0).extended.at("m1"), course.course.find("m1")->deadline);
  EXPECT_GT(read.students.at(0).extended.at("m2"), course.course.find("m2")->deadline);
  EXPECT_FALSE(edit(roster, "eve", "1 d"));
  EXPECT_FALSE(edit("", "ada", "1 d"));
  EXPECT_FALSE(edit("id,login,name\n1,\"ada", "ada", "1 d"));
}

TEST(RosterEdit, AddsAndChangesOneLine) {
  const auto course = course::parse_course(
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00}\n",
      "course.yaml");
  const std::string roster = "Login,ID,Name,Extension\nada,1,Ada,m1=1 d\n";
  const auto edit = [&](std::map<std::string, std::string> cells, bool is_new) {
    return course::with_student(roster, course.course, cells, is_new);
  };
  EXPECT_EQ(
      edit({{"id", "2"}, {"login", "bob"}, {"name", "Bell, Bob"}, {"email", ""}}, true).value(),
      "Login,ID,Name,Extension\nada,1,Ada,m1=1 d\nbob,2,\"Bell, Bob\",\n");
  EXPECT_EQ(edit({{"login", "ada"}, {"name", "Ada L."}, {"section", "B"}}, false).value(),
            "Login,ID,Name,Extension,section\nada,1,Ada L.,m1=1 d,B\n")
      << "the extension stays, and a column comes";
  EXPECT_EQ(course::roster_cells(roster, "ada").at("name"), "Ada");
  EXPECT_TRUE(course::roster_cells(roster, "bob").empty());
  EXPECT_FALSE(edit({{"id", "2"}, {"login", "ada"}, {"name", "Ada"}}, true)) << "a login twice";
  EXPECT_FALSE(edit({{"id", "1"}, {"login", "bob"}, {"name", "Bob"}}, true)) << "an id twice";
  EXPECT_FALSE(edit({{"id", ""}, {"login", "bob"}, {"name", "Bob"}}, true));
  EXPECT_FALSE(edit({{"login", "eve"}, {"name", "Eve"}}, false));
}

TEST_F(StaffTest, PointsAreSetExcusedAndTakenBackWithAReason) {
  s.grade(hand_in("ada", "m1", "key00001"), course::test::grade_of(80));
  const std::string path = "/staff/students/ada/points";
  const auto grade = [&] { return s.get("sam", "/staff/gradebook/plain").body; };
  EXPECT_THAT(grade(), HasSubstr("ada"));
  EXPECT_EQ(send(path, "assignment=m1&kind=points&points=72.5&reason=").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&kind=points&points=-1&reason=x").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&kind=points&points=&reason=x").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&kind=item+Report&points=1&reason=x").status, 400);
  EXPECT_EQ(send(path, "assignment=m1&kind=points&points=72.5&sure=on&reason=a+look+at+it").status,
            303);
  EXPECT_THAT(grade(), HasSubstr("72.5"));
  EXPECT_THAT(s.get("sam", "/staff/students/ada").body, HasSubstr("a look at it"));
  EXPECT_EQ(send(path, "assignment=m1&kind=excused&reason=ill").status, 303);
  EXPECT_THAT(grade(), AllOf(HasSubstr("excused"), Not(HasSubstr("72.5"))));
  EXPECT_EQ(send(path, "assignment=m1&kind=undo&reason=wrong+student").status, 303);
  EXPECT_THAT(grade(), HasSubstr("80 of 100"));
  EXPECT_EQ(s.store.changes().at(0).maximum,
            s.service.files.config_of(*s.folder.course.find("m1"))->max_points());
  EXPECT_THAT(audit(), AllOf(HasSubstr("ada m1 72.5: a look at it"), HasSubstr("ill"),
                             HasSubstr("wrong student")));
}

TEST_F(StaffTest, ExtensionsTakeNamesWithAnySeparator) {
  const auto extend = [&](const std::string& students) {
    return send("/staff/extensions", "assignment=m1&until=2+d&reason=r&students=" + students);
  };
  const auto extended = [&] {
    const std::string page = s.get("sam", "/staff/extensions").body;
    std::string logins;
    for (const char* login : {"(ada)", "(bob)", "(eve)"})
      if (page.find(login) != std::string::npos) logins += login;
    send("/staff/extensions", "assignment=m1&until=&reason=r&students=ada,bob,eve");
    return logins;
  };
  for (const char* both : {"ada,eve", "ada+eve", "ada;eve", "ada%0d%0aeve", "ada%09eve", "1,+3",
                           "+ada++%0a+eve+", "ada,+eve%0a"}) {
    EXPECT_EQ(extend(both).status, 303) << both;
    EXPECT_EQ(extended(), "(ada)(eve)") << both;
  }
  EXPECT_EQ(send("/staff/extensions", "assignment=m4&until=2+d&reason=r&students=team+red").status,
            303);
  const Response refused = extend("ada+nobody");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("no 'nobody'"));
}

TEST_F(StaffTest, ASubmissionLeadsToTheNextStudents) {
  std::map<std::string, std::int64_t> id;
  for (const char* login : {"ada", "bob", "eve"}) {
    id[login] = hand_in(login, "m1", std::string("key0000") + login);
    if (login != std::string("bob")) s.grade(id[login], course::test::grade_of(80));
  }
  const auto link = [&](const char* to, const char* name) {
    return fmt::format("<a href=\"/submissions/{}\">{} student</a>", id[to], name);
  };
  const auto page = [&](const char* of) {
    return s.get("sam", fmt::format("/submissions/{}", id[of])).body;
  };
  EXPECT_THAT(page("ada"),
              AllOf(HasSubstr(link("eve", "Next")), Not(HasSubstr("Previous student"))));
  EXPECT_THAT(page("eve"),
              AllOf(HasSubstr(link("ada", "Previous")), Not(HasSubstr("Next student"))));
  EXPECT_THAT(s.get("ada", fmt::format("/submissions/{}", id["ada"])).body,
              Not(HasSubstr("Next student")));
}

TEST_F(StaffTest, ARejudgeIsPreviewedThenApplied) {
  const std::string sha256 =
      course::sha256_of_text(dump_config(*s.service.files.config_of(*s.folder.course.find("m1"))));
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, course::test::grade_of(80, sha256, program_version()));
  const std::int64_t waiting = hand_in("eve", "m1", "key00002");
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&reason=").status, 409);
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=2&reason=x").status, 409);
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&verdict=crashed&reason=x").status, 409);
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&student=nobody&reason=x").status, 409);
  const Response begun = send("/staff/rejudges", "assignment=m1&times=1&reason=a+hot+machine");
  ASSERT_EQ(begun.status, 303) << begun.body;
  const std::string page = "/staff/rejudges/1";
  EXPECT_THAT(audit(), HasSubstr("1 of m1: a hot machine"));
  const auto jobs = s.store.rejudge_jobs(1);
  ASSERT_EQ(jobs.size(), 1u) << "the one of eve (" << waiting << ") is not graded yet";
  for (const std::string& shown : {page, std::string("/staff/rejudges")})
    EXPECT_THAT(s.get("sam", shown).body,
                AllOf(HasSubstr("0 of 1 graded"), HasSubstr("data-again")));
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("apply or cancel it")));
  EXPECT_EQ(send(page + "/apply", "").status, 409) << "it is not graded";
  course::test::publish(s.store, s.place.path(), s.service.queue.find(id)->submission,
                        course::test::grade_of(55, sha256, program_version()), jobs[0].number);
  const std::string preview = s.get("sam", page).body;
  EXPECT_THAT(preview, AllOf(HasSubstr("80 of"), HasSubstr("55 of"), HasSubstr("Ada Lovelace"),
                             Not(HasSubstr("data-again"))));
  EXPECT_THAT(
      s.get("sam", "/staff/rejudges").body,
      AllOf(HasSubstr("1 of 1 graded, to be applied or cancelled"), Not(HasSubstr("data-again"))));
  const std::string waits = "Rejudge 1 of m1 is graded: apply or cancel it";
  EXPECT_THAT(s.get("sam", "/staff").body, AllOf(HasSubstr("Needs a person"), HasSubstr(waits)));
  const std::string report = "/api/submissions/" + std::to_string(id);
  EXPECT_THAT(s.get("ada", report).body, HasSubstr("\"points\":80")) << "not before it is applied";
  for (const char* shown : {"/staff", "/staff/students/ada", "/staff/students/ada/m1",
                            "/staff/gradebook/plain", "/submissions/1"})
    EXPECT_THAT(s.get("sam", shown).body,
                AllOf(HasSubstr("80"), Not(testing::ContainsRegex("[^0-9.=]55( of|,)"))))
        << shown;
  EXPECT_EQ(send(page + "/apply", "").status, 303);
  EXPECT_THAT(s.get("sam", "/staff").body,
              AllOf(HasSubstr("55 of"), Not(HasSubstr("80 of")), Not(HasSubstr(waits))));
  EXPECT_THAT(s.get("ada", report).body, HasSubstr("\"points\":55"));
  EXPECT_EQ(send(page + "/cancel", "").status, 409) << "it is decided";
  EXPECT_THAT(audit(), HasSubstr("apply rejudge"));
  EXPECT_THAT(s.get("sam", page).body, HasSubstr("applied by sam"));
  // The grade that changed says so, and the rejudge keeps its list whatever comes later.
  const std::string changed = "80 of 100 became 55 of 100";
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr(changed + " on Mon 2026-10-12 08:00:00 UTC, graded again: a hot"),
                    HasSubstr("Grade: 55 of 100")));
  EXPECT_THAT(s.get("eve", "/assignments/m1").body, Not(HasSubstr("became")));
  const auto list = AllOf(HasSubstr("What it changed"), HasSubstr("1 submission got other points"),
                          HasSubstr("Ada Lovelace"), HasSubstr(changed));
  EXPECT_THAT(s.get("sam", page).body, list);
  ASSERT_EQ(send("/staff/rejudges", "assignment=m1&times=1&student=ada&reason=again").status, 303);
  const auto more = s.store.rejudge_jobs(2);
  ASSERT_EQ(more.size(), 1u);
  course::test::publish(s.store, s.place.path(), s.service.queue.find(id)->submission,
                        course::test::grade_of(55, sha256, program_version()), more[0].number);
  ASSERT_EQ(send("/staff/rejudges/2/apply", "").status, 303);
  EXPECT_THAT(s.get("sam", page).body, list);
  EXPECT_THAT(s.get("sam", "/staff/rejudges/2").body, HasSubstr("0 submissions got other points"));
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr(changed), Not(HasSubstr("graded again: again"))));
}

TEST_F(StaffTest, ARejudgeIsNotAppliedUnderAnotherConfig) {
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, course::test::grade_of(80));
  ASSERT_EQ(send("/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  const auto job = s.store.rejudge_jobs(1).at(0);
  course::test::publish(s.store, s.place.path(), s.service.queue.find(id)->submission,
                        course::test::grade_of(55, job.config_sha256, job.version), job.number);
  s.config_of = [](const course::Assignment&) {
    Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
    config.pass_mark = 4;
    return config;
  };
  s.now += std::chrono::minutes(1);
  EXPECT_EQ(send("/staff/rejudges/1/apply", "").status, 409);
  EXPECT_EQ(send("/staff/rejudges/1/cancel", "").status, 303);
  EXPECT_THAT(s.get("sam", "/staff/rejudges").body, HasSubstr("cancelled"));
}

TEST_F(StaffTest, ARejudgeTriesAConfigOfTheCourseFolder) {
  s.config_of = [](const course::Assignment& a) {
    const bool is_file = a.config.ends_with(".yaml");
    return load_config(is_file ? a.config : OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
  };
  const std::string text =
      text_of_file(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml") + "title: Milder\n";
  const auto write = [&](const std::string& name) {
    course::test::write_text(s.place.path() / name, text);
  };
  for (const char* name : {"night.yaml", "tried/milder.yaml", "submissions/theirs.yaml",
                           "results/old.yaml", ".hidden/x.yaml", "notes.txt"})
    write(name);
  course::test::write_text(s.place.path() / "other.yaml", "a: network\n");
  const TempDir outside{"opgrade-test-"};
  course::test::write_text(outside.path() / "secret.yaml", text);
  std::filesystem::create_symlink(outside.path() / "secret.yaml", s.place.path() / "link.yaml");
  std::filesystem::create_directory_symlink(outside.path(), s.place.path() / "folder");
  EXPECT_THAT(course::config_files(s.place.path()),
              testing::ElementsAre("night.yaml", "tried/milder.yaml"));
  const std::string form = s.get("sam", "/staff/rejudges").body;
  EXPECT_THAT(form, AllOf(HasSubstr("value=\"night.yaml\""), HasSubstr("tried/milder.yaml"),
                          Not(HasSubstr("link.yaml")), Not(HasSubstr("course.yaml"))));

  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, course::test::grade_of(80));
  const std::string order = "assignment=m1&times=1&reason=x&config=";
  const std::string away = "..%2F" + outside.path().filename().string() + "%2Fsecret.yaml";
  for (const std::string& path : std::vector<std::string>{
           away, std::string("tried%2F..%2Fnight.yaml"), std::string(".%2Fnight.yaml"),
           outside.path().string() + "/secret.yaml", (s.place.path() / "night.yaml").string(),
           std::string("link.yaml"), std::string("folder%2Fsecret.yaml"), std::string("minidnn"),
           std::string("night.yaml%00"), std::string("submissions%2Ftheirs.yaml")}) {
    const Response refused = send("/staff/rejudges", order + path);
    EXPECT_EQ(refused.status, 409) << path;
    EXPECT_THAT(refused.body, HasSubstr("course folder has no such config")) << path;
  }
  EXPECT_TRUE(s.store.rejudges().empty());

  ASSERT_EQ(send("/staff/rejudges", order + "tried%2Fmilder.yaml").status, 303);
  const auto begun = s.store.rejudges().at(0);
  EXPECT_EQ(begun.config, (s.place.path() / "tried/milder.yaml").string())
      << "as the program takes it that grades";
  EXPECT_EQ(begun.config_sha256,
            course::sha256_of_text(dump_config(load_config(begun.config).config)));
  const auto job = s.store.rejudge_jobs(1).at(0);
  course::test::publish(s.store, s.place.path(), s.service.queue.find(id)->submission,
                        course::test::grade_of(90, job.config_sha256, job.version), job.number);
  const std::string page = s.get("sam", "/staff/rejudges/1").body;
  EXPECT_THAT(page, AllOf(HasSubstr("90 of"), HasSubstr("by tried/milder.yaml"),
                          HasSubstr("Name tried/milder.yaml there"), Not(HasSubstr("/apply"))));
  EXPECT_EQ(send("/staff/rejudges/1/apply", "").status, 409);
  // Once course.yaml names it, later submissions get it too.
  s.config_of = [config = begun.config](const course::Assignment&) {
    return load_config(config).config;
  };
  s.now += std::chrono::minutes(1);
  EXPECT_THAT(s.get("sam", "/staff/rejudges/1").body, HasSubstr("/apply"));
  EXPECT_EQ(send("/staff/rejudges/1/apply", "").status, 303);
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("90 of"));
}

TEST_F(StaffTest, ACancelledRejudgeEndsItsTasksOnSlurm) {
  const TempDir shared{"opgrade-test-"};
  s.now = course::test::utc("2026-10-12T08:00:00Z");
  std::string yaml = text_of_file(s.place.path() / course::kCourseFile);
  yaml += "slurm: {shared: " + shared.path().string() + "}\n";
  course::test::write_text(s.place.path() / course::kCourseFile, yaml);
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  s.grade(id, course::test::grade_of(80));
  for (const char* why : {"first", "second"})
    ASSERT_EQ(send("/staff/rejudges", std::string("assignment=m1&times=1&reason=") + why).status,
              303);
  std::vector<course::SlurmTask> tasks;
  for (const char* purpose : {"m1.rejudge-1", "m1.rejudge-2", "m1.1"}) {
    const auto run = course::SlurmRun::create(
        shared.path(), {course::course_name(s.place.path()), "opgrade: 1", {}, {}, "true"}, purpose,
        {});
    run.add({{{}, 0}});
    tasks.push_back(
        {std::to_string(tasks.size() + 7), 0, "opgrade." + run.name() + ".0", "RUNNING", "n1", ""});
  }
  bool silent = true;
  std::vector<std::string> cancelled;
  s.slurm = [&] {
    return course::Slurm{{},
                         [&]() { return silent ? std::nullopt : std::optional(tasks); },
                         [&](const std::vector<std::string>& arrays) {
                           cancelled.insert(cancelled.end(), arrays.begin(), arrays.end());
                           return true;
                         }};
  };
  const Response refused = send("/staff/rejudges/1/cancel", "");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("does not answer"));
  EXPECT_EQ(s.store.rejudges().at(0).state, course::Rejudge::State::open) << "its tasks go on";
  silent = false;
  EXPECT_EQ(send("/staff/rejudges/1/cancel", "").status, 303);
  EXPECT_THAT(cancelled, testing::ElementsAre("7"));
  EXPECT_EQ(course::SlurmRun::unfinished(shared.path()).size(), 2u);
  EXPECT_EQ(send("/staff/rejudges/1/cancel", "").status, 409);
}

TEST_F(StaffTest, TheMachinesGpusShowClockHeatAndThrottling) {
  EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr("No GPU: GPU stages run on the emulated"));
  s.machine.gpus = {{{"Fake A", "GPU-11"}, 1410, 1980, 61, std::vector<std::string>{}},
                    {{"Fake B", "GPU-22"}, 900, 1980, 90, {{"power cap", "thermal slowdown"}}},
                    {{"Fake C", "GPU-33"}, {}, {}, {}, {}}};
  const std::string page = s.get("sam", "/staff").body;
  EXPECT_THAT(page, AllOf(HasSubstr("grader-1: 4 CPUs, sandbox tier"), HasSubstr("1410 MHz"),
                          HasSubstr("1980 MHz"), HasSubstr("61 °C"), HasSubstr("90 °C"),
                          HasSubstr("power cap, thermal slowdown"), HasSubstr("not known")));
  EXPECT_THAT(page, AllOf(HasSubstr("Fake A (GPU-11)"), HasSubstr("Fake C (GPU-33)"),
                          Not(HasSubstr("No GPU"))));
}

TEST_F(StaffTest, TimesAreThoseOfTheCoursesZone) {
  std::string yaml = text_of_file(s.place.path() / course::kCourseFile);
  yaml.replace(yaml.find("UTC"), 3, "America/Chicago");
  course::test::write_text(s.place.path() / course::kCourseFile, yaml);
  Grade grade = course::test::grade_of(80);
  grade.machine.started = "2026-10-12T08:00:10Z";
  s.grade(hand_in("ada", "m1", "key00001"), grade);
  for (const char* path : {"/staff", "/submissions/1", "/submissions/1/report"})
    EXPECT_THAT(s.get("sam", path).body,
                AllOf(HasSubstr("Mon 2026-10-12 03:00:10 CDT"), Not(HasSubstr("08:00:10"))))
        << path;
}

TEST_F(StaffTest, OneIsSingular) {
  s.grade(hand_in("ada", "m1", "key00001"), course::test::grade_of(80));
  ASSERT_EQ(send("/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  EXPECT_THAT(s.get("sam", "/staff/rejudges/1").body,
              AllOf(HasSubstr("1 grading of each"), HasSubstr("0 grades would change.")));
  for (const char* path : {"/staff", "/staff/rejudges/1", "/staff/students/ada"})
    EXPECT_THAT(s.get("sam", path).body, Not(testing::ContainsRegex("[^0-9.]1 [a-z]+s[ .,;<]")))
        << path;
}

TEST_F(StaffTest, TheStudentsPagesAreSeenAsTheStudentSeesThem) {
  const std::string id = std::to_string(hand_in("ada", "m1", "key00001"));
  const std::string home = s.get("sam", "/staff/students/ada").body;
  EXPECT_THAT(home, HasSubstr("As ada sees it"));
  EXPECT_THAT(home, HasSubstr("/staff/students/ada/m1"));
  const std::string page = s.get("sam", "/staff/students/ada/m1").body;
  EXPECT_THAT(page, HasSubstr("/submissions/" + id));
  EXPECT_THAT(page, HasSubstr("disabled=\"disabled\"")) << "staff do not hand in by it";
  EXPECT_EQ(s.get("sam", "/staff/students/ada/m9").status, 404);
  EXPECT_EQ(s.get("sam", "/staff/students/zoe/m1").status, 404);
}

TEST_F(StaffTest, AGradeByOtherRulesIsMarkedAndNotExportedUnasked) {
  s.grade(hand_in("ada", "m1", "key00001"), course::test::grade_of(80));
  s.store.change({.at = s.now,
                  .who = "sam",
                  .student = "eve",
                  .assignment = "m1",
                  .points = 150,
                  .maximum = 100,
                  .reason = "a bonus"});
  const std::string mark = "graded by config cccccccccccc and opgrade 1.0+abc, now config ";
  EXPECT_THAT(s.get("sam", "/staff/students/ada").body, HasSubstr(mark));
  EXPECT_THAT(s.get("sam", "/staff/gradebook/plain").body, HasSubstr(mark));
  EXPECT_THAT(s.get("sam", "/staff").body,
              AllOf(HasSubstr("80 of 100, by other rules"),
                    HasSubstr("m1: 2 grades are by other rules than those of now")));
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("the rules changed since it was graded"), Not(HasSubstr(mark))));
  for (const std::string format : {"canvas", "gradescope", "moodle"}) {
    const Response refused = s.get("sam", "/staff/gradebook/" + format);
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.body, AllOf(HasSubstr(mark), HasSubstr(format + "?as-graded=yes")));
    EXPECT_THAT(s.get("sam", "/staff/gradebook/" + format + "?assignment=m1").body,
                HasSubstr(format + "?as-graded=yes&amp;assignment=m1"));
    EXPECT_THAT(refused.body, HasSubstr("eve, m1: 150 is above the maximum 100"))
        << "what is exported as it was graded has its warnings, too";
    const Response table = s.get("sam", "/staff/gradebook/" + format + "?as-graded=yes");
    EXPECT_EQ(table.status, 200);
    EXPECT_THAT(table.body, HasSubstr("80"));
  }
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&only=outdated&reason=x").status, 303);
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&only=open&reason=x").status, 409);
}

TEST_F(StaffTest, AnUpgradeBesideTheServerMarksTheGradesOfBefore) {
  const auto hand_in_and_grade = [&](const char* login) {
    const std::string sha256 =
        s.service.files.facts_of(*s.folder.course.find("m1")).rules->config_sha256;
    s.grade(hand_in(login, "m1", "key00001"), course::test::grade_of(80, sha256, s.version));
  };
  hand_in_and_grade("ada");
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("by other rules")));
  s.version = "9.0.0+prog.task";
  s.now += std::chrono::minutes(1);
  hand_in_and_grade("bob");
  const std::string staff = s.get("sam", "/staff").body;
  EXPECT_THAT(staff, AllOf(HasSubstr("m1: 1 grade is by other rules"),
                           HasSubstr("It grades as 9.0.0+prog.task from now on")));
  EXPECT_THAT(s.get("sam", "/staff/students/bob").body, Not(HasSubstr("graded by")));
  EXPECT_THAT(s.get("ada", "/api/me").body, HasSubstr("9.0.0+prog.task"));
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&only=outdated&reason=x").status, 303);
  EXPECT_EQ(s.store.rejudge_jobs(1).at(0).version, s.version);
}

TEST_F(StaffTest, AClockThatWasSetBackMakesNoRejudgeWait) {
  s.grade(hand_in("ada", "m1", "key00001"), course::test::grade_of(80));
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&reason=x").status, 303);
  const auto next = [&] { return s.service.rejudges->next(s.service); };
  auto job = next();
  ASSERT_TRUE(job);
  job->failed();
  EXPECT_FALSE(next()) << "a minute later";
  s.now -= std::chrono::days(2);
  EXPECT_TRUE(next());
}

TEST_F(StaffTest, FinalsAreExportedInEachFormat) {
  const auto rules = s.service.files.facts_of(*s.folder.course.find("m1")).rules.value();
  s.grade(hand_in("ada", "m1", "key00001"),
          course::test::grade_of(80, rules.config_sha256, rules.version));
  for (const char* format : {"plain", "canvas", "gradescope", "moodle"}) {
    const Response table = s.get("sam", fmt::format("/staff/gradebook/{}?read=yes", format));
    EXPECT_EQ(table.status, 200);
    EXPECT_THAT(table.type, StartsWith("text/csv"));
    EXPECT_THAT(table.body, HasSubstr("80")) << format;
    EXPECT_THAT(s.get("sam", "/staff").body, HasSubstr(std::string("/staff/gradebook/") + format));
  }
  const Response files = s.get("sam", "/staff/finals/m1");
  EXPECT_EQ(files.status, 200);
  EXPECT_THAT(files.body, AllOf(HasSubstr("ada-"), HasSubstr("int key00001;")));
}

TEST_F(StaffTest, WhatAnExportLeavesOutIsReadBeforeIt) {
  hand_in("bob", "m1", "key00001");
  for (const char* format : {"canvas", "gradescope", "moodle"}) {
    const std::string file = fmt::format("/staff/gradebook/{}", format);
    const Response page = s.get("sam", file);
    EXPECT_EQ(page.status, 409);
    EXPECT_THAT(page.body, AllOf(HasSubstr("bob, m1: left empty, open: 1 submission is not graded"),
                                 HasSubstr(file + "?read=yes")));
    EXPECT_EQ(s.get("sam", file + "?read=yes").status, 200);
    // The link of the page leads to what was asked for, not to the whole class's.
    const std::string one = file + "?assignment=m1";
    EXPECT_THAT(s.get("sam", one).body, HasSubstr(one + "&amp;read=yes"));
    EXPECT_THAT(s.get("sam", one + "&read=yes").body, AllOf(HasSubstr("m1"), Not(HasSubstr("m2"))));
  }
  EXPECT_EQ(s.get("sam", "/staff/gradebook/plain").status, 200) << "its rows have the reasons";
}

TEST_F(StaffTest, ABrokenConfigLeavesTheFirstPageThere) {
  s.config_of = [](const course::Assignment&) -> Config {
    throw UsageError("the config has problems", "correct them");
  };
  const Response page = s.get("sam", "/staff");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("m1: the config has problems"));
}

TEST_F(StaffTest, AnAccuracyThatNoRightOutputsHaveIsOnTheFirstPage) {
  Grade inaccurate = course::test::grade_of(80);
  inaccurate.outcome = Outcome::wrong_accuracy;
  s.grade(hand_in("ada", "m1", "key00001"), inaccurate);
  EXPECT_THAT(s.get("sam", "/staff").body,
              AllOf(HasSubstr("Needs a person"), HasSubstr("m1: no submission is right"),
                    HasSubstr("opgrade check-config")));
  s.grade(hand_in("bob", "m1", "key00002"), course::test::grade_of(100));
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("no submission is right")));
}

TEST_F(StaffTest, AFailingReferenceSolutionIsToldToStaffAlone) {
  const auto& m1 = *s.folder.course.find("m1");
  const auto rules = s.service.files.facts_of(m1).rules.value();
  course::check_reference(s.place.path(), *s.service.files.config_of(m1), rules,
                          [](const auto&, const std::string&, auto...) {
                            Grade failing = course::test::grade_of(0);
                            failing.stages[0].cases[0].outcome = Outcome::out_of_time;
                            return failing;
                          });
  const char* const warning = "m1: the reference solution fails ";
  EXPECT_THAT(s.get("sam", "/staff").body, AllOf(HasSubstr("Needs a person"), HasSubstr(warning)));
  EXPECT_THAT(s.get("sam", "/api/health").body,
              AllOf(HasSubstr("\"warnings\""), HasSubstr(warning)));
  for (const char* who : {"", "ada"})
    for (const char* path : {"/api/health", "/api/me", "/", "/assignments/m1"})
      EXPECT_THAT(s.get(who, path).body, Not(HasSubstr("reference solution"))) << who << path;
  EXPECT_THAT(s.get("ada", "/api/health").body, Not(HasSubstr("warnings")));
}

TEST_F(StaffTest, TheFirstPageShowsThatTheReferenceSolutionIsGraded) {
  const auto tells = HasSubstr("The reference solution of m1 is being graded");
  s.service.queue.set(kReference, "m1");
  EXPECT_THAT(s.get("sam", "/staff").body, tells);
  const Dispatcher next_server(s.place.path(), s.store, {.workers = 0});
  EXPECT_THAT(s.get("sam", "/staff").body, Not(tells)) << "the earlier one was killed";
}

TEST_F(StaffTest, ASubmissionsPageBeginsWithWhatStaffDoMostOften) {
  s.grade(hand_in("ada", "m1", "key00001"), course::test::grade_of(80));
  const std::string page = s.browse("sam", "/submissions/1").body;
  std::size_t before = page.find("<h1>");
  for (const char* way :
       {"href=\"#comments\"", "href=\"#again\"", ">The files<", ">The report as one file<",
        "<section>", "id=\"comments\"", "id=\"again\""}) {
    const std::size_t at = page.find(way);
    EXPECT_LT(before, at) << way;
    ASSERT_NE(at, page.npos) << way;
    before = at;
  }
  EXPECT_THAT(s.browse("ada", "/submissions/1").body, Not(HasSubstr("href=\"#again\"")));
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("<h2>Class<")));
}

TEST_F(StaffTest, WhatNeedsAPersonIsOnTheFirstPage) {
  EXPECT_THAT(s.get("sam", "/staff").body, Not(HasSubstr("Needs a person")));
  const std::int64_t id = hand_in("ada", "m1", "key00001");
  for (int run = 1; run <= kMaxFaults; ++run) {
    s.service.queue.claim("w", s.now,
                          [&](const std::vector<HandIn>&) { return std::optional(id); });
    s.service.queue.fault(id, run, s.now, std::chrono::seconds(0));
  }
  course::test::hand_in(s.folder, s.store, "m2", "zoe", "2026-10-11T00:00:00Z", "1");
  const std::string page = s.get("sam", "/staff").body;
  EXPECT_THAT(page, AllOf(HasSubstr("Needs a person"), HasSubstr("the grader failed 3 times"),
                          HasSubstr("The roster lacks zoe"), HasSubstr("sandbox tier")));
}

}  // namespace
}  // namespace opgrade::service
