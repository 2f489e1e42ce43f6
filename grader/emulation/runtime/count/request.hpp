/// One instruction of a warp: what memory has to do for the addresses of its lanes.
#pragma once

#include <array>
#include <cstdint>

#include "grader/emulation/runtime/count/counts.hpp"

namespace opgrade_emulation {

struct Request {
  AccessSite site;
  unsigned bytes;                                 ///< that each lane accesses
  std::uint32_t mask;                             ///< lanes that take part
  const std::array<std::uintptr_t, 32>& address;  ///< of each lane; of others nothing that counts
};

/// What requests count that differ in their addresses by the same multiple of a sector.
struct Pattern {
  AccessSite site{nullptr, Space::global, Use::load};
  unsigned bytes = 0;
  std::uint32_t mask = 0;
  std::array<std::uintptr_t, 32> address = {};
  std::uintptr_t base = 0;  ///< of the sector of the first lane
  struct Span {
    std::uintptr_t begin, end;
  };
  std::array<Span, 32> spans = {};  ///< the different bytes, in order
  unsigned span_count = 0;
  std::uint64_t words = 0;  ///< of four bytes, of all lanes
  AccessCounts counts = {};
  AccessCounts* sum = nullptr;  ///< of the site
};

/// Neighbouring rounds of a loop and neighbouring warps repeat a few. Empty when a launch begins.
using Patterns = std::array<Pattern, 256>;

/// The request's addresses are the pattern's plus `shift`.
Pattern& find_pattern(Patterns& recent, const Request& request, std::uintptr_t& shift);

}  // namespace opgrade_emulation
