// The table of grades of a large class.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "grader/service/queue/rejudges.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ClassPage : public testing::Test {
 protected:
  test::SampleService s;

  std::string page(const std::string& query = "") { return s.get("sam", "/staff" + query).body; }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
  }
  std::size_t rows(const std::string& query = "") {
    return count(page(query), "<td data-label=\"Student\"><a href=\"/staff/students/");
  }
  void enrol(int students) {
    std::ofstream roster(s.place.path() / course::kRosterFile);
    roster << "id,login,name,section\n";
    for (int i = 0; i < students; ++i)
      roster << fmt::format("{0},u{0},Student {0},{1}\n", 1000 + i, i % 2 == 0 ? "A" : "B");
  }
  std::int64_t graded(const std::string& login, const std::string& text, double points) {
    const std::int64_t id =
        nlohmann::json::parse(s.submit(login, "m1", "key-of-" + login, text).body).at("id");
    s.grade(id, course::test::grade_of(points));
    return id;
  }
};

TEST_F(ClassPage, ACellIsASignWithItsWordsAndLeadsToTheSubmission) {
  const auto id = graded("ada", "int a;", 80);
  const std::string shown = page();
  EXPECT_THAT(shown, HasSubstr(fmt::format("<a href=\"/submissions/{}\"><span "
                                           "aria-hidden=\"true\">80",
                                           id)));
  EXPECT_THAT(shown, HasSubstr("title=\"80 of 100"));
  EXPECT_THAT(shown, HasSubstr("<span class=\"unseen\">80 of 100"));
  EXPECT_THAT(shown, HasSubstr("<span aria-hidden=\"true\">–</span><span class=\"unseen\">not "
                               "handed in yet"));
  EXPECT_THAT(shown, HasSubstr("class=\"share4\""));
}

TEST_F(ClassPage, ShowsAScreenfulOfRows) {
  enrol(120);
  const std::string first = page();
  EXPECT_EQ(rows(), 50u);
  EXPECT_THAT(first, AllOf(HasSubstr("1 to 50 of 120 students"), HasSubstr("Next"),
                           Not(HasSubstr("Previous"))));
  EXPECT_EQ(rows("?from=100"), 20u);
  EXPECT_THAT(page("?from=100"), AllOf(HasSubstr("101 to 120 of 120 students"),
                                       HasSubstr("Previous"), Not(HasSubstr(">Next<"))));
  EXPECT_EQ(rows("?from=1000"), 0u);
  EXPECT_EQ(rows("?from=-1"), 50u) << "no number: the first page";
}

