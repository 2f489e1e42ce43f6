// A report on its way: handed in, marked by two graders, released, disputed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/base/files/checksum.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/course/gradebook/marks.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/messages.hpp"
#include "tests/unit/course/sample_report.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MarkingTest : public testing::Test {
 protected:
  MarkingTest() {
    ask_for_report("");
    for (const char* name : {"gina", "greg"})
      s.tokens[name] = s.service.accounts.make_token(name, Role::grader, s.now);
    s.tokens["olga"] = s.service.accounts.make_token("olga", Role::observer, s.now);
    s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "B");
  }
  /// `keys` go to m1's `report`.
  void ask_for_report(const std::string& keys) {
    course::test::make_report_course(s.place.path(), keys);
  }
  Response hand_in(const std::string& login, const std::string& text) {
    return s.post(login, "/api/submissions?assignment=report.m1", text);
  }
  std::int64_t document(const std::string& login, const std::string& text) {
    const Response answer = hand_in(login, text);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return json::parse(answer.body).at("id");
  }
  Response mark(const std::string& login, std::int64_t id, const std::string& body) {
    return s.post(login, fmt::format("/staff/marking/m1/{}", id), body,
                  {{"accept", "application/json"}});
  }
  json state(const std::string& login, std::int64_t id) {
    return json::parse(s.get(login, fmt::format("/staff/marking/m1/{}/state", id)).body);
  }
  std::string page(const std::string& login, const std::string& path) {
    const Response answer = s.get(login, path);
    EXPECT_EQ(answer.status, 200) << path << answer.body;
    return answer.body;
  }
  std::string code_with(const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> files{{"cpu-new-forward.cc", "int x;"}};
    files.insert(more.begin(), more.end());
    return course::pack(files);
  }
  Response submit_code(const std::string& key, const std::string& archive,
                       const std::string& more = "") {
    return s.post("ada", "/api/submissions?assignment=m1" + more, archive,
                  {{"idempotency-key", key}});
  }

  test::SampleService s;
};

TEST_F(MarkingTest, ADocumentComesApart) {
  const std::int64_t id = document("ada", "# Ada's report\n");
  EXPECT_THAT(page("gina", "/staff"), HasSubstr("Reports of m1: 1 to mark"));
  EXPECT_THAT(page("ada", "/api/history"), HasSubstr("\"late\":\"in time\""));
  EXPECT_EQ(hand_in("ada", "# Ada's report\n").status, 200) << "the same once more";
  EXPECT_EQ(hand_in("ada", std::string("a\0b", 3)).status, 422);
  EXPECT_EQ(hand_in("ada", "").status, 422);
  EXPECT_THAT(page("ada", "/assignments/m1"), HasSubstr("counts: the marks are not released yet"));
  EXPECT_THAT(page("ada", fmt::format("/submissions/{}", id)),
              HasSubstr("The marks are not released yet."));
  EXPECT_EQ(s.get("eve", fmt::format("/submissions/{}", id)).status, 404);
  EXPECT_EQ(s.get("eve", fmt::format("/documents/{}/file", id)).status, 404);
  const Response file = s.get("ada", fmt::format("/documents/{}/file", id));
  EXPECT_EQ(text_of_file(file.file), "# Ada's report\n");
  bool saved = false;
  for (const auto& [name, value] : file.headers)
    saved = saved || (name == "Content-Disposition" && value.starts_with("attachment"));
  EXPECT_TRUE(saved) << "no browser shows it";
  s.now = course::test::utc("2026-10-15T12:00:01Z");
  EXPECT_EQ(hand_in("ada", "late").status, 403) << "after the last late day";
  EXPECT_EQ(s.service.queue.in_work().size(), 0u) << "no worker gets a document";
}

/// Of 16 by 16 pixels, as far as its header.
const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\2\0\0\0", 29);

