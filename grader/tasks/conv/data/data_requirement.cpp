#include "grader/tasks/conv/data/data_requirement.hpp"

#include <unistd.h>

#include "grader/tasks/conv/data/dataset.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// True if files can be made in the folder, which need not exist yet.
bool can_be_made(fs::path folder) {
  folder = fs::absolute(folder);
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK) == 0;
}

}  // namespace

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

}  // namespace opgrade
