/// Why a right case is refused or has no time, and why a case was skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade::why {

struct OutsideLaunches {
  std::int64_t count = 0;
  double ms = 0;  ///< of the launches
  std::string operation;
  OPGRADE_REASON(OutsideLaunches, outside_launches);
};
struct Throttled {
  std::string layer;
  std::vector<std::string> causes;
  OPGRADE_REASON(Throttled, throttled);
};
struct LateOutput {
  std::string layer;
  std::int64_t count = 0;  ///< number of calls
  OPGRADE_REASON(LateOutput, late_output);
};
struct BelowEmptyCall {
  std::string layer;
  OPGRADE_REASON(BelowEmptyCall, below_empty_call);
};
struct Untimed {
  OPGRADE_REASON(Untimed, untimed);
};

// Why a case was skipped.

struct AfterTimeOut {
  std::string case_id;  ///< the case that ran out of time
  OPGRADE_REASON(AfterTimeOut, after_time_out);
};
struct SmallerTimedOut {
  OPGRADE_REASON(SmallerTimedOut, smaller_timed_out);
};
struct SimilarTimedOut {
  OPGRADE_REASON(SimilarTimedOut, similar_timed_out);
};
struct SmallerFailed {
  OPGRADE_REASON(SmallerFailed, smaller_failed);
};

}  // namespace opgrade::why
