#include "grader/course/gradebook/gradebook.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::course {
namespace {

constexpr std::array<std::string_view, 5> kStates{"graded", "open", "missing", "excused", "held"};

/// The last n gradings with the config and program of the last one. If the last one belongs to a
/// rejudge: all gradings of this rejudge.
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

/// The index of the median. Equal values keep their order.
std::size_t median_of(const std::vector<double>& odd) {
  std::vector<std::size_t> order(odd.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return odd[i]; });
  return order[order.size() / 2];
}

GradedSubmission graded(Standing standing, std::vector<Attempt> attempts, const Assignment& a,
                        const std::optional<Rules>& now) {
  GradedSubmission g{std::move(standing), std::move(attempts), {}, 0};
  if (g.standing.late.days > 0)
    for (Attempt& attempt : g.attempts)
      attempt.points = attempt.late_points.value_or(attempt.points);
  g.result = result_of(g.attempts, a.counts.of, now);
  if (g.result.earned)
    g.after_late = points_after(a.late, g.standing.late.days, *g.result.earned,
                                g.result.decisive().max_points);
  return g;
}

/// Compares the shares of the maximum, because gradings by different rules may have different
/// maxima.
std::partial_ordering compare_points(const GradedSubmission& a, const GradedSubmission& b) {
  const double of_a = a.result.decisive().max_points, of_b = b.result.decisive().max_points;
  if (same_maximum(of_a, of_b)) return a.after_late <=> b.after_late;
  return a.after_late * of_b <=> b.after_late * of_a;
}

