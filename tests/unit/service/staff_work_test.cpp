// What staff do with many students at once, and with the roster.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>

#include "grader/base/files/text_file.hpp"
#include "grader/service/queue/rejudges.hpp"
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

TEST_F(StaffWork, OfATeamInTwoSectionsStaffOfTheCourseChoose) {
  course::test::write_text(s.place.path() / course::kRosterFile,
                           "id,login,name,section,team\n1,ada,Ada Lovelace,A,red\n"
                           "2,bob,Bob Bell,B,red\n3,eve,Eve Stone,A,\n");
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  s.now = course::test::utc("2026-10-10T08:00:00Z");
  const auto of_team = graded("ada", "m4", "int a;", 90);
  const auto alone = graded("eve", "m4", "int e;", 90);
  s.now = course::test::utc("2026-10-11T08:00:00Z");
  graded("bob", "m4", "int b;", 40);
  graded("eve", "m4", "int ee;", 40);
  const auto choose = [&](const std::string& login, std::int64_t id, const char* by) {
    return send(fmt::format("/staff/submissions/{}/count", id), fmt::format("by={}&reason=x", by),
                login)
        .status;
  };
  EXPECT_EQ(choose("tim", of_team, "choice"), 403);
  EXPECT_TRUE(s.store.changes().empty());
  EXPECT_EQ(choose("tim", alone, "choice"), 303) << "eve is of the own section alone";
  EXPECT_EQ(choose("sam", of_team, "choice"), 303);
  EXPECT_EQ(choose("tim", of_team, "rule"), 403) << "nor take it back";
  for (const char* member : {"ada", "bob", "eve"})
    EXPECT_THAT(page("/assignments/m4", member), HasSubstr("Grade: 90 of 100")) << member;
}

/// Where the page of a submission leads by this link; 0 if it has none.
std::int64_t way_from(const std::string& shown, const std::string& name) {
  const std::regex way("<a href=\"/submissions/([0-9]+)\">" + name + "<");
  std::smatch found;
  return std::regex_search(shown, found, way) ? std::stoll(found[1].str()) : 0;
}

TEST_F(StaffWork, NextAndPreviousLeadOverEachSubmissionThatCountsOnce) {
  int not_counted = 0;
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto one_in = [&](unsigned n) { return random() % n == 0; };
    const std::string of = fmt::format("of{}", seed);
    std::vector<std::string> logins;
    std::string roster = "id,login,name,section,team\n";
    for (int i = 0; i < 9; ++i) {
      const std::string team = one_in(3) ? "" : std::array{"red", "blue", "green"}[random() % 3];
      logins.push_back(fmt::format("{}u{}", of, i));
      roster += fmt::format("{0}{1},{2},Student {1},{3},{4}\n", seed, i, logins.back(),
                            one_in(2) ? "A" : "B", team.empty() ? "" : of + team);
      s.tokens[logins.back()] = s.service.accounts.make_token(logins.back(), Role::student, s.now);
    }
    course::test::write_text(s.place.path() / course::kRosterFile, roster);
    s.now = course::test::utc("2026-10-01T08:00:00Z");
    std::vector<std::int64_t> all;
    for (int day = 0; day < 3; ++day, s.now += std::chrono::days(1)) {
      std::set<std::string> done;  // one a day of each owner
      for (const auto& login : logins) {
        const auto folder = s.service.files.folder();
        const auto owner =
            folder->roster.owner_of(*folder->roster.find(login), *folder->course.find("m4"));
        if (!one_in(2) || !done.insert(owner.key).second) continue;
        all.push_back(graded(login, "m4", fmt::format("int x{};", ++keys), 50));
      }
    }
    // Staff may have chosen for one member of a team alone.
    if (!all.empty())
      s.store.change({.at = s.now,
                      .who = "sam",
                      .student = logins[random() % logins.size()],
                      .assignment = "m4",
                      .kind = course::Change::Kind::counts,
                      .reason = "x",
                      .submission = all[random() % all.size()]});
    s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
    for (const char* reader : {"sam", "tim"}) {
      const auto folder = s.service.files.folder();
      const auto book = gradebook_of(s.service, *folder);
      std::vector<std::int64_t> counted;  // in the order of the roster
      std::vector<std::size_t> places;    // the first of each
      for (const auto& student : folder->roster.students) {
        const auto entry = book.entry(student, *folder->course.find("m4"));
        if (!entry.counts || (reader == std::string("tim") && student.section != "A")) continue;
        const auto id = entry.submissions[*entry.counts].standing.submission.id;
        if (std::ranges::find(counted, id) != counted.end()) continue;
        counted.push_back(id);
        places.push_back(static_cast<std::size_t>(&student - folder->roster.students.data()));
      }
      for (std::size_t i = 0; i < counted.size(); ++i) {
        const std::string shown = page(fmt::format("/submissions/{}", counted[i]), reader);
        EXPECT_EQ(way_from(shown, "Previous student"), i == 0 ? 0 : counted[i - 1]);
        EXPECT_EQ(way_from(shown, "Next student"), i + 1 < counted.size() ? counted[i + 1] : 0);
      }
      // From one that does not count, the ways lead to the neighbours of its owner's first place.
      for (const std::int64_t id : all) {
        if (std::ranges::find(counted, id) != counted.end()) continue;
        const std::string shown = page(fmt::format("/submissions/{}", id), reader);
        const auto members = folder->members(s.service.queue.find(id)->submission);
        std::int64_t previous = 0, next = 0;
        const auto own = std::ranges::find_if(folder->roster.students, [&](const auto& student) {
          return std::ranges::find(members, &student) != members.end() &&
                 (reader == std::string("sam") || student.section == "A");
        });
        for (std::size_t i = 0; i < counted.size() && own != folder->roster.students.end(); ++i) {
          const auto place = static_cast<std::size_t>(own - folder->roster.students.begin());
          if (places[i] < place) previous = counted[i];
          if (places[i] > place && next == 0) next = counted[i];
        }
        EXPECT_EQ(way_from(shown, "Previous student"), previous) << id;
        EXPECT_EQ(way_from(shown, "Next student"), next) << id;
        ++not_counted;
      }
    }
  }
  EXPECT_GT(not_counted, 0);
}

