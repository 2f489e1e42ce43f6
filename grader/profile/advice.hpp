/// From counts to the next steps towards a faster kernel.
#pragma once

#include <vector>

#include "grader/core/profile.hpp"

namespace opgrade {

/// At most three, the largest saving first; none where nothing is wrong. `counted`: with counts and
/// with the operations of the computations.
std::vector<ProfileAdvice> advise(const ProfileReport& counted);

}  // namespace opgrade
