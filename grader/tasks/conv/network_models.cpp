#include "grader/tasks/conv/network_models.hpp"

#include <fmt/format.h>

#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/network/load_network.hpp"
#include "grader/tasks/conv/conv_problem.hpp"
#include "grader/tasks/conv/network_pass.hpp"
#include "grader/tasks/conv/random_batches.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::vector<NamedProblem> problems_of(const std::vector<ConvLayer>& convs) {
  std::vector<NamedProblem> problems;
  for (const auto& conv : convs)
    problems.push_back({conv.name, std::make_unique<ConvProblem>(conv.shape)});
  return problems;
}

}  // namespace

std::string NetworkModel::complaint(int batch) const {
  if (batch <= data->images()) return {};
  return fmt::format("batch {} is larger than the data set {} with {} images", batch,
                     data->path().string(), data->images());
}

std::vector<NamedProblem> NetworkModel::problems(int batch) const {
  return problems_of(conv_layers(network, batch));
}

std::vector<NamedProblem> NetworkModel::random_batches(int count, double flops,
                                                       std::mt19937_64& random) const {
  return problems_of(opgrade::random_batches(conv_layers(network, 1), count, flops, random));
}

std::unique_ptr<ModelPass> NetworkModel::pass(int batch, int threads) const {
  return std::make_unique<NetworkPass>(*this, batch, threads);
}

NetworkModels::NetworkModels(fs::path data_folder, Log log)
    : data_folder_(std::move(data_folder)), log_(std::move(log)) {}

std::shared_ptr<const DataSet> NetworkModels::data_set(const Shape& input) {
  const std::string name = input.height == input.width
                               ? fmt::format("fmnist-{}.h5", input.height)
                               : fmt::format("fmnist-{}x{}.h5", input.height, input.width);
  auto& slot = data_[name];
  if (!slot) {
    const fs::path file = data_folder_ / name;
    if (!fs::exists(file)) {
      log_(fmt::format("preparing the data set {} (once)", file.string()));
      resources::make_data_folder(data_folder_);
      build_dataset(default_data_source(), input.height, input.width, file);
    }
    slot = std::make_shared<const DataSet>(DataSet::open(file));
  }
  return slot;
}

const NetworkModel& NetworkModels::get(const ModelName& name) {
  const std::scoped_lock lock(guard_);
  const auto key = name.network + '\n' + name.weights;
  if (const auto found = models_.find(key); found != models_.end()) return found->second;

  auto [network, weights] = as_usage([&] {
    Network of_config = load_network(name.network_file());
    if (of_config.input().channels != 1) {
      throw Error(fmt::format("network {} wants {} channels, but the images have one",
                              of_config.name, of_config.input().channels),
                  "use a network for grey images");
    }
    Weights its = load_weights_for(of_config, name.weights_file());
    return std::pair{std::move(of_config), std::move(its)};
  });
  auto data = data_set(network.input());
  return models_.try_emplace(key, std::move(network), std::move(weights), std::move(data))
      .first->second;
}

}  // namespace opgrade
