/// The cases of a stage that are skipped because another ran out of time.
#pragma once

#include <optional>

#include "grader/core/grade.hpp"

namespace opgrade {

/// Each case that runs out of time holds the device for the whole limit.
class TimeOuts {
 public:
  /// `report` is of a model case of this work that ran.
  void add(const CaseReport& report, double work);

  /// True if a case of this work would run out of time, too: then `report` says so.
  bool skips(CaseReport& report, double work) const;

 private:
  struct Size {
    double work;
    int batch;
  };
  std::optional<Size> smallest_;
};

}  // namespace opgrade
