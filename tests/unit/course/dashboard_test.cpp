// The dashboard in a real headless browser without a network: a script clicks and types as staff
// would.
#include "grader/course/dashboard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "grader/process/process.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string chromium() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"})
    if (::access(path, X_OK) == 0) return path;
  return {};
}

/// The result of `script` at the end of the page: it fills the object `seen`.
json seen_in(const std::string& page, const std::string& script) {
  const TempDir place("opgrade-test-");
  const char* const end = "</body>";
  std::string with_script = page;
  with_script.insert(page.rfind(end),
                     "<pre id=seen></pre><script>const seen = {};\n"
                     "const texts = q => [...document.querySelectorAll(q)].map(e => "
                     "e.textContent);\nconst click = q => document.querySelector(q).click();\n"
                     "const type = (q, text) => { const e = document.querySelector(q); e.value = "
                     "text; e.dispatchEvent(new Event('input')); "
                     "e.dispatchEvent(new Event('change')); };\n"
                     "(async () => {\n" +
                         script +
                         "\ndocument.getElementById('seen').textContent = 'SEEN' + "
                         "JSON.stringify(seen) + 'END'; })();</script>");
  test::write_text(place.path() / "page.html", with_script);
  const Command command{
      .program = chromium(),
      .arguments = {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--no-first-run", "--user-data-dir=" + (place.path() / "profile").string(),
                    "--virtual-time-budget=5000", "--host-resolver-rules=MAP * ~NOTFOUND",
                    "--dump-dom", "file://" + (place.path() / "page.html").string()},
      .environment = {"PATH=/usr/bin:/bin", "HOME=" + place.path().string(),
                      "TMPDIR=" + place.path().string()},
      .working_folder = place.path()};
  const auto run = run_command(
      command,
      {.wall = std::chrono::seconds(120), .output_bytes = 64 << 20, .kept_bytes = 32 << 20});
  const auto from = run.standard_output.rfind("SEEN{");
  const auto to = run.standard_output.rfind("}END");
  if (from == std::string::npos || to == std::string::npos) {
    ADD_FAILURE() << "the script did not end: " << run.standard_error;
    return {};
  }
  std::string text = run.standard_output.substr(from + 4, to + 1 - from - 4);
  for (const auto& [entity, c] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at; (at = text.find(entity)) != std::string::npos;)
      text.replace(at, std::string(entity).size(), c);
  return json::parse(text);
}

class Dashboard : public testing::Test {
 protected:
  std::string page() const {
    std::map<std::string, AssignmentFacts> facts;
    for (const auto& a : folder.course.assignments) facts[a.name] = {100, {{"report", 10}}};
    const Gradebook book(folder, store, std::move(facts));
    return dashboard(folder, store, book, test::utc("2026-10-14T00:00:00Z"));
  }

  const TempDir place{"opgrade-test-"};
  const CourseFolder folder = [&] {
    CourseFolder made = test::make_course(place.path());
    test::write_text(place.path() / kRosterFile,
                     "id,login,name,section\n1,ada,Ada Lovelace,A\n"
                     "2,bob,</script><script>document.title='broken out'</script>,A\n"
                     "3,eve,Eve Stone,B\n4,zoe,Zoe Late,B\n");
    return open_course_folder(place.path());
  }();
  Store store = Store::create(place.path());
};

