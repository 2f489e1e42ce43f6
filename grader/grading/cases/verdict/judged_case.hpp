/// A case with the evidence for its verdict: the one place that decides the outcome of a case that
/// ran. SkipPolicy and skipped_case() have the outcomes of cases that do not run, and
/// add_emulated_findings() changes that of a case on a GPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/layer/memory_watch.hpp"
#include "grader/grading/run/session_failure.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// How a varied run of the emulated device ended.
struct VariedEnd {
  why::Variation variation = why::Variation::packed;
  Outcome outcome = Outcome::passed;
  Reason reason;
};

/// A finding and the label of the first problem in which it came.
struct FoundIn {
  Finding finding;
  std::string problem;
};

/// What the runs of a case showed and its report lacks, with the rules that the config has for it.
struct CaseEvidence {
  FindingsRule findings = FindingsRule::warn;
  double tolerance = 0;                     ///< of the stage
  std::int64_t memory_limit = 0;            ///< of the run
  bool sanitized_check = false;             ///< see StageContext
  bool needs_times = false;                 ///< each call of the case needs a time
  std::chrono::milliseconds abort_above{};  ///< see TimingConfig

  // The process.
  std::optional<SessionFailure> failure;
  std::string failed_call;                ///< see Session::take_failed_call()
  bool emulated = false;                  ///< the device
  bool findings_missing = false;          ///< their channel was closed
  int stragglers = 0;                     ///< processes left behind
  std::string problem;                    ///< the label of the last problem of several
  std::vector<FoundIn> found_in;          ///< of several problems on the emulated device
  std::optional<Reason> earlier_failure;  ///< in a process that others had used
  LeakedMemory leaked;                    ///< if each call had a process of its own

  // Further runs.
  bool unwatched_end = false;            ///< the watched run ended at its limit of time
  bool ran_plain = false;                ///< the large problems, after a watched run of the others
  std::optional<Reason> forbidden_work;  ///< done outside the timed call, if that is forbidden
  std::size_t own_findings = SIZE_MAX;   ///< later ones are of the network's layers, watched apart
  int watched_images = 0;                ///< of these
  std::vector<VariedEnd> varied;
  std::optional<SessionFailure> failed_when_watched;  ///< the run that looks for data races
  std::optional<Finding> of_sanitizer;                ///< a mistake that compute-sanitizer found
};

/// Its outcome and reason are what judge() decided when the last evidence came.
struct JudgedCase : CaseReport {
  CaseEvidence evidence;
};

struct CaseVerdict {
  Outcome outcome = Outcome::passed;
  Reason reason;
};

/// The verdict of the first rule in a list that holds.
CaseVerdict case_verdict(const JudgedCase& c);

void judge(JudgedCase& c);

/// The first finding that decides, else the first that warns, else null.
const Finding* worst_mistake(std::span<const Finding> findings);

/// True if some mistake was found, and none that decides.
bool only_warns(const CaseReport& report);

/// Adds those of `more` that `findings` lacks.
void add_new(std::vector<Finding>& findings, const std::vector<Finding>& more);

}  // namespace opgrade