TEST_F(ClassPage, HasTheSizeOfItsRowsAndNotOfTheClass) {
  constexpr int kStudents = 200;
  enrol(kStudents);
  for (int i = 0; i < kStudents; ++i)
    for (const auto& a : s.folder.course.assignments)
      s.store.change({.at = s.now,
                      .who = "sam",
                      .student = fmt::format("u{}", 1000 + i),
                      .assignment = a.name,
                      .points = i % 100,
                      .maximum = 100,
                      .reason = "a test"});
  EXPECT_LT(page().size(), 150'000u);
  EXPECT_THAT(page(), HasSubstr("<a href=\"/staff/assignments/m1\">"));
  EXPECT_THAT(s.get("sam", "/staff/assignments/m1").body, HasSubstr("Points of 200 students"))
      << "the plot of each student is there";
}

TEST_F(ClassPage, FindsByAPartOfNameLoginOrIdInAnyCase) {
  EXPECT_EQ(rows("?search=LOVE"), 1u);
  EXPECT_EQ(rows("?search=eVe"), 1u);
  EXPECT_EQ(rows("?search=2"), 1u);
  EXPECT_EQ(rows("?search=nobody"), 0u);
  EXPECT_EQ(rows("?search="), 3u);
  EXPECT_EQ(rows("?section=A"), 2u);
  EXPECT_EQ(rows("?section=A&search=b"), 1u);
  EXPECT_THAT(page("?search=%3Cb%3E"), AllOf(HasSubstr("&lt;b"), Not(HasSubstr("<b>"))));
}

TEST_F(ClassPage, SortsAndFiltersByState) {
  graded("bob", "int b;", 10);
  graded("ada", "int a;", 80);
  const auto order = [&](const std::string& query) {
    const std::string shown = page(query);
    std::string logins;
    const std::regex row("data-label=\"Student\"><a href=\"/staff/students/([a-z]+)");
    for (std::sregex_iterator at(shown.begin(), shown.end(), row), end; at != end; ++at)
      logins += (*at)[1].str() + " ";
    return logins;
  };
  EXPECT_EQ(order(""), "ada bob eve ");
  EXPECT_EQ(order("?sort=m1"), "eve bob ada ");
  EXPECT_EQ(order("?sort=-m1"), "ada bob eve ");
  EXPECT_EQ(order("?sort=nothing"), "ada bob eve ");
  s.submit("eve", "m2", "key00009", "int e;");
  EXPECT_EQ(order("?state=in+work"), "eve ");
  EXPECT_THAT(page(), AllOf(HasSubstr("<div>45.0</div><div>45.0</div>"), HasSubstr("<rect")));
}

/// The cached grades are those of a gradebook that is made now.
class CachedGrades : public ClassPage {
 protected:
  void expect_fresh(const char* after) {
    const auto folder = s.service.files.folder();
    const auto made = s.service.grades->now(s.service);
    const auto book = gradebook_of(s.service, *folder);
    const auto text = [](const course::Entry& entry) {
      return fmt::format("{} {} {}, {} slip days, {}", entry.student->login, entry.assignment->name,
                         grade_text(entry), entry.due.slip_days, entry.reason);
    };
    std::size_t i = 0;
    for (const auto& student : folder->roster.students)
      for (const auto& a : folder->course.assignments) {
        ASSERT_LT(i, made->entries.size()) << after;
        const std::string fresh = text(book.entry(student, a));
        EXPECT_EQ(text(*made->entries[i++]), fresh) << after;
        const auto of = s.service.grades->of(s.service, a.name);
        const auto own = std::ranges::find(of->entries, student.login,
                                           [](const auto& e) { return e.student->login; });
        EXPECT_EQ(text(*own), fresh) << after;
      }
    EXPECT_EQ(i, made->entries.size()) << after;
  }
  void change(course::Change::Kind kind, std::optional<double> points,
              std::optional<std::int64_t> submission = std::nullopt) {
    s.store.change({.at = s.now,
                    .who = "sam",
                    .student = "ada",
                    .assignment = "m1",
                    .kind = kind,
                    .points = points,
                    .maximum = 100,
                    .reason = "a test",
                    .submission = submission});
  }
  std::int64_t submit(const std::string& assignment, const std::string& text) {
    const Response taken = s.submit("ada", assignment, fmt::format("key{:05}", ++keys_), text);
    return nlohmann::json::parse(taken.body).at("id");
  }

 private:
  int keys_ = 0;
};

TEST_F(CachedGrades, FollowEveryKindOfChange) {
  expect_fresh("the start");
  change(course::Change::Kind::points, 5);
  expect_fresh("points before the first hand-in");
  EXPECT_THAT(page(), HasSubstr("title=\"5 of 100"));
  change(course::Change::Kind::none, std::nullopt);
  expect_fresh("points taken back");
  const auto first = submit("m1", "int a;");
  expect_fresh("a hand-in");
  s.grade(first, course::test::grade_of(60));
  expect_fresh("a grading");
  const auto cancelled = submit("m1", "int b;");
  EXPECT_TRUE(s.service.queue.cancel(cancelled, s.now));
  expect_fresh("a hand-in that was taken back");
  const auto second = submit("m1", "int c;");
  s.grade(second, course::test::grade_of(70));
  s.store.set_not_gradable(second, "no file");
  expect_fresh("one that is not gradable");
  change(course::Change::Kind::counts, std::nullopt, second);
  expect_fresh("a choice of staff");
  change(course::Change::Kind::counts, std::nullopt);
  expect_fresh("the rule again");
  const course::Rules rules{std::string(64, 'c'), "1.0+abc"};
  for (const bool apply : {false, true}) {
    course::Rejudge rejudge{.assignment = "m1", .config_sha256 = rules.config_sha256};
    const int number = s.store.next_number(first, rules.config_sha256, rules.version);
    s.store.begin(rejudge, {{first, rules.config_sha256, rules.version, number}});
    course::test::publish(s.store, s.place.path(), s.service.queue.find(first)->submission,
                          course::test::grade_of(90), number);
    expect_fresh("gradings of a rejudge");
    s.store.decide(rejudge.id, apply, s.now, "sam");
    expect_fresh("a rejudge that was decided");
  }
  s.version = "another version";
  s.now += std::chrono::seconds(5);
  expect_fresh("another program");
  enrol(3);
  expect_fresh("another roster");
}

TEST_F(CachedGrades, FollowTheSlipDaysThatOtherAssignmentsUsed) {
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: 3\n"
                           "assignments:\n"
                           "  - {name: m1, config: self-check, deadline: 2026-10-10 12:00}\n"
                           "  - {name: m2, config: self-check, deadline: 2026-10-20 12:00}\n");
  expect_fresh("the start");
  const auto late = submit("m1", "int a;");  // two days
  s.grade(late, course::test::grade_of(60));
  expect_fresh("a late hand-in");
  const auto of_m2 = [&] {
    return s.service.grades->of(s.service, "m2")->entries[0].due.slip_days;
  };
  EXPECT_EQ(of_m2(), 1);
}

