#include "grader/course/config_warning.hpp"

#include <map>
#include <vector>

#include "grader/report/class_warning.hpp"

namespace opgrade::course {

std::string config_warning(const Store& store, const std::string& assignment) {
  std::map<std::int64_t, Attempt> last;
  for (const Attempt& attempt : store.attempts()) {
    if (!attempt.counts || attempt.outcome == Outcome::grader_fault) continue;
    Attempt& known = last[attempt.submission];
    if (known.id == 0 || attempt.place > known.place) known = attempt;
  }
  std::vector<Outcome> outcomes;
  for (const Submission& submission : store.submissions(assignment))
    if (const auto found = last.find(submission.id); found != last.end())
      outcomes.push_back(found->second.outcome);
  const std::string warning = report::class_warning(outcomes);
  return warning.empty() ? warning : assignment + ": " + warning;
}

}  // namespace opgrade::course
