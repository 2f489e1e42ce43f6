/// How a build ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/finding.hpp"
#include "grader/base/core/limit.hpp"
#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade {

/// A file of a submission that was left out although its name fits.
struct LeftOutFile {
  std::string name;  ///< below its folder: "tile.h", "lib/tile.h"
  std::string why;   ///< "is a symbolic link"
  bool operator==(const LeftOutFile&) const = default;
};

}  // namespace opgrade

namespace opgrade::why {

struct Built {
  OPGRADE_REASON(Built, built);
};
struct BuiltWithOthers {
  std::vector<std::string> sources;  ///< next to the stage's own
  OPGRADE_REASON(BuiltWithOthers, built_with_others);
};
struct OtherEncoding {
  std::string file;
  std::string encoding;  ///< "UTF-16"
  OPGRADE_REASON(OtherEncoding, other_encoding);
};
/// A character that an editor does not show, or shows as another one.
struct OddCharacter {
  Finding place;  ///< its message is the column
  std::string character;
  std::string instead;  ///< what to write; empty: nothing
  OPGRADE_REASON(OddCharacter, odd_character);
};
struct NotEmulated {
  std::string place;    ///< "new-forward.cu:3", or empty
  std::string feature;  ///< "Thrust (thrust/device_vector.h)"
  OPGRADE_REASON(NotEmulated, not_emulated);
};
struct CompilerLimit {
  std::optional<Limit> limit{};
  OPGRADE_REASON(CompilerLimit, compiler_limit);
};
struct MissingFunctions {
  std::vector<std::string> functions;
  std::string expected;                  ///< signature of the interface
  std::optional<Finding> declaration{};  ///< of the first one, with other parameters
  OPGRADE_REASON(MissingFunctions, missing_functions);
};
struct UndefinedNames {
  std::vector<std::string> undefined;
  std::vector<std::string> sources;  ///< that were compiled
  std::vector<LeftOutFile> left_out;
  std::vector<std::string> useless{};  ///< sources next to them that did not help
  std::vector<std::string> refused{};  ///< those that do not compile
  OPGRADE_REASON(UndefinedNames, undefined_names);
};
struct MissingHeaders {
  std::vector<std::string> headers;
  std::string folder;  ///< of the taken files in the submission, "." for its own
  OPGRADE_REASON(MissingHeaders, missing_headers);
};
struct LeftOutHeader {
  LeftOutFile header;
  OPGRADE_REASON(LeftOutHeader, left_out_header);
};
struct CompilerError {
  std::string removed_name{};  ///< that CUDA has no more; or empty
  std::string successor{};     ///< of that name
  OPGRADE_REASON(CompilerError, compiler_error);
};
/// Of the preprocessor by itself, for the rules on the code.
struct PreprocessorError {
  OPGRADE_REASON(PreprocessorError, preprocessor_error);
};
struct SourceTooLong {
  std::int64_t most_tokens = 0;  ///< that are read for the rules on the code
  OPGRADE_REASON(SourceTooLong, source_too_long);
};
struct ConstructMissing {
  std::string construct;
  std::vector<std::string> sources;  ///< that lack it
  OPGRADE_REASON(ConstructMissing, construct_missing);
};
struct ConstructForbidden {
  std::string construct;
  Finding place;
  OPGRADE_REASON(ConstructForbidden, construct_forbidden);
};

/// The sources take code out of the sight of the runs that look for mistakes.
struct HidesCode {
  std::string words;  ///< that do so
  Finding place;
  OPGRADE_REASON(HidesCode, hides_code);
};

}  // namespace opgrade::why
