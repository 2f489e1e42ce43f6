// A rung of the ladder on the two layers of the 86x86 network, for the emulated device and for a
// GPU: -DOPGRADE_RUNG=rung01 -include kernels/01_naive.cu
#include <cstdio>
#include <vector>

/// Of the emulated device.
extern "C" __attribute__((weak)) void opgrade_profiler_step(const char* kind, int layer);

namespace {

void fill(float* to, std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1.0f + static_cast<float>(i % 8191);
  CUDA_CHECK(cudaMemcpy(to, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
}

void run_layer(int B, int M, int C, int H, int W, int K) {
  opgrade::ConvShape s;
  s.B = B, s.M = M, s.C = C, s.H = H, s.W = W, s.K = K;
  if (!opgrade::kernels::OPGRADE_RUNG::accepts(s)) return;
  float *x = nullptr, *k = nullptr, *y = nullptr;
  CUDA_CHECK(cudaMalloc(&x, s.x_size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&k, s.k_size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, s.y_size() * sizeof(float)));
  fill(x, s.x_size());
  fill(k, s.k_size());
  opgrade::kernels::Workspace space;
  space.bytes = opgrade::kernels::OPGRADE_RUNG::workspace_bytes(s);
  if (space.bytes > 0) CUDA_CHECK(cudaMalloc(&space.data, space.bytes));
  opgrade::kernels::OPGRADE_RUNG::launch(x, k, y, s, space, nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  cudaFree(x), cudaFree(k), cudaFree(y), cudaFree(space.data);
}

}  // namespace

extern "C" int run() {
  if (opgrade_profiler_step != nullptr) opgrade_profiler_step("conv", 0);
  run_layer(2, 4, 1, 86, 86, 7);
  if (opgrade_profiler_step != nullptr) opgrade_profiler_step("conv", 1);
  run_layer(2, 16, 4, 40, 40, 7);
  return 0;
}

int main() { return run(); }
