// What staff do with many students at once, and with the roster.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/files/text_file.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StaffWork : public testing::Test {
 protected:
  test::SampleService s;
  int keys = 0;

  std::int64_t graded(const std::string& login, const std::string& assignment,
                      const std::string& text, double points) {
    const std::int64_t id =
        json::parse(s.submit(login, assignment, fmt::format("key{:05}", ++keys), text).body)
            .at("id");
    s.grade(id, course::test::grade_of(points));
    return id;
  }
  std::string page(const std::string& path, const std::string& login = "sam") {
    return s.browse(login, path).body;
  }
  Response send(const std::string& path, const std::string& body,
                const std::string& login = "sam") {
    return s.post(login, path, body, {{"content-type", "application/x-www-form-urlencoded"}});
  }
};

TEST_F(StaffWork, RowsOfATableAreChosenTogether) {
  graded("ada", "m1", "int a;", 80);
  graded("eve", "m1", "int e;", 70);
  for (const char* path : {"/staff", "/staff/submissions?assignment=m1"})
    EXPECT_THAT(page(path),
                AllOf(HasSubstr("name=\"row.ada\" aria-label=\"Choose Ada Lovelace\""),
                      HasSubstr("formaction=\"/staff/extensions\">Extend for the chosen"),
                      HasSubstr("formaction=\"/staff/rejudges\">Grade the chosen again")))
        << path;
  const std::string chosen = "?row.ada=on&row.eve=on&assignment=m1";
  EXPECT_THAT(page("/staff/extensions" + chosen),
              AllOf(HasSubstr("\nada, eve</textarea>"),
                    HasSubstr("<option value=\"m1\" selected=\"selected\">")));
  EXPECT_THAT(page("/staff/rejudges" + chosen),
              AllOf(HasSubstr("name=\"student\" type=\"text\" value=\"ada, eve\""),
                    HasSubstr("<option value=\"m1\" selected=\"selected\">")));
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&student=ada,+eve&reason=x").status, 303);
  EXPECT_EQ(s.store.rejudge_jobs(1).size(), 2u);
  EXPECT_EQ(send("/staff/rejudges", "assignment=m1&times=1&student=ada,+zoe&reason=x").status, 409);
}

TEST_F(StaffWork, WhoMayDoNothingWithRowsHasNoTicks) {
  graded("ada", "m1", "int a;", 80);
  s.tokens["olga"] = s.service.accounts.make_token("olga", Role::observer, s.now);
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  for (const char* path : {"/staff", "/staff/submissions"}) {
    EXPECT_THAT(page(path, "olga"),
                AllOf(HasSubstr("(ada)"), Not(HasSubstr("row.ada")), Not(HasSubstr("the chosen"))))
        << path;
    EXPECT_THAT(page(path, "tim"),
                AllOf(HasSubstr("row.ada"), Not(HasSubstr("row.eve")), HasSubstr("Extend for"),
                      Not(HasSubstr("Grade the chosen"))))
        << path;
  }
}

TEST_F(StaffWork, ASubmissionIsChosenToCountWithAReason) {
  const auto first = graded("ada", "m1", "int a;", 90);
  const auto last = graded("ada", "m1", "int b;", 40);
  const std::string of_first = fmt::format("/submissions/{}", first);
  const std::string path = fmt::format("/staff/submissions/{}/count", first);
  EXPECT_THAT(page(of_first), HasSubstr("Let this submission count"));
  EXPECT_THAT(page(fmt::format("/submissions/{}", last)), Not(HasSubstr("Let this submission")));
  EXPECT_THAT(page(of_first, "ada"), Not(HasSubstr("Let this submission")));
  EXPECT_EQ(send(path, "by=choice&reason=").status, 400);
  EXPECT_EQ(send(path, "by=choice&reason=x", "ada").status, 403);
  EXPECT_THAT(page("/assignments/m1", "ada"), HasSubstr("Grade: 40 of 100"));
  EXPECT_EQ(send(path, "by=choice&reason=a+slip&told=as+agreed").status, 303);
  EXPECT_THAT(page("/assignments/m1", "ada"),
              AllOf(HasSubstr("Grade: 90 of 100"), HasSubstr("chosen by staff (as agreed)"),
                    Not(HasSubstr("slip"))));
  EXPECT_THAT(page("/staff"), HasSubstr("title=\"90 of 100"));
  EXPECT_THAT(page(of_first), HasSubstr("Let the rule decide"));
  EXPECT_THAT(page("/staff/audit"), HasSubstr(fmt::format("ada m1 submission {}: a slip", first)));
  EXPECT_EQ(send(path, "by=rule&reason=no").status, 303);
  EXPECT_THAT(page("/assignments/m1", "ada"), HasSubstr("Grade: 40 of 100"));
  const std::int64_t waiting =
      json::parse(s.submit("ada", "m2", "key-waiting", "int w;").body).at("id");
  EXPECT_THAT(page(fmt::format("/submissions/{}", waiting)), HasSubstr("Let this submission"));
}

TEST_F(StaffWork, ATeamsSubmissionIsChosenForEachMember) {
  s.now = course::test::utc("2026-10-10T08:00:00Z");
  const auto first = graded("ada", "m4", "int a;", 90);
  s.now = course::test::utc("2026-10-11T08:00:00Z");
  graded("bob", "m4", "int b;", 40);
  EXPECT_EQ(send(fmt::format("/staff/submissions/{}/count", first), "by=choice&reason=x").status,
            303);
  for (const char* member : {"ada", "bob"})
    EXPECT_THAT(page("/assignments/m4", member), HasSubstr("Grade: 90 of 100")) << member;
}

