/// The value that outputs are filled with before a submission is called.
#pragma once

#include <bit>
#include <cstdint>

namespace opgrade {

/// Every byte 0xFF: reads as NaN, so that an unwritten element never passes a comparison.
inline constexpr unsigned char kPoisonByte = 0xFF;

inline bool is_poison(float value) { return std::bit_cast<std::uint32_t>(value) == 0xFFFFFFFFU; }

}  // namespace opgrade
