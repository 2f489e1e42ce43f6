/// Which mistakes were not looked for in a case.
#pragma once

#include <optional>
#include <vector>

#include "grader/base/core/notes/alternative.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/base/core/reason.hpp"

namespace opgrade::notes {

/// The emulated device did not look for findings in a case of a GPU.
struct FindingsNotSought {
  std::vector<Reason> rerun;  ///< exactly one: why
  bool begun = false;         ///< only the end of the emulated run was not watched
  std::string case_id{};
  OPGRADE_NOTE(FindingsNotSought, findings_not_sought);
};
struct LayersNotWatched {
  int images = 0;             ///< on which a network's layers were to be watched
  std::vector<Reason> rerun;  ///< exactly one: how the run that watches ended
  std::string case_id{};
  OPGRADE_NOTE(LayersNotWatched, layers_not_watched);
};

/// The machine's compiler cannot build what watches the accesses of the emulated device.
struct AccessesNotWatched {
  OPGRADE_NOTE(AccessesNotWatched, accesses_not_watched);
};

/// g++ has no thread sanitizer here.
struct NoThreadSanitizer {
  std::string case_id{};
  OPGRADE_NOTE(NoThreadSanitizer, no_thread_sanitizer);
};
/// A watched run is slower and needs more memory, so its limits prove nothing.
struct RaceRunStopped {
  Outcome outcome = Outcome::not_run;
  std::string case_id{};
  OPGRADE_NOTE(RaceRunStopped, race_run_stopped);
};
struct RaceRunFailed {
  std::string words;  ///< of the grader's error
  std::string case_id{};
  OPGRADE_NOTE(RaceRunFailed, race_run_failed);
};
struct SanitizersFailed {
  std::string words;  ///< of the grader's error
  std::string case_id{};
  OPGRADE_NOTE(SanitizersFailed, sanitizers_failed);
};

}  // namespace opgrade::notes
