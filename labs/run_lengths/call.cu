// Calls what you write. The workspace is new in each call, so that nothing is left in it from the call before.
#include <cstdio>
#include <cstdlib>

#include "types.h"

void run_lengths(const int* x, int* values, int* lengths, int* runs, int n) {
  const size_t bytes = rle::get_workspace_size(n);
  void* workspace = nullptr;
  if (bytes > 0 && cudaMalloc(&workspace, bytes) != cudaSuccess) {
    std::fprintf(stderr, "get_workspace_size(%d) is %zu: the device has no room for it\n", n, bytes);
    std::exit(1);
  }
  rle::run(x, n, workspace, values, lengths, runs);
  cudaFree(workspace);
}
