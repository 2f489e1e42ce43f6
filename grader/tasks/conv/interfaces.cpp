#include "grader/tasks/conv/interfaces.hpp"

#include <array>
#include <string_view>

namespace opgrade {
namespace {

constexpr std::string_view kCpuSignature =
    "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, "
    "const int C, const int H, const int W, const int K)";

constexpr std::array<std::string_view, 3> kFunctions{
    "conv_forward_cpu(", "GPUInterface::conv_forward_gpu", "mxnet::op::forward<"};

constexpr std::array<std::string_view, 6> kMxnetFiles{"conv_call.h",
                                                      "conv_device.h",
                                                      "mxnet/operator.h",
                                                      "mxnet/include/dmlc/logging.h",
                                                      "mxnet/include/mshadow/tensor.h",
                                                      "mxnet/include/mxnet/base.h"};
constexpr std::array<std::string_view, 7> kMinidnn1Files{"conv_call.h",
                                                         "conv_device.h",
                                                         "student_class.h",
                                                         "three_functions.h",
                                                         "minidnn-3/cpu.cpp",
                                                         "minidnn-1/include/cpu-new-forward.h",
                                                         "minidnn-1/include/gpu-new-forward.h"};
constexpr std::array<std::string_view, 6> kMinidnn3Files{"conv_call.h",
                                                         "conv_device.h",
                                                         "student_class.h",
                                                         "three_functions.h",
                                                         "minidnn-3/include/cpu-new-forward.h",
                                                         "minidnn-3/include/gpu-new-forward.h"};
constexpr std::array<std::string_view, 6> kMinidnn3sFiles{"conv_call.h",
                                                          "conv_device.h",
                                                          "student_class.h",
                                                          "three_functions.h",
                                                          "minidnn-3s/include/cpu-new-forward.h",
                                                          "minidnn-3s/include/gpu-new-forward.h"};

constexpr std::array kInterfaces{
    Interface{.id = "mxnet",
              .task = "conv",
              .terms = "2017fa to 2019fa",
              .cpu_source = "new-forward.h",
              .gpu_source = "new-forward.cuh",
              .cpu_signature =
                  "in namespace mxnet::op: template <typename cpu, typename DType> void "
                  "forward(mshadow::Tensor<cpu, 4, DType> &y, const mshadow::Tensor<cpu, 4, DType> "
                  "&x, const mshadow::Tensor<cpu, 4, DType> &k)",
              .gpu_signature =
                  "in namespace mxnet::op: template <> void forward<gpu, "
                  "float>(mshadow::Tensor<gpu, 4, float> &y, const mshadow::Tensor<gpu, 4, float> "
                  "&x, const mshadow::Tensor<gpu, 4, float> &w)",
              .functions = kFunctions,
              .files = kMxnetFiles,
              .included = true,
              .zeroed_output = true},
    Interface{.id = "minidnn-1",
              .task = "conv",
              .terms = "2020fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with void conv_forward_gpu(float *host_y, const float "
                  "*host_x, const float *host_k, const int B, const int M, const int C, const int "
                  "H, const int W, const int K)",
              .functions = kFunctions,
              .files = kMinidnn1Files,
              .device_tensors = false,
              .gpu_around = false},
    Interface{.id = "minidnn-3",
              .task = "conv",
              .terms = "2021sp to 2026sp without 2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog as in the template's gpu-new-forward.h",
              .functions = kFunctions,
              .files = kMinidnn3Files},
    Interface{.id = "minidnn-3s",
              .task = "conv",
              .terms = "2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature =
                  "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, "
                  "const int M, const int C, const int H, const int W, const int K, const int S)",
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog, each with a last parameter const int S",
              .functions = kFunctions,
              .files = kMinidnn3sFiles,
              .stride = true},
};

}  // namespace

std::span<const Interface> conv_interfaces() { return kInterfaces; }

}  // namespace opgrade
