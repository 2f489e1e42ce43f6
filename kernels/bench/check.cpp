#include "kernels/bench/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "reference/conv_direct.hpp"

namespace opgrade::kernels {
namespace {

constexpr Data kEveryKind[] = {Data::reals, Data::pixels, Data::tiny, Data::huge, Data::wide};
constexpr const char* kKindNames[] = {"reals", "pixels", "tiny", "huge", "wide"};

bool in_range(const Rung& rung, Data data) {
  return rung.any_range || data == Data::reals || data == Data::wide;
}

}  // namespace

std::string to_string(const ConvShape& s) {
  return fmt::format("B={} M={} C={} H={} W={} K={} S={}", s.B, s.M, s.C, s.H, s.W, s.K, s.S);
}

Difference run_and_compare(const Rung& rung, const float* d_x, const float* d_k, float* d_y,
                           const double* d_truth, const ConvShape& shape,
                           DeviceBuffer<char>& workspace) {
  workspace.grow(rung.workspace_bytes(shape));
  CUDA_CHECK(cudaMemset(d_y, 0xff, shape.y_size() * sizeof(float)));  // reads as NaN
  rung.launch(d_x, d_k, d_y, shape, {workspace.get(), workspace.size()}, nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  return compare(d_y, d_truth, shape);
}

Checked check_rung(const Rung& rung, std::span<const ConvShape> shapes) {
  Checked checked;
  DeviceBuffer<char> workspace;
  for (const ConvShape& s : shapes) {
    if (!rung.accepts(s)) continue;
    ++checked.accepted;
    DeviceBuffer<float> x(s.x_size()), k(s.k_size()), y(s.y_size());
    DeviceBuffer<double> want(s.y_size());
    for (const Data data : kEveryKind) {
      if (!in_range(rung, data)) continue;
      fill(x.get(), s.x_size(), data, 17 * checked.runs + 1, nullptr);
      fill(k.get(), s.k_size(), Data::reals, 17 * checked.runs + 2, nullptr);
      truth(x.get(), k.get(), want.get(), s);
      const Difference difference =
          run_and_compare(rung, x.get(), k.get(), y.get(), want.get(), s, workspace);
      const double allowed = allowed_error(rung.accuracy, s);
      ++checked.runs;
      if (!difference.within(allowed)) {
        if (checked.complaint.empty())
          checked.complaint = fmt::format(
              "{} with {}: error {:.3g} of the largest output, {:.3g} allowed, {} not finite",
              to_string(s), kKindNames[static_cast<int>(data)], difference.relative(), allowed,
              difference.broken);
      } else {
        checked.worst = std::fmax(checked.worst, difference.relative() / allowed);
      }
    }
  }
  return checked;
}

std::string check_truth(std::span<const ConvShape> shapes) {
  for (const ConvShape& s : shapes) {
    DeviceBuffer<float> x(s.x_size()), k(s.k_size());
    DeviceBuffer<double> y(s.y_size());
    fill(x.get(), s.x_size(), Data::reals, 1, nullptr);
    fill(k.get(), s.k_size(), Data::reals, 2, nullptr);
    truth(x.get(), k.get(), y.get(), s);
    std::vector<float> host_x(s.x_size()), host_k(s.k_size());
    std::vector<double> got(s.y_size()), want(s.y_size());
    CUDA_CHECK(
        cudaMemcpy(host_x.data(), x.get(), host_x.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(host_k.data(), k.get(), host_k.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(got.data(), y.get(), got.size() * sizeof(double), cudaMemcpyDeviceToHost));
    conv_direct(s, host_x.data(), host_k.data(), want.data());
    // Both round each addition once, perhaps in another order: far inside 1e-13 of the terms' sum.
    const double allowed = 1e-13 * s.C * s.K * s.K;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (std::fabs(got[i] - want[i]) <= allowed) continue;
      return fmt::format("{}: output {} is {} on the device and {} by conv_direct", to_string(s), i,
                         got[i], want[i]);
    }
  }
  return {};
}

}  // namespace opgrade::kernels
