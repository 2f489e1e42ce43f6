/// What the submission computed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/base/core/finding.hpp"
#include "grader/base/core/reasons/alternative.hpp"

namespace opgrade::why {

/// Remarks on a passed case.
struct PassRemarks {
  int left_behind = 0;         ///< number of processes left behind
  bool unwatched_end = false;  ///< the run that checks accesses ended at its time limit
  std::int64_t slow_warm_up_ms =
      0;  ///< the limit that the first warm-up exceeded, so the case is not timed
  std::string failed_call{};  ///< the error of a CUDA call that did not stop the submission
  std::vector<Reason> earlier_failure;  ///< at most one, in a process that served other cases
  bool operator==(const PassRemarks&) const;
};

struct Right {
  PassRemarks remarks;
  OPGRADE_REASON(Right, right);
};
/// The outputs are right here, but the finding may do harm on a GPU.
struct HiddenOnGpu {
  PassRemarks remarks;
  Finding finding;
  int watched_images = 0;  ///< images on which the finding showed in a network's layers
  OPGRADE_REASON(HiddenOnGpu, hidden_on_gpu);
};
/// The outputs are right, but there is a finding to fix.
struct ToFix {
  Finding finding;
  OPGRADE_REASON(ToFix, to_fix);
};
struct WrongElements {
  std::string layer;
  std::int64_t count = 0;     ///< wrong elements
  std::int64_t of = 0;        ///< elements that were checked
  std::string pattern;        ///< what the wrong elements suggest
  std::string failed_call{};  ///< the error of a CUDA call that did not stop the submission
  OPGRADE_REASON(WrongElements, wrong_elements);
};
/// The task's own check fails the output as a whole, without a single wrong element.
struct WrongOtherwise {
  std::string layer;
  std::int64_t count = 0;
  std::int64_t of = 0;
  std::string words;          ///< text of the task's check
  std::string failed_call{};  ///< the error of a CUDA call that did not stop the submission
  OPGRADE_REASON(WrongOtherwise, wrong_otherwise);
};
struct WrongAccuracy {
  double accuracy = 0, required_accuracy = 0;
  bool wide_tolerance = false;  ///< the stage's tolerance is wider than usual
  OPGRADE_REASON(WrongAccuracy, wrong_accuracy);
};

}  // namespace opgrade::why
