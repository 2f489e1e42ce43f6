/// Runs a submission that was built for a GPU under compute-sanitizer, in the sandbox.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "grader/grading/cases/case_context.hpp"

namespace opgrade {

/// The folder of compute-sanitizer and its libraries; nullopt if the toolkit has none.
std::optional<std::filesystem::path> find_sanitizer(const std::filesystem::path& cuda_root);

struct SanitizeResult {
  std::vector<Finding> findings;
  std::vector<Note> problems;  ///< of each part that could not do its work
};

/// Runs memcheck, racecheck, initcheck and synccheck, one after the other, each on one call with
/// the task's small and uneven sizes. `together` limits the time of all four; what is left to be
/// done then is a problem.
SanitizeResult sanitize(const CaseContext& context, const std::filesystem::path& sanitizer,
                        std::optional<std::chrono::seconds> together = std::nullopt);

/// Puts the findings into a case like findings of the emulated device: a case that passed with a
/// mistake found has not passed.
void add_findings(CaseReport& report, const std::vector<Finding>& findings);

}  // namespace opgrade
