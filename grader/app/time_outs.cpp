#include "grader/app/time_outs.hpp"

#include <fmt/format.h>

namespace opgrade {

void TimeOuts::add(const CaseReport& report, double work) {
  if (report.outcome != Outcome::out_of_time) return;
  if (first_.empty()) first_ = report.id;
  if (work > 0 && (!smallest_ || work < smallest_->work)) smallest_ = Size{work, report.batch};
}

bool TimeOuts::skips(CaseReport& report, double work) const {
  if (skip_ == Skip::all && !first_.empty()) {
    report.outcome = Outcome::out_of_time;
    report.reason = fmt::format("not run: {} ran out of time", first_);
    report.hint = fmt::format("Mend {} first.", first_);
    return true;
  }
  if (work <= 0 || !smallest_ || work < smallest_->work) return false;
  report.outcome = Outcome::out_of_time;
  report.reason = fmt::format("not run: a {} batch ran out of time",
                              smallest_->batch < report.batch ? "smaller" : "similar");
  report.hint = "Make the case that ran out of time faster: this one has no less to compute.";
  return true;
}

}  // namespace opgrade
