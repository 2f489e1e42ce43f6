#include "grader/course/standing.hpp"

#include <fmt/format.h>

namespace opgrade::course {

std::vector<Standing> standings(const Course& course, const Assignment& assignment,
                                const Owner& owner, std::vector<const Submission*> submissions) {
  const Due due = due_of(owner, assignment);
  // The service limits before it takes a submission, and counts no fault of the grader.
  std::vector<Moment> times;
  for (const Submission* s : submissions)
    if (!s->limited) times.push_back(s->handed_in);
  const auto limited = within_daily_limit(*course.zone, times, assignment.attempts_a_day);
  std::vector<bool> within;
  for (std::size_t i = 0, counted = 0; i < submissions.size(); ++i)
    within.push_back(submissions[i]->limited || limited[counted++]);
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
