#include "grader/emulation/runtime/variation.hpp"

#include <cstdlib>
#include <cstring>

#include "grader/emulation/runtime/hooks.hpp"

namespace opgrade_emulation {
namespace {

Variation wanted;

/// Runs before any constructor of the submission, which could change the environment.
[[gnu::constructor(101)]] void read_environment() {
  if (const char* const fill = std::getenv("OPGRADE_EMULATION_FILL"))
    wanted.fill = static_cast<unsigned char>(std::strtol(fill, nullptr, 10));
  const char* const order = std::getenv("OPGRADE_EMULATION_ORDER");
  const auto is_order = [&](const char* name) {
    return check == nullptr && order != nullptr && std::strcmp(order, name) == 0;
  };
  wanted.reversed = is_order("reversed");
  wanted.interleaved = is_order("interleaved");
  wanted.late = is_order("late");
  const char* const allocations = std::getenv("OPGRADE_EMULATION_ALLOCATIONS");
  wanted.apart =
      check != nullptr && (allocations == nullptr || std::strcmp(allocations, "packed") != 0);
  if (const char* const spoil = std::getenv("OPGRADE_EMULATION_SPOIL")) {
    char* end = nullptr;
    wanted.spoiled_place = std::strtoull(spoil, &end, 10);
    if (*end == ':') wanted.spoiled_space = end[1];
  }
}

}  // namespace

const Variation& variation() { return wanted; }

}  // namespace opgrade_emulation
