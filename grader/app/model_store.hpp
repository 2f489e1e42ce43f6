/// Loads models and data sets once and keeps them for all cases.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "grader/config/config.hpp"
#include "grader/data/dataset.hpp"
#include "grader/data/weights.hpp"
#include "grader/network/network.hpp"

namespace opgrade {

struct Model {
  Network network;
  Weights weights;
  std::shared_ptr<const DataSet> data;
};

/// A line for the log.
using Log = std::function<void(const std::string&)>;

class ModelStore {
 public:
  ModelStore(std::filesystem::path data_folder, Log log);

  /// The model with a data set of its input size. A data set that is not there yet is prepared from
  /// the default source. Throws UsageError naming the network or weights file that
  /// is missing or wrong, Error for the data set.
  const Model& get(const Config& config, const std::string& name);

 private:
  std::shared_ptr<const DataSet> data_set(const Shape& input);

  std::filesystem::path data_folder_;
  Log log_;
  std::mutex guard_;
  std::map<std::string, Model> models_;  ///< by network and weights
  std::map<std::string, std::shared_ptr<const DataSet>> data_;
};

}  // namespace opgrade
