#include "grader/course/gradebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grader/core/counted.hpp"

namespace opgrade::course {
namespace {

constexpr std::array<std::string_view, 4> kStates{"graded", "open", "missing", "excused"};

/// The last n gradings by the config and program of the last one. Where that is of a rejudge, all
/// of this rejudge.
std::vector<Attempt> counted_of(const std::vector<Attempt>& attempts, int n) {
  std::vector<Attempt> counted;
  for (auto a = attempts.rbegin(); a != attempts.rend(); ++a) {
    if (a->outcome == Outcome::grader_fault || !a->counts) continue;
    const bool same = counted.empty() || (a->config_sha256 == counted.front().config_sha256 &&
                                          a->version == counted.front().version);
    const std::int64_t rejudge = counted.empty() ? a->rejudge : counted.front().rejudge;
    if (rejudge != 0 ? a->rejudge == rejudge : same && static_cast<int>(counted.size()) < n)
      counted.push_back(*a);
  }
  std::ranges::reverse(counted);
  return counted;
}

double median(std::vector<double> odd) {
  const auto middle = odd.begin() + static_cast<std::ptrdiff_t>(odd.size() / 2);
  std::ranges::nth_element(odd, middle);
  return *middle;
}

GradedSubmission graded(Standing standing, std::vector<Attempt> attempts, const Assignment& a) {
  GradedSubmission g{std::move(standing), std::move(attempts), {}, std::nullopt, 0};
  g.counted = counted_of(g.attempts, a.counts.of);
  const bool rejudged = !g.counted.empty() && g.counted.front().rejudge != 0;
  if (g.counted.empty() || (!rejudged && static_cast<int>(g.counted.size()) < a.counts.of))
    return g;
  std::vector<double> points;
  for (const Attempt& attempt : g.counted) points.push_back(attempt.points);
  g.earned = median(std::move(points));
  g.after_late = points_after(a.late, g.standing.late.days, *g.earned, g.counted.back().max_points);
  return g;
}

/// Takes the results into the entry; the reason says how.
void take_results(Entry& entry) {
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    if (!g.standing.graded) continue;
    if (!g.earned) {
      ++waiting;
    } else if (!entry.counts || g.after_late > entry.submissions[*entry.counts].after_late) {
      entry.counts = i;
    }
  }
  if (entry.submissions.empty()) {
    entry.reason = "no submission";
    return;
  }
  entry.state = waiting > 0 ? Entry::State::open : Entry::State::graded;
  if (waiting > 0)
    entry.reason = counted(waiting, "submission is", "submissions are") + " not graded yet";
  if (!entry.counts) {
    if (waiting > 0) return;
    entry.points = 0;
    entry.reason = "no submission was accepted: " + entry.submissions.back().standing.why_not;
    return;
  }
  const GradedSubmission& g = entry.submissions[*entry.counts];
  entry.points = g.after_late;
  std::string how =
      fmt::format("{} of {}", points_text(*g.earned), points_text(g.counted.back().max_points));
  const std::string price = price_text(entry.assignment->late, g.standing.late.days);
  if (!price.empty()) how += ", " + price;
  entry.reason = entry.reason.empty() ? how : how + "; " + entry.reason;
}

void take_open_points(Entry& entry, const AssignmentFacts& facts) {
  if (!entry.counts) return;
  double open = 0;
  for (const Attempt& a : entry.submissions[*entry.counts].counted)
    open = std::max(open, a.open_points);
  for (const auto& [item, points] : entry.items)
    if (const auto known = facts.items.find(item); known != facts.items.end())
      open -= known->second;
  if (open < 0.005) return;
  entry.state = Entry::State::open;
  entry.reason += fmt::format("; {} {} not decided", points_text(open),
                              points_text(open) == "1" ? "point is" : "points are");
}

}  // namespace

Gradebook::Gradebook(const CourseFolder& folder, const Store& store,
                     std::map<std::string, AssignmentFacts> facts, std::int64_t as_if_applied)
    : folder_(folder),
      facts_(std::move(facts)),
      submissions_(store.submissions()),
      changes_(store.changes()) {
  for (auto& attempt : store.attempts()) {
    if (as_if_applied != 0 && attempt.rejudge == as_if_applied) attempt.counts = true;
    attempts_[attempt.submission].push_back(std::move(attempt));
  }
  for (auto& [submission, attempts] : attempts_) std::ranges::sort(attempts, {}, &Attempt::place);
}

const AssignmentFacts& Gradebook::facts(const Assignment& assignment) const {
  return facts_.at(assignment.name);
}

Entry Gradebook::entry(const Student& student, const Assignment& assignment) const {
  const AssignmentFacts& known = facts(assignment);
  const Owner owner = folder_.roster.owner_of(student, assignment);
  Entry entry{.student = &student, .assignment = &assignment};
  entry.maximum = known.maximum;
  entry.due = due_of(owner, assignment);
  std::vector<const Submission*> own;
  for (const auto& s : submissions_)
    if (s.assignment == assignment.name && s.owner == owner.key) own.push_back(&s);
  for (auto& standing : standings(folder_.course, assignment, owner, std::move(own))) {
    const auto found = attempts_.find(standing.submission.id);
    entry.submissions.push_back(
        graded(std::move(standing),
               found == attempts_.end() ? std::vector<Attempt>{} : found->second, assignment));
  }
  take_results(entry);

  const Change* decided = nullptr;  // the last one that sets, excuses or takes back
  for (const Change& change : changes_) {
    if (change.student != student.login || change.assignment != assignment.name) continue;
    entry.changes.push_back(change);
    if (change.kind == Change::Kind::item) {
      if (change.points)
        entry.items[change.item] = *change.points;
      else
        entry.items.erase(change.item);
    } else {
      decided = &change;
    }
  }
  take_open_points(entry, known);
  for (const auto& [item, points] : entry.items) {
    entry.points = entry.points.value_or(0) + points;
    entry.reason += fmt::format("; {} for {}", points_text(points), item);
    if (entry.state == Entry::State::missing) entry.state = Entry::State::graded;
  }
  if (decided != nullptr && decided->kind != Change::Kind::none) {
    const bool excused = decided->kind == Change::Kind::excused;
    entry.state = excused ? Entry::State::excused : Entry::State::graded;
    entry.points = excused ? std::nullopt : decided->points;
    entry.reason =
        fmt::format("{} by {}: {}", excused ? "excused" : "set", decided->who, decided->reason);
  }
  return entry;
}

std::vector<Entry> Gradebook::entries() const {
  std::vector<Entry> all;
  for (const Student& student : folder_.roster.students)
    for (const Assignment& assignment : folder_.course.assignments)
      all.push_back(entry(student, assignment));
  return all;
}

std::string_view name_of(Entry::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", std::round(points * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace opgrade::course
