/// Which of the paths that somebody named are submissions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade {

struct SubmissionList {
  std::vector<std::filesystem::path> submissions;  ///< folders and archives, each once
  std::vector<std::string> skipped;                ///< what is neither: the path and the reason
};

/// `class/*` also names what lies beside the submissions: a file that is no archive and the folder
/// `results` are skipped. A file that calls itself an archive, whatever its content, is a
/// submission. Throws UsageError that names every path which cannot be found, because a typing
/// error should show before hours of grading; and when no submission is left.
SubmissionList list_submissions(const std::vector<std::filesystem::path>& paths,
                                const std::filesystem::path& results);

}  // namespace opgrade