TEST_F(CachedGrades, WithSlipDaysAreMadeAnewForTheAssignmentsWhoseSlipDaysChanged) {
  course::test::write_text(s.place.path() / course::kCourseFile,
                           "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: 3\n"
                           "assignments:\n"
                           "  - {name: m3, config: self-check, deadline: 2026-10-30 12:00}\n"
                           "  - {name: m1, config: self-check, deadline: 2026-10-10 12:00}\n"
                           "  - {name: m2, config: self-check, deadline: 2026-10-20 12:00}\n");
  auto before = s.service.grades->now(s.service);
  const auto expect_anew = [&](std::vector<std::string> names, const char* after) {
    const auto now = s.service.grades->now(s.service);
    for (std::size_t i = 0; i < before->assignments.size(); ++i) {
      const std::string& name = now->assignments[i]->assignment->name;
      EXPECT_EQ(before->assignments[i] != now->assignments[i],
                std::ranges::find(names, name) != names.end())
          << name << " after " << after;
    }
    before = now;
    expect_fresh(after);
  };
  const auto in_time = submit("m2", "int a;");
  expect_anew({"m2"}, "a hand-in in time");
  const auto late = submit("m1", "int b;");  // two days
  expect_anew({"m1", "m2", "m3"}, "a late hand-in for the first one");
  s.grade(late, course::test::grade_of(60));
  expect_anew({"m1"}, "its grading");
  change(course::Change::Kind::points, 5);
  expect_anew({"m1"}, "points by hand");
  change(course::Change::Kind::counts, std::nullopt, late);
  expect_anew({"m1"}, "a choice of the same submission");
  EXPECT_TRUE(s.service.queue.cancel(in_time, s.now));
  expect_anew({"m2"}, "one in time that was taken back");
  s.store.set_not_gradable(late, "no file");
  change(course::Change::Kind::counts, std::nullopt);
  expect_anew({"m1", "m2", "m3"}, "the late one counts no more");
}

TEST_F(CachedGrades, AreMadeAnewForTheAssignmentThatChangedAlone) {
  const auto before = s.service.grades->now(s.service);
  EXPECT_EQ(s.service.grades->now(s.service), before) << "nothing changed";
  submit("m2", "int a;");
  const auto after = s.service.grades->now(s.service);
  for (std::size_t i = 0; i < before->assignments.size(); ++i)
    EXPECT_EQ(before->assignments[i] == after->assignments[i],
              before->assignments[i]->assignment->name != "m2");
  EXPECT_EQ(s.service.grades->of(s.service, "m9"), nullptr);
}

TEST_F(ClassPage, HasMeanMedianAndBarsOfTheChosenRows) {
  graded("ada", "int a;", 100);
  graded("bob", "int b;", 40);
  graded("eve", "int e;", 10);
  const auto head = [&](const std::string& query) {
    const std::string shown = page(query);
    const auto from = shown.find("<div>mean</div><div>median</div>");
    return shown.substr(from, shown.find("</thead>", from) - from);
  };
  EXPECT_THAT(head(""), HasSubstr("<div>50.0</div><div>40.0</div><svg"));
  const std::string of_a = head("?section=A");
  EXPECT_THAT(of_a, HasSubstr("<div>70.0</div><div>70.0</div><svg"));
  // One student has four tenths of the points, and one has all.
  EXPECT_THAT(of_a, AllOf(HasSubstr("<rect x=\"24\" y=\"0\" width=\"5\" height=\"18\""),
                          HasSubstr("<rect x=\"54\" y=\"0\" width=\"5\" height=\"18\"")));
}

TEST_F(ClassPage, AChosenSectionIsKeptOnTheWayToAnAssignment) {
  EXPECT_THAT(page("?section=B"), HasSubstr("<a href=\"/staff/assignments/m1?section=B\">m1"));
  EXPECT_THAT(page(), HasSubstr("<a href=\"/staff/assignments/m1\">m1"));
}

TEST_F(ClassPage, StaffOfASectionSeeTheirsAlone) {
  s.tokens["tia"] = s.service.accounts.make_token("tia", Role::staff, s.now, "B");
  for (const char* query : {"", "?section=A", "?search=a", "?state=not+handed+in"})
    EXPECT_THAT(s.get("tia", std::string("/staff") + query).body, Not(HasSubstr("Lovelace")))
        << query;
}

}  // namespace
}  // namespace opgrade::service
