/// From counts to the next steps towards a faster kernel.
#pragma once

#include <vector>

#include "grader/base/core/profile.hpp"

namespace opgrade {

/// At most three, the largest saving first, but for `next` and `last` of its rules;
/// none where nothing is wrong. `counted`: with counts, with the operations of the computations,
/// and with the name of a GPU.
std::vector<ProfileAdvice> advise(const ProfileReport& counted);

}  // namespace opgrade
