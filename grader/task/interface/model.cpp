#include "grader/task/interface/model.hpp"

#include "grader/base/core/resources.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// "fmnist-86" is one of opgrade's own; "./mine.h5" is relative to the config's folder.
fs::path file_of(const fs::path& config_folder, const std::string& value, const char* own_folder,
                 const char* ending) {
  if (value.find('/') != std::string::npos) return config_folder / value;
  return resources::share_folder() / own_folder / (value + ending);
}

}  // namespace

fs::path ModelName::network_file() const { return file_of(folder, network, "networks", ".yaml"); }

fs::path ModelName::weights_file() const { return file_of(folder, weights, "models", ".h5"); }

}  // namespace opgrade
