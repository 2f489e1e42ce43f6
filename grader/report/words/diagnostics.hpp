/// Compiler errors and findings with their places in the submission.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

enum class Severity { error, warning, notice };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string rule;     ///< "build_failed", or the finding's kind
  std::string case_id;  ///< empty for the compiler's errors
  std::string path;     ///< a file of the submission, relative to its root, or empty
  int line = 0;         ///< from 1; 0: unknown
  std::string message;  ///< begins with "file:line: " if `path` is empty
};

/// The diagnostics of a view, stage by stage: at most `max_compiler_errors` compiler errors, then
/// all findings. A #line directive can name any file, so `path` is only set if it is a file of the
/// submission.
std::vector<Diagnostic> diagnostics_of(const Grade& view, std::size_t max_compiler_errors);

/// A hash of rule, place and message. It is the same on every machine, for platforms that compare
/// two reports.
std::string fingerprint_of(const Diagnostic& d);

/// A line of the submission; `path` is empty if the line is unknown.
struct CodePlace {
  std::string path;  ///< as Diagnostic::path
  int line = 0;
};
CodePlace place_in(const StageReport& stage, const Finding& finding);
CodePlace first_compiler_error(const StageReport& stage);

/// One line on why the build failed, with the compiler's first error.
std::string why_not_built(const BuildReport& build);

}  // namespace opgrade::report