TEST_F(MarkingTest, ADocumentComesApartWithItsPictures) {
  const std::string text = "![a](a.png) ![gone](gone.png)\n";
  const std::string archive = course::pack({{"report.md", text}, {"a.png", kPng}});
  const std::int64_t id = document("ada", archive);
  EXPECT_EQ(hand_in("ada", archive).status, 200) << "the same once more";
  const Response file = s.get("ada", fmt::format("/documents/{}/file", id));
  EXPECT_TRUE(text_of_file(file.file).starts_with("PK"));
  EXPECT_THAT(fmt::format("{}", file.headers.front().second), HasSubstr(".zip"));
  EXPECT_EQ(hand_in("ada", course::pack({{"a.png", kPng}})).status, 422) << "no report.md";
  EXPECT_EQ(hand_in("ada", course::pack({{"report.md", text}, {"a.png", "x"}})).status, 422);
  const auto form = [&](const std::map<std::string, std::string>& files) {
    std::string body;
    for (const auto& [name, bytes] : files)
      body += "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"" + name +
              "\"\r\n\r\n" + bytes + "\r\n";
    return s.post("ada", "/assignments/report.m1", body + "--b--\r\n",
                  {{"content-type", "multipart/form-data; boundary=b"}});
  };
  s.now += std::chrono::minutes(1);
  EXPECT_EQ(form({{"My report.md", text + "new"}, {"a.png", kPng}}).status, 303);
  const auto all = s.store.submissions("report.m1");
  ASSERT_EQ(all.size(), 2u);
  const auto kept = course::read_document(s.place.path(), all.back());
  EXPECT_EQ(kept.bytes, text + "new");
  EXPECT_EQ(kept.pictures.size(), 1u);
  const Response two = form({{"a.md", "a"}, {"b.md", "b"}});
  EXPECT_EQ(two.status, 400);
  EXPECT_THAT(two.body, HasSubstr("Choose one file for report.md"));
}

TEST_F(MarkingTest, APollOfAnOpenPageReadsOneOwnersDocumentsAlone) {
  const std::int64_t id = document("ada", "report");
  mark("gina", id, "item=on+units");
  const std::weak_ptr<const ClassCache::OfAssignment> grades =
      s.service.grades->of(s.service, "m1");
  mark("gina", id, "item=on+half");
  EXPECT_EQ(state("greg", id).at("items"), json::array({"half", "units"}));
  EXPECT_FALSE(grades.expired()) << "the class's grades were not made again for it";
  page("gina", "/staff/marking/m1");
  EXPECT_TRUE(grades.expired()) << "a page of them makes those of now";
}

TEST_F(MarkingTest, CommentsOnGroupsAndItemsAreShown) {
  const std::int64_t id = document("ada", "report");
  const std::string marking = fmt::format("/staff/marking/m1/{}", id);
  EXPECT_THAT(page("gina", marking), HasSubstr("data-comment=\"figures\""));
  mark("gina", id, "comment=figures&text=Good+colours");
  mark("gina", id, "comment=half&text=Nearly");
  mark("gina", id, "free=figures&points=-1&text=blurred");
  for (const char* login : {"gina", "olga"})
    for (const char* text : {"Good colours", "Half of it is explained.: Nearly", "blurred"})
      EXPECT_THAT(page(login, marking), HasSubstr(text)) << login;
  EXPECT_EQ(state("greg", id).at("comments").at("half"), "Nearly");
  mark("gina", id, "done=yes");
  s.post("sam", "/staff/marking/m1/release", "released=yes");
  for (const char* text : {"Good colours", "Nearly", "-1: blurred"})
    EXPECT_THAT(page("ada", fmt::format("/submissions/{}", id)), HasSubstr(text));
}

TEST_F(MarkingTest, AnAbsentReportLeavesTheGradeOpenUntilItsDeadline) {
  const Response taken = submit_code("key00001", code_with({}));
  s.grade(json::parse(taken.body).at("id"), course::test::grade_of(80));
  const auto seen = [&] {
    return page("ada", "/assignments/m1") + page("sam", "/staff") + page("ada", "/api/history") +
           page("sam", "/staff/gradebook/plain?assignment=m1");
  };
  const std::vector<std::string> awaited{", open", "report: none was handed in yet",
                                         "80 of 100; report: not handed in yet"};
  for (const std::string& text : awaited) EXPECT_THAT(seen(), HasSubstr(text));
  s.now = course::test::utc("2026-10-13T12:00:01Z");
  for (const std::string& text : awaited)
    EXPECT_THAT(seen(), Not(HasSubstr(text))) << "nothing in the store changed, the time alone";
}

