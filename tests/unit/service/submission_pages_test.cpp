// Pages about submissions: the list, the files, comments, the box of the hand-in, many at once.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/base/files/archives.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/grading/intake/archive.hpp"
#include "grader/service/pages/markdown.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/messages.hpp"
#include "grader/task/config/student_files.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SubmissionPages : public testing::Test {
 protected:
  test::SampleService s;

  std::int64_t hand_in(const std::string& login, const std::string& key,
                       const std::string& text = "int x;") {
    return json::parse(s.submit(login, "m1", key, text).body).at("id");
  }
  Response send(const std::string& login, const std::string& path, const std::string& body) {
    return s.post(login, path, body, {{"content-type", "application/x-www-form-urlencoded"}});
  }
  static std::string page(std::int64_t id) { return fmt::format("/submissions/{}", id); }
};

TEST_F(SubmissionPages, ARequestForARegradeIsListedUntilStaffAnswer) {
  const auto id = hand_in("ada", "key00001");
  s.grade(id, course::test::grade_of(80));
  s.grade(hand_in("eve", "key00002", "int y;"), course::test::grade_of(70));
  const std::string disputed = "/staff/submissions?disputed=on";
  EXPECT_THAT(s.get("sam", disputed).body, HasSubstr("0 submissions"));
  EXPECT_EQ(send("eve", page(id) + "/messages", "text=mine").status, 404) << "of another student";
  EXPECT_EQ(send("ada", page(id) + "/messages", "text=+%0a").status, 400);
  const auto location = [](const Response& response) {
    return response.status == 303 ? response.headers.at(0).second : "";
  };
  const std::string comments = page(id) + "?sent=yes";
  EXPECT_EQ(location(send("ada", page(id) + "/messages", "text=%3Cb%3Eit+is+right%3C/b%3E")),
            comments + "#comments");
  EXPECT_THAT(s.get("ada", comments).body,
              AllOf(HasSubstr("id=\"comments\""), HasSubstr("Sent: staff see your request.")));
  EXPECT_THAT(s.get("sam", comments).body, HasSubstr("Sent: the student sees your comment."));
  EXPECT_THAT(s.get("ada", page(id)).body, Not(HasSubstr("Sent: ")));
  EXPECT_THAT(s.get("sam", disputed).body,
              AllOf(HasSubstr("1 submission"), HasSubstr("Ada"), HasSubstr("asks for a regrade")));
  EXPECT_THAT(s.get("sam", page(id)).body, HasSubstr("&lt;b&gt;it is right"));
  EXPECT_EQ(send("sam", page(id) + "/messages", "text=look+at+line+1").status, 303);
  EXPECT_THAT(s.get("sam", disputed).body, HasSubstr("0 submissions"));
  EXPECT_THAT(s.get("ada", page(id)).body,
              AllOf(HasSubstr("look at line 1"), HasSubstr("staff,"), Not(HasSubstr("sam"))));
  EXPECT_THAT(s.get("sam", "/staff/audit").body,
              AllOf(HasSubstr("ask for a regrade"), HasSubstr("look at line 1")));
}

TEST_F(SubmissionPages, ASubmissionThatStaffTookInOutsideTheServiceHasThem) {
  const auto added = course::test::hand_in(s.folder, s.store, "m1", "ada", "2026-10-11T20:00:00Z",
                                           s.archive("int x;"));
  EXPECT_EQ(s.get("eve", page(added.id)).status, 404);
  EXPECT_THAT(s.get("sam", page(added.id)).body, HasSubstr("opgrade course grade"));
  EXPECT_THAT(s.get("ada", "/assignments/m1").body, HasSubstr("not graded yet"));
  course::test::publish(s.store, s.place.path(), added, course::test::grade_of(80), 1);
  EXPECT_THAT(s.get("ada", page(added.id)).body, HasSubstr("80 of 100"));
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("counts"), Not(HasSubstr("No submissions yet"))));
  EXPECT_EQ(send("ada", page(added.id) + "/messages", "text=why").status, 303);
  EXPECT_EQ(hand_in("ada", "key00001", "int y;"), added.id + 1) << "it used no attempt";
}