TEST_F(StaffWork, AnAnnouncementIsOnThePagesOfStudentsUntilItEnds) {
  const auto seen = [&](const std::string& path) {
    return page(path, "eve").find("No &lt;b&gt; tonight") != std::string::npos;
  };
  EXPECT_EQ(send("/staff/announcements", "text=+%0a&assignment=").status, 400);
  EXPECT_EQ(send("/staff/announcements", "text=x&assignment=m9").status, 404);
  EXPECT_EQ(send("/staff/announcements", "text=No+%3Cb%3E+tonight&assignment=").status, 303);
  EXPECT_TRUE(seen("/"));
  EXPECT_TRUE(seen("/assignments/m1"));
  EXPECT_TRUE(seen("/assignments/m2"));
  EXPECT_EQ(send("/staff/announcements/1/end", "").status, 303);
  EXPECT_EQ(send("/staff/announcements/1/end", "").status, 404) << "it ended before";
  EXPECT_FALSE(seen("/"));
  EXPECT_EQ(send("/staff/announcements", "text=No+%3Cb%3E+tonight&assignment=m2").status, 303);
  EXPECT_FALSE(seen("/"));
  EXPECT_FALSE(seen("/assignments/m1"));
  EXPECT_TRUE(seen("/assignments/m2"));
  EXPECT_THAT(page("/staff/announcements"), AllOf(HasSubstr("ended"), HasSubstr("for m2")));
  EXPECT_THAT(page("/staff/audit"),
              AllOf(HasSubstr("m2: No &lt;b&gt; tonight"), HasSubstr("end announcement")));
}

TEST_F(StaffWork, TheRosterIsEditedInTheBrowser) {
  const auto roster = [&] { return text_of_file(s.place.path() / course::kRosterFile); };
  const std::string before = roster();
  EXPECT_THAT(page("/staff/roster?login=ada"),
              AllOf(HasSubstr("value=\"ada@x.edu\""), HasSubstr("readonly")));
  EXPECT_EQ(s.get("sam", "/staff/roster?login=zoe").status, 404);
  EXPECT_THAT(page("/staff/roster?search=STONE"),
              AllOf(HasSubstr("(eve)"), Not(HasSubstr("(ada)"))));
  const Response twice = send("/staff/roster", "action=add&id=1&login=zoe&name=Zoe+Zhang");
  EXPECT_EQ(twice.status, 400);
  EXPECT_THAT(twice.body,
              AllOf(HasSubstr("Nothing was changed"), HasSubstr("value=\"Zoe Zhang\"")));
  EXPECT_EQ(roster(), before);
  EXPECT_EQ(send("/staff/roster", "action=add&id=4&login=zoe&name=Zoe+Zhang&section=B").status,
            303);
  EXPECT_THAT(page("/staff"), HasSubstr("Zoe Zhang (zoe)"));
  EXPECT_EQ(send("/staff/roster", "action=change&id=4&login=zoe&name=Zoe+Z.&section=A").status,
            303);
  EXPECT_THAT(page("/staff?section=A"), HasSubstr("Zoe Z. (zoe)"));
  EXPECT_THAT(roster(), HasSubstr("3,eve,Eve Stone,eve@x.edu,B,,*=1 d,903\n")) << "the rest stays";
  graded("ada", "m1", "int a;", 80);
  const Response kept = send("/staff/roster", "action=remove&login=ada");
  EXPECT_EQ(kept.status, 400);
  EXPECT_THAT(kept.body, HasSubstr("remove-student"));
  EXPECT_EQ(send("/staff/roster", "action=remove&login=bob").status, 303);
  EXPECT_EQ(send("/staff/roster", "action=remove&login=zoe").status, 303);
  EXPECT_THAT(page("/staff"), Not(HasSubstr("(zoe)")));
  EXPECT_THAT(page("/staff/audit"), AllOf(HasSubstr("add student"), HasSubstr("remove student")));
}

TEST_F(StaffWork, TheAuditLogLeadsToItsSubjects) {
  const auto id = graded("ada", "m1", "int a;", 80);
  send(fmt::format("/submissions/{}/messages", id), "text=well+done");
  send("/staff/students/ada/points", "assignment=m1&kind=points&points=81&reason=x&sure=on");
  send("/staff/rejudges", "assignment=m1&times=1&reason=hot");
  send("/staff/extensions", "assignment=m1&until=2+d&reason=r&students=eve");
  s.service.accounts.audit({s.now, "sam", "192.0.2.1", "extend", "gone m1 2 d: <i>"});
  EXPECT_THAT(page("/staff/audit"),
              AllOf(HasSubstr(fmt::format("<a href=\"/submissions/{}\">m1 {} of ada", id, id)),
                    HasSubstr(fmt::format("<a href=\"/submissions/{}\">{}: well done", id, id)),
                    HasSubstr("<a href=\"/staff/students/ada\">ada m1 81: x"),
                    HasSubstr("<a href=\"/staff/rejudges/1\">1 of m1: hot"),
                    HasSubstr("<a href=\"/staff/students/eve\">eve m1 2 d: r"),
                    HasSubstr("<span>gone m1 2 d: &lt;i&gt;")));
}

}  // namespace
}  // namespace opgrade::service
