/// Conditions that right outputs do not depend on, so that the grader can vary them.
#pragma once

#include <cstdint>

namespace opgrade_emulation {

struct Variation {
  /// In memory that nothing wrote, 0 to 255: OPGRADE_EMULATION_FILL. 0xff is NaN as float, half and
  /// double, -1 as an integer.
  unsigned char fill = 0xff;
  /// Blocks and threads run from the last to the first: OPGRADE_EMULATION_ORDER=reversed. Not with
  /// the checks.
  bool reversed = false;
  /// Two blocks run at the same time, and each thread lets others come first before it exchanges a
  /// word: OPGRADE_EMULATION_ORDER=interleaved. Not with the checks.
  bool interleaved = false;
  /// Work that the program does not wait for is done as late as CUDA allows:
  /// OPGRADE_EMULATION_ORDER=late, see late_work.hpp and late_copies.hpp. Not with the checks.
  bool late = false;
  /// With the checks, allocations have closed room between them, where an access stops the kernel.
  /// With OPGRADE_EMULATION_ALLOCATIONS=packed they have none, as without checks.
  bool apart = false;
  /// Of the counting build: loads of shared memory, of global memory or of constants at the place
  /// get other values than those in memory: OPGRADE_EMULATION_SPOIL=PLACE:SPACE.
  std::uint64_t spoiled_place = 0;
  char spoiled_space = 0;  ///< its first letter; 0: no load is spoiled
};

/// As the environment was before any code of the submission ran.
const Variation& variation();

}  // namespace opgrade_emulation