TEST_F(StaffWork, StaffOfASectionReadNoMemberOfAnotherOneInATeam) {
  course::test::write_text(s.place.path() / course::kRosterFile,
                           "id,login,name,section,team,extension\n"
                           "2,bob,Bob Bell,B,red,m4=1 d\n1,ada,Ada Lovelace,A,red,\n"
                           "3,eve,Eve Stone,A,,\n");
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  const auto of_team = graded("ada", "m4", "int copied;", 80);
  const auto of_eve = graded("eve", "m4", "int copied;", 80);
  s.now += std::chrono::hours(25);
  const auto waits = s.submit("ada", "m4", "key-waits", "int waits;");
  ASSERT_EQ(waits.status, 201) << waits.body;
  for (const std::string& path :
       {std::string("/staff"), std::string("/staff/submissions"),
        std::string("/staff/assignments/m4"), fmt::format("/submissions/{}", of_team),
        fmt::format("/submissions/{}", of_eve), std::string("/staff/submissions?student=bob")})
    EXPECT_THAT(page(path, "tim"), AllOf(Not(HasSubstr("Bob Bell")), Not(HasSubstr("row.bob"))))
        << path;
  EXPECT_THAT(page("/staff/submissions?student=bob", "tim"), Not(HasSubstr("Ada Lovelace")));
  for (const std::string& names : {std::string("/staff"), std::string("/staff/submissions"),
                                   fmt::format("/submissions/{}", of_eve)}) {
    EXPECT_THAT(page(names, "tim"), HasSubstr("Ada Lovelace")) << names;
    EXPECT_THAT(page(names), AllOf(HasSubstr("Ada Lovelace"), HasSubstr("Bob Bell"))) << names;
  }
}

