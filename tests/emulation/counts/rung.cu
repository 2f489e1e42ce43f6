// A rung of the ladder on the two layers of the 86x86 network, for the emulated device and for a
// GPU: -DOPGRADE_RUNG=rung01 -include kernels/01_naive.cu
#include <cstdio>
#include <vector>

#ifdef OPGRADE_EMULATION
extern "C" void opgrade_profiler_step(const char* kind, int layer);
#else
void opgrade_profiler_step(const char*, int) {}
#endif

namespace {

void run_layer(int B, int M, int C, int H, int W, int K) {
  opgrade::ConvShape s;
  s.B = B, s.M = M, s.C = C, s.H = H, s.W = W, s.K = K;
  if (!opgrade::kernels::OPGRADE_RUNG::accepts(s)) return;
  float *x = nullptr, *k = nullptr, *y = nullptr;
  CUDA_CHECK(cudaMalloc(&x, s.x_size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&k, s.k_size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, s.y_size() * sizeof(float)));
  CUDA_CHECK(cudaMemset(x, 0, s.x_size() * sizeof(float)));
  CUDA_CHECK(cudaMemset(k, 0, s.k_size() * sizeof(float)));
  opgrade::kernels::Workspace space;
  space.bytes = opgrade::kernels::OPGRADE_RUNG::workspace_bytes(s);
  if (space.bytes > 0) CUDA_CHECK(cudaMalloc(&space.data, space.bytes));
  opgrade::kernels::OPGRADE_RUNG::launch(x, k, y, s, space, nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  cudaFree(x), cudaFree(k), cudaFree(y), cudaFree(space.data);
}

}  // namespace

extern "C" int run() {
  opgrade_profiler_step("conv", 0);
  run_layer(2, 4, 1, 86, 86, 7);
  opgrade_profiler_step("conv", 1);
  run_layer(2, 16, 4, 40, 40, 7);
  return 0;
}

#ifndef OPGRADE_EMULATION
int main() { return run(); }
#endif