TEST_F(MarkingTest, ADocumentComesWithTheCode) {
  ask_for_report("required: true");
  const Response without = submit_code("key00001", code_with({}));
  EXPECT_EQ(without.status, 409);
  EXPECT_THAT(without.body, HasSubstr("report.md is missing"));
  EXPECT_EQ(submit_code("key00002", code_with({{"report.md", ""}})).status, 422);
  EXPECT_THAT(s.store.submissions(), IsEmpty()) << "no attempt was used";
  EXPECT_EQ(submit_code("key00003", code_with({}), "&incomplete=yes").status, 201);
  s.now += std::chrono::seconds(1);
  EXPECT_EQ(submit_code("key00004", code_with({{"report.md", "one"}})).status, 201);
  EXPECT_EQ(s.store.submissions("report.m1").size(), 1u);
  s.now += std::chrono::seconds(1);
  EXPECT_EQ(submit_code("key00005", code_with({{"report.md", "one"}, {"more.h", "int y;"}})).status,
            201);
  EXPECT_EQ(s.store.submissions("report.m1").size(), 1u) << "the same report";
  s.now += std::chrono::seconds(1);
  EXPECT_EQ(submit_code("key00006", code_with({{"more.h", "int z;"}})).status, 201)
      << "a report came before";
}

TEST_F(MarkingTest, TwoGradersSeeEachOthersDecisions) {
  const std::int64_t id = document("ada", "report");
  EXPECT_THAT(page("gina", fmt::format("/staff/marking/m1/{}", id)),
              HasSubstr("Ada Lovelace (ada)"));
  EXPECT_EQ(state("greg", id).at("others"), json::array({"gina"}));
  EXPECT_EQ(mark("gina", id, "item=on+units").status, 200);
  EXPECT_EQ(mark("greg", id, "item=on+half").status, 200);
  EXPECT_EQ(mark("greg", id, "free=figures&points=-1&text=blurred").status, 200);
  EXPECT_EQ(mark("gina", id, "comment=&text=Good").status, 200);
  const json seen = state("gina", id);
  EXPECT_EQ(seen.at("items"), json::array({"half", "units"}));
  EXPECT_EQ(seen.at("text"), "12 of 20 points, not finished");
  EXPECT_EQ(seen.at("groups").at("figures"), "7 of 10");
  EXPECT_EQ(seen.at("comments").at(""), "Good");
  EXPECT_EQ(mark("gina", id, "item=on+full").status, 200);
  EXPECT_EQ(state("greg", id).at("items"), json::array({"full", "units"})) << "one of a group";
  EXPECT_EQ(mark("gina", id, "item=on+gone").status, 409);
  EXPECT_EQ(mark("gina", id, "free=figures&points=99&text=x").status, 409);
  EXPECT_EQ(mark("gina", id, "free=figures&points=x&text=x").status, 400);
  EXPECT_EQ(mark("gina", id, "").status, 400);
  EXPECT_EQ(mark("olga", id, "item=on+units").status, 403);
  EXPECT_EQ(mark("ada", id, "item=on+full").status, 403);
  EXPECT_EQ(mark("tim", id, "item=on+units").status, 404) << "staff of another section";
}

TEST_F(MarkingTest, TheNextOneIsUnmarkedAndFree) {
  const std::int64_t of_ada = document("ada", "a"), of_bob = document("bob", "b"),
                     of_eve = document("eve", "e");
  const auto next = [&](const std::string& who, const std::string& query = "") {
    const Response answer = s.get(who, "/staff/marking/m1/next" + query);
    EXPECT_EQ(answer.status, 303);
    return answer.headers.front().second;
  };
  const auto address = [](std::int64_t id) { return fmt::format("/staff/marking/m1/{}", id); };
  EXPECT_EQ(next("gina"), address(of_ada));
  page("gina", address(of_ada));
  EXPECT_EQ(next("greg"), address(of_bob)) << "gina has the first one open";
  EXPECT_EQ(next("greg", "?section=B"), address(of_eve) + "?section=B");
  const Response done = s.post("gina", address(of_ada), "done=yes");
  EXPECT_EQ(done.headers.front().second, address(of_bob)) << "without scripts the next one opens";
  s.now += MarkingSeats::kStay + std::chrono::seconds(1);
  EXPECT_EQ(next("greg", fmt::format("?after={}", of_eve)), address(of_bob)) << "ada's is done";
  for (const std::int64_t id : {of_bob, of_eve}) mark("gina", id, "done=yes");
  EXPECT_EQ(next("greg"), "/staff/marking/m1") << "nothing is left";
  EXPECT_THAT(page("greg", "/staff/marking/m1"), HasSubstr("3 of 3 documents marked."));
}

