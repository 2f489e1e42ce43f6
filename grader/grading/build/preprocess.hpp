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
/// the files as they were handed in. Those with line markers of their own it reads without them as
/// well, for the places of tokens: see without_line_markers(). Besides the stage's sources those
/// next to them count that pass it. If one of the stage's does not pass,
/// or all are too long, there is a report with the outcome `build_failed` instead. Throws Error
/// where there is no compiler, or it fails on a source of the grader's own as well.
tl::expected<PreprocessedSources, BuildReport> preprocess(const CompileJob& job,
                                                          const std::vector<std::string>& texts,
                                                          const Toolchain& tools,
                                                          const Sandbox& sandbox,
                                                          const std::filesystem::path& folder);

}  // namespace opgrade
