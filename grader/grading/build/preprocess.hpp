/// What the compiler reads of a submission.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/preprocessed_text.hpp"

namespace opgrade {

using PreprocessedSources = std::vector<PreprocessedSource>;

/// Runs the compiler's own preprocessor in the sandbox, in `folder`, which must be empty. It reads
/// the files as they were handed in. Files with line markers of their own are also read without
/// these, to get the places of tokens: see without_line_markers(). Sources next to the stage's own
/// count if they pass the preprocessor. If one of the stage's does not pass, or all are too long,
/// the result is a report with the outcome `build_failed`. Throws Error if there is no compiler, or
/// if it also fails on a source of the grader's own.
tl::expected<PreprocessedSources, BuildReport> preprocess(const CompileJob& job,
                                                          const std::vector<std::string>& texts,
                                                          const Toolchain& tools,
                                                          const Sandbox& sandbox,
                                                          const std::filesystem::path& folder);

}  // namespace opgrade
