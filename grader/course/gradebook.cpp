#include "grader/course/gradebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "grader/app/program_version.hpp"
#include "grader/config/load.hpp"
#include "grader/core/counted.hpp"
#include "grader/course/result_files.hpp"

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

/// The index of the median; of equal values the order decides.
std::size_t median_of(const std::vector<double>& odd) {
  std::vector<std::size_t> order(odd.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return odd[i]; });
  return order[order.size() / 2];
}

GradedSubmission graded(Standing standing, std::vector<Attempt> attempts, const Assignment& a) {
  GradedSubmission g{std::move(standing), std::move(attempts), {}, 0};
  g.result = result_of(g.attempts, a.counts.of);
  if (g.result.earned)
    g.after_late = points_after(a.late, g.standing.late.days, *g.result.earned,
                                g.result.decisive().max_points);
  return g;
}

/// Takes the results into the entry; the reason says how. `time` is asked for submissions of equal
/// points: the smaller one counts, then the first.
void take_results(Entry& entry, const std::function<double(const GradedSubmission&)>& time) {
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    if (!g.standing.graded) continue;
    if (!g.result.earned) {
      ++entry.waiting;
      continue;
    }
    const GradedSubmission* const best = entry.counts ? &entry.submissions[*entry.counts] : nullptr;
    if (best == nullptr || g.after_late > best->after_late ||
        (g.after_late == best->after_late && time(g) < time(*best)))
      entry.counts = i;
  }
  if (entry.submissions.empty()) {
    entry.reason = "no submission";
    return;
  }
  entry.state = entry.waiting > 0 ? Entry::State::open : Entry::State::graded;
  if (entry.waiting > 0) entry.reason = waiting_text(entry);
  if (!entry.counts) {
    if (entry.waiting > 0) return;
    entry.points = 0;
    entry.reason = "no submission was accepted: " + entry.submissions.back().standing.why_not;
    return;
  }
  const GradedSubmission& g = entry.submissions[*entry.counts];
  entry.points = g.after_late;
  const std::string how = points_text(g, *entry.assignment);
  entry.reason = entry.reason.empty() ? how : how + "; " + entry.reason;
}

void take_open_points(Entry& entry, const AssignmentFacts& facts) {
  if (!entry.counts) return;
  double open = 0;
  for (const Attempt& a : entry.submissions[*entry.counts].result.counted)
    open = std::max(open, a.open_points);
  for (const auto& [item, points] : entry.items)
    if (const auto known = facts.items.find(item); known != facts.items.end())
      open -= known->second;
  if (open < 0.005) return;
  entry.state = Entry::State::open;
  entry.undecided = open;
  entry.reason += "; " + undecided_text(entry);
}

}  // namespace

Result result_of(const std::vector<Attempt>& attempts, int of) {
  Result result{.counted = counted_of(attempts, of)};
  const bool rejudged = !result.counted.empty() && result.counted.front().rejudge != 0;
  if (result.counted.empty() || (!rejudged && static_cast<int>(result.counted.size()) < of))
    return result;
  std::vector<double> points;
  for (const Attempt& attempt : result.counted) points.push_back(attempt.points);
  result.decides = median_of(points);
  result.earned = points[result.decides];
  return result;
}

const GradedSubmission* Entry::find(std::int64_t submission) const {
  const auto found = std::ranges::find(
      submissions, submission, [](const GradedSubmission& g) { return g.standing.submission.id; });
  return found == submissions.end() ? nullptr : &*found;
}

bool Entry::is_counted(std::int64_t submission) const {
  return counts && submissions[*counts].standing.submission.id == submission;
}

AssignmentFacts facts_of(const Config& config) {
  AssignmentFacts facts{config.max_points(),
                        {},
                        config.ranking,
                        Rules{sha256_of_text(dump_config(config)), program_version()}};
  for (const auto& stage : config.stages)
    for (const auto& item : stage.open_items) facts.items[item.name] = item.points;
  return facts;
}

Gradebook::Gradebook(const CourseFolder& folder, const Store& store,
                     std::map<std::string, AssignmentFacts> facts, BookOptions options)
    : folder_(folder),
      contenders_(options.contenders != nullptr ? std::move(options.contenders)
                                                : std::make_shared<Contenders>(folder.path)),
      facts_(std::move(facts)),
      submissions_(store.submissions(facts_.size() == 1 ? facts_.begin()->first : "")),
      changes_(store.changes()) {
  const auto take = [&](Attempt& attempt) {
    if (options.as_if_applied != 0 && attempt.rejudge == options.as_if_applied)
      attempt.counts = true;
    attempts_[attempt.submission].push_back(std::move(attempt));
  };
  if (options.owner.empty()) {
    for (auto& attempt : store.attempts()) take(attempt);
  } else {
    std::erase_if(submissions_, [&](const Submission& s) { return s.owner != options.owner; });
    for (const auto& s : submissions_)
      for (auto& attempt : store.attempts(s.id)) take(attempt);
  }
  for (auto& [submission, attempts] : attempts_) std::ranges::sort(attempts, {}, &Attempt::place);
}