/// Puts the results into the entry, with the reason. If two submissions have equal points, the one
/// with the smaller `time` counts, then the first.
void take_results(Entry& entry, const std::function<double(const GradedSubmission&)>& time) {
  for (std::size_t i = 0; i < entry.submissions.size(); ++i) {
    const GradedSubmission& g = entry.submissions[i];
    if (!g.standing.graded) continue;
    if (!g.result.earned) {
      ++entry.waiting;
      continue;
    }
    const GradedSubmission* const best = entry.counts ? &entry.submissions[*entry.counts] : nullptr;
    const auto order = best == nullptr ? std::partial_ordering::greater : compare_points(g, *best);
    if (order > 0 || (order == 0 && time(g) < time(*best))) entry.counts = i;
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

/// Marks points that were not given by the current rules. One submission graded by other rules is
/// enough, because the best of several submissions is chosen. Returns whether the mark belongs into
/// the grade's reason: a change of opgrade's release does not, because it concerns whole
/// assignments.
bool mark_gradings(Entry& entry, const Rules& now) {
  bool of_this_grade = false;
  const auto mark = [&](const GradedSubmission& g) {
    const Rules then = rules_of(g.result.decisive());
    const RulesChange change = change_between(then, now);
    entry.graded_by = change_text(then, now);
    entry.graded_by_config = then.config_sha256;
    entry.outdated = change.may_move_points();
    of_this_grade = change.config || change.task;
  };
  mark(entry.submissions[*entry.counts]);
  for (const GradedSubmission& g : entry.submissions)
    if (!entry.outdated && g.standing.graded && g.result.earned &&
        change_between(rules_of(g.result.decisive()), now).may_move_points())
      mark(g);
  return of_this_grade;
}

/// Sets the maximum for which staff set their points, and marks the entry if the maximum `now` is
/// another one.
void take_maximum(Entry& entry, const Change& set, std::optional<double> now) {
  entry.maximum = set.maximum.value_or(entry.maximum);
  if (!now || (set.maximum && same_maximum(*set.maximum, *now))) return;
  entry.outdated = true;
  entry.graded_by = fmt::format("set as {} of {}, now of {}", points_text(*set.points),
                                set.maximum ? points_text(*set.maximum) : "an unknown maximum",
                                points_text(*now));
}

}  // namespace

Result result_of(const std::vector<Attempt>& attempts, int of, const std::optional<Rules>& now) {
  Result result{.counted = counted_of(attempts, of)};
  if (result.counted.empty()) return result;
  const Attempt& one = result.counted.front();
  const auto made = static_cast<int>(result.counted.size());
  const auto is_of_before = [&] {
    return made % 2 == 1 && now && change_between(rules_of(one), *now).may_move_points();
  };
  const bool done = one.rejudge != 0 || made >= of || is_of_before();
  if (!done) return result;
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

namespace {

/// Removes the marks of a document if staff have not released them.
Entry without_marks(Entry entry) {
  if (!entry.report || entry.report->released) return entry;
  ReportEntry& report = *entry.report;
  // Points that staff set for the whole assignment stay visible.
  if (!entry.decided && report.is_marked()) {
    entry.undecided += report.rubric->maximum();
    entry.points = entry.points.value_or(0) - report.after_late;
    if (!entry.counts && entry.items.empty() && entry.submissions.empty()) entry.points.reset();
    entry.state = Entry::State::open;
    entry.reason = "the marks of the report are not released yet";
  }
  hide_marks(report);
  return entry;
}

}  // namespace

Entry as_students_see(Entry entry) {
  if (entry.assignment->released) return without_marks(std::move(entry));
  Entry shown{.student = entry.student,
              .assignment = entry.assignment,
              .state = Entry::State::held,
              .maximum = entry.maximum,
              .reason = "the grades are not released yet",
              .due = entry.due};
  for (GradedSubmission& g : entry.submissions)
    shown.submissions.push_back({std::move(g.standing)});
  if (entry.report) {
    shown.report = std::move(entry.report);
    shown.report->released = false;
    hide_marks(*shown.report);
  }
  return shown;
}

Contender Contenders::of(const Attempt& attempt, const RankingConfig& rule) {
  // The key has all that contender_of() reads from the rule.
  const std::pair key{attempt.result, fmt::format("{}\n{}\n{}\n{}", rule.stage, rule.model,
                                                  rule.batch, static_cast<int>(rule.take))};
  {
    const std::scoped_lock lock(guard_);
    if (const auto* const found = known_.find(key)) return *found;
  }
  const auto grade = read_result((folder_ / attempt.result).parent_path());
  if (!grade)
    return {.name = "",
            .entry = opgrade::Entry::open,
            .reason = text_reason("its report cannot be read; opgrade course verify says why")};
  Contender who = contender_of(*grade, rule);
  who.name.clear();
  const std::scoped_lock lock(guard_);
  return known_.add(key, std::move(who));
}

std::size_t Contenders::size() const {
  const std::scoped_lock lock(guard_);
  return known_.size();
}

Contender Contenders::of(const std::vector<Attempt>& counted, const RankingConfig& rule) {
  std::vector<Contender> all;
  for (const Attempt& attempt : counted) all.push_back(of(attempt, rule));
  std::ranges::stable_sort(all, {}, [](const Contender& c) {
    return c.entry == opgrade::Entry::timed ? c.time_ms : std::numeric_limits<double>::infinity();
  });
  return all.at(all.size() / 2);
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

Regraded regraded_by(const std::vector<Attempt>& attempts, std::int64_t rejudge, int of) {
  std::vector<Attempt> before, after;
  const auto first = std::ranges::find(attempts, rejudge, &Attempt::rejudge);
  for (const Attempt& attempt : attempts) {
    const bool own = attempt.rejudge == rejudge;
    const bool earlier = first != attempts.end() && attempt.place < first->place && attempt.counts;
    if (earlier && !own) before.push_back(attempt);
    if (own || earlier) after.push_back(attempt);
  }
  return {result_of(before, of), result_of(after, of)};
}

std::string Regraded::text() const {
  if (!before.earned || !after.earned) return "";
  const auto points = [](const Result& result) {
    return fmt::format("{} of {}", points_text(*result.earned),
                       points_text(result.decisive().max_points));
  };
  const std::string was = points(before), is = points(after);
  return was == is ? "" : fmt::format("{} became {}", was, is);
}

Gradebook::Gradebook(const CourseFolder& folder, const Store& store,
                     std::map<std::string, AssignmentFacts> facts, BookOptions options)
    : folder_(folder),
      now_(options.now),
      contenders_(options.contenders != nullptr ? std::move(options.contenders)
                                                : std::make_shared<Contenders>(folder.path)),
      facts_(std::move(facts)),
      unfinished_(store.unfinished()),
      removed_(store.removed_times()) {
  for (const Rejudge& rejudge : store.rejudges()) {
    if (rejudge.state != Rejudge::State::applied) continue;
    applied_.emplace(rejudge.id, rejudge);
    if (rejudge.filter == kFinalTiming) finals_.insert(rejudge.id);
  }
  for (auto& change : store.changes(options.only == nullptr ? "" : options.only->login))
    changes_[{change.student, change.assignment}].push_back(std::move(change));
  for (auto& [name, known] : facts_) {
    const Assignment* const documents = folder.course.report_for(*folder.course.find(name));
    if (documents == nullptr) continue;
    const auto& book = reports_.emplace(name, report_book(folder, store, *documents)).first->second;
    known.maximum += book.rubric->maximum();
  }
  const auto take = [&](Attempt& attempt) {
    if (options.as_if_applied != 0 && attempt.rejudge == options.as_if_applied)
      attempt.counts = true;
    attempts_[attempt.submission].push_back(std::move(attempt));
  };
  if (options.only == nullptr) {
    const bool of_one = facts_.size() == 1 && folder.course.slip_days == 0;
    for (auto& s : store.submissions(of_one ? facts_.begin()->first : ""))
      submissions_[{s.assignment, s.owner}].push_back(std::move(s));
    if (of_one)
      for (const auto& [name, book] : reports_)
        for (auto& s : store.submissions(book.documents->name))
          submissions_[{s.assignment, s.owner}].push_back(std::move(s));
    if (facts_.size() == 1)
      for (auto& [submission, attempts] : store.attempts_of(facts_.begin()->first))
        for (auto& attempt : attempts) take(attempt);
    else
      for (auto& attempt : store.attempts()) take(attempt);
  } else {
    for (const auto& [name, unused] : facts_) {
      const Owner owner = folder.roster.owner_of(*options.only, *folder.course.find(name));
      auto& own = submissions_[{name, owner.key}] = store.submissions(name, owner.key);
      for (const auto& s : own)
        for (auto& attempt : store.attempts(s.id)) take(attempt);
      if (const auto report = reports_.find(name); report != reports_.end()) {
        const std::string& documents = report->second.documents->name;
        submissions_[{documents, owner.key}] = store.submissions(documents, owner.key);
      }
    }
  }
  for (auto& [submission, attempts] : attempts_) std::ranges::sort(attempts, {}, &Attempt::place);
  DueDates due(folder, store, [&](const std::string& assignment, const std::string& owner) {
    return options.only == nullptr ? submissions_[{assignment, owner}]
                                   : store.submissions(assignment, owner);
  });
  for (const auto& [name, unused] : facts_) {
    const Assignment& a = *folder.course.find(name);
    const auto owners = options.only == nullptr
                            ? folder.roster.owners(a)
                            : std::vector{folder.roster.owner_of(*options.only, a)};
    const auto report = reports_.find(name);
    for (const Owner& owner : owners) {
      due_[{name, owner.key}] = due.of(owner, a);
      if (report != reports_.end()) {
        const Assignment& documents = *report->second.documents;
        due_[{documents.name, owner.key}] = due.of(owner, documents);
      }
    }
  }
}

const AssignmentFacts& Gradebook::facts(const Assignment& assignment) const& {
  return facts_.at(assignment.name);
}

void Gradebook::take_report(Entry& entry, const std::string& owner) const {
  const auto book = reports_.find(entry.assignment->name);
  if (book == reports_.end()) return;
  const std::pair key{book->second.documents->name, owner};
  std::vector<const Submission*> own;
  if (const auto found = submissions_.find(key); found != submissions_.end())
    for (const Submission& s : found->second) own.push_back(&s);
  entry.report = report_entry(folder_.course, book->second, due_.at(key), std::move(own), now_);
  const ReportEntry& report = *entry.report;
  entry.reason += "; report: " + report_text(report);
  if (report.awaited && entry.state != Entry::State::missing) {
    entry.undecided += report.rubric->maximum();
    entry.state = Entry::State::open;
  }
  if (!report.counts) return;
  if (report.is_marked()) {
    entry.points = entry.points.value_or(0) + report.after_late;
    if (entry.state == Entry::State::missing && now_ <= entry.due.deadline) {
      // The student may still hand in code.
      entry.undecided += entry.maximum - report.rubric->maximum();
      entry.state = Entry::State::open;
    } else if (entry.state == Entry::State::missing) {
      entry.state = Entry::State::graded;
    }
  } else {
    entry.undecided += report.rubric->maximum();
    entry.state = Entry::State::open;
  }
}

Entry Gradebook::entry(const Student& student, const Assignment& assignment) const {
  const AssignmentFacts& known = facts(assignment);
  const Owner owner = folder_.roster.owner_of(student, assignment);
  Entry entry{.student = &student, .assignment = &assignment};
  entry.maximum = known.maximum;
  entry.due = due_.at({assignment.name, owner.key});
  if (const auto found = changes_.find({student.login, assignment.name}); found != changes_.end())
    entry.changes = found->second;
  std::vector<const Submission*> own;
  if (const auto found = submissions_.find({assignment.name, owner.key});
      found != submissions_.end())
    for (const auto& s : found->second) own.push_back(&s);
  std::optional<std::int64_t> chosen;
  if (const Change* const change = choice_of_staff(entry.changes);
      change != nullptr && std::ranges::any_of(own, [&](const Submission* one) {
        return is_choice(*one, change->submission);
      })) {
    entry.chosen = *change;
    chosen = change->submission;
  }
  for (auto& standing : standings(folder_.course, assignment, entry.due, std::move(own), chosen)) {
    const auto found = attempts_.find(standing.submission.id);
    const bool is_finished = !unfinished_.contains(standing.submission.id);
    entry.submissions.push_back(graded(
        std::move(standing), found == attempts_.end() ? std::vector<Attempt>{} : found->second,
        assignment, is_finished ? known.rules : std::nullopt));
    auto& rejudged = entry.submissions.back().rejudged;
    for (const Attempt& attempt : entry.submissions.back().attempts)
      if (const auto by = applied_.find(attempt.rejudge);
          by != applied_.end() &&
          std::ranges::find(rejudged, by->first, &Rejudge::id) == rejudged.end())
        rejudged.push_back(by->second);
    std::ranges::stable_sort(rejudged, {}, &Rejudge::decided_at);
  }
  take_results(entry, [&](const GradedSubmission& g) {
    if (!known.ranking) return 0.0;
    const Contender who = contenders_->of(g.result.counted, *known.ranking);
    return who.entry == opgrade::Entry::timed ? who.time_ms
                                              : std::numeric_limits<double>::infinity();
  });

  const Change* items_set = nullptr;
  for (const Change& change : entry.changes) {
    if (change.kind == Change::Kind::item) {
      if (change.points)
        entry.items[change.item] = *change.points;
      else
        entry.items.erase(change.item);
      if (change.points) items_set = &change;
    } else if (change.kind != Change::Kind::counts) {
      entry.decided = change.kind == Change::Kind::none ? std::nullopt : std::optional(change);
    }
  }
  take_open_points(entry, known);
  for (const auto& [item, points] : entry.items) {
    entry.points = entry.points.value_or(0) + points;
    entry.reason += fmt::format("; {} for {}", points_text(points), item);
    if (entry.state == Entry::State::missing) entry.state = Entry::State::graded;
  }
  take_report(entry, owner.key);
  if (entry.counts)
    entry.maximum = entry.submissions[*entry.counts].result.decisive().max_points +
                    (entry.report ? entry.report->rubric->maximum() : 0);
  bool of_this_grade = true;
  const auto maximum_now = known.rules ? std::optional(known.maximum) : std::nullopt;
  if (entry.decided) {
    const bool excused = entry.decided->kind == Change::Kind::excused;
    entry.state = excused ? Entry::State::excused : Entry::State::graded;
    entry.points = entry.decided->points;
    entry.reason = fmt::format("{} by {}: {}", excused ? "excused" : "set", entry.decided->who,
                               entry.decided->reason);
    if (entry.points) take_maximum(entry, *entry.decided, maximum_now);
  } else if (entry.counts) {
    of_this_grade = known.rules && mark_gradings(entry, *known.rules);
  } else if (!entry.items.empty()) {
    take_maximum(entry, *items_set, maximum_now);
  }
  if (entry.outdated && of_this_grade) entry.reason += "; " + entry.graded_by;
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
    const auto& counted = entry.submissions[*entry.counts].result.counted;
    who = contenders_->of(counted, rule);
    who.provisional = !finals_.contains(counted.front().rejudge);
  } else if (std::ranges::any_of(entry.submissions,
                                 [](const auto& g) { return g.standing.graded; })) {
    who.entry = opgrade::Entry::open;
    who.reason = text_reason(waiting_text(entry));
  }
  who.name = owner;
  return who;
}

std::vector<Ranked> Gradebook::ranking(const Assignment& assignment) const {
  const RankingConfig& rule = facts(assignment).ranking.value();
  std::vector<Contender> all;
  for (const Owner& owner : folder_.roster.owners(assignment))
    all.push_back(contender(entry(*owner.members.front(), assignment), owner.key, rule));
  for (const auto& removed : removed_)
    if (removed.assignment == assignment.name)
      all.push_back({removed.name, opgrade::Entry::timed, removed.time_ms, {}});
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
  std::map<std::string, Group> groups;  // by the difference of the rules
  for (const Student& student : folder.roster.students) {
    const Entry entry = book.entry(student, assignment);
    if (entry.graded_by.empty()) continue;
    groups[entry.graded_by] = {groups[entry.graded_by].grades + 1, entry.outdated,
                               entry.graded_by_config};
  }
  std::vector<std::string> lines;
  for (const auto& [graded_by, group] : groups) {
    const bool by_hand = group.config_sha256.empty();
    lines.push_back(fmt::format("{} {}{}", counted(group.grades, "grade"), graded_by,
                                by_hand          ? ": staff repeat opgrade course set"
                                : group.outdated ? ""
                                                 : ": the same release, which moves no points"));
    if (by_hand || sha256_of_text(config_text) == group.config_sha256) continue;
    const std::string before = kept_config(folder.path, group.config_sha256);
    if (before.empty())
      lines.push_back("  the text of that config was not kept");
    else
      for (const auto& line : changed_keys(before, config_text)) lines.push_back("  " + line);
    const auto now = kept_tasks(folder.path, config_text);
    for (const auto& task : kept_tasks(folder.path, before))
      if (std::ranges::find(now, task) == now.end())
        lines.push_back(fmt::format("  opgrade task diff {} FOLDER lists what changed in the task",
                                    task.string()));
  }
  return lines;
}

std::string_view name_of(Entry::State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string_view state_text(const Entry& entry, Moment now) {
  const bool is_awaited = entry.state == Entry::State::missing && now <= entry.last_deadline();
  return is_awaited ? "not handed in yet" : name_of(entry.state);
}

std::string grade_text(const Entry& entry, Moment now) {
  const std::string state(state_text(entry, now));
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
  const auto& late = g.standing.late;
  const std::string price = price_text(assignment.late, late.days);
  const bool by_late_table = late.days > 0 && g.result.decisive().late_points;
  return fmt::format("{} of {}{}{}{}{}", points_text(*g.result.earned),
                     points_text(g.result.decisive().max_points),
                     by_late_table ? ", by the points of late work" : "", price.empty() ? "" : ", ",
                     price, late.slip_days > 0 ? ", " + counted(late.slip_days, "slip day") : "");
}

bool same_maximum(double a, double b) { return std::abs(a - b) < 1e-6; }

namespace {
/// The most points that a ranking adds to the maximum.
double most_points(const RankingConfig& ranking) {
  double most = ranking.points;
  for (const auto& step : ranking.steps) most = std::max(most, step.points);
  return most + ranking.bonus_points;
}
}  // namespace

void take_points(Change& change, const std::string& text, const AssignmentFacts& facts, bool sure) {
  const auto item = facts.items.find(change.item);
  const bool of_item = change.kind == Change::Kind::item;
  if (of_item && item == facts.items.end())
    throw UsageError(
        fmt::format("{} has no open item '{}'", change.assignment, change.item),
        facts.items.empty()
            ? "its config has none; add open_items to it"
            : fmt::format("its open items are {}", fmt::join(std::views::keys(facts.items), ", ")));
  if (change.kind != Change::Kind::points && (!of_item || text.empty())) return;
  change.points = parse_number(text);
  change.maximum = facts.maximum;
  const double most = of_item ? item->second : std::numeric_limits<double>::max();
  if (!change.points || !(*change.points >= 0 && *change.points <= most))
    throw UsageError(
        of_item ? fmt::format("points of {} are a number from 0 to {:g}", change.item, most)
                : "points are a number of at least 0",
        "write a number such as 72.5");
  // A bonus that the config promises is no mistake.
  const double bonus = facts.ranking ? most_points(*facts.ranking) : 0;
  if (!of_item && !sure && *change.points > facts.maximum + bonus)
    throw UnusualPoints(
        fmt::format("{} points are more than the maximum of {}{}", text, points_text(facts.maximum),
                    bonus > 0 ? fmt::format(" and {} of bonus", points_text(bonus)) : ""),
        "correct them, or add --yes if it is meant; nothing was changed");
}

std::string points_text(double points) {
  std::string text = fmt::format("{:.2f}", std::round(points * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace opgrade::course
