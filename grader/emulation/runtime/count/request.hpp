/// One instruction of a warp: the work of memory for the addresses of its lanes.
#pragma once

#include <array>
#include <cstdint>

#include "grader/emulation/runtime/count/counts.hpp"

namespace opgrade_emulation {

struct Request {
  AccessSite site;
  unsigned bytes;                                 ///< bytes that each lane accesses
  std::uint32_t mask;                             ///< lanes that take part
  const std::array<std::uintptr_t, 32>& address;  ///< of the lanes in `mask`; others are ignored
};

/// The counts shared by requests whose addresses differ by the same multiple of a sector.
struct Pattern {
  AccessSite site{nullptr, Space::global, Use::load};
  unsigned bytes = 0;
  std::uint32_t mask = 0;
  std::array<std::uintptr_t, 32> address = {};
  std::uintptr_t base = 0;  ///< address of the first lane's sector
  struct Span {
    std::uintptr_t begin, end;
  };
  std::array<Span, 32> spans = {};  ///< the different bytes, in order
  unsigned span_count = 0;
  std::uint64_t words = 0;  ///< words of four bytes, of all lanes
  AccessCounts counts = {};
  AccessCounts* sum = nullptr;  ///< of the site
};

/// A cache of recent patterns, because neighbouring rounds of a loop and neighbouring warps repeat
/// them. Empty when a launch begins.
using Patterns = std::array<Pattern, 256>;

/// Finds the pattern of a request, whose addresses are the pattern's plus `shift`.
Pattern& find_pattern(Patterns& recent, const Request& request, std::uintptr_t& shift);

}  // namespace opgrade_emulation
