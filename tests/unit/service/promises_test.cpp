// What a page promises is what the service then does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/grading/intake/archive.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A service whose course has these slip days and this rule for its assignment m1.
class Promises : public testing::Test {
 protected:
  test::SampleService s;

  std::string late_text(int slip_days, const std::string& rule) {
    std::ofstream(s.place.path() / course::kCourseFile)
        << "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: " << slip_days
        << "\nassignments:\n  - {name: m1, config: self-check, deadline: 2026-10-12 12:00" << rule
        << "}\n";
    const std::string page = s.browse("ada", "/assignments/m1").body;
    const auto from = page.find("Late: ");
    return from == page.npos ? page : page.substr(from, page.find('<', from) - from);
  }
};

TEST_F(Promises, TheRuleOfLateSubmissionsKnowsTheSlipDaysThatAreLeft) {
  EXPECT_EQ(late_text(0, ""), "Late: nothing late is accepted.");
  EXPECT_EQ(late_text(0, ", late: {percent_a_day: 10, days: 3}"),
            "Late: up to 3 late days, -10 % of the points for each; a later submission does not "
            "count.");
  EXPECT_EQ(late_text(3, ""),
            "Late: 3 slip days are left and cost no points; nothing later is accepted.");
  EXPECT_EQ(late_text(1, ", late: {points_a_day: 5, days: 1}"),
            "Late: 1 slip day is left and costs no points; after that up to 1 late day, -5 points; "
            "a later submission does not count.");
  EXPECT_EQ(late_text(0, ", grace: 10 min"),
            "Late: nothing late is accepted; the deadline has 10 min of grace.");
  EXPECT_EQ(late_text(1, ", grace: 10 min"),
            "Late: 1 slip day is left and costs no points; nothing later is accepted; the deadline "
            "and each late day have 10 min of grace.");
}

TEST_F(Promises, AnEmptyArchiveIsAnArchiveWithoutTheFile) {
  using namespace std::string_literals;
  const std::map<std::string, std::string> key{{"idempotency-key", "key00001"}};
  const auto hand_in = [&](const std::string& bytes) {
    return s.post("ada", "/api/submissions?assignment=m1", bytes, key);
  };
  const Response empty = hand_in("PK\x05\x06"s + std::string(18, '\0'));
  EXPECT_EQ(empty.status, 422);
  EXPECT_THAT(empty.body, AllOf(HasSubstr("no attempt used"), HasSubstr("cpu-new-forward.cc"),
                                Not(HasSubstr("neither a .zip"))));
  for (const std::string& other : {"PK\x07\x08 and more"s, "plain text"s, "PK"s})
    EXPECT_THAT(hand_in(other).body,
                AllOf(HasSubstr("not taken, and no attempt used"), HasSubstr("neither a .zip")))
        << other;
}

TEST_F(Promises, ARefusedChangeOfPointsKeepsWhatWasTyped) {
  const auto session = s.service.accounts.begin_session(s.tokens.at("sam"), s.now).value();
  const auto refused = [&](const std::string& more) {
    const Response answer =
        s.ask({.method = "POST",
               .path = "/staff/students/ada/points",
               .headers = {{"cookie", cookie_name(s.service, "session") + "=" + session.cookie},
                           {"content-type", "application/x-www-form-urlencoded"}},
               .body = "form_key=" + session.form_key + "&assignment=m2&told=a+%3Cword%3E" + more});
    EXPECT_EQ(answer.status, 400);
    return answer.body;
  };
  const auto kept = AllOf(HasSubstr("Nothing was changed"), HasSubstr("value=\"m2\" selected"),
                          HasSubstr("value=\"a &lt;word"));
  EXPECT_THAT(refused("&kind=points&points=many&reason=a+look"),
              AllOf(kept, HasSubstr("value=\"many\""), HasSubstr("value=\"a look\"")));
  EXPECT_THAT(refused("&kind=excused&points=5&reason="),
              AllOf(kept, HasSubstr("value=\"5\""), HasSubstr("value=\"excused\" selected")));
  EXPECT_TRUE(s.store.changes().empty());
}