TEST_F(SubmissionPages, AParagraphOfACommentIsWhole) {
  const auto id = hand_in("ada", "key00001");
  const std::string paragraph(1500, 'x');
  EXPECT_EQ(send("ada", page(id) + "/messages", "text=" + paragraph + "+end").status, 303);
  EXPECT_THAT(s.get("sam", page(id)).body, HasSubstr(paragraph + " end"));
}

TEST_F(SubmissionPages, TheListHasWhatItsFormChooses) {
  s.grade(hand_in("ada", "key00001"), course::test::grade_of(80));
  s.now = course::test::utc("2026-10-14T08:00:00Z");
  s.grade(hand_in("eve", "key00002", "int y;"), course::test::grade_of(70));
  hand_in("eve", "key00003", "int z;");
  const auto list = [&](const std::string& query) {
    return s.get("sam", "/staff/submissions?" + query).body;
  };
  EXPECT_THAT(list(""), HasSubstr("3 submissions"));
  EXPECT_THAT(list("late=on"), AllOf(HasSubstr("2 submissions"), Not(HasSubstr("in time"))));
  EXPECT_THAT(list("student=ada"), HasSubstr("in time"));
  EXPECT_THAT(list("outcome=waiting"), HasSubstr("1 submission<"));
  EXPECT_THAT(list("outcome=passed&student=ada"), HasSubstr("1 submission<"));
  EXPECT_THAT(list("assignment=m2"), HasSubstr("0 submissions"));
  EXPECT_THAT(list("counts=on"), HasSubstr("1 submission<")) << "eve's last one waits";
  EXPECT_THAT(list("section=%3Cb%3E"), HasSubstr("0 submissions"));
  ASSERT_EQ(s.submit("bob", "m4", "key00004", "int t;").status, 403) << "m4 has no late days";
  s.now = course::test::utc("2026-10-12T08:00:00Z");
  ASSERT_EQ(s.submit("bob", "m4", "key00004", "int t;").status, 201);
  for (const char* member : {"assignment=m4&student=ada", "assignment=m4&student=bob"})
    EXPECT_THAT(list(member), AllOf(HasSubstr("1 submission<"), HasSubstr("team red: "),
                                    HasSubstr("Ada Lovelace (ada)"), HasSubstr("Bob Bell (bob)")));
}

TEST_F(SubmissionPages, FilesAreShownWithWhatChangedAndStayText) {
  hand_in("ada", "key00001", "int a;\nint b;\n");
  const auto id = hand_in("ada", "key00002", "int a;\nint <script>;\n");
  EXPECT_THAT(s.get("ada", page(id) + "/source").body,
              AllOf(HasSubstr("int &lt;script&gt;;"), HasSubstr("cpu-new-forward.cc")));
  const std::string changed = s.get("sam", page(id) + "/source?with=previous").body;
  EXPECT_THAT(changed,
              AllOf(HasSubstr("<del>- int b;</del>"), HasSubstr("<ins>+ int &lt;script&gt;;</ins>"),
                    HasSubstr("<code>  int a;</code>")));
}

TEST_F(SubmissionPages, ALineOfAMistakeStandsBetweenItsNeighbours) {
  const auto id = hand_in("ada", "key00001", "int a;\nint b;\n\nbroken\nint c;\nint d;\nint e;\n");
  Grade grade = course::test::grade_of(0);
  auto& stage = grade.stages.at(0);
  stage.folder = ".";
  stage.files = {"cpu-new-forward.cc"};
  stage.build = {.outcome = Outcome::build_failed,
                 .compiler_output = "cpu-new-forward.cc:4:1: error: no such name\n"};
  s.grade(id, grade);
  const std::string shown = s.get("ada", page(id)).body;
  EXPECT_THAT(shown, AllOf(HasSubstr("cpu-new-forward.cc, line 4"),
                           HasSubstr("<ol start=\"2\" tabindex=\"0\">"),
                           HasSubstr("<mark>broken</mark>"), HasSubstr("<code>int d;</code>"),
                           Not(HasSubstr("int a;")), Not(HasSubstr("int e;"))));
  EXPECT_THAT(s.get("ada", page(id) + "/source").body, HasSubstr("<mark>broken"));
}

