/// A sample of a task that is its solution with a few places changed.
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
/// An edit sees the text as the edits before it left it. Throws UsageError, with the line in
/// `edits`, where a file is missing or a text does not stand in it exactly once.
std::map<std::string, std::string> edited_files(const std::filesystem::path& edits,
                                                const std::filesystem::path& solution);

}  // namespace opgrade
