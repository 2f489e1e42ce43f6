// Staff's page of an assignment: hand-ins over time, points, what fails, who is missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/statistics.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/report/html/html_plot.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/failures.hpp"
#include "grader/service/state/ranking.hpp"
#include "grader/service/state/students_files.hpp"
#include "grader/task/config/student_files.hpp"

namespace opgrade::service::pages {
namespace {

using course::Assignment;
using course::Entry;

/// The entries of an assignment that this reader sees, one for each student or team.
struct OwnEntries {
  std::shared_ptr<const ClassCache::OfAssignment> grades;  ///< the other members refer to it
  const Assignment& assignment;
  std::vector<const Entry*> all;

  std::string address() const { return "/staff/assignments/" + assignment.name; }
  std::string list() const { return "/staff/submissions?assignment=" + assignment.name; }
};

OwnEntries entries_of(const Service& service, const Identity& who, const std::string& name,
                      const std::string& section) {
  auto grades = service.grades->of(service, name);
  if (grades == nullptr) throw NotDone(404, "the course has no page of such an assignment");
  OwnEntries own{grades, *grades->assignment, {}};
  std::set<std::string> owners;
  for (const Entry& entry : grades->entries) {
    if (!may_see(who, *entry.student)) continue;
    if (!section.empty() && entry.student->section != section) continue;
    if (owners.insert(grades->folder->roster.owner_of(*entry.student, own.assignment).key).second)
      own.all.push_back(&entry);
  }
  return own;
}

/// The student or the team's members of an entry whom this reader may see.
std::vector<const course::Student*> members_of(const OwnEntries& own, const Identity& who,
                                               const Entry& entry) {
  return seen_members(who,
                      own.grades->folder->roster.owner_of(*entry.student, own.assignment).members);
}

std::string names_of(const std::vector<const course::Student*>& members) {
  std::vector<std::string> names;
  for (const auto* const member : members) names.push_back(member->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "student", or of an assignment with teams "student or team".
std::string counted_owners(const Assignment& a, std::size_t count) {
  return counted(static_cast<std::int64_t>(count), a.teams ? "student or team" : "student",
                 a.teams ? "students and teams" : "students");
}

void add_facts(xml_node main, const Service& service, const Identity& who, const OwnEntries& own) {
  const auto& zone = *own.grades->folder->course.zone;
  const Assignment& a = own.assignment;
  auto section = add_section(main, "Deadline");
  if (a.opens) add(section, "p", fmt::format("Opens {}.", zone.text(*a.opens)));
  add(section, "p",
      fmt::format("Due {}. Late: {}.", zone.text(a.deadline),
                  rule_text(a.late, own.grades->folder->course.slip_days)));
  for (const auto& [name, deadline] : a.section_deadlines)
    add(section, "p", fmt::format("Section {}: due {}.", name, zone.text(deadline)));
  if (!a.released) add(section, "p", "Students do not see their grades yet.", "notice");
  const auto handed_in =
      std::ranges::count_if(own.all, [](const Entry* e) { return !e->submissions.empty(); });
  std::size_t hand_ins = 0, waiting = 0;
  for (const Entry* const entry : own.all) {
    hand_ins += entry->submissions.size();
    waiting += entry->waiting;
  }
  add(section, "p",
      fmt::format("{} of {} handed in, {} in all; {} not graded yet.", handed_in,
                  counted_owners(a, own.all.size()), counted(hand_ins, "submission"), waiting),
      "score");
  auto ways = with(add(section, "nav"), {{"aria-label", "Of this assignment"}});
  link(ways, "Submissions", own.list());
  if (is_ranked(*service.files.config_of(a))) link(ways, "Ranking", "/assignments/" + a.name);
  link(ways, "As students see it", "/assignments/" + a.name);
  if (may(who, "POST", "/staff/rejudges"))
    link(ways, "Grade again", "/staff/rejudges?assignment=" + a.name);
  if (may(who, "GET", "/staff/finals/" + a.name))
    link(ways, "Export the submissions that count", "/staff/finals/" + a.name);
}

/// Adds a plot of the hand-ins on each day, by the course's clock, from the day before the first
/// one.
void add_hand_ins(xml_node main, const OwnEntries& own) {
  const auto& zone = *own.grades->folder->course.zone;
  std::map<std::chrono::local_days, std::size_t> days;
  for (const Entry* const entry : own.all)
    for (const auto& g : entry->submissions)
      ++days[std::chrono::floor<std::chrono::days>(zone.local(g.standing.submission.handed_in))];
  if (days.empty()) return;
  constexpr std::chrono::days kMost{60};  // the last days, because a term is too long for the plot
  const auto last = days.rbegin()->first;
  const auto first = std::max(days.begin()->first, last - kMost) - std::chrono::days(1);
  const auto name_of_day = [&](std::chrono::local_days day) {
    return zone.text(zone.moment(day + std::chrono::hours(12)))
        .substr(0, std::string("Mon 2026-10-12").size());
  };
  report::Plot plot{.title = "Hand-ins on each day",
                    .x_title = "days after " + name_of_day(first),
                    .y_title = "hand-ins",
                    .joined = true};
  for (auto day = first; day <= last; day += std::chrono::days(1)) {
    const auto found = days.find(day);
    plot.points.push_back({.x = static_cast<double>((day - first).count()),
                           .y = found == days.end() ? 0.0 : static_cast<double>(found->second),
                           .name = name_of_day(day)});
  }
  report::add_plot(add_section(main, "Hand-ins over time"), plot);
}

void add_points(xml_node main, const Identity& who, const OwnEntries& own) {
  std::vector<const Entry*> with_points;
  for (const Entry* const entry : own.all)
    if (entry->points) with_points.push_back(entry);
  auto section = add_section(main, "Points");
  if (with_points.empty()) {
    add(section, "p", "No student has points yet.");
    return;
  }
  std::ranges::sort(with_points, std::greater{}, [](const Entry* e) { return *e->points; });
  std::vector<double> points;
  for (const Entry* const entry : with_points) points.push_back(*entry->points);
  const auto all = summarize(std::move(points));
  add(section, "p",
      fmt::format("Mean {:.1f}, median {}.", value_of(all, Statistic::mean),
                  course::points_text(all.median_ms)));
  report::Plot plot{.title = "Points of " + counted_owners(own.assignment, with_points.size()),
                    .x_title = "rank",
                    .y_title = "points",
                    .y_text = course::points_text};
  for (const Entry* const entry : with_points)
    plot.points.push_back({.x = static_cast<double>(plot.points.size() + 1),
                           .y = *entry->points,
                           .name = names_of(members_of(own, who, *entry))});
  plot.lines = {{with_points.front()->maximum, "maximum"}};
  report::add_plot(section, plot);
}

const course::GradedSubmission* counted_in(const Entry& entry) {
  return entry.counts ? &entry.submissions[*entry.counts] : nullptr;
}

void add_outcomes(xml_node main, const Identity& who, const OwnEntries& own,
                  const std::string& of_section) {
  std::map<Outcome, std::size_t> outcomes;
  for (const Entry* const entry : own.all)
    if (const auto* const g = counted_in(*entry)) ++outcomes[g->result.decisive().outcome];
  if (outcomes.empty()) return;
  const bool rejudges = may(who, "POST", "/staff/rejudges");
  auto section = add_section(main, "Outcomes of the submissions that count");
  std::vector<const char*> titles{"Outcome", "Submissions"};
  if (rejudges) titles.push_back("Grade again");
  HtmlTable table(section, titles, {false, true, false});
  for (const auto& [outcome, count] : outcomes) {
    table.begin_row();
    table.cell(words(outcome).text, report::outcome_css(outcome));
    link(table.cell(), fmt::format("{}", count),
         fmt::format("{}&counts=on&outcome={}{}", own.list(), words(outcome).id,
                     of_section.empty() ? "" : "&section=" + encode_percent(of_section)));
    if (rejudges)
      link(table.cell(), "Grade all with this verdict again",
           fmt::format("/staff/rejudges?assignment={}&verdict={}", own.assignment.name,
                       words(outcome).id));
  }
}

/// True if the files to start from have this line, so that students did not write it themselves.
bool is_of_template(const std::map<std::string, std::string>& given, const Failure& failure) {
  if (failure.file.empty() || failure.code.empty()) return false;
  return std::ranges::any_of(given, [&](const auto& file) {
    return std::filesystem::path(file.first).filename() == failure.file &&
           std::ranges::any_of(split(file.second, '\n'), [&](const std::string& line) {
             return trimmed(line) == failure.code;
           });
  });
}

std::string line_text(const FailureCount& count, const std::map<std::string, std::string>& given) {
  const Failure& failure = count.failure;
  if (failure.file.empty()) return "";
  constexpr std::size_t kNamed = 3;
  std::vector<int> lines(count.lines.begin(), count.lines.end());
  const bool more = lines.size() > kNamed;
  if (more) lines.resize(kNamed);
  return fmt::format("{}, line {}{}{}", failure.file, fmt::join(lines, ", "), more ? " ..." : "",
                     is_of_template(given, failure) ? ", a line of the template" : "");
}

/// The failures of the submissions that count, from as many reports as one answer may read.
struct ReadFailures {
  std::vector<std::pair<std::int64_t, std::shared_ptr<const FailureCache::Lines>>> all;
  std::size_t unread = 0;
};

ReadFailures failures_in(const Service& service, const OwnEntries& own) {
  std::size_t may_read = 60;  // reports; the page reloads itself for the others
  const auto config = service.files.config_of(own.assignment);
  ReadFailures read;
  for (const Entry* const entry : own.all) {
    const auto* const g = counted_in(*entry);
    if (g == nullptr) continue;
    if (auto lines = service.failures->of(service.path, *g, config, may_read))
      read.all.emplace_back(g->standing.submission.id, std::move(lines));
    else
      ++read.unread;
  }
  return read;
}

/// An outcome in the words of the table of outcomes. Findings of a device have only ids.
std::string rule_words(const std::string& rule) {
  const auto* const outcome = std::ranges::find(kOutcomes, rule, &OutcomeWords::id);
  return std::string(outcome == std::end(kOutcomes) ? rule : outcome->text);
}

void add_failures(xml_node main, const Service& service, const OwnEntries& own,
                  const ReadFailures& read) {
  constexpr std::size_t kShown = 15;
  auto section = add_section(main, "What fails most often");
  if (read.unread > 0)
    add(section, "p",
        fmt::format("Of {} of {} reports; the page loads itself again until all are read.",
                    read.all.size(), read.all.size() + read.unread),
        "notice");
  auto counts = count_failures(read.all);
  if (counts.empty()) {
    add(section, "p", "No submission that counts fails a case.");
    return;
  }
  if (counts.size() > kShown) counts.resize(kShown);
  const auto given = files_to_start_from(service, own.assignment);
  HtmlTable table(section, {"Case", "What", "Line", "Submissions", "One of them"},
                  {false, false, false, true, true});
  for (const FailureCount& count : counts) {
    table.begin_row();
    table.cell(count.failure.where);
    table.cell(rule_words(count.failure.rule));
    auto line = table.cell();
    if (!count.failure.code.empty()) add(line, "code", printable_line(count.failure.code, 100));
    if (const auto place = line_text(count, given); !place.empty())
      add(line, "span", (count.failure.code.empty() ? "" : " ") + place, "soft");
    table.cell(fmt::format("{} of {}", count.submissions, read.all.size()));
    link_submission(table.cell(), count.example);
  }
}

void add_missing(xml_node main, const Service& service, const Identity& who,
                 const OwnEntries& own) {
  constexpr std::size_t kNamed = 100;
  std::vector<const Entry*> missing;
  for (const Entry* const entry : own.all)
    if (entry->state == Entry::State::missing) missing.push_back(entry);
  if (missing.empty()) return;
  const bool over = service.now() > own.assignment.deadline;
  auto section = add_section(main, over ? "Missing" : "Not handed in yet");
  add(section, "p", counted_owners(own.assignment, missing.size()) + ":");
  auto names = add(section, "p");
  for (std::size_t i = 0; i < std::min(missing.size(), kNamed); ++i) {
    const auto members = members_of(own, who, *missing[i]);
    if (i > 0) append_text(names, ", ");
    if (members.size() > 1)
      append_text(names, fmt::format("team {} (", members.front()->team_for(own.assignment)));
    for (const auto* const member : members) {
      if (member != members.front()) append_text(names, ", ");
      link_student(names, *member);
    }
    if (members.size() > 1) append_text(names, ")");
  }
  if (missing.size() > kNamed)
    append_text(names, fmt::format(" and {} more", missing.size() - kNamed));
}

void add_extensions(xml_node main, const Identity& who, const OwnEntries& own) {
  auto section = add_section(main, "Extensions");
  const auto& folder = *own.grades->folder;
  std::vector<std::pair<const course::Student*, course::Moment>> extended;
  for (const Entry* const entry : own.all)
    for (const auto* const member : members_of(own, who, *entry))
      if (const auto found = member->extended.find(own.assignment.name);
          found != member->extended.end())
        extended.emplace_back(member, found->second);
  if (extended.empty()) {
    add(section, "p", "None.");
  } else {
    HtmlTable table(section, {"Student", "Until"});
    for (const auto& [student, until] : extended) {
      table.begin_row();
      link_student(table.cell(), *student);
      table.cell(folder.course.zone->text(until));
    }
  }
  if (may(who, "POST", "/staff/extensions"))
    link(add(section, "p"), "Extend the deadline of several students",
         "/staff/extensions?assignment=" + own.assignment.name);
}

}  // namespace

Response staff_assignment(Service& service, const Visit& visit) {
  const std::string of_section = visit.request.parameter("section");
  const auto own = entries_of(service, *visit.who, visit.captured.front(), of_section);
  const ReadFailures failures = failures_in(service, own);
  constexpr int kAgainAfter = 2;  // s
  return page(service, visit.who, heading_of(own.assignment),
              [&](xml_node main) {
                if (visit.who->is_of_whole_course())
                  add_sections(main, own.grades->folder->roster, own.address(), of_section);
                if (own.grades->folder->course.report_for(own.assignment) != nullptr)
                  link(add(main, "p"), "Reports: marks, graders and release",
                       of_a_section("/staff/marking/" + own.assignment.name, of_section));
                add_facts(main, service, *visit.who, own);
                add_hand_ins(main, own);
                add_points(main, *visit.who, own);
                add_outcomes(main, *visit.who, own, of_section);
                add_failures(main, service, own, failures);
                add_missing(main, service, *visit.who, own);
                add_extensions(main, *visit.who, own);
              },
              {.again_after_s = failures.unread > 0 ? kAgainAfter : 0,
               .trail = {{"Class", of_a_section("/staff", of_section)}}});
}

}  // namespace opgrade::service::pages
