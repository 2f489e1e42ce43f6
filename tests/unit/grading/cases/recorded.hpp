/// See recorded_submission.cpp.
#pragma once

namespace opgrade::test {

inline constexpr int kOutside = 9, kExits = 10;

}  // namespace opgrade::test
