#include "grader/app/model_store.hpp"

#include <fmt/format.h>

#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/network/load_network.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// "fmnist-86" is one of opgrade's own; "./mine.h5" lies beside the config.
fs::path find_file(const Config& config, const std::string& value, const char* own_folder,
                   const char* ending) {
  if (value.find('/') != std::string::npos) return config.folder / value;
  return resources::share_folder() / own_folder / (value + ending);
}

}  // namespace

ModelStore::ModelStore(fs::path data_folder, Log log)
    : data_folder_(std::move(data_folder)), log_(std::move(log)) {}

std::shared_ptr<const DataSet> ModelStore::data_set(const Shape& input) {
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

const Model& ModelStore::get(const Config& config, const std::string& name) {
  const std::scoped_lock lock(guard_);
  const ModelConfig& wanted = config.models.at(name);
  const auto key = wanted.network + '\n' + wanted.weights;
  if (const auto found = models_.find(key); found != models_.end()) return found->second;

  auto [network, weights] = as_usage([&] {
    Network of_config = load_network(find_file(config, wanted.network, "networks", ".yaml"));
    if (of_config.input().channels != 1) {
      throw Error(fmt::format("network {} wants {} channels, but the images have one",
                              of_config.name, of_config.input().channels),
                  "use a network for grey images");
    }
    Weights its = load_weights_for(of_config, find_file(config, wanted.weights, "models", ".h5"));
    return std::pair{std::move(of_config), std::move(its)};
  });
  auto data = data_set(network.input());
  return models_.emplace(key, Model{std::move(network), std::move(weights), std::move(data)})
      .first->second;
}

}  // namespace opgrade
