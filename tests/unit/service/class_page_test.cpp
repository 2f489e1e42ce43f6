// The table of grades of a large class.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

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

TEST_F(ClassPage, StaffOfASectionSeeTheirsAlone) {
  s.tokens["tia"] = s.service.accounts.make_token("tia", Role::staff, s.now, "B");
  for (const char* query : {"", "?section=A", "?search=a", "?state=not+handed+in"})
    EXPECT_THAT(s.get("tia", std::string("/staff") + query).body, Not(HasSubstr("Lovelace")))
        << query;
}

}  // namespace
}  // namespace opgrade::service