const AssignmentFacts& Gradebook::facts(const Assignment& assignment) const& {
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
  take_results(entry, [&](const GradedSubmission& g) {
    if (!known.ranking) return 0.0;
    const Contender who = contenders_->of(g.result.counted, *known.ranking);
    return who.entry == opgrade::Entry::timed ? who.time_ms
                                              : std::numeric_limits<double>::infinity();
  });

  for (const Change& change : changes_) {
    if (change.student != student.login || change.assignment != assignment.name) continue;
    entry.changes.push_back(change);
    if (change.kind == Change::Kind::item) {
      if (change.points)
        entry.items[change.item] = *change.points;
      else
        entry.items.erase(change.item);
    } else {
      entry.decided = change.kind == Change::Kind::none ? std::nullopt : std::optional(change);
    }
  }
  take_open_points(entry, known);
  for (const auto& [item, points] : entry.items) {
    entry.points = entry.points.value_or(0) + points;
    entry.reason += fmt::format("; {} for {}", points_text(points), item);
    if (entry.state == Entry::State::missing) entry.state = Entry::State::graded;
  }
  if (entry.counts) {
    const Attempt& decisive = entry.submissions[*entry.counts].result.decisive();
    entry.maximum = decisive.max_points;
    if (known.rules && !entry.decided) {
      const RulesChange change = change_between(rules_of(decisive), *known.rules);
      entry.graded_by = change_text(rules_of(decisive), *known.rules);
      entry.outdated = change.may_move_points();
      // A release concerns whole assignments, and is no part of a grade's reason.
      if (change.config || change.task) entry.reason += "; " + entry.graded_by;
    }
  }
  if (entry.decided) {
    const bool excused = entry.decided->kind == Change::Kind::excused;
    entry.state = excused ? Entry::State::excused : Entry::State::graded;
    entry.points = excused ? std::nullopt : entry.decided->points;
    entry.reason = fmt::format("{} by {}: {}", excused ? "excused" : "set", entry.decided->who,
                               entry.decided->reason);
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

Contender Gradebook::contender(const Entry& entry, const std::string& owner,
                               const RankingConfig& rule) const {
  Contender who;
  if (entry.counts) {
    who = contenders_->of(entry.submissions[*entry.counts].result.counted, rule);
  } else if (std::ranges::any_of(entry.submissions,
                                 [](const auto& g) { return g.standing.graded; })) {
    who.entry = opgrade::Entry::open;
    who.reason = waiting_text(entry);
  }
  who.name = owner;
  return who;
}

std::vector<Ranked> Gradebook::ranking(const Assignment& assignment) const {
  const RankingConfig& rule = facts(assignment).ranking.value();
  std::vector<Contender> all;
  for (const Owner& owner : folder_.roster.owners(assignment))
    all.push_back(contender(entry(*owner.members.front(), assignment), owner.key, rule));
  return rank_class(std::move(all), rule);
}

std::vector<std::string> outdated_grades(const CourseFolder& folder, const Gradebook& book,
                                         const Assignment& assignment,
                                         const std::string& config_text) {
  struct Group {
    std::int64_t grades = 0;
    bool outdated = false;
    std::string config_sha256;
  };
  std::map<std::string, Group> groups;  // by what differs
  for (const Student& student : folder.roster.students) {
    const Entry entry = book.entry(student, assignment);
    if (entry.graded_by.empty()) continue;
    groups[entry.graded_by] = {groups[entry.graded_by].grades + 1, entry.outdated,
                               entry.submissions[*entry.counts].result.decisive().config_sha256};
  }
  std::vector<std::string> lines;
  for (const auto& [graded_by, group] : groups) {
    lines.push_back(fmt::format("{} {}{}", counted(group.grades, "grade"), graded_by,
                                group.outdated ? "" : ": the same release, which moves no points"));
    if (sha256_of_text(config_text) == group.config_sha256) continue;
    const std::string before = kept_config(folder.path, group.config_sha256);
    if (before.empty())
      lines.push_back("  the text of that config was not kept");
    else
      for (const auto& line : changed_keys(before, config_text)) lines.push_back("  " + line);
  }
  return lines;
}

std::string_view name_of(Entry::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string grade_text(const Entry& entry) {
  const std::string state(name_of(entry.state));
  if (!entry.points) return state;
  const std::string points =
      fmt::format("{} of {}", points_text(*entry.points), points_text(entry.maximum));
  return entry.state == Entry::State::graded ? points : points + ", " + state;
}

std::string waiting_text(const Entry& entry) {
  return counted(static_cast<std::int64_t>(entry.waiting), "submission is", "submissions are") +
         " not graded yet";
}

std::string undecided_text(const Entry& entry) {
  const std::string points = points_text(entry.undecided);
  return fmt::format("{} {} not decided", points, points == "1" ? "point is" : "points are");
}

std::string points_text(const GradedSubmission& g, const Assignment& assignment) {
  if (!g.result.earned) return "";
  const std::string price = price_text(assignment.late, g.standing.late.days);
  return fmt::format("{} of {}{}{}", points_text(*g.result.earned),
                     points_text(g.result.decisive().max_points), price.empty() ? "" : ", ", price);
}

bool is_unlikely(double points, double maximum) { return points > 20 * maximum; }

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", std::round(points * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace opgrade::course
