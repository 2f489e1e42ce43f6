/// Counts how often and how each kernel was launched: the emulated device's profile, which has no
/// times. Also remembers the last launch, for findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "opgrade_emulation/types.hpp"

namespace opgrade_emulation {

/// Counts a launch if a profile is being recorded.
void count_launch(const char* kernel, const dim3& grid, const dim3& block, int static_shared,
                  std::size_t dynamic_shared);

struct KnownLaunch {
  std::string kernel;
  std::string file;  ///< empty for a launch by address
  int line = 0;
  dim3 grid, block;
};

void remember_launch(KnownLaunch launch);

/// The number of accepted launches so far.
std::uint64_t launches_so_far();

KnownLaunch last_launch();

std::string text_of(const dim3& size);  ///< "32 x 8 x 1"

}  // namespace opgrade_emulation