TEST_F(MarkingTest, BlindPagesShowNoName) {
  ask_for_report("blind: true");
  const std::int64_t id = document("ada", "report");
  s.post("ada", fmt::format("/submissions/{}/messages", id), "text=please");
  for (const std::string& path :
       {std::string("/staff/marking/m1"), fmt::format("/staff/marking/m1/{}", id),
        fmt::format("/submissions/{}", id)}) {
    const std::string seen = page("gina", path);
    EXPECT_THAT(seen, Not(HasSubstr("Lovelace"))) << path;
    EXPECT_THAT(seen, Not(HasSubstr(">ada"))) << path;
    EXPECT_THAT(seen, Not(HasSubstr("by ada"))) << path;
    EXPECT_THAT(seen, Not(HasSubstr("ada,"))) << path;
  }
}

TEST_F(MarkingTest, StudentsSeeMarksAfterTheRelease) {
  const std::int64_t id = document("ada", "report");
  mark("gina", id, "item=on+units");
  mark("gina", id, "item=on+full");
  mark("gina", id, "comment=&text=Read+chapter+3");
  mark("gina", id, "done=yes");
  const std::string address = fmt::format("/submissions/{}", id);
  const auto reaches = [&](const std::string& text) {
    for (const std::string& path :
         {address, std::string("/assignments/m1"), std::string("/"), std::string("/api/history"),
          fmt::format("/api/submissions/{}", id)})
      if (page("ada", path).find(text) != std::string::npos) return true;
    return false;
  };
  for (const char* text : {"chapter 3", "no units", "18 of", "gina"})
    EXPECT_FALSE(reaches(text)) << text;
  EXPECT_EQ(s.post("gina", "/staff/marking/m1/release", "released=yes").status, 403);
  EXPECT_EQ(s.post("sam", "/staff/marking/m1/release", "released=yes").status, 303);
  const std::string seen = page("ada", address);
  for (const char* text : {"18 of 20", "-2: The axes have no units.", "Read chapter 3"})
    EXPECT_THAT(seen, HasSubstr(text));
  EXPECT_FALSE(reaches("gina")) << "the grader's name is not told";
  EXPECT_THAT(page("ada", "/assignments/m1"), HasSubstr("Grade: 18 of"));
}

TEST_F(MarkingTest, ARequestForARegradePointsToAnItem) {
  const std::int64_t id = document("ada", "report");
  mark("gina", id, "item=on+units");
  mark("gina", id, "done=yes");
  const std::string address = fmt::format("/submissions/{}/messages", id);
  EXPECT_EQ(s.post("ada", address, "item=units&text=They+have+units").status, 400)
      << "a rubric says what earns points: it is read with the marks";
  EXPECT_THAT(page("ada", fmt::format("/submissions/{}", id)),
              Not(HasSubstr("The axes have no units")));
  s.post("sam", "/staff/marking/m1/release", "released=yes");
  EXPECT_EQ(s.post("ada", address, "item=gone&text=no").status, 400);
  ASSERT_EQ(s.post("ada", address, "item=units&text=They+have+units").status, 303);
  EXPECT_EQ(messages_of(s.service, id).front().item, "units");
  EXPECT_THAT(page("gina", "/staff/marking/m1"), HasSubstr("asks for a regrade"));
  EXPECT_THAT(page("gina", fmt::format("/staff/marking/m1/{}", id)), HasSubstr("about units"));
  EXPECT_THAT(page("sam", "/staff"), HasSubstr("/staff/marking/m1"));
  s.post("gina", address, "text=Indeed");
  EXPECT_THAT(page("gina", "/staff/marking/m1"), Not(HasSubstr("asks for a regrade")));
}

