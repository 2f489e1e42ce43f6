/// Conditions that right outputs do not depend on, so that the grader can vary them.
#pragma once

#include <cstdint>

namespace opgrade_emulation {

struct Variation {
  /// Fills memory that nothing wrote, 0 to 255: OPGRADE_EMULATION_FILL. 0xff is NaN as float, half
  /// and double, and -1 as an integer.
  unsigned char fill = 0xff;
  /// Runs blocks and threads from the last to the first: OPGRADE_EMULATION_ORDER=reversed. Cannot
  /// be combined with the checks.
  bool reversed = false;
  /// Runs two blocks at the same time, and each thread lets others run before it exchanges a word:
  /// OPGRADE_EMULATION_ORDER=interleaved. Cannot be combined with the checks.
  bool interleaved = false;
  /// Does work that the program does not wait for as late as CUDA allows:
  /// OPGRADE_EMULATION_ORDER=late, see late_work.hpp and late_copies.hpp. Cannot be combined with
  /// the checks.
  bool late = false;
  /// With the checks, allocations have closed room between them, where an access stops the kernel.
  /// OPGRADE_EMULATION_ALLOCATIONS=packed removes that room, as in builds without checks.
  bool apart = false;
  /// In the counting build: loads of shared memory, global memory or constants at this place get
  /// other values than those in memory: OPGRADE_EMULATION_SPOIL=PLACE:SPACE.
  std::uint64_t spoiled_place = 0;
  char spoiled_space = 0;  ///< first letter of the space; 0: no load is spoiled
};

/// Read from the environment before any code of the submission ran.
const Variation& variation();

}  // namespace opgrade_emulation
