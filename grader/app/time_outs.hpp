/// The cases of a stage that are skipped because another ran out of time.
#pragma once

#include <optional>
#include <string>

#include "grader/core/grade.hpp"

namespace opgrade {

/// Each case that runs out of time holds the device for the whole limit.
class TimeOuts {
 public:
  enum class Skip {
    larger,  ///< model cases with no less work than one that ran out of time
    all,     ///< each case after one that ran out of time
  };
  explicit TimeOuts(Skip skip) : skip_(skip) {}

  /// `report` is of a case that ran; `work` is that of a model case, 0 of another.
  void add(const CaseReport& report, double work);

  /// True if a case of this work need not run: then `report` says so.
  bool skips(CaseReport& report, double work) const;

 private:
  struct Size {
    double work;
    int batch;
  };
  Skip skip_;
  std::string first_;  ///< id
  std::optional<Size> smallest_;
};

}  // namespace opgrade