/// Two stages, so that the files of one may be forgotten.
class TwoStages : public Promises {
 protected:
  void SetUp() override {
    s.config_of = [](const course::Assignment&) {
      return parse_config(
                 "opgrade: 1\nname: two\nstages:\n"
                 "  - {name: cpu, device: cpu, random_shapes: {count: 1, points: 30}}\n"
                 "  - {name: gpu, title: GPU convolution, device: emulated,\n"
                 "     random_shapes: {count: 1, points: 50}}\n"
                 "  - {name: extra, device: cpu, sources: [extra.cc], "
                 "random_shapes: {count: 1, advice: true}}\n",
                 "two.yaml")
          .config;
    };
  }
  Response hand_in(const std::string& query, const std::map<std::string, std::string>& files,
                   const std::string& who = "ada") {
    return s.post(who, "/api/submissions?assignment=m1" + query, course::pack(files),
                  {{"idempotency-key", "key" + std::to_string(++keys_) + "0000"}});
  }
  int keys_ = 10000;
};

TEST_F(TwoStages, WhatIsMissingIsNamedBeforeItIsStored) {
  const std::map<std::string, std::string> half{{"cpu-new-forward.cc", "int x;"}};
  const Response refused = hand_in("", half);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body,
              AllOf(HasSubstr("no attempt used"), HasSubstr("new-forward.cu is missing"),
                    HasSubstr("\\\"GPU convolution\\\" earns nothing: 50 of 80 points are lost"),
                    HasSubstr("--incomplete"), Not(HasSubstr("extra.cc"))));
  EXPECT_EQ(s.get("ada", "/api/history").body, "[]\n");
  EXPECT_EQ(hand_in("&incomplete=yes", half).status, 201);
  EXPECT_EQ(hand_in("", {{"cpu-new-forward.cc", "int x;"}, {"new-forward.cu", "int y;"}}).status,
            201);
  EXPECT_EQ(hand_in("&for=eve", half, "sam").status, 201) << "staff have what a student sent";
}

TEST_F(TwoStages, TheFormHasATickForIt) {
  const auto post = [&](const std::string& tick, const std::string& more) {
    const std::string part = "--x\r\nContent-Disposition: form-data; name=";
    return s.post("ada", "/assignments/m1",
                  part + "\"key\"\r\n\r\nk" + tick + more + "\r\n" + more + tick + part +
                      "\"files\"; filename=\"cpu-new-forward.cc\"\r\n\r\nint z;\r\n--x--\r\n",
                  {{"content-type", "multipart/form-data; boundary=x"}});
  };
  EXPECT_THAT(s.browse("ada", "/assignments/m1").body,
              HasSubstr("id=\"incomplete\" hidden=\"hidden\""));
  const Response refused = post("", "");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body,
              AllOf(HasSubstr("new-forward.cu is missing"), HasSubstr("name=\"incomplete\""),
                    Not(HasSubstr("id=\"incomplete\" hidden"))));
  EXPECT_EQ(
      post("--x\r\nContent-Disposition: form-data; name=\"incomplete\"\r\n\r\non\r\n", "").status,
      303);
}

TEST_F(TwoStages, TheConfigOfARepetitionIsOneThatStudentsCanHave) {
  const auto graded = [&](const std::string& config) {
    std::ofstream(s.place.path() / course::kCourseFile)
        << "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n  - {name: m1, config: "
        << config << ", deadline: 2026-10-12 12:00}\n";
    const auto id =
        nlohmann::json::parse(hand_in("&incomplete=yes", {{"new-forward.cu", config}}).body)
            .at("id")
            .get<std::int64_t>();
    Grade grade = course::test::grade_of(0);
    CaseReport c{.id = "gpu/random", .outcome = Outcome::wrong_output};
    c.repeat = Repeat{.path = "x", .config = "/srv/course/secret.yaml"};
    grade.stages.at(0).cases = {c};
    s.grade(id, grade);
    return s.get("ada", "/submissions/" + std::to_string(id)).body;
  };
  EXPECT_THAT(graded("self-check"), HasSubstr("opgrade check . --config self-check"));
  std::ofstream(s.place.path() / "own.yaml") << "opgrade: 1\n";
  const std::string page = graded("own.yaml");
  EXPECT_THAT(page, AllOf(HasSubstr("opgrade check . --config m1.yaml"), Not(HasSubstr("secret"))));
  const Response files = s.get("ada", "/api/assignments/m1/files");
  EXPECT_EQ(files.status, 200);
  std::map<std::string, std::string> given;
  const auto unpacked = read_archive(
      files.body, [](const std::string&) { return true; }, 1 << 20);
  ASSERT_TRUE(unpacked);
  for (const ArchiveFile& file : *unpacked) given[file.path] = file.bytes;
  EXPECT_TRUE(given.contains("m1/README.md"));
  EXPECT_TRUE(given.contains("m1/cpu-new-forward.cc"));
  EXPECT_TRUE(given.contains("m1/new-forward.cu"));
  const LoadedConfig read = parse_config(given["m1/m1.yaml"], "m1.yaml");
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.config.max_points(), 80);
  EXPECT_THAT(given["m1/README.md"], HasSubstr("--config m1.yaml"));
}

