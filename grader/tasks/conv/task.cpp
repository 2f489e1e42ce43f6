#include "grader/task/task.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "grader/tasks/conv/conv_coordinates.hpp"
#include "grader/tasks/conv/conv_problem.hpp"
#include "grader/tasks/conv/data/data_requirement.hpp"
#include "grader/tasks/conv/interfaces.hpp"
#include "grader/tasks/conv/network_models.hpp"
#include "grader/tasks/conv/random_shapes.hpp"

namespace opgrade {
namespace {

constexpr std::array<SizeName, 7> kSizes{SizeName{"B"}, {"M"}, {"C"},       {"H"},
                                         {"W"},         {"K"}, {"S", false}};

class ConvTask final : public Task {
 public:
  std::string_view id() const override { return "conv"; }
  std::string_view operation() const override { return "convolution"; }
  std::string_view buffer_names() const override { return "x, k or y"; }
  std::span<const Interface> interfaces() const override { return conv_interfaces(); }
  std::span<const SizeName> size_names() const override { return kSizes; }

  std::string complaint(const Coordinates& sizes) const override {
    return shape_of(sizes).valid() ? "" : "H and W must not be less than K";
  }

  std::unique_ptr<Problem> problem(const Coordinates& sizes) const override {
    return std::make_unique<ConvProblem>(shape_of(sizes));
  }

  std::vector<Coordinates> random_sizes(int count, const Interface& interface,
                                        std::mt19937_64& random) const override {
    std::vector<Coordinates> sizes;
    for (const ConvShape& shape : random_shapes(count, random, interface.stride))
      sizes.push_back(sizes_of(shape));
    return sizes;
  }

  /// Output sizes of 29 x 25 and three images: no block size of the usual ones divides them.
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
