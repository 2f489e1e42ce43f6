// The page in which the grader starts a call and the harness ends it (grader/platform/harness/protocol.hpp), as a
// submission finds it: descriptor 4.
#pragma once
#include <sys/mman.h>

#include <atomic>
#include <cstdint>

struct CallPage {
  std::atomic<std::uint32_t> wake, go, cancel;
  alignas(64) std::atomic<std::uint32_t> awake;
  alignas(64) std::atomic<std::uint32_t> done;
  std::uint32_t magic, kind, status, length;
  std::int64_t elapsed_ns, device_ns;

  std::uint32_t sequence() const { return wake > go ? wake : go; }
};

// Null where there is none.
inline CallPage* call_page() {
  static void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
  return page == MAP_FAILED ? nullptr : (CallPage*)page;
}
