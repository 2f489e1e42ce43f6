#include "grader/build/interface.hpp"

#include <fmt/format.h>

#include <array>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

constexpr std::array kInterfaces{
    Interface{.id = "minidnn-3",
              .terms = "2021sp to 2026sp without 2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_adapter = "cpu.cpp",
              .gpu_adapter = "gpu.cu",
              .cpu_signature =
                  "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, "
                  "const int M, const int C, const int H, const int W, const int K)",
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog as in the template's gpu-new-forward.h"},
};

}  // namespace

std::span<const Interface> interfaces() { return kInterfaces; }

const Interface& find_interface(std::string_view id) {
  std::string known;
  for (const auto& candidate : kInterfaces) {
    if (candidate.id == id) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.id);
  }
  throw Error(fmt::format("unknown interface '{}'", id), "known are: " + known);
}

}  // namespace opgrade
