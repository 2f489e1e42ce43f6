// Stands in for a submission's process: `referee_peer B M C H W K S` reads k from stdin, has y, x
// and k on the device and writes the IPC handles of y and x to stdout. For each 8-byte number that
// it then reads it computes y by the plainest kernel, spoils the element of that number (none for
// -1) and writes one byte.
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "reference/conv_shape.hpp"

namespace {

void need(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "referee_peer: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

__global__ void convolve(float* y, const float* x, const float* k, opgrade::ConvShape s,
                         std::int64_t spoiled) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= s.y_size()) return;
  const std::int64_t w = at % s.W_out(), h = at / s.W_out() % s.H_out();
  const std::int64_t m = at / s.W_out() / s.H_out() % s.M, b = at / s.y_image();
  double sum = 0;
  for (int c = 0; c < s.C; ++c)
    for (int p = 0; p < s.K; ++p)
      for (int q = 0; q < s.K; ++q)
        sum += static_cast<double>(x[((b * s.C + c) * s.H + h * s.S + p) * s.W + w * s.S + q]) *
               k[((m * s.C + c) * s.K + p) * s.K + q];
  // Sums of values below 1 have fewer than this many terms.
  y[at] = static_cast<float>(at == spoiled ? sum + s.C * s.K * s.K : sum);
}

float* shared_array(std::int64_t count) {
  float* data = nullptr;
  need(cudaMalloc(&data, static_cast<std::size_t>(count) * sizeof(float)));
  cudaIpcMemHandle_t handle;
  need(cudaIpcGetMemHandle(&handle, data));
  if (write(STDOUT_FILENO, &handle, sizeof handle) != sizeof handle) std::exit(1);
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 1;
  opgrade::ConvShape s;
  int* const sizes[] = {&s.B, &s.M, &s.C, &s.H, &s.W, &s.K, &s.S};
  for (int i = 0; i < 7; ++i) *sizes[i] = std::atoi(argv[i + 1]);
  if (!s.valid()) return 1;
  float* const y = shared_array(s.y_size());
  float* const x = shared_array(s.x_size());
  std::setvbuf(stdin, nullptr, _IONBF, 0);  // what comes next is read(2)
  std::vector<float> weights(static_cast<std::size_t>(s.k_size()));
  if (std::fread(weights.data(), sizeof(float), weights.size(), stdin) != weights.size()) return 1;
  float* k = nullptr;
  need(cudaMalloc(&k, weights.size() * sizeof(float)));
  need(cudaMemcpy(k, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (std::int64_t spoiled; read(STDIN_FILENO, &spoiled, sizeof spoiled) == sizeof spoiled;) {
    convolve<<<static_cast<unsigned>((s.y_size() + 255) / 256), 256>>>(y, x, k, s, spoiled);
    need(cudaGetLastError());
    need(cudaDeviceSynchronize());
    if (write(STDOUT_FILENO, "", 1) != 1) return 1;
  }
}
