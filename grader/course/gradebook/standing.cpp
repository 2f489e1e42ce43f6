#include "grader/course/gradebook/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opgrade::course {

bool is_choice(const Submission& submission, std::optional<std::int64_t> chosen) {
  return submission.id == chosen && !submission.withdrawn;
}

std::vector<Standing> standings(const Course& course, const Assignment& assignment, const Due& due,
                                std::vector<const Submission*> submissions,
                                std::optional<std::int64_t> chosen) {
  // The service checks the limit when it accepts a submission, and does not count grader faults.
  const auto is_free = [](const Submission& s) {
    return s.limited || s.withdrawn || !s.not_gradable.empty();
  };
  std::vector<Moment> times;
  for (const Submission* s : submissions)
    if (!is_free(*s)) times.push_back(s->handed_in);
  const auto limited = within_daily_limit(*course.zone, times, assignment.attempts_a_day);
  std::vector<bool> within;
  for (std::size_t i = 0, counted = 0; i < submissions.size(); ++i)
    within.push_back(is_free(*submissions[i]) || limited[counted++]);
  std::vector<Standing> all;
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    Standing standing{.submission = *submissions[i],
                      .late = lateness(*course.zone, due, submissions[i]->handed_in)};
    if (submissions[i]->withdrawn) {
      standing.why_not = "taken back before it was graded";
    } else if (!standing.late.accepted) {
      standing.why_not = fmt::format("handed in after {}, the last moment that is accepted",
                                     course.zone->text(last_moment(*course.zone, due)));
    } else if (!within[i]) {
      standing.why_not = fmt::format("more than {} that day", assignment.attempts_a_day);
    } else {
      standing.accepted = standing.graded = true;
    }
    all.push_back(std::move(standing));
  }
  const auto is_chosen = [&](const Standing& s) { return is_choice(s.submission, chosen); };
  if (std::ranges::any_of(all, is_chosen)) {
    for (Standing& standing : all) {
      if (!is_chosen(standing) && standing.graded)
        standing.why_not = fmt::format("staff chose submission {}", *chosen);
      if (is_chosen(standing)) {
        standing.why_not.clear();
        standing.accepted = true;
        // The late days of the chosen submission are charged. If it has none, its lateness is shown
        // without the grace period.
        if (standing.late.days + standing.late.slip_days > 0) standing.late.accepted = true;
      }
      standing.graded = is_chosen(standing);
    }
    return all;
  }
  const auto can_count = [](const Standing& s) {
    return s.graded && s.submission.not_gradable.empty();
  };
  if (std::ranges::any_of(all, can_count)) {
    for (Standing& standing : all) {
      if (!standing.graded || can_count(standing)) continue;
      standing.graded = false;
      standing.why_not = "not gradable: " + standing.submission.not_gradable;
    }
  }
  if (assignment.counts.which == Counting::Which::best) return all;
  bool later = false;
  for (auto standing = all.rbegin(); standing != all.rend(); ++standing) {
    if (!standing->graded) continue;
    if (later) {
      standing->graded = false;
      standing->why_not = "a later submission counts";
    }
    later = true;
  }
  return all;
}

int slip_days_used(const std::vector<const Standing*>& standings,
                   std::optional<std::int64_t> chosen) {
  int most = 0;
  for (const Standing* const s : standings) {
    if (is_choice(s->submission, chosen)) return s->late.slip_days;
    if (s->accepted && s->submission.not_gradable.empty()) most = std::max(most, s->late.slip_days);
  }
  return most;
}

bool uses_slip_days_earlier(const Assignment& one, const Assignment& other) {
  return std::pair(one.deadline, one.name) < std::pair(other.deadline, other.name);
}

DueDates::DueDates(const CourseFolder& folder, const Store& store)
    : DueDates(folder, store, [&store](const std::string& assignment, const std::string& owner) {
        return store.submissions(assignment, owner);
      }) {}

std::optional<std::int64_t> DueDates::choice_for(const Student& student,
                                                 const Assignment& assignment) {
  if (!choices_) choices_ = store_.choices();
  const auto found = choices_->find({student.login, assignment.name});
  return found == choices_->end() ? std::nullopt : std::optional(found->second);
}

int DueDates::used(const Student& student, const Assignment& assignment) {
  if (const auto known = used_.find({assignment.name, student.login}); known != used_.end())
    return known->second;
  const Owner owner = folder_.roster.owner_of(student, assignment);
  const auto submissions = find_(assignment.name, owner.key);
  std::vector<const Submission*> all;
  for (const Submission& s : submissions) all.push_back(&s);
  const auto found = standings(folder_.course, assignment, of(owner, assignment), all);
  std::vector<const Standing*> own;
  for (const Standing& s : found) own.push_back(&s);
  return used_[{assignment.name, student.login}] =
             slip_days_used(own, choice_for(student, assignment));
}

Due DueDates::of(const Owner& owner, const Assignment& assignment) {
  Due due = due_of(owner, assignment);
  // Slip days are for code; a document has a late rule of its own.
  due.slip_days = assignment.report_of.empty() ? folder_.course.slip_days : 0;
  if (due.slip_days == 0) return due;
  for (const Student* const member : owner.members) {
    int left = folder_.course.slip_days;
    for (const Assignment& other : folder_.course.assignments)
      if (uses_slip_days_earlier(other, assignment)) left -= used(*member, other);
    due.slip_days = std::clamp(left, 0, due.slip_days);
  }
  return due;
}

}  // namespace opgrade::course
