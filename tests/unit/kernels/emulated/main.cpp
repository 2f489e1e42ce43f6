// Runs one rung, exported as a course submission and compiled for the emulated device, on small odd
// shapes. Usage: rung <fp32|half>. Prints what it did; exit code 1 for a wrong output or none at
// all.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpu-new-forward.h"
#include "reference/conv_direct.hpp"
#include "reference/conv_shape.hpp"

namespace {

// Odd sizes, one pixel, maps and channels off every tile, kernels that fill the image; the course's
// two layers, small. Stride 1: the interface knows no other.
constexpr opgrade::ConvShape kShapes[] = {{1, 1, 1, 1, 1, 1, 1},    {3, 4, 1, 23, 22, 7, 1},
                                          {2, 16, 4, 20, 20, 7, 1}, {3, 6, 1, 17, 19, 5, 1},
                                          {3, 16, 6, 15, 13, 5, 1}, {2, 24, 12, 11, 11, 7, 1},
                                          {5, 5, 3, 9, 12, 3, 1},   {2, 9, 1, 9, 10, 6, 1},
                                          {3, 5, 1, 11, 2, 2, 1},   {3, 11, 2, 12, 12, 3, 1}};

/// The worst error over the largest output, or infinity where an output is not finite.
double run(const opgrade::ConvShape& s, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(-1.0f, 1.0f);
  std::vector<float> x(s.x_size()), k(s.k_size());
  std::vector<float> y(s.y_size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<double> want(s.y_size());
  for (float& v : x) v = real(random);
  for (float& v : k) v = real(random);
  opgrade::conv_direct(s, x.data(), k.data(), want.data());

  GPUInterface gpu;
  float *d_y = nullptr, *d_x = nullptr, *d_k = nullptr;
  gpu.conv_forward_gpu_prolog(y.data(), x.data(), k.data(), &d_y, &d_x, &d_k, s.B, s.M, s.C, s.H,
                              s.W, s.K);
  gpu.conv_forward_gpu(d_y, d_x, d_k, s.B, s.M, s.C, s.H, s.W, s.K);
  gpu.conv_forward_gpu_epilog(y.data(), d_y, d_x, d_k, s.B, s.M, s.C, s.H, s.W, s.K);

  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double difference = std::fabs(y[i] - want[i]);
    if (!(difference <= std::numeric_limits<double>::max()))
      return std::numeric_limits<double>::infinity();
    worst = std::fmax(worst, difference);
    largest = std::fmax(largest, std::fabs(want[i]));
  }
  return worst / largest;
}

}  // namespace

int main(int argc, char** argv) {
  const bool half = argc > 1 && std::strcmp(argv[1], "half") == 0;
  int right = 0;
  for (const opgrade::ConvShape& s : kShapes) {
    double error = 0;
    try {
      error = run(s, 7);
    } catch (const std::exception& refused) {
      if (std::string(refused.what()).find("does not accept") != std::string::npos) continue;
      std::printf("%s\n", refused.what());
      return 1;
    }
    const double allowed = half ? 1.0 / 512 : 1e-6 * std::sqrt(1.0 * s.C * s.K * s.K);
    std::printf("B=%d M=%d C=%d H=%d W=%d K=%d: error %.3g, allowed %.3g\n", s.B, s.M, s.C, s.H,
                s.W, s.K, error, allowed);
    if (!(error <= allowed)) return 1;
    ++right;
  }
  return right >= 3 ? 0 : 1;
}
