/// One step of a loop that waits for a word of another process.
#pragma once

namespace opgrade {

/// Lets the other hardware thread of the core run meanwhile.
inline void relax_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace opgrade
