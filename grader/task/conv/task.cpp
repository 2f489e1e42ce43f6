#include "grader/task/interface/task.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/task/conv/conv_coordinates.hpp"
#include "grader/task/conv/conv_problem.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "grader/task/conv/network_models.hpp"
#include "grader/task/conv/random_shapes.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// True if files can be created in the folder, which need not exist yet.
bool can_be_made(fs::path folder) {
  folder = fs::absolute(folder);
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK) == 0;
}

Requirement data_requirement(const fs::path& data_folder) {
  const DataSource source = default_data_source();
  const fs::path prepared = data_folder / "fmnist-86.h5";
  const bool is_prepared = fs::exists(prepared);
  const bool has_images = fs::exists(source.images) && fs::exists(source.labels);
  const bool can_prepare = has_images && can_be_made(data_folder);
  return {.met = is_prepared || can_prepare,
          .name = "data",
          .state = is_prepared   ? prepared.string()
                   : can_prepare ? "will be prepared from " + source.images.parent_path().string()
                   : has_images  ? data_folder.string() + " cannot be written"
                                 : "no Fashion-MNIST images",
          .advice = has_images ? "set OPGRADE_DATA to a folder that can be written"
                               : "apt-get install dataset-fashion-mnist, or `opgrade data "
                                 "--images FILE --labels FILE`"};
}

constexpr std::string_view kCpuSignature =
    "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, "
    "const int C, const int H, const int W, const int K)";

constexpr std::array<std::string_view, 3> kFunctions{
    "conv_forward_cpu(", "GPUInterface::conv_forward_gpu", "mxnet::op::forward<"};

constexpr std::string_view kWithStride = "minidnn-3s";

/// True if the student's function takes a stride S; else S is always 1.
bool takes_stride(const Interface& interface) { return interface.id == kWithStride; }

constexpr std::array kInterfaces{
    Interface{.id = "mxnet",
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
              .included = true,
              .zeroed_output = true},
    Interface{.id = "minidnn-1",
              .terms = "2020fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with void conv_forward_gpu(float *host_y, const float "
                  "*host_x, const float *host_k, const int B, const int M, const int C, const int "
                  "H, const int W, const int K)",
              .functions = kFunctions,
              .device_tensors = false,
              .gpu_around = false},
    Interface{.id = "minidnn-3",
              .terms = "2021sp to 2026sp without 2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature = kCpuSignature,
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog as in the template's gpu-new-forward.h",
              .functions = kFunctions},
    Interface{.id = kWithStride,
              .terms = "2023fa",
              .cpu_source = "cpu-new-forward.cc",
              .gpu_source = "new-forward.cu",
              .cpu_signature =
                  "void conv_forward_cpu(float *y, const float *x, const float *k, const int B, "
                  "const int M, const int C, const int H, const int W, const int K, const int S)",
              .gpu_signature =
                  "class GPUInterface with conv_forward_gpu_prolog, conv_forward_gpu and "
                  "conv_forward_gpu_epilog, each with a last parameter const int S",
              .functions = kFunctions},
};

constexpr std::array<SizeName, 7> kSizes{SizeName{"B"}, {"M"}, {"C"},       {"H"},
                                         {"W"},         {"K"}, {"S", false}};

class ConvTask final : public Task {
 public:
  std::string_view id() const override { return "conv"; }
  std::string_view operation() const override { return "convolution"; }
  std::string_view buffer_names() const override { return "x, k or y"; }
  std::span<const Interface> interfaces() const override { return kInterfaces; }
  std::span<const SizeName> size_names() const override { return kSizes; }

  std::string complaint(const Coordinates& sizes) const override {
    return shape_of(sizes).valid() ? "" : "H and W must not be less than K";
  }

  /// The interface does not pass a stride, so a submission would be graded as if S were 1.
  std::string interface_complaint(const Interface& interface,
                                  const Coordinates& sizes) const override {
    const auto stride = value_of(sizes, "S");
    if (takes_stride(interface) || stride <= 1) return {};
    return fmt::format(
        "S is {}, but the interface {} has no stride: leave S out, or use the interface {}", stride,
        interface.id, kWithStride);
  }

  std::unique_ptr<Problem> problem(const Coordinates& sizes, const StaffWork&) const override {
    return std::make_unique<ConvProblem>(shape_of(sizes));
  }

  std::vector<Coordinates> random_sizes(int count, const Interface& interface,
                                        std::mt19937_64& random) const override {
    std::vector<Coordinates> sizes;
    for (const ConvShape& shape : random_shapes(count, random, takes_stride(interface)))
      sizes.push_back(sizes_of(shape));
    return sizes;
  }

  /// The output has 29 x 25 elements and three images, so none of the usual block sizes divides
  /// them.
  Coordinates control_sizes() const override {
    return sizes_of({.B = 3, .M = 4, .C = 2, .H = 31, .W = 27, .K = 3, .S = 1});
  }

  bool has_networks() const override { return true; }
  std::unique_ptr<Models> models(const std::filesystem::path& data_folder,
                                 Listener listen) const override {
    return std::make_unique<NetworkModels>(data_folder, std::move(listen));
  }

  std::vector<Requirement> requirements(const std::filesystem::path& data_folder) const override {
    return {data_requirement(data_folder)};
  }
};

}  // namespace

const Task& conv_task() {
  static const ConvTask task;
  return task;
}

}  // namespace opgrade
