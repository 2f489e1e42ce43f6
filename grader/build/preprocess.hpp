/// What the compiler reads of a submission: its own tokens, without comments, with macros expanded,
/// as far as conditions let them through.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/build/compile.hpp"

namespace opgrade {

struct SourceToken {
  std::string text;
  std::string file;  ///< as the submission names it
  int line = 0;      ///< where a macro was used, not where it is defined
};

/// One source, in one pass of the compiler: nvcc reads a source for the host and for the device.
struct PreprocessedSource {
  std::vector<SourceToken> tokens;  ///< with the submission's own headers, but no other
  /// What the compiler makes of each text it was asked about, before the source and behind it.
  std::vector<std::vector<std::string>> before, behind;
};

/// Tokens of a text as SourceToken has them: a pragma is no single token.
std::vector<std::string> spelled_tokens(const std::string& text);

/// Runs the compiler's own preprocessor in the sandbox, in `folder`, which must be empty. Besides
/// the stage's sources those next to them count that pass it. Empty where one of the stage's does
/// not: the build tells why. Throws Error where there is no compiler.
std::optional<std::vector<PreprocessedSource>> preprocess(const CompileJob& job,
                                                          const std::vector<std::string>& texts,
                                                          const Toolchain& tools,
                                                          const Sandbox& sandbox,
                                                          const std::filesystem::path& folder);

}  // namespace opgrade
