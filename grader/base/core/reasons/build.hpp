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
  std::vector<std::string> sources;  ///< sources next to the stage's own
  OPGRADE_REASON(BuiltWithOthers, built_with_others);
};
struct OtherEncoding {
  std::string file;
  std::string encoding;  ///< "UTF-16"
  OPGRADE_REASON(OtherEncoding, other_encoding);
};
/// A character that an editor does not show, or shows as another one.
struct OddCharacter {
  Finding place;  ///< its message holds the column
  std::string character;
  std::string instead;  ///< replacement; empty: delete the character
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
  std::optional<Finding> declaration{};  ///< the first declaration that has other parameters
  OPGRADE_REASON(MissingFunctions, missing_functions);
};
struct UndefinedNames {
  std::vector<std::string> undefined;
  std::vector<std::string> sources;  ///< sources that were compiled
  std::vector<LeftOutFile> left_out;
  std::vector<std::string> useless{};  ///< sources next to them that did not help
  std::vector<std::string> refused{};  ///< sources next to them that do not compile
  OPGRADE_REASON(UndefinedNames, undefined_names);
};
struct MissingHeaders {
  std::vector<std::string> headers;
  std::string folder;  ///< of the accepted files in the submission; "." for its top folder
  OPGRADE_REASON(MissingHeaders, missing_headers);
};
struct LeftOutHeader {
  LeftOutFile header;
  OPGRADE_REASON(LeftOutHeader, left_out_header);
};
struct CompilerError {
  std::string removed_name{};  ///< name that CUDA no longer has, or empty
  std::string successor{};     ///< name that replaces it
  OPGRADE_REASON(CompilerError, compiler_error);
};
/// An error of the preprocessor, which runs by itself for the rules on the code.
struct PreprocessorError {
  OPGRADE_REASON(PreprocessorError, preprocessor_error);
};
struct SourceTooLong {
  std::int64_t most_tokens = 0;  ///< the most tokens that are read for the rules on the code
  OPGRADE_REASON(SourceTooLong, source_too_long);
};
struct ConstructMissing {
  std::string construct;
  std::vector<std::string> sources;  ///< sources without the construct
  OPGRADE_REASON(ConstructMissing, construct_missing);
};
struct ConstructForbidden {
  std::string construct;
  Finding place;
  OPGRADE_REASON(ConstructForbidden, construct_forbidden);
};

/// The sources hide code from the runs that look for mistakes.
struct HidesCode {
  std::string words;  ///< the words that hide code
  Finding place;
  OPGRADE_REASON(HidesCode, hides_code);
};

}  // namespace opgrade::why