TEST(Markdown, HasTablesAndCodeAndNothingThatRuns) {
  const std::string html = markdown_html(
      "# Sums\n\nWrite `sum<float>`, a vector<float> of *n* elements.\n\n"
      "| size | points |\n|-----:|--------|\n| 10 | a & b |\n\n"
      "```cuda\nif (a < b && c) {}\n```\n\n"
      "<script>alert(1)</script>\n\n[one](javascript:alert(1)) [two](https://example.org/x)\n"
      "![three](x.png)<img src=y onerror=alert(2)>\n");
  EXPECT_THAT(html, AllOf(HasSubstr("<h1>Sums</h1>"), HasSubstr("<code>sum&lt;float&gt;</code>"),
                          HasSubstr("vector&lt;float&gt; of <em>n</em>"), HasSubstr("<table>"),
                          HasSubstr("a &amp; b</td>"), HasSubstr("if (a &lt; b &amp;&amp; c) {}")));
  EXPECT_THAT(html, AllOf(HasSubstr("&lt;script&gt;alert(1)"), HasSubstr("href=\"https://example"),
                          Not(HasSubstr("<script")), Not(HasSubstr("\"javascript:")),
                          Not(HasSubstr("<img src=y"))));
  pugi::xml_document document;
  add_markdown(document.append_child("p"), "# A\n\n###### B\n\n| c |\n|---|\n| d |\n");
  EXPECT_STREQ(document.child("p").child("h3").child_value(), "A") << "below the page's own";
  EXPECT_TRUE(document.child("p").child("h6"));
  EXPECT_STREQ(document.select_node("//th").node().attribute("scope").value(), "col");
  add_markdown(document.append_child("div"), "a <br> b\n\n---\n\n1. x\n2. <y\n\ncaf\u00e9 &nbsp;");
  EXPECT_TRUE(document.child("div").child("hr"));
  EXPECT_TRUE(document.child("div").child("ol"));
  EXPECT_FALSE(document.child("div").child("pre"));
}

TEST_F(SubmissionPages, WhatAGradingEndsIsNotSaidTwice) {
  const auto id = hand_in("ada", "key00001");
  EXPECT_THAT(s.browse("ada", page(id)).body,
              AllOf(HasSubstr("position 1 of 1"), HasSubstr("Take it back"),
                    Not(HasSubstr("This submission: "))));
  s.service.queue.claim("w", s.now, [&](const std::vector<HandIn>&) { return std::optional(id); });
  EXPECT_THAT(s.browse("ada", page(id)).body,
              AllOf(HasSubstr("being graded"), Not(HasSubstr("Take it back"))));
}

TEST_F(SubmissionPages, AClosedAssignmentHasNoForm) {
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("id=\"upload\""), HasSubstr("Expected: cpu-new-forward.cc<"),
                    HasSubstr("data-until="), HasSubstr(">No daily limit.<")));
  s.now = course::test::utc("2026-10-17T00:00:00Z");  // after m1's last late day
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(Not(HasSubstr("id=\"upload\"")), HasSubstr("Closed since")));
}

TEST_F(SubmissionPages, LatenessIsToldInWordsWithTheLastMoment) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, grace: 10 min,\n"
      "     late: {percent_a_day: 10, days: 3}}\n"
      "  - {name: m2, config: self-check, deadline: 2026-10-12 12:00,\n"
      "     late: {points_a_day: 1, days: 1}}\n");
  const auto box = [&](const char* time, const char* assignment = "m1") {
    s.now = course::test::utc(time);
    return s.get("ada", std::string("/assignments/") + assignment).body;
  };
  EXPECT_THAT(box("2026-10-12T12:00:00Z"), Not(HasSubstr("The deadline is over")));
  EXPECT_THAT(box("2026-10-12T12:05:00Z"), HasSubstr("now is in time, by the grace period."));
  EXPECT_THAT(box("2026-10-13T13:00:00Z"),
              AllOf(HasSubstr("comes now is 2 days late and loses 20 % of its points."),
                    HasSubstr("a submission is accepted: Thu 2026-10-15 12:10:00 UTC")));
  EXPECT_THAT(box("2026-10-13T11:00:00Z", "m2"), HasSubstr("1 day late and loses 1 point."));
}

