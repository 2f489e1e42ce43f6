// A student's grade is one number: each page, command and export shows the same, and it is that of
// the rules.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "grader/course/folder/csv_reader.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "tests/unit/service/sample_service.hpp"

namespace opgrade::service {
namespace {

using course::Change;
using course::points_text;
using nlohmann::json;
using testing::HasSubstr;

constexpr double kMaximum = 120;

/// What the test made, and the grade that follows from it by the words of docs/class.md alone.
struct ExpectedGrade {
  std::string state = "missing";
  std::optional<double> points;
  bool by_staff = false, held = false;

  std::string text() const {
    if (!points) return state;
    const std::string of = points_text(*points) + " of " + points_text(kMaximum);
    return state == "graded" ? of : of + ", " + state;
  }
  std::string for_student() const { return held ? "held" : text(); }
};

/// A course whose rules, roster, hand-ins, gradings and changes come from a seed.
class RandomCourse {
 public:
  explicit RandomCourse(std::uint64_t seed) : random_(seed) {
    s.config_of = [](const course::Assignment&) {
      Config config = load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config;
      config.stages.at(0).random_shapes.points += kMaximum - config.max_points();
      return config;
    };
    write_course();
    write_roster();
    const auto folder = s.service.files.folder();
    for (const auto& a : folder->course.assignments)
      for (const auto& owner : folder->roster.owners(a)) hand_ins_of(a, owner);
    for (const auto& student : folder->roster.students)
      for (const auto& a : folder->course.assignments) changes_of(student.login, a.name);
  }

  test::SampleService s;
  std::map<std::pair<std::string, std::string>, ExpectedGrade>
      expected;  ///< by login and assignment

 private:
  struct Rules {
    std::string counts, late;
    double price = 0;
    int days = 0;
    bool by_section = false, held = false;
  };

  int up_to(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n + 1)); }
  bool one_in(int n) { return up_to(n - 1) == 0; }

  void write_course() {
    slip_days_ = up_to(3);
    std::string text = fmt::format(
        "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nslip_days: {}\nassignments:\n", slip_days_);
    for (const char* name : {"a1", "a2", "a3", "a4"}) {
      Rules& r = rules_[name];
      r.counts = std::array{"last", "best", "median of 3"}.at(static_cast<std::size_t>(up_to(2)));
      r.late = std::array{"percent_a_day", "percent_of_maximum_a_day", "points_a_day"}.at(
          static_cast<std::size_t>(up_to(2)));
      r.price = up_to(40);
      r.days = up_to(3);
      r.by_section = one_in(2);
      r.held = one_in(4);
      text += fmt::format(
          "  - {{name: {}, config: self-check, deadline: 2026-10-12 12:00, counts: {}, late: "
          "{{days: {}, {}: {}}}, teams: {}, grades: {}{}}}\n",
          name, r.counts, r.days, r.late, r.price, one_in(3), r.held ? "held" : "released",
          r.by_section ? ", section_deadlines: {B: 2026-10-13 12:00}" : "");
    }
    course::test::write_text(s.place.path() / course::kCourseFile, text);
  }

  void write_roster() {
    std::string text = "id,login,name,email,section,team,extension,canvas_id\n";
    int id = 0;
    for (const char* login : {"ada", "bob", "eve", "zoe", "max"}) {
      const std::string team = one_in(2) ? std::array{"red", "blue"}.at(random_() % 2) : "";
      const bool extended = one_in(3);
      const std::string section = one_in(2) ? "B" : "A";
      for (const auto& [name, rules] : rules_)
        deadlines_[{login, name}] =
            course::test::utc("2026-10-12T12:00:00Z") +
            std::chrono::days((rules.by_section && section == "B" ? 1 : 0) + (!extended      ? 0
                                                                              : name == "a1" ? 1
                                                                              : name == "a3" ? 2
                                                                                             : 0));
      text += fmt::format("{0},{1},{1} Lee,{1}@x.edu,{4},{2},{3},90{0}\n", ++id, login, team,
                          extended ? "a1=1 d; a3=2 d" : "", section);
      s.tokens[login] = s.service.accounts.make_token(login, Role::student, s.now);
    }
    course::test::write_text(s.place.path() / course::kRosterFile, text);
  }

