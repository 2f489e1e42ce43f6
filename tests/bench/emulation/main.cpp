// Times one submission, compiled for the emulated device, on both layers of the 86x86 network.
// Usage: program <B>. Prints the CPU seconds of the two conv calls and of their sum: on one core
// that is the time they take, and unlike a wall clock it does not count what else the machine does.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "gpu-new-forward.h"
#include "reference/conv_shape.hpp"

namespace {

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds(const opgrade::ConvShape& s) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> real(-1.0f, 1.0f);
  std::vector<float> x(s.x_size()), k(s.k_size()), y(s.y_size());
  for (float& v : x) v = real(random);
  for (float& v : k) v = real(random);
  GPUInterface gpu;
  float *d_y = nullptr, *d_x = nullptr, *d_k = nullptr;
  gpu.conv_forward_gpu_prolog(y.data(), x.data(), k.data(), &d_y, &d_x, &d_k, s.B, s.M, s.C, s.H,
                              s.W, s.K);
  const double from = cpu_seconds();
  gpu.conv_forward_gpu(d_y, d_x, d_k, s.B, s.M, s.C, s.H, s.W, s.K);
  const double taken = cpu_seconds() - from;
  gpu.conv_forward_gpu_epilog(y.data(), d_y, d_x, d_k, s.B, s.M, s.C, s.H, s.W, s.K);
  return taken;
}

}  // namespace

int main(int argc, char** argv) {
  const int B = argc > 1 ? std::atoi(argv[1]) : 100;
  const double first = seconds({B, 4, 1, 86, 86, 7, 1});
  const double second = seconds({B, 16, 4, 40, 40, 7, 1});
  std::printf("%.2f %.2f %.2f\n", first, second, first + second);
}
