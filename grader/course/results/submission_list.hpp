/// Picks the submissions from the paths of the command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade {

struct SubmissionList {
  std::vector<std::filesystem::path> submissions;  ///< folders and archives, each once
  std::vector<std::string> skipped;  ///< paths that are no submission, with the reason
};

/// `class/*` also names entries that are no submissions: a file that is no archive and the folder
/// `results` are skipped. A file with an archive's name, whatever its content, is a submission.
/// Throws a UsageError that names every missing path, because a typing error should show before
/// hours of grading. Throws it also if no submission is left.
SubmissionList list_submissions(const std::vector<std::filesystem::path>& paths,
                                const std::filesystem::path& results);

}  // namespace opgrade