  void hand_ins_of(const course::Assignment& a, const course::Owner& owner) {
    const Rules& rules = rules_[a.name];
    course::Moment deadline = course::Moment::min();
    int slip_left = slip_days_, slip_used = 0;
    for (const auto* member : owner.members) {
      deadline = std::max(deadline, deadlines_.at({member->login, a.name}));
      slip_left = std::clamp(slip_days_ - slip_used_[member->login], 0, slip_left);
    }
    ExpectedGrade expect{.held = rules.held};
    int day = 0;
    double best = -1;
    bool waits = false;
    std::vector<Made> all;
    for (int n = up_to(3); n > 0; --n) {
      day = std::min(day + up_to(2), 4);
      const auto time = deadline + std::chrono::hours(24 * day - 1) + std::chrono::minutes(4 - n);
      const auto submission = hand_in(a.name, owner, time);
      Made& one = all.emplace_back(submission.id, std::min(day, slip_left));
      const auto gradings = gradings_of(submission, rules);
      // Staff may choose one that came after the last day, which costs what that day does.
      const int charged = std::min(day - one.slip_days, rules.days);
      if (gradings) {
        const double price = rules.late == "percent_a_day" ? *gradings * rules.price * charged / 100
                             : rules.late == "points_a_day"
                                 ? rules.price * charged
                                 : kMaximum * rules.price * charged / 100;
        one.points = std::max(0.0, *gradings - price);
      }
      if (day > rules.days + slip_left) continue;
      slip_used = std::max(slip_used, one.slip_days);
      if (rules.counts != "best") best = -1, waits = false;  // the last one alone
      if (one.points)
        best = std::max(best, *one.points);
      else
        waits = true;
    }
    if (!all.empty()) {
      expect.state = waits ? "open" : "graded";
      if (best >= 0) expect.points = best;
      if (best < 0 && !waits) expect.points = 0;
    }
    const bool differ = one_in(4);  // the members' choices
    std::optional<Made> chosen = choice_of(all);
    for (const auto* member : owner.members) {
      if (differ) chosen = choice_of(all);
      expected[{member->login, a.name}] = expect;
      slip_used_[member->login] += chosen ? chosen->slip_days : slip_used;
      if (!chosen) continue;
      choose(member->login, a.name, chosen->id);
      expected[{member->login, a.name}] = {chosen->points ? "graded" : "open", chosen->points,
                                           false, rules.held};
    }
  }

  struct Made {
    std::int64_t id = 0;
    int slip_days = 0;             ///< that it needs
    std::optional<double> points;  ///< after the late rule; none while gradings are missing
  };

  std::optional<Made> choice_of(const std::vector<Made>& all) {
    return all.empty() || !one_in(4) ? std::nullopt : std::optional(all[random_() % all.size()]);
  }

  /// Perhaps after another choice that was taken back.
  void choose(const std::string& login, const std::string& assignment, std::int64_t id) {
    Change change{.at = s.now,
                  .who = "sam",
                  .student = login,
                  .assignment = assignment,
                  .kind = Change::Kind::counts,
                  .reason = "for staff alone"};
    if (one_in(3)) s.store.change(change);
    change.submission = id;
    s.store.change(change);
  }

  course::Submission hand_in(const std::string& assignment, const course::Owner& owner,
                             course::Moment time) {
    const std::string text = fmt::format("hand-in {}", ++count_);
    HandIn h;
    h.person = owner.members.front()->login;
    h.key = fmt::format("key{:05}", count_);
    auto& submission = h.submission;
    submission.assignment = assignment;
    submission.owner = owner.key;
    submission.sha256 = course::sha256_of_text(text);
    submission.file = fmt::format("submissions/{}/{}/{}.tar", assignment, owner.key, count_);
    submission.handed_in = submission.added = h.queued = time;
    submission.source = "a test";
    submission.added_by = h.person;
    course::test::write_text(s.place.path() / submission.file, text);
    EXPECT_TRUE(s.service.queue.add(h));
    return s.service.queue.by_key(h.person, h.key)->submission;
  }

