#include "grader/app/time_outs.hpp"

namespace opgrade {

void TimeOuts::add(const CaseReport& report, double work) {
  if (report.outcome != Outcome::out_of_time) return;
  if (first_.empty()) first_ = report.id;
  if (work > 0 && (!smallest_ || work < smallest_->work)) smallest_ = Size{work, report.batch};
}

bool TimeOuts::skips(CaseReport& report, double work) const {
  if (skip_ == Skip::all && !first_.empty()) {
    report.outcome = Outcome::out_of_time;
    report.reason = {.kind = Reason::Kind::after_time_out, .words = first_};
    return true;
  }
  if (work <= 0 || !smallest_ || work < smallest_->work) return false;
  report.outcome = Outcome::out_of_time;
  report.reason.kind = smallest_->batch < report.batch ? Reason::Kind::smaller_timed_out
                                                       : Reason::Kind::similar_timed_out;
  return true;
}

}  // namespace opgrade
