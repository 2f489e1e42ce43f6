/// See recorded_submission.cpp.
#pragma once

namespace opgrade::test {

inline constexpr int kOutside = 9;

}  // namespace opgrade::test
