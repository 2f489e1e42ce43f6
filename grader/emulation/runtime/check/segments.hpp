/// The loaded parts of the submission's shared object.
#pragma once

#include <cstdint>

namespace opgrade_emulation {

struct Segment {
  std::uintptr_t begin, end;
  bool writable;
};

/// The part that holds the address, or null.
const Segment* own_segment(std::uintptr_t address);

}  // namespace opgrade_emulation