TEST_F(SubmissionPages, NoGradeIsMissingBeforeTheDeadline) {
  for (const char* path : {"/", "/assignments/m1"})
    EXPECT_THAT(s.get("ada", path).body,
                AllOf(HasSubstr("No grade yet"), Not(HasSubstr("missing"))))
        << path;
  s.now = course::test::utc("2026-10-12T12:00:01Z");
  for (const char* path : {"/", "/assignments/m1"})
    EXPECT_THAT(s.get("ada", path).body, HasSubstr("Grade: missing")) << path;
  EXPECT_THAT(s.get("eve", "/assignments/m1").body, HasSubstr("No grade yet")) << "extended";
}

TEST_F(SubmissionPages, WhatIsTakenAlongStandsApartFromTheExpectedFiles) {
  s.config_of = [](const course::Assignment&) {
    Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
    config.files.take = {"*.h"};
    return config;
  };
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("Expected: cpu-new-forward.cc</p>"),
                    HasSubstr("<small>Taken along if they are there: *.h</small>")));
}

TEST_F(SubmissionPages, ATaskIsReadAndItsFilesAreDownloaded) {
  const std::filesystem::path lab = s.place.path() / "scale";
  const auto write = [&](const std::string& name, const std::string& text) {
    course::test::write_text(lab / name, text);
  };
  write("task.yaml", R"(opgrade: 1
name: scale
title: Scaled array
task:
  function: void scale(const float* x, float* y, int n)
  sizes: {n: {to: 100000}}
  buffers: {x: {extents: [n]}, y: {extents: [n]}}
stages:
  - {name: cpu, device: cpu, cases: [{name: seen, sizes: {n: 9}, points: 1},
     {name: zebra, sizes: {n: 31337}, points: 1, hidden: true}]}
)");
  write("statement.md", "# Scale\n\nDouble <b>each</b> element.\n");
  write("template/scale.cc", "// write here\n");
  write("template/tools/plot.py", "# plots\n");
  for (const char* secret :
       {"reference.cpp", "generate.cpp", "check.cpp", "solution/scale.cc",
        "submissions/passed/fast/scale.cc", "submissions/wrong_output/a.yaml", ".task-check",
        "cheats/scale.cc", "template/.scale.cc.swp", "template/.git/config"})
    write(secret, std::string("zebra of ") + s.place.path().string());
  std::filesystem::create_symlink("../solution/scale.cc", lab / "template/link.cc");
  s.config_of = [&](const course::Assignment&) {
    const auto loaded = load_config(lab / "task.yaml");
    EXPECT_TRUE(loaded.problems.empty()) << to_text(loaded.problems);
    return loaded.config;
  };
  const std::string files = "/api/assignments/m1/files";
  EXPECT_THAT(
      s.get("ada", "/assignments/m1").body,
      AllOf(HasSubstr("<details open=\"open\"><summary>Statement"),
            HasSubstr("Double &lt;b&gt;each&lt;/b&gt; element."), HasSubstr(files),
            HasSubstr("opgrade fetch --assignment m1</code>"),
            HasSubstr("opgrade check . --config self-check</code>"), Not(HasSubstr("zebra"))));
  EXPECT_THAT(s.get("sam", "/assignments/m1").body, HasSubstr("Double &lt;b&gt;"));
  std::map<std::string, std::string> given;
  for (const auto& [name, text] : starting_files(s.config_of({}))) given["m1/" + name] = text;
  const auto unpacked = read_archive(
      s.get("ada", files).body, [](const std::string&) { return true; }, 1 << 20);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->size(), given.size() + 2);
  for (const ArchiveFile& file : *unpacked) {
    if (file.path == "m1/README.html")
      EXPECT_THAT(file.bytes, HasSubstr("Double &lt;b&gt;each"));
    else if (file.path == "m1/.opgrade")
      EXPECT_EQ(file.bytes, "config: self-check\n");
    else
      EXPECT_EQ(file.bytes, given.at(file.path)) << file.path;
  }
  for (const auto& [name, text] : given) {
    EXPECT_THAT(name,
                testing::AnyOf("m1/README.md", "m1/scale.cc", "m1/scale.h", "m1/tools/plot.py"));
    EXPECT_THAT(text, AllOf(Not(HasSubstr("zebra")), Not(HasSubstr("31337"))));
  }
  EXPECT_EQ(given.size(), 4u);
  const Response taken =
      s.post("ada", "/api/submissions?assignment=m1", course::pack({{"scale.cc", "int x;"}}),
             {{"idempotency-key", "key00001"}});
  ASSERT_EQ(taken.status, 201) << taken.body;
  EXPECT_THAT(s.get("ada", "/assignments/m1").body, HasSubstr("<details><summary>Statement"));
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
                           "  - {name: m1, config: scale, deadline: 2026-10-20 12:00,\n"
                           "     opens: 2026-10-12 09:00}\n");
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("Opens "), Not(HasSubstr("Double")), Not(HasSubstr(files))));
  EXPECT_THAT(s.get("sam", "/assignments/m1").body,
              AllOf(Not(HasSubstr("opgrade check .")), HasSubstr("opgrade fetch --assignment m1")))
      << "students have no config of this course";
  EXPECT_EQ(s.get("ada", files).status, 404);
  EXPECT_EQ(s.get("sam", files).status, 200);
}