  /// The median of what was graded; none where gradings are missing.
  std::optional<double> gradings_of(const course::Submission& submission, const Rules& rules) {
    if (one_in(8)) return std::nullopt;
    const int needed = rules.counts.starts_with("median") ? 3 : 1;
    const int made = one_in(8) ? needed - 1 : needed;
    const auto run = s.service.queue.claim(
        "w", s.now, [&](const std::vector<HandIn>&) { return std::optional(submission.id); });
    int number = 0;
    if (one_in(6)) publish(submission, 0, ++number, Outcome::grader_fault);
    std::vector<double> points;
    for (int i = 0; i < made; ++i) {
      points.push_back(static_cast<double>(up_to(700)) / 7 + 15);
      publish(submission, points.back(), ++number, Outcome::passed);
    }
    if (made < needed) {
      s.service.queue.give_back(submission.id, run->run, s.now);
      return std::nullopt;
    }
    s.service.queue.finish(submission.id, run->run, {}, s.now);
    std::ranges::sort(points);
    return points.at(points.size() / 2);
  }

  void publish(const course::Submission& submission, double points, int number, Outcome outcome) {
    const auto rules =
        s.service.files.facts_of(s.service.files.folder()->course.assignments[0]).rules;
    Grade grade = course::test::grade_of(points, rules->config_sha256, rules->version);
    grade.outcome = outcome;
    grade.max_points = kMaximum;
    course::test::publish(s.store, s.place.path(), submission, grade, number);
  }

  void changes_of(const std::string& login, const std::string& assignment) {
    if (!one_in(4)) return;
    ExpectedGrade& expect = expected.at({login, assignment});
    Change change{.at = s.now,
                  .who = "sam",
                  .student = login,
                  .assignment = assignment,
                  .kind = Change::Kind::points,
                  .points = up_to(120),
                  .maximum = kMaximum,
                  .reason = "for staff alone"};
    const ExpectedGrade before = expect;
    expect = {"graded", change.points, true, before.held};
    s.store.change(change);
    if (one_in(3)) {
      change.kind = Change::Kind::excused;
      change.points.reset();
      s.store.change(change);
      expect = {"excused", {}, true, before.held};
    }
    if (one_in(3)) {
      change.kind = Change::Kind::none;
      change.points.reset();
      s.store.change(change);
      expect = before;
    }
  }

  std::mt19937_64 random_;
  std::map<std::string, Rules> rules_;
  int slip_days_ = 0;
  std::map<std::string, int> slip_used_;  ///< by login, of the assignments before
  std::map<std::pair<std::string, std::string>, course::Moment> deadlines_;
  int count_ = 0;
};

/// The text behind `after` and then `mark`, up to the next tag.
std::string shown_in(const std::string& page, const std::string& after, const std::string& mark) {
  auto at = page.find(after);
  if (at != page.npos) at = page.find(mark, at + after.size());
  if (at == page.npos) return "nothing";
  at += mark.size();
  return page.substr(at, page.find('<', at) - at);
}

/// The cells of a table, by the value of one column and the heading.
std::map<std::string, std::map<std::string, std::string>> cells_of(const std::string& csv,
                                                                   std::size_t key) {
  const auto rows = course::read_csv(csv).value();
  std::map<std::string, std::map<std::string, std::string>> cells;
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].cells.size(); ++c)
      cells[rows[r].cells.at(key)][rows[0].cells.at(c)] = rows[r].cells[c];
  return cells;
}

class OneGrade : public testing::TestWithParam<std::uint64_t> {};

