/// What the toolkit's compute-sanitizer did. Its findings are in the cases.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "grader/base/core/limit.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// What a part of it printed when it failed, or the sentence of an earlier report.
struct SanitizerSaid {
  std::string words;
  OPGRADE_NOTE(SanitizerSaid, compute_sanitizer);
};
struct SanitizerNeedsGpu {
  OPGRADE_NOTE(SanitizerNeedsGpu, sanitizer_needs_gpu);
};
/// The toolkit has no compute-sanitizer.
struct NoComputeSanitizer {
  OPGRADE_NOTE(NoComputeSanitizer, no_compute_sanitizer);
};
struct SanitizerNotRun {
  std::string stage;
  std::string words;  ///< text of the grader's error
  OPGRADE_NOTE(SanitizerNotRun, sanitizer_not_run);
};
/// Skipped because earlier parts used up the time that all parts share.
struct SanitizerPartLeftOut {
  std::string part;  ///< "racecheck"
  std::int64_t seconds = 0;
  OPGRADE_NOTE(SanitizerPartLeftOut, sanitizer_part_left_out);
};
/// Stopped at the end of the time that all parts share.
struct SanitizerPartCut {
  std::string part;
  std::int64_t seconds = 0;
  OPGRADE_NOTE(SanitizerPartCut, sanitizer_part_cut);
};
/// Stopped at a limit of its own.
struct SanitizerPartStopped {
  std::string part;
  std::optional<Limit> limit;
  OPGRADE_NOTE(SanitizerPartStopped, sanitizer_part_stopped);
};
struct SanitizerFoundNothing {
  std::string stage;
  OPGRADE_NOTE(SanitizerFoundNothing, sanitizer_found_nothing);
};

}  // namespace opgrade::notes
