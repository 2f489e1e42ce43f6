/// Compares the counts of two versions of a submission.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/report/formats/text.hpp"

namespace opgrade::report {

/// Sums over all kernels of the first profiled case. There are no rows if one of the versions has
/// no counts.
struct ProfileComparison {
  std::string sentence;  ///< what is compared, or why there is no comparison
  std::vector<std::array<std::string, 4>> rows;  ///< with the columns of kTitles
  static constexpr std::array kTitles{"count", "before", "after", "change"};
};
ProfileComparison compare_profiles(const Grade& before, const Grade& after, Audience audience);

/// The comparison as a text.
std::string profile_comparison(const Grade& before, const Grade& after, Audience audience,
                               const TextStyle& style);

}  // namespace opgrade::report
