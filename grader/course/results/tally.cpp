#include "grader/course/results/tally.hpp"

#include <fmt/format.h>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade {

void Tally::reused(const Grade& grade) {
  const std::scoped_lock lock(guard_);
  listener_({grade, ++done_, all_, true});
}

void Tally::begin(const std::string& job) {
  const std::scoped_lock lock(guard_);
  pace_.begin(job);
}

void Tally::end(const std::string& job, const Grade& grade) {
  const std::scoped_lock lock(guard_);
  pace_.end(job);
  ++graded_;
  if (grade.outcome == Outcome::grader_fault) ++faults_;
  const std::size_t open = all_ - ++done_;
  listener_({grade, done_, all_, false, pace_.left(open)});
  if (faults_ != kFaultsToStop || graded_ != faults_ || open == 0 || keep_going_) return;
  std::string hint = "run `opgrade doctor`";
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      if (const auto* const fault = c.reason.get_if<why::Sentence>();
          fault != nullptr && c.outcome == Outcome::grader_fault && !fault->hint.empty())
        hint = fault->hint;
  throw Error(
      fmt::format("the grader failed on each of the first {} submissions; {} not graded: {}",
                  kFaultsToStop, counted(static_cast<std::int64_t>(open), "more is", "more are"),
                  report::sentence_of(grade.reason)),
      hint + "; then repeat the command. --keep-going still grades the others");
}

}  // namespace opgrade
