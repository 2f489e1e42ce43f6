#include "grader/task/folder/reference_trial.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "grader/task/folder/staff_text.hpp"

namespace opgrade {
namespace {

constexpr std::uint64_t kFilled = kTrialFill * 0x0101010101010101U;

std::string element_name(const BufferDescription& buffer, std::int64_t element) {
  return buffer.scalar ? buffer.name : fmt::format("{}[{}]", buffer.name, element);
}

std::uint64_t bits_of(const BufferDescription& buffer, const Expected& output,
                      std::int64_t element) {
  return buffer.type->floating ? std::bit_cast<std::uint64_t>(output.real(element))
                               : static_cast<std::uint64_t>(output.whole(element));
}

/// Compares bit for bit, except that all NaN are equal.
bool is_same(const BufferDescription& buffer, const Expected& a, const Expected& b,
             std::int64_t element) {
  if (bits_of(buffer, a, element) == bits_of(buffer, b, element)) return true;
  return buffer.type->floating && std::isnan(a.real(element)) && std::isnan(b.real(element));
}

constexpr const char* kDepends =
    "set each output, variable and allocation before it is read: the memory may hold anything";

ReferenceTrial of_scales(const BufferDescription& buffer, const Expected& output,
                         const Expected& poisoned, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double plain = output.scale(i), other = poisoned.scale(i);
    const bool unset = std::isnan(plain) && std::bit_cast<std::uint64_t>(other) == kFilled;
    if (unset || plain == other || (std::isnan(plain) && std::isnan(other))) continue;
    return {.wrong = fmt::format("the scale of {} depends on what it held before the call",
                                 element_name(buffer, i)),
            .advice = "a scale is NaN before the call: set it to 0 before you add to it"};
  }
  return {};
}

}  // namespace

ReferenceTrial compare_trials(const BufferDescription& buffer, const Expected& output,
                              const Expected& poisoned, std::int64_t count) {
  std::int64_t unwritten = 0, first = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_same(buffer, output, poisoned, i)) continue;
    if (bits_of(buffer, poisoned, i) != kFilled)
      return {.wrong =
                  fmt::format("{} depends on memory that nothing has set", element_name(buffer, i)),
              .advice = kDepends};
    if (unwritten++ == 0) first = i;
  }
  if (unwritten == count && count > 0)
    return {.wrong = fmt::format("nothing of {} is written", buffer.name),
            .advice = "store the right output in every element, also a 0"};
  if (unwritten > 0)
    return {.wrong = fmt::format("{} of {} elements of {} are not written, the first is {}",
                                 unwritten, count, buffer.name, element_name(buffer, first)),
            .advice =
                "store the right output in every element, also a 0; if only some elements "
                "are defined, say so with `defined`"};
  return buffer.type->floating ? of_scales(buffer, output, poisoned, count) : ReferenceTrial();
}

ReferenceTrial look_for_nan(const BufferDescription& buffer, const Expected& output,
                            std::int64_t count) {
  if (!buffer.type->floating) return {};
  std::int64_t nans = 0;
  for (std::int64_t i = 0; i < count; ++i) nans += std::isnan(output.real(i));
  if (nans == 0) return {};
  if (nans == count)
    return {.wrong = fmt::format("all of {} is NaN, and no input is", buffer.name),
            .advice =
                "find the division by 0, root or logarithm in reference.cpp that has no "
                "result, or narrow `values`"};
  return {.note = fmt::format("{} of {} elements of {} are NaN, and no input is", nans, count,
                              buffer.name)};
}

}  // namespace opgrade