TEST_F(StaffWork, AClassWithTheSameFilesIsAShortList) {
  std::string roster = "id,login,name\n";
  for (int i = 0; i < 25; ++i) roster += fmt::format("{0},u{0},Student {0}\n", i);
  course::test::write_text(s.place.path() / course::kRosterFile, roster);
  std::int64_t last = 0;
  for (int i = 0; i < 25; ++i) {
    const std::string login = fmt::format("u{}", i);
    s.tokens[login] = s.service.accounts.make_token(login, Role::student, s.now);
    last = json::parse(s.submit(login, "m1", fmt::format("key-of-{}", login)).body).at("id");
  }
  const std::string shown = page(fmt::format("/submissions/{}", last));
  std::size_t rows = 0;
  for (auto at = shown.find("source?with="); at != shown.npos;
       at = shown.find("source?with=", at + 1))
    ++rows;
  EXPECT_EQ(rows, 20u);
  EXPECT_THAT(shown, HasSubstr("and 4 more"));
}

TEST_F(StaffWork, TheSameFilesAreAPairOnBothPagesForStaffAlone) {
  const auto of_ada = graded("ada", "m1", "int copied;", 80);
  s.now += std::chrono::hours(1);
  const auto of_eve = graded("eve", "m1", "int copied;", 80);
  const auto of_bob = graded("bob", "m1", "int own;", 80);
  const auto elsewhere = graded("bob", "m2", "int copied;", 80);
  const auto address = [](std::int64_t id) { return fmt::format("/submissions/{}", id); };
  const auto pair = [&](std::int64_t id, const std::string& login = "sam") {
    const std::string shown = page(address(id), login);
    const auto at = shown.find("<h2>The same files");
    return at == shown.npos ? "" : shown.substr(at, shown.find("</section>", at) - at);
  };
  EXPECT_THAT(pair(of_ada), AllOf(HasSubstr("Eve Stone"), HasSubstr(address(of_eve) + "\""),
                                  HasSubstr("2026-10-12 09:00"), Not(HasSubstr("Bob Bell"))));
  EXPECT_THAT(pair(of_eve), AllOf(HasSubstr("Ada Lovelace"), HasSubstr(address(of_ada) + "\""),
                                  HasSubstr("2026-10-12 08:00")));
  EXPECT_EQ(pair(of_bob), "");
  EXPECT_EQ(pair(elsewhere), "") << "the same files for another assignment are no pair";
  const auto both = [&](std::int64_t one, std::int64_t other, const std::string& login) {
    return s.get(login, fmt::format("{}/source?with={}", address(one), other));
  };
  EXPECT_THAT(pair(of_ada), HasSubstr(fmt::format("{}/source?with={}", address(of_ada), of_eve)));
  EXPECT_THAT(both(of_ada, of_eve, "sam").body, HasSubstr("No line differs"));
  EXPECT_EQ(both(of_ada, of_bob, "sam").status, 404);
  // Students read nothing of it, on no page and by no address.
  for (const auto& [login, id, other] :
       {std::tuple{"ada", of_ada, of_eve}, {"eve", of_eve, of_ada}}) {
    EXPECT_EQ(both(id, other, login).status, 404) << login;
    for (const std::string& path :
         {address(id), address(id) + "/source", address(id) + "/report", std::string("/"),
          std::string("/assignments/m1"), fmt::format("/api/submissions/{}", id),
          fmt::format("/api/submissions/{}/report", id), std::string("/api/history")})
      EXPECT_THAT(page(path, login),
                  AllOf(Not(HasSubstr("same files")),
                        Not(HasSubstr(login == std::string("ada") ? "Eve Stone" : "Lovelace"))))
          << login << " " << path;
  }
  s.tokens["tim"] = s.service.accounts.make_token("tim", Role::staff, s.now, "A");
  EXPECT_THAT(pair(of_ada, "tim"),
              AllOf(HasSubstr("1 submission of other sections has the same files"),
                    Not(HasSubstr("Eve")), Not(HasSubstr(address(of_eve)))));
  EXPECT_EQ(both(of_ada, of_eve, "tim").status, 404);
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
  const Response added =
      send("/staff/roster", "action=add&id=4&login=zoe&name=Zoe+Zhang&section=B");
  EXPECT_EQ(added.status, 303);
  EXPECT_THAT(page(added.headers.at(0).second),
              AllOf(HasSubstr("role=\"status\">Saved"), HasSubstr("no token yet"),
                    HasSubstr("<a href=\"/staff/roster\">Add another student</a>")));
  EXPECT_THAT(page("/staff/roster?login=ada"), Not(HasSubstr("no token yet")));
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
