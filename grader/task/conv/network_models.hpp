/// Loads networks with their weights and data sets once and keeps them for all cases.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "grader/base/core/events.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "grader/task/conv/data/weights.hpp"
#include "grader/task/conv/network/network.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {

/// A network as the course runs it: the submission computes each convolution, the grader everything
/// else.
class NetworkModel final : public Model {
 public:
  NetworkModel(Network its_network, Weights its_weights, std::shared_ptr<const DataSet> its_data)
      : network(std::move(its_network)),
        weights(std::move(its_weights)),
        data(std::move(its_data)) {}

  std::string complaint(int batch) const override;
  std::vector<NamedProblem> problems(int batch) const override;
  std::vector<NamedProblem> random_batches(int count, double flops,
                                           std::mt19937_64& random) const override;
  std::vector<bool> right_images(int images, int threads) const override;
  std::unique_ptr<ModelPass> pass(int batch, int threads) const override;

  const Network network;
  const Weights weights;
  const std::shared_ptr<const DataSet> data;
};

class NetworkModels final : public Models {
 public:
  NetworkModels(std::filesystem::path data_folder, Listener listen);

  /// The model with a data set of its input size. A data set that does not exist yet is made from
  /// the default source. Throws UsageError naming the network or weights file that is missing or
  /// wrong, Error for the data set.
  const NetworkModel& get(const ModelName& name) override;

 private:
  std::shared_ptr<const DataSet> data_set(const Shape& input);

  std::filesystem::path data_folder_;
  Listener listen_;
  std::mutex guard_;
  std::map<std::string, NetworkModel> models_;  ///< keys: network and weights
  std::map<std::string, std::shared_ptr<const DataSet>> data_;
};

}  // namespace opgrade
