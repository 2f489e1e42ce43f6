/// Writes and reads the files of one graded submission.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/base/core/grade.hpp"
#include "grader/report/fields/view.hpp"

namespace opgrade {

/// Writes all reports of a grade into `folder`, which appears complete or not at all. `source`
/// reads lines of the submission's files. Throws Error.
void write_result(const std::filesystem::path& folder, const Grade& grade,
                  const report::SourceOf& source = {});

/// The grade in `folder`; nullopt if there is none or it is damaged.
std::optional<Grade> read_result(const std::filesystem::path& folder);

}  // namespace opgrade
