/// What was noticed in a submission's sources.
#pragma once

#include "grader/base/core/finding.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// The sources use OpenMP, but the config's flags lack -fopenmp.
struct OpenMpIgnored {
  Finding place;  ///< of the first `#pragma omp`
  OPGRADE_NOTE(OpenMpIgnored, openmp_ignored);
};
/// No front end could read the sources, so constructs were searched as words of the preprocessed
/// text.
struct WordsDecided {
  OPGRADE_NOTE(WordsDecided, words_decided);
};

}  // namespace opgrade::notes