TEST_F(Dashboard, SortsFiltersAndOpensAStudentByClicks) {
  OPGRADE_SKIP_UNLESS("browser", !chromium().empty(), "there is no Chromium here");
  test::hand_in(folder, store, "m1", "ada", "2026-10-12T11:00:00Z", "60");
  test::hand_in(folder, store, "m1", "bob", "2026-10-12T11:00:00Z", "95");
  test::hand_in(folder, store, "m1", "zoe", "2026-10-12T13:00:00Z", "80");
  LocalExecutor executor(test::grade_by_content);
  grade_assignment(folder, store, *folder.course.find("m1"), test::wanted_grading(), executor);
  test::hand_in(folder, store, "m2", "eve", "2026-10-12T11:00:00Z", "50");
  store.change({.at = test::utc("2026-10-13T00:00:00Z"),
                .who = "staff",
                .student = "ada",
                .assignment = "m1",
                .kind = Change::Kind::points,
                .points = 65,
                .reason = "the statement was wrong"});
  const json seen = seen_in(page(), R"(
    const logins = () => texts('#rows td:first-child');
    const settle = () => new Promise(done => setTimeout(done, 50));
    seen.title = document.title;
    seen.first = logins();
    seen.tiles = texts('.tile');
    click('th[data-key=points] button'); seen.up = logins();
    click('th[data-key=points] button'); seen.down = logins();
    type('#filter', 'eve'); seen.eve = logins(); seen.count = texts('#count')[0];
    type('#filter', 'missing'); seen.missing = logins();
    type('#filter', '');
    seen.points = texts('#points .row span:last-child');
    seen.outcomes = texts('#outcomes .row');
    seen.machines = texts('#machines .row');
    click('#rows tr[data-login=ada]'); await settle();
    seen.student = texts('#student')[0];
    click('#close'); await settle();
    seen.closed = document.getElementById('student').hidden;
    type('#assignment', 1);
    seen.open = texts('#open p');
  )");
  EXPECT_EQ(seen["title"], "T");
  EXPECT_EQ(seen["first"], json({"ada", "bob", "eve", "zoe"}));
  EXPECT_EQ(seen["tiles"], json({"4students", "3graded", "0open", "1missing", "0excused"}));
  EXPECT_EQ(seen["up"], json({"ada", "zoe", "bob", "eve"})) << "without points last";
  EXPECT_EQ(seen["down"], json({"bob", "zoe", "ada", "eve"}));
  EXPECT_EQ(seen["eve"], json({"eve"}));
  EXPECT_EQ(seen["count"], "1 of 4");
  EXPECT_EQ(seen["missing"], json({"eve"}));
  EXPECT_EQ(seen["points"], json({"0", "0", "0", "0", "0", "0", "1", "1", "0", "1"}));
  EXPECT_EQ(seen["outcomes"], json({"passed3"}));
  EXPECT_EQ(seen["machines"].size(), 1u);
  const std::string student = seen["student"];
  EXPECT_THAT(student, HasSubstr("Ada Lovelace"));
  EXPECT_THAT(student, HasSubstr("60 of 100"));
  EXPECT_THAT(student, HasSubstr("the statement was wrong"));
  EXPECT_EQ(seen["closed"], true);
  EXPECT_EQ(seen["open"], json({"eve: 1 submission is not graded yet"}));
}

/// No time is asserted: it is printed, and docs/performance.md has a figure.
TEST_F(Dashboard, HoldsAThousandStudents) {
  OPGRADE_SKIP_UNLESS("browser", !chromium().empty(), "there is no Chromium here");
  json data{{"title", "big"}, {"at", "now"}, {"students", json::array()}};
  data["assignments"] = {{{"name", "m1"}, {"title", "M 1"}, {"maximum", 100}, {"due", "then"}}};
  for (int i = 0; i < 1000; ++i) {
    const json attempt{{"id", i},           {"number", 1},     {"outcome", "passed"},
                       {"points", i % 101}, {"max", 100},      {"open", 0},
                       {"config", "c"},     {"version", "1"},  {"machine", "m"},
                       {"tier", "full"},    {"device", "cpu"}, {"started", "t"},
                       {"result", "r"},     {"rejudge", 0},    {"counts", true}};
    const json submission{{"id", i},      {"at", "t"},      {"file", "f"},          {"late", 0},
                          {"whyNot", ""}, {"counts", true}, {"attempts", {attempt}}};
    const json grade{{"assignment", "m1"},
                     {"state", "graded"},
                     {"maximum", 100},
                     {"reason", "x"},
                     {"due", "d"},
                     {"points", i % 101},
                     {"late", 0},
                     {"outcome", i % 7 ? "passed" : "crashed"},
                     {"build", 1 + i % 13},
                     {"times", {{"gpu/high/100", 0.1 * (1 + i)}}},
                     {"submissions", {submission}},
                     {"changes", json::array()}};
    data["students"].push_back({{"login", "s" + std::to_string(i)},
                                {"id", ""},
                                {"name", "Student"},
                                {"section", ""},
                                {"team", ""},
                                {"grades", {grade}}});
  }
  const json seen = seen_in(dashboard_page("big", data.dump()), R"(
    const begin = performance.now();
    click('th[data-key=points] button'); click('th[data-key=points] button');
    seen.sorted = performance.now() - begin;
    type('#filter', 's99');
    seen.filtered = texts('#rows td:first-child').length;
    seen.all = performance.now() - begin;
    type('#filter', '');
    seen.top = texts('#rows td:nth-child(5)').slice(0, 2);
    seen.bars = texts('#times .row').length;
  )");
  EXPECT_EQ(seen["filtered"], 11);
  EXPECT_EQ(seen["top"], json({"100", "100"}));
  EXPECT_EQ(seen["bars"], 10);
  std::printf("1000 rows: sorted twice in %.0f ms, filtered after %.0f ms\n",
              seen["sorted"].get<double>(), seen["all"].get<double>());
}

TEST_F(Dashboard, NoNameEndsTheScript) {
  const std::string html = page();
  EXPECT_THAT(html, Not(HasSubstr("</script><script>document.title")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
}

}  // namespace
}  // namespace opgrade::course
