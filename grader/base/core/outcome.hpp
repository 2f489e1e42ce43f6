/// The outcome of a submission in one case: the words that every report uses.
#pragma once

#include <array>
#include <string_view>

namespace opgrade {

enum class Outcome {
  passed,          ///< ran, every output element and the accuracy are right
  wrong_output,    ///< an output element is beyond the tolerance, not finite or not written
  wrong_accuracy,  ///< every element is within tolerance, but the accuracy is not the required one
  mistake_found,   ///< outputs are right, but the emulated device saw a race or a bad access
  not_credible,    ///< outputs are right, but no call has a credible time
  crashed,         ///< ended by a signal, an exception or a device error
  exited_early,    ///< left the process before the call returned, whatever the exit code
  out_of_time,     ///< stopped at its wall or CPU limit
  out_of_memory,   ///< stopped at its memory limit
  over_limit,      ///< stopped at another limit: output, processes, file size
  build_failed,    ///< the compiler or the linker refused it
  refused,         ///< the folder lacks a file, has one that is not accepted, or breaks a rule
  not_emulated,    ///< uses what the emulated device lacks: only a GPU can decide it
  not_run,         ///< nothing was tried: this machine lacks the device, or an earlier step failed
  grader_fault,    ///< the grader or its machine failed; never held against the submission
};

struct OutcomeWords {
  Outcome outcome;
  std::string_view id;    ///< stable, for JSON and CSV
  std::string_view text;  ///< for people
};

inline constexpr std::array kOutcomes{
    OutcomeWords{Outcome::passed, "passed", "passed"},
    OutcomeWords{Outcome::wrong_output, "wrong_output", "wrong output"},
    OutcomeWords{Outcome::wrong_accuracy, "wrong_accuracy", "wrong accuracy"},
    OutcomeWords{Outcome::mistake_found, "mistake_found", "mistake found"},
    OutcomeWords{Outcome::not_credible, "not_credible", "time not credible"},
    OutcomeWords{Outcome::crashed, "crashed", "crashed"},
    OutcomeWords{Outcome::exited_early, "exited_early", "exited early"},
    OutcomeWords{Outcome::out_of_time, "out_of_time", "out of time"},
    OutcomeWords{Outcome::out_of_memory, "out_of_memory", "out of memory"},
    OutcomeWords{Outcome::over_limit, "over_limit", "over a limit"},
    OutcomeWords{Outcome::build_failed, "build_failed", "does not build"},
    OutcomeWords{Outcome::refused, "refused", "refused"},
    OutcomeWords{Outcome::not_emulated, "not_emulated", "needs a GPU"},
    OutcomeWords{Outcome::not_run, "not_run", "not run"},
    OutcomeWords{Outcome::grader_fault, "grader_fault", "grader fault"},
};

constexpr const OutcomeWords& words(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

/// True if nothing is known about the submission: no points are earned and none are lost.
constexpr bool is_undecided(Outcome outcome) {
  return outcome == Outcome::not_emulated || outcome == Outcome::not_run ||
         outcome == Outcome::grader_fault;
}

/// True for outcomes that count against the submission.
constexpr bool is_submission_fault(Outcome outcome) {
  return outcome != Outcome::passed && !is_undecided(outcome);
}

static_assert([] {
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    if (static_cast<std::size_t>(kOutcomes[i].outcome) != i) return false;
  }
  return true;
}());

}  // namespace opgrade
