/// One instruction of a warp: what memory has to do for the addresses of its lanes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grader/emulation/runtime/count/counts.hpp"

namespace opgrade_emulation {

struct Request {
  AccessSite site;
  unsigned bytes;                           ///< that each lane accesses
  std::uint32_t mask;                       ///< lanes that take part
  std::array<std::uintptr_t, 32>& address;  ///< of each lane; of others nothing that counts
};

/// What requests count that differ in their addresses by the same multiple of a sector.
struct Pattern {
  AccessSite site{nullptr, Space::global, Use::load};
  unsigned bytes = 0;
  std::uint32_t mask = 0;
  std::array<std::uintptr_t, 32> offset;  ///< from the base, as those below
  struct Span {
    std::uintptr_t begin, end;
  };
  std::array<Span, 32> spans;  ///< the different bytes, in order
  unsigned span_count = 0;
  std::uint64_t words = 0;  ///< of four bytes, of all lanes
  AccessCounts counts;
  AccessCounts* sum = nullptr;  ///< of the site, in the launch whose number follows
  std::uint64_t launch = 0;
};

/// Neighbouring rounds of a loop and neighbouring warps repeat a few patterns.
class Patterns {
 public:
  /// Of the request, whose base is returned, too. Inactive lanes' addresses are overwritten.
  Pattern& find(const Request& request, std::uintptr_t& base);

 private:
  std::vector<Pattern> recent_ = std::vector<Pattern>(256);
};

}  // namespace opgrade_emulation