TEST_F(Promises, APracticeRunIsCountedAsOne) {
  std::ofstream(s.place.path() / course::kCourseFile)
      << "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
         "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, attempts_a_day: 9,\n"
         "     practice: self-check, practice_a_day: 5}\n";
  const auto taken = s.submit("ada", "practice.m1", "key00001");
  ASSERT_EQ(taken.status, 201) << taken.body;
  EXPECT_THAT(taken.body, HasSubstr("4 practice runs left today"));
  EXPECT_THAT(s.submit("ada", "m1", "key00002").body, HasSubstr("8 submissions left today"));
}

TEST_F(Promises, TheReportAsOneFileHasTheSource) {
  const auto id =
      nlohmann::json::parse(s.submit("ada", "m1", "key00001", "int a;\nbroken here\nint b;\n").body)
          .at("id")
          .get<std::int64_t>();
  Grade grade = course::test::grade_of(0);
  auto& stage = grade.stages.at(0);
  stage.folder = ".";
  stage.files = {"cpu-new-forward.cc"};
  stage.build = {.outcome = Outcome::build_failed,
                 .compiler_output = "cpu-new-forward.cc:2:1: error: no such name\n"};
  s.grade(id, grade);
  const std::string file = s.get("ada", "/submissions/" + std::to_string(id) + "/report").body;
  EXPECT_THAT(file, AllOf(HasSubstr("<mark>broken here</mark>"), HasSubstr("int b;")));
}

TEST_F(Promises, AnOpenItemIsOfferedWithTheAssignmentThatHasIt) {
  s.config_of = [](const course::Assignment& a) {
    const std::string items = a.name == "m2" ? ", open_items: [{name: report, points: 10}]" : "";
    return parse_config(
               "opgrade: 1\nname: c\nstages:\n  - {name: cpu, device: cpu, "
               "random_shapes: {count: 1, points: 5}" +
                   items + "}\n",
               "c.yaml")
        .config;
  };
  s.now += std::chrono::seconds(10);
  EXPECT_THAT(s.browse("sam", "/staff/students/ada").body,
              AllOf(HasSubstr("Item of m2: report"), Not(HasSubstr("m1, m2"))));
  const Response refused = s.post("sam", "/staff/students/ada/points",
                                  "assignment=m1&kind=item+report&points=1&reason=r",
                                  {{"content-type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("m1 has no open item"));
}

TEST_F(Promises, PointsAboveTheMaximumNeedATick) {
  const auto set = [&](const std::string& points) {
    return s.post("sam", "/staff/students/ada/points",
                  "assignment=m1&kind=points&reason=r&points=" + points,
                  {{"content-type", "application/x-www-form-urlencoded"}});
  };
  EXPECT_THAT(set("5.01").body, AllOf(HasSubstr("more than the maximum of 5"),
                                      HasSubstr("tick \"Accept this value though it is unusual\""),
                                      Not(HasSubstr("--yes"))));
  EXPECT_EQ(set("5.01").status, 400);
  EXPECT_EQ(set("5.01&sure=on").status, 303);
  EXPECT_EQ(set("5").status, 303);
  EXPECT_EQ(set("0").status, 303);
}

}  // namespace
}  // namespace opgrade::service
