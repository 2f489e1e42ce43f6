// Asynchronous copies of a kernel's threads, for all of CUDA's interfaces.
#pragma once

#include "api.hpp"
#include "kernel.hpp"

namespace opgrade_emulation {

/// True if copies are made when the thread waits, not at once. This is a function, because a build
/// that checks would take a variable for one of the submission's.
bool copies_are_late();

/// Queues a copy for the thread's next wait. Copies the first `used` bytes and sets the others to
/// zero.
void copy_late(void* to, const void* from, size_t bytes, size_t used);
/// Makes the thread's copies since the last commit a group.
void commit_late_copies();
/// Makes the copies of all groups of the thread except the last `most_left`.
void make_late_copies(size_t most_left);
/// Makes all copies of the thread, committed or not.
void make_all_late_copies();

OPGRADE_INLINE void copy_async(void* to, const void* from, size_t bytes, size_t used) {
  if (__builtin_expect(copies_are_late(), false)) return copy_late(to, from, bytes, used);
  auto* out = (unsigned*)to;
  const auto* in = (const unsigned*)from;
  for (size_t i = 0; i < bytes / 4; ++i) out[i] = i * 4 < used ? in[i] : 0u;
}
OPGRADE_INLINE void commit_copies() {
  if (__builtin_expect(copies_are_late(), false)) commit_late_copies();
}
OPGRADE_INLINE void await_copies(size_t most_left) {
  if (__builtin_expect(copies_are_late(), false)) make_late_copies(most_left);
}
OPGRADE_INLINE void await_all_copies() {
  if (__builtin_expect(copies_are_late(), false)) make_all_late_copies();
}

}  // namespace opgrade_emulation
