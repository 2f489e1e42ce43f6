/// What was noticed in a submission's sources.
#pragma once

#include "grader/base/core/finding.hpp"
#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// The config's flags lack -fopenmp.
struct OpenMpIgnored {
  Finding place;  ///< of the first `#pragma omp`
  OPGRADE_NOTE(OpenMpIgnored, openmp_ignored);
};
/// No front end read the sources, so constructs were looked for by words of the preprocessed text.
struct WordsDecided {
  OPGRADE_NOTE(WordsDecided, words_decided);
};

}  // namespace opgrade::notes
