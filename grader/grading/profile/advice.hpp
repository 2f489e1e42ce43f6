/// Turns counts into the next steps towards a faster kernel.
#pragma once

#include <vector>

#include "grader/base/core/profile.hpp"

namespace opgrade {

/// At most three pieces of advice, the largest saving first, except for `next` and `last` of its
/// rules; none if nothing is wrong. `counted` has counts, the operations of the computations, and
/// the name of a GPU.
std::vector<ProfileAdvice> advise(const ProfileReport& counted);

}  // namespace opgrade