TEST_F(SubmissionPages, NothingIsTakenBeforeTheOpeningAndSlipDaysKeepTheFormOpen) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: 2\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, opens: 2026-10-12 09:00}\n"
      "  - {name: m2, config: self-check, deadline: 2026-10-12 12:00}\n");
  EXPECT_THAT(
      s.get("ada", "/assignments/m1").body,
      AllOf(HasSubstr("Opens Mon 2026-10-12 09:00:00 UTC"), Not(HasSubstr("id=\"upload\""))));
  EXPECT_THAT(s.get("ada", "/").body,
              AllOf(HasSubstr("Opens Mon 2026-10-12 09:00:00 UTC <strong data-until="),
                    HasSubstr("Due Mon 2026-10-12 12:00:00 UTC <strong data-until=")));
  EXPECT_THAT(s.submit("ada", "m1", "key00001").body,
              HasSubstr("m1 opens at Mon 2026-10-12 09:00"));
  s.now = course::test::utc("2026-10-12T09:00:00Z");
  EXPECT_EQ(s.submit("ada", "m1", "key00001").status, 201);
  s.now = course::test::utc("2026-10-13T10:00:00Z");
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int late;").status, 201);
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("Slip days: 2 of 2 left"),
                    HasSubstr("comes now uses 1 slip day and loses nothing. ")));
  EXPECT_THAT(s.get("ada", "/assignments/m2").body, HasSubstr("Slip days: 1 of 2 left"));
  s.now = course::test::utc("2026-10-13T13:00:00Z");
  EXPECT_EQ(s.submit("ada", "m2", "key00003").status, 403) << "m1 used one of the two";
  EXPECT_EQ(s.submit("bob", "m2", "key00003").status, 201);
}

TEST_F(SubmissionPages, APracticeRunHasALimitOfItsOwnAndNeverCounts) {
  course::test::write_text(
      s.place.path() / course::kCourseFile,
      "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
      "  - {name: m1, config: self-check, deadline: 2026-10-12 12:00, attempts_a_day: 1, "
      "practice: self-check, practice_a_day: 2}\n");
  hand_in("ada", "key00001");
  EXPECT_EQ(s.submit("ada", "m1", "key00002", "int b;").status, 429);
  const std::int64_t id = json::parse(s.submit("ada", "practice.m1", "key00003").body).at("id");
  EXPECT_EQ(s.submit("ada", "practice.m1", "key00004", "int c;").status, 201);
  EXPECT_EQ(s.submit("ada", "practice.m1", "key00005", "int d;").status, 429);
  EXPECT_EQ(s.submit("ada", "practice.m2", "key00006").status, 404) << "m2 has none";
  s.grade(id, course::test::grade_of(80));
  EXPECT_THAT(s.get("ada", page(id)).body,
              AllOf(HasSubstr("A practice run: it never counts."), HasSubstr("passed, 80 of 100"),
                    HasSubstr("/assignments/m1\""), Not(HasSubstr("; counts"))));
  EXPECT_THAT(
      s.get("ada", "/assignments/m1").body,
      AllOf(HasSubstr("formaction=\"/assignments/practice.m1\""), HasSubstr("Practice runs"),
            HasSubstr("passed, 80 of 100"), HasSubstr("Grade: open")));
  EXPECT_THAT(s.get("sam", "/staff/gradebook/plain").body, Not(HasSubstr("80")));
  EXPECT_THAT(s.get("sam", "/staff/submissions").body, HasSubstr("1 submission<"));
  EXPECT_THAT(verify(*s.service.files.folder(), s.store), testing::IsEmpty());
  const json status = json::parse(s.get("ada", fmt::format("/api/submissions/{}", id)).body);
  EXPECT_FALSE(status.contains("grade"));
  EXPECT_FALSE(status.at("counts"));
}