TEST_F(MarkingTest, AChangedRubricIsPreviewedBeforeItCounts) {
  const std::int64_t id = document("ada", "report");
  mark("gina", id, "item=on+units");
  mark("gina", id, "done=yes");
  std::string text = course::test::kSampleRubric;
  text.replace(text.find("points: -2"), 10, "points: -1");
  const std::string body = "text=" + encode_percent(text);
  const Response preview = s.post("sam", "/staff/rubrics/m1", body);
  EXPECT_THAT(preview.body, HasSubstr("figures/units: -2 points"));
  EXPECT_THAT(preview.body, HasSubstr("Apply this rubric"));
  EXPECT_EQ(state("gina", id).at("text"), "8 of 20 points, marked by gina");
  EXPECT_EQ(s.post("sam", "/staff/rubrics/m1", "text=groups").status, 400);
  EXPECT_EQ(s.post("gina", "/staff/rubrics/m1", body + "&apply=yes").status, 403);
  EXPECT_EQ(s.post("sam", "/staff/rubrics/m1", body + "&apply=yes&instead_of=another").status, 409)
      << "it was previewed against another rubric";
  const std::string instead =
      "&instead_of=" + sha256_of_text(course::applied_rubric(s.store, "m1").value());
  EXPECT_EQ(s.post("sam", "/staff/rubrics/m1", body + "&apply=yes" + instead).status, 303);
  EXPECT_EQ(state("gina", id).at("text"), "9 of 20 points, marked by gina");
  EXPECT_EQ(text_of_file(s.place.path() / "rubric.yaml"), text);
  std::vector<std::string> actions;
  for (const auto& line : s.service.accounts.audit_log(4)) actions.push_back(line.action);
  EXPECT_THAT(actions, ElementsAre("apply rubric", "mark", "mark", "apply rubric"))
      << "the first mark fixed the rubric";
}

TEST_F(MarkingTest, ADocumentThatANewerOneReplacesTakesNoMarks) {
  const std::int64_t first = document("ada", "report");
  mark("gina", first, "item=on+units");
  s.now += std::chrono::minutes(1);
  const std::int64_t second = document("ada", "another report");
  EXPECT_EQ(mark("gina", first, "done=yes").status, 409);
  EXPECT_EQ(s.get("gina", fmt::format("/staff/marking/m1/{}/state", first)).status, 409);
  EXPECT_EQ(mark("gina", second, "done=yes").status, 200);
}

TEST_F(MarkingTest, HeldGradesKeepTheListOfReports) {
  const std::int64_t id = document("ada", "report");
  std::string yaml = text_of_file(s.place.path() / course::kCourseFile);
  yaml.replace(yaml.find("name: m1"), 8, "name: m1, grades: held");
  course::test::write_text(s.place.path() / course::kCourseFile, yaml);
  EXPECT_THAT(page("ada", fmt::format("/submissions/{}", id)), Not(HasSubstr("does not count")));
  EXPECT_THAT(page("ada", "/assignments/m1"), HasSubstr(fmt::format("/submissions/{}", id)));
}

TEST_F(MarkingTest, AFileThatChangesByHandWaitsForStaff) {
  const std::int64_t id = document("ada", "report");
  mark("gina", id, "item=on+units");
  std::string text = course::test::kSampleRubric;
  text.replace(text.find("points: -2"), 10, "points: -3");
  course::test::write_text(s.place.path() / "rubric.yaml", text);
  EXPECT_TRUE(test::comes([&] {
    return s.get("sam", "/staff/marking/m1").body.find("file differs") != std::string::npos;
  }));
  EXPECT_EQ(state("gina", id).at("text"), "8 of 20 points, not finished");
  EXPECT_THAT(page("sam", "/staff/rubrics/m1"), HasSubstr("Apply this rubric"));
}

TEST_F(MarkingTest, TextsOfStudentsAndGradersStayText) {
  const std::int64_t id = document("ada", "<script>alert(1)</script>");
  const std::string attack = encode_percent("\"><script>alert(2)</script>");
  mark("gina", id, "comment=&text=" + attack);
  mark("gina", id, "free=figures&points=1&text=" + attack);
  mark("gina", id, "done=yes");
  s.post("sam", "/staff/marking/m1/release", "released=yes");
  s.post("ada", fmt::format("/submissions/{}/messages", id), "text=" + attack);
  for (const char* login : {"ada", "sam"})
    for (const std::string& path :
         {fmt::format("/submissions/{}", id), std::string("/assignments/m1")})
      EXPECT_THAT(s.get(login, path).body, Not(HasSubstr("<script>"))) << path;
  EXPECT_THAT(page("sam", fmt::format("/staff/marking/m1/{}", id)), Not(HasSubstr("<script>")));
  EXPECT_EQ(s.post("sam", "/staff/rubrics/m1", "text=" + attack).body.find("<script>"),
            std::string::npos);
}

}  // namespace
}  // namespace opgrade::service
