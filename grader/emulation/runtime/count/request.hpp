/// One instruction of a warp: what memory has to do for the addresses of its lanes.
#pragma once

#include <array>
#include <cstdint>

#include "grader/emulation/runtime/count/counts.hpp"

namespace opgrade_emulation {

struct Request {
  AccessSite site;
  unsigned bytes;                          ///< that each lane accesses
  unsigned lanes = 0;                      ///< how many take part
  std::uint32_t mask = 0;                  ///< which
  std::array<std::uintptr_t, 32> address;  ///< of the first `lanes`
  struct Span {
    std::uintptr_t begin, end;
  };
  std::array<Span, 32> spans;  ///< the different bytes, in order; set by count_request()
  unsigned span_count = 0;
};

/// Sorts the addresses.
AccessCounts count_request(Request& request);

}  // namespace opgrade_emulation
