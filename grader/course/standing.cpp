#include "grader/course/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opgrade::course {

std::vector<Standing> standings(const Course& course, const Assignment& assignment,
                                const Owner& owner, std::vector<const Submission*> submissions) {
  const Due due = due_of(owner, assignment);
  // The service limits before it takes a submission, and counts no fault of the grader.
  const auto is_free = [](const Submission& s) { return s.limited || !s.not_gradable.empty(); };
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
      standing.graded = true;
    }
    all.push_back(std::move(standing));
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

}  // namespace opgrade::course
