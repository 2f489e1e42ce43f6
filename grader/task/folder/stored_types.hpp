/// The types of a task's buffers as they lie in memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "grader/base/core/element_type.hpp"

namespace opgrade {

/// IEEE's 16-bit float, rounded to even as the hardware does. Not _Float16, because its conversions
/// are function calls that take three to five times as long: not every processor has instructions
/// for them.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(double value) {
    const auto sign =
        static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(value) >> 48 & 0x8000);
    const auto size = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
    // Adding a number whose last bit is the half's last bit rounds the smaller bits away.
    constexpr std::uint64_t kSmallest = 1023 - 14;  // exponent of the smallest half with 11 bits
    const auto exponent = std::max(size >> 52, kSmallest);
    const auto large = std::bit_cast<double>(std::min<std::uint64_t>(exponent + 42, 2046) << 52);
    const auto rounded = static_cast<float>(std::bit_cast<double>(size) + large - large);
    const auto normal = (std::bit_cast<std::uint32_t>(rounded) >> 13) - (112U << 10);
    const auto tiny = static_cast<std::uint32_t>(std::min(rounded, 1.0F) * 0x1p24F);
    const std::uint32_t finite = rounded < 0x1p-14F ? tiny : normal;
    constexpr std::uint64_t kInfinity = std::uint64_t{2047} << 52;
    const std::uint32_t magnitude = size > kInfinity              ? 0x7e00
                                    : size >= 0x40effe0000000000U ? 0x7c00  // 65520
                                                                  : finite;
    bits = static_cast<std::uint16_t>(sign | magnitude);
  }
  explicit operator double() const {
    const std::uint32_t size = (bits & 0x7fffU) << 13;
    const float finite = std::bit_cast<float>(size) * 0x1p112F;
    const float value = size >= 0x7c00U << 13 ? std::bit_cast<float>(size | 0x7f800000U) : finite;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (bits & 0x8000U) << 16);
  }
};

/// The upper half of a float32.
struct Bfloat {
  std::uint16_t bits = 0;

  Bfloat() = default;
  explicit Bfloat(double value) {
    const auto whole = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits = static_cast<std::uint16_t>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
  }
  explicit operator double() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
};

/// Calls `visit` with a value of the type number `number`, counted from 0.
template <class First, class... Others>
auto with_one_of(std::size_t number, auto visit) {
  if constexpr (sizeof...(Others) > 0)
    if (number > 0) return with_one_of<Others...>(number - 1, visit);
  return visit(First{});
}

/// Calls `visit` with a value of the C++ type; for a bool with its byte, which a submission may set
/// to more than 1.
auto with_type(const ElementType& type, auto visit) {
  // The types are in the order of ElementType::Id.
  return with_one_of<float, double, Half, Bfloat, std::int8_t, std::uint8_t, std::int16_t,
                     std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                     std::uint8_t>(static_cast<std::size_t>(type.id), visit);
}

template <class T>
T stored_at(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

}  // namespace opgrade