TEST_F(SubmissionPages, ANoticeGoesToWhoAskedForIt) {
  const std::string program = (s.place.path() / "sendmail").string();
  course::test::write_text(program, "#!/bin/sh\necho \"$@\" >>\"$0.said\"\ncat >>\"$0.said\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::int64_t id = json::parse(s.submit("bob", "m4", "key00001").body).at("id");
  s.grade(id, course::test::grade_of(80));
  const auto send_all = [&] {
    return send_notices(*s.service.files.folder(), s.store, *s.service.queue.find(id), program);
  };
  EXPECT_THAT(send_all(), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(program + ".said")) << "off by default";
  EXPECT_EQ(send("ada", "/notices", "wanted=yes").status, 303);
  EXPECT_THAT(send_all(), testing::IsEmpty());
  EXPECT_THAT(text_of_file(program + ".said"),
              AllOf(HasSubstr("-i -- ada@x.edu\nTo: ada@x.edu\nSubject: T: submission 1 for m4"),
                    Not(HasSubstr("bob")), Not(HasSubstr("80"))));
  EXPECT_EQ(send("ada", "/notices", "wanted=").status, 303);
  EXPECT_FALSE(wants_notices(s.store, "ada"));
}

TEST_F(SubmissionPages, TheStudentIsToldWhatStaffWroteForTheStudent) {
  s.grade(hand_in("ada", "key00001"), course::test::grade_of(80));
  EXPECT_EQ(send("sam", "/staff/students/ada/points",
                 "assignment=m1&kind=points&points=60&sure=on&reason=a+secret&told=copied+line+3")
                .status,
            303);
  EXPECT_THAT(s.get("ada", "/assignments/m1").body,
              AllOf(HasSubstr("set to 60 by staff: copied line 3"), Not(HasSubstr("a secret"))));
}

TEST_F(SubmissionPages, SeveralDeadlinesAreExtendedOrNone) {
  const std::string path = "/staff/extensions";
  const std::string rest = "&until=7+d&reason=a+power+cut&students=";
  EXPECT_EQ(send("sam", path, "assignment=m1" + rest + "ada%0anobody").status, 400);
  EXPECT_THAT(s.get("sam", path).body, Not(HasSubstr("(ada)")));
  EXPECT_EQ(send("sam", path, "assignment=m1&until=7+d&reason=&students=ada").status, 400);
  // The roster has an older extension of bob's that is later than the deadline; ada's is not.
  EXPECT_EQ(
      send("sam", path, "assignment=m1&until=2026-10-01+12:00&reason=x&students=ada,bob").status,
      400);
  EXPECT_THAT(s.get("sam", path).body, Not(HasSubstr("(ada)")));
  EXPECT_EQ(send("sam", path, "assignment=m1" + rest + "ada,+bob").status, 303);
  EXPECT_THAT(s.get("sam", path).body, AllOf(HasSubstr("Ada Lovelace (ada)"), HasSubstr("(bob)")));
  EXPECT_THAT(s.get("sam", "/staff/audit").body, HasSubstr("bob m1 7 d: a power cut"));
}

TEST_F(SubmissionPages, ATokenIsMadeAndRevokedInTheBrowser) {
  const auto status = [&](const std::string& token) {
    s.tokens["new"] = token;
    return s.get("new", "/api/me").status;
  };
  const auto token_in = [](const Response& made) {
    const auto at = made.body.find("<pre>") + 5;
    return made.body.substr(at, made.body.find('<', at) - at);
  };
  const std::string path = "/staff/tokens";
  EXPECT_EQ(send("sam", path, "person=nobody&action=student").status, 409);
  EXPECT_EQ(send("sam", path, "person=ada&action=staff").status, 409) << "a student";
  EXPECT_EQ(send("sam", path, "person=sam&action=revoke").status, 409) << "the own one";
  const std::string ada = token_in(send("sam", path, "person=ada&action=student"));
  EXPECT_EQ(status(ada), 200);
  EXPECT_EQ(status(s.tokens["ada"]), 401) << "the old one has ended";
  EXPECT_EQ(send("sam", path, "person=ada&action=revoke").status, 303);
  EXPECT_EQ(status(ada), 401);
  EXPECT_EQ(status(token_in(send("sam", path, "person=tim&action=staff"))), 200);
  EXPECT_THAT(s.get("sam", "/staff/audit").body,
              AllOf(HasSubstr("make token"), HasSubstr("revoke token")));
}

TEST_F(SubmissionPages, WhatNeedsAPersonStandsFirstAndInHealth) {
  course::test::write_text(s.place.path() / "course.yaml", "opgrade_course: [\n");
  const std::string staff = s.get("sam", "/staff").body;
  EXPECT_LT(staff.find("course.yaml"), staff.find(">Queue<")) << staff.substr(0, 2000);
  EXPECT_THAT(s.get("sam", "/api/health").body, HasSubstr("course.yaml"));
  EXPECT_THAT(s.get("ada", "/api/health").body, Not(HasSubstr("course.yaml")));
}

TEST_F(SubmissionPages, FilesOfNewlinesMakeNoHugePage) {
  std::map<std::string, std::string> files{{"cpu-new-forward.cc", "int x;"}};
  for (int i = 0; i < 3; ++i) files[fmt::format("part{}.h", i)] = std::string(4000, '\n');
  const auto send_files = [&](const std::string& key) {
    return s.post("ada", "/api/submissions?assignment=m1", course::pack(files),
                  {{"idempotency-key", key}});
  };
  send_files("key00001");
  files["part0.h"] += "int y;\n";
  for (int i = 0; i < 3; ++i) files[fmt::format("new{}.h", i)] = std::string(4000, '\n');
  const std::int64_t id = json::parse(send_files("key00002").body).at("id");
  for (const char* query : {"/source", "/source?with=previous"}) {
    const std::string shown = s.get("ada", page(id) + query).body;
    std::size_t lines = 0;
    for (auto at = shown.find("<li"); at != shown.npos; at = shown.find("<li", at + 1)) ++lines;
    EXPECT_LT(lines, 6000u) << query;
    EXPECT_THAT(shown, HasSubstr("The rest is in the archive")) << query;
  }
}

TEST(LineDifference, HasTheFewestLinesInOrder) {
  const auto text = [](const std::vector<pages::DifferenceLine>& lines) {
    std::string all;
    for (const auto& line : lines)
      all += (line.side == pages::DifferenceLine::Side::both     ? "="
              : line.side == pages::DifferenceLine::Side::before ? "-"
                                                                 : "+") +
             line.text;
    return all;
  };
  pages::DifferenceWork work;
  EXPECT_EQ(text(pages::line_difference("a\nb\nc\n", "a\nx\nc\nd\n", work)), "=a-b+x=c+d");
  EXPECT_EQ(text(pages::line_difference("", "a\n", work)), "+a");
  EXPECT_EQ(text(pages::line_difference("a\n", "", work)), "-a");
  EXPECT_EQ(text(pages::line_difference("a\nb", "a\nb\n", work)), "=a=b");
  work.left = 16;
  EXPECT_EQ(text(pages::line_difference("a\nk\nb\n", "c\nk\nd\n", work)), "-a+c=k-b+d");
  EXPECT_EQ(text(pages::line_difference("a\nk\nb\n", "c\nk\nd\n", work)), "-a-k-b+c+k+d")
      << "too much by now";
  EXPECT_EQ(text(pages::line_difference("a\nk\nb\n", "a\nk\nb\n", work)), "=a=k=b");
  EXPECT_EQ(text(pages::line_difference("a\nk\nb\n", "a\nx\nb\n", work)), "=a-k+x=b")
      << "what both begin and end with costs nothing";
}

}  // namespace
}  // namespace opgrade::service
