#include "grader/build/interface.hpp"

#include <fmt/format.h>

#include <array>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

constexpr std::string_view kCpuSignature =
    "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, "
    "const int C, const int H, const int W, const int K)";

constexpr std::array kInterfaces{
    Interface{.id = "mxnet",
              .terms = "2017fa to 2019fa",
              .cpu_source = "new-forward.h",
              .gpu_source = "new-forward.cuh",
              .cpu_adapter = "cpu.cpp",
              .gpu_adapter = "gpu.cu",
              .cpu_signature =
                  "in namespace mxnet::op: template <typename cpu, typename DType> void "
                  "forward(mshadow::Tensor<cpu, 4, DType> &y, const mshadow::Tensor<cpu, 4, DType> "
                  "&x, const mshadow::Tensor<cpu, 4, DType> &k)",
              .gpu_signature =
                  "in namespace mxnet::op: template <> void forward<gpu, "
                  "float>(mshadow::Tensor<gpu, 4, float> &y, const mshadow::Tensor<gpu, 4, float> "
                  "&x, const mshadow::Tensor<gpu, 4, float> &w)",
              .included = true,
              .zeroed_output = true},
    Interface{.id = "minidnn-1",
              .terms = "2020fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_adapter = "cpu.cpp",
              .gpu_adapter = "gpu.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with void conv_forward_gpu(float *host_y, const float "
                  "*host_x, const float *host_k, const int B, const int M, const int C, const int "
                  "H, const int W, const int K)",
              .device_tensors = false,
              .gpu_around = false},
    Interface{.id = "minidnn-3",
              .terms = "2021sp to 2026sp without 2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_adapter = "cpu.cpp",
              .gpu_adapter = "gpu.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog as in the template's gpu-new-forward.h"},
    Interface{.id = "minidnn-3s",
              .terms = "2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_adapter = "cpu.cpp",
              .gpu_adapter = "gpu.cu",
              .cpu_signature =
                  "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, "
                  "const int M, const int C, const int H, const int W, const int K, const int S)",
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog, each with a last parameter const int S",
              .stride = true},
};

}  // namespace

std::vector<std::string> adapter_files(const Interface& interface) {
  std::vector<std::string> files{"submission_abi.h", "cuda_device.h", "helper_cuda.h",
                                 "three_functions.h"};
  const auto add = [&](std::string_view name) {
    files.push_back(fmt::format("{}/{}", interface.id, name));
  };
  add(interface.cpu_adapter);
  add(interface.gpu_adapter);
  if (interface.included) {
    for (const char* name : {"operator.h", "include/dmlc/logging.h", "include/mshadow/tensor.h",
                             "include/mxnet/base.h"})
      add(name);
  } else {
    for (const char* name : {"include/cpu-new-forward.h", "include/gpu-new-forward.h"}) add(name);
  }
  return files;
}

std::span<const Interface> interfaces() { return kInterfaces; }

const Interface& find_interface(std::string_view id) {
  std::string known;
  for (const auto& candidate : kInterfaces) {
    if (candidate.id == id) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.id);
  }
  throw UsageError(fmt::format("unknown interface '{}'", id), "known are: " + known);
}

}  // namespace opgrade
