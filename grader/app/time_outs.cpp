#include "grader/app/time_outs.hpp"

namespace opgrade {

void TimeOuts::add(const CaseReport& report, double work) {
  const bool failed = report.outcome == Outcome::crashed ||
                      report.outcome == Outcome::exited_early ||
                      report.outcome == Outcome::wrong_output;
  if (failed && work > 0 && (failed_work_ == 0 || work < failed_work_)) {
    failed_work_ = work;
    failure_ = report.outcome;
  }
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

bool TimeOuts::skips_after_failure(CaseReport& report, double work) const {
  if (failed_work_ == 0 || work < failed_work_) return false;
  report.outcome = failure_;
  report.reason = {.kind = Reason::Kind::smaller_failed};
  return true;
}

}  // namespace opgrade
