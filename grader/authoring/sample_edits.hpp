/// A sample of a task that is written as edits of the task's solution.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace opgrade {

/// The changed files of `solution` and their texts, by a YAML file of edits:
///
///     histogram.cu:
///       - {replace: "i < n", by: "i < n - 1"}
///
/// An edit applies to the text that the earlier edits made. Throws UsageError, with the line in
/// `edits`, if a file is missing or a text does not occur in it exactly once.
std::map<std::string, std::string> edited_files(const std::filesystem::path& edits,
                                                const std::filesystem::path& solution);

}  // namespace opgrade
