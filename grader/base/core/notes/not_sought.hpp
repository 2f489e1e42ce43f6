/// Which mistakes were not looked for in a case.
#pragma once

#include <optional>
#include <vector>

#include "grader/base/core/notes/alternative.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/base/core/reason.hpp"

namespace opgrade::notes {

/// The emulated device did not look for findings in a case that ran on a GPU.
struct FindingsNotSought {
  std::vector<Reason> rerun;  ///< exactly one: why not
  bool begun = false;         ///< true: only the end of the emulated run was not watched
  std::string case_id{};
  OPGRADE_NOTE(FindingsNotSought, findings_not_sought);
};
struct LayersNotWatched {
  int images = 0;             ///< number of images on which a network's layers were to be watched
  std::vector<Reason> rerun;  ///< exactly one: how the run that watches ended
  std::string case_id{};
  OPGRADE_NOTE(LayersNotWatched, layers_not_watched);
};

/// The machine's compiler cannot build the code that watches the emulated device's accesses.
struct AccessesNotWatched {
  OPGRADE_NOTE(AccessesNotWatched, accesses_not_watched);
};

/// The g++ of this machine has no thread sanitizer.
struct NoThreadSanitizer {
  std::string case_id{};
  OPGRADE_NOTE(NoThreadSanitizer, no_thread_sanitizer);
};
/// A watched run was stopped at a limit, which proves nothing because watching costs time and
/// memory.
struct RaceRunStopped {
  Outcome outcome = Outcome::not_run;
  std::string case_id{};
  OPGRADE_NOTE(RaceRunStopped, race_run_stopped);
};
struct RaceRunFailed {
  std::string words;  ///< text of the grader's error
  std::string case_id{};
  OPGRADE_NOTE(RaceRunFailed, race_run_failed);
};
struct SanitizersFailed {
  std::string words;  ///< text of the grader's error
  std::string case_id{};
  OPGRADE_NOTE(SanitizersFailed, sanitizers_failed);
};

}  // namespace opgrade::notes