TEST_P(OneGrade, IsTheSameWhereverItIsShown) {
  SCOPED_TRACE(fmt::format("OPGRADE_SEED={} repeats this course", GetParam()));
  RandomCourse made(GetParam());
  auto& s = made.s;
  s.now += std::chrono::days(400);  // before a deadline students read that there is no grade yet
  const auto folder = s.service.files.folder();
  const auto book = gradebook_of(s.service, *folder);
  const auto csv = [&](const std::string& format) {
    return s.get("sam", "/staff/gradebook/" + format + "?read=yes").body;
  };
  const auto canvas = cells_of(csv("canvas"), 3), moodle = cells_of(csv("moodle"), 1),
             gradescope = cells_of(csv("gradescope"), 3);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> plain;
  const auto rows = course::read_csv(csv("plain")).value();
  for (const auto& row : rows) plain[{row.cells.at(0), row.cells.at(5)}] = row.cells;
  std::string staff = s.get("sam", "/staff").body;
  staff.erase(0, staff.find(">Grades</h2>"));  // the queue above it names students, too
  for (const auto& student : folder->roster.students) {
    const std::string& login = student.login;
    const std::string home = s.get(login, "/").body;
    const std::string of_staff = s.get("sam", "/staff/students/" + login).body;
    for (const auto& a : folder->course.assignments) {
      SCOPED_TRACE(login + " " + a.name);
      const ExpectedGrade& want = made.expected.at({login, a.name});
      const std::string text = want.text(), seen = want.for_student();
      const std::string number = want.points ? points_text(*want.points) : "";
      const std::string cell = want.state == "graded" ? number : "";
      // Exports.
      EXPECT_EQ(plain.at({login, a.name}).at(6), number);
      EXPECT_EQ(plain.at({login, a.name}).at(8), want.state);
      const bool excused = want.state == "excused";
      EXPECT_EQ(canvas.at(login).at(a.name), excused ? "EX" : cell);
      EXPECT_EQ(moodle.at(login).at(a.name), cell.empty() ? "-" : cell);
      EXPECT_EQ(gradescope.at(student.email).at(a.name), cell);
      // The command.
      EXPECT_THAT(
          why_text(book.entry(student, a), *folder, ""),
          testing::StartsWith(fmt::format("{} ({}), {}: {}\n", login, student.name, a.name, text)));
      // Staff's pages.
      const std::string row = "/staff/students/" + login + "\"";
      EXPECT_EQ(
          shown_in(staff, row, "data-label=\"" + a.name + "\" title=\"").substr(0, text.size()),
          text);
      // A team is one point of the plot.
      if (want.points && folder->roster.owner_of(student, a).members.front() == &student) {
        const std::string plot = s.get("sam", "/staff/assignments/" + a.name).body;
        // One point alone is no plot.
        const auto points = std::ranges::count_if(folder->roster.students, [&](const auto& other) {
          return made.expected.at({other.login, a.name}).points &&
                 folder->roster.owner_of(other, a).members.front() == &other;
        });
        const auto begin = plot.find("<title>Points of");
        EXPECT_EQ(begin != plot.npos, points >= 2);
        if (begin != plot.npos) {
          std::vector<std::string> team;
          for (const auto* const member : folder->roster.owner_of(student, a).members)
            team.push_back(member->name);
          const std::string names = fmt::format("{}", fmt::join(team, ", "));
          EXPECT_EQ(shown_in(plot.substr(begin), "data-label=\"Point\"><span>" + names + "<",
                             "data-label=\"points\"><span>"),
                    number);
        }
      }
      EXPECT_EQ(shown_in(of_staff, "data-label=\"Assignment\"><span>" + a.name + "<",
                         "data-label=\"Grade\"><span>"),
                text);
      // The student's pages, and staff's view of them.
      EXPECT_EQ(shown_in(home, "/assignments/" + a.name + "\"", "Grade: "), seen);
      EXPECT_EQ(shown_in(s.get(login, "/assignments/" + a.name).body, "<h1", "Grade: "), seen);
      EXPECT_EQ(shown_in(of_staff, "/staff/students/" + login + "/" + a.name + "\"", "Grade: "),
                seen);
      // The student's command.
      const json history = json::parse(s.get(login, "/api/history?assignment=" + a.name).body);
      for (const json& one : history) {
        EXPECT_EQ(one.at("grade").at("text"), seen);
        const std::string id = std::to_string(one.at("id").get<int>());
        EXPECT_EQ(shown_in(s.get(login, "/submissions/" + id).body, "<h1", "Grade: "), seen);
        const json grade = json::parse(s.get(login, "/api/submissions/" + id).body).at("grade");
        EXPECT_EQ(grade.at("text"), seen);
        EXPECT_EQ(grade.at("points").is_null() ? "" : points_text(grade.at("points")),
                  want.held ? "" : number);
        if (one.at("counts") && !want.by_staff) {
          EXPECT_EQ(points_text(one.at("points")), number);
        }
      }
    }
  }
}

std::vector<std::uint64_t> seeds() {
  if (const char* const seed = std::getenv("OPGRADE_SEED")) return {std::stoull(seed)};
  return {1, 2, 3, 4, 5, 6, 7, 8};
}
INSTANTIATE_TEST_SUITE_P(Seeds, OneGrade, testing::ValuesIn(seeds()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace opgrade::service
