/// What the compiler reads of one source: its own tokens, without comments, with macros expanded,
/// as far as conditions let them through.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

struct SourceToken {
  std::string text;
  std::size_t file = 0;  ///< in PreprocessedSource::files
  int line = 0;          ///< where a macro was used, not where it is defined
};

/// One source, in one pass of the compiler: nvcc reads a source for the host and for the device.
struct PreprocessedSource {
  std::string name;  ///< as the compiler was given it
  /// The whole text, with the places of its lines, and with an #include for each header that is not
  /// the submission's. Empty if such a header includes one of the submission's.
  std::string text;
  std::vector<std::string> files;   ///< as the submission names them
  std::vector<SourceToken> tokens;  ///< with the submission's own headers, but no other
  /// What the compiler makes of each text it was asked about, before the source and behind it.
  std::vector<std::vector<std::string>> before, behind;
};

/// Bounds on what is kept of all sources together, because macros may grow without end, and the
/// grader's own process reads them.
struct TokenBudget {
  std::size_t tokens = 1'000'000;
  std::size_t bytes = 16 << 20;
};

/// How to read the output of a preprocessor.
struct PreprocessedFiles {
  std::string before, behind;  ///< names of the two files with `texts` lines
  std::size_t texts = 0;
  std::function<bool(const std::string&)> is_foreign;  ///< a header that is not the submission's
  std::function<bool(const std::string&)> is_adapter;  ///< a foreign one that a text keeps
};

/// Subtracts what it keeps from `left`; returns nullopt if there is more to keep. The line markers
/// of `output` must be the preprocessor's own.
std::optional<PreprocessedSource> read_preprocessed(std::string_view output,
                                                    const PreprocessedFiles& files,
                                                    TokenBudget& left);

/// `text` with the line markers of `places`. Returns nullopt unless both have the same tokens,
/// except numbers and strings, as those of __LINE__ and __FILE__ are.
std::optional<std::string> with_places_of(std::string_view text, std::string_view places);

/// Tokens of a text as SourceToken has them: a pragma is split into its tokens.
std::vector<std::string> spelled_tokens(const std::string& text);

}  // namespace opgrade
