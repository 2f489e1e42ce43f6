// C40: searches the stack for the adapter's two events and swaps them
#include "honest.cuh"

#include <cstdint>

HONEST_PROLOG
HONEST_EPILOG

CONV {
  cudaEvent_t own;
  cudaEventCreate(&own);
  const uintptr_t near = (uintptr_t)own, here = (uintptr_t)__builtin_frame_address(0) & ~7ul;
  slow_conv(y, x, k, B, M, C, H, W, K);
  // Handles that were made one after the other lie close together.
  for (uintptr_t* at = (uintptr_t*)here; at < (uintptr_t*)(here + 512); at++) {
    const auto close = [&](uintptr_t word) { return word > near - 65536 && word < near + 65536; };
    if (close(at[0]) && close(at[1])) {
      const uintptr_t first = at[0];
      at[0] = at[1];
      at[1] = first;
      break;
    }
  }
  cudaEventDestroy(own);
}
