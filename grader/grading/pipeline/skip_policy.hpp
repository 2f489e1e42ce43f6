/// The cases of a stage that are skipped because another ran out of time or failed.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Each case that runs out of time holds the device for the whole limit. A case that crashed or was
/// wrong would most likely end in the same way with more images.
class SkipPolicy {
 public:
  enum class Skip {
    larger,  ///< cases with no less work, and no more threads, than one that ran out of time
    all,     ///< each case after one that ran out of time
  };
  explicit SkipPolicy(Skip skip) : skip_(skip) {}

  /// `report` is of a case that ran; `work` is the work of a timed case, and 0 for any other.
  /// `threads`: as in CaseConfig.
  void add(const CaseReport& report, double work, int threads = 0) {
    const bool failed = report.outcome == Outcome::crashed ||
                        report.outcome == Outcome::exited_early ||
                        report.outcome == Outcome::wrong_output;
    if (failed && work > 0 && (failed_work_ == 0 || work < failed_work_)) {
      failed_work_ = work;
      failure_ = report.outcome;
    }
    if (report.outcome != Outcome::out_of_time) return;
    if (first_.empty()) first_ = report.id;
    if (work > 0) timed_out_.push_back({work, cores(threads), report.batch});
  }

  /// True if a case of this work need not run; `report` then says so.
  bool skips(CaseReport& report, double work, int threads = 0) const {
    if (skip_ == Skip::all && !first_.empty()) {
      report.outcome = Outcome::out_of_time;
      report.reason = why::AfterTimeOut{first_};
      return true;
    }
    const Size* smallest = nullptr;
    for (const Size& size : timed_out_)
      if (work > 0 && size.work <= work && size.cores >= cores(threads) &&
          (smallest == nullptr || size.work < smallest->work))
        smallest = &size;
    if (smallest == nullptr) return false;
    report.outcome = Outcome::out_of_time;
    if (smallest->batch < report.batch)
      report.reason = why::SmallerTimedOut{};
    else
      report.reason = why::SimilarTimedOut{};
    return true;
  }

  /// Likewise for a model case that decides no points, after one with no more work that crashed or
  /// was wrong.
  bool skips_after_failure(CaseReport& report, double work) const {
    if (failed_work_ == 0 || work < failed_work_) return false;
    report.outcome = failure_;
    report.reason = why::SmallerFailed{};
    return true;
  }

 private:
  struct Size {
    double work;
    int cores, batch;
  };
  static int cores(int threads) {
    return threads == 0 ? std::numeric_limits<int>::max() : threads;  // all of the machine
  }
  Skip skip_;
  std::string first_;  ///< id
  std::vector<Size> timed_out_;
  double failed_work_ = 0;  ///< the least of a model case that failed; 0: none
  Outcome failure_ = Outcome::passed;
};

}  // namespace opgrade
