#include <fmt/format.h>

#include <optional>
#include <set>

#include "grader/base/core/nearest.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

/// Names in the folder of `file` that have its ending: without the ending, or with `prefix` in
/// front of the name.
std::set<std::string> names_beside(const fs::path& file, const std::optional<std::string>& prefix) {
  std::set<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(file.parent_path(), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const fs::path& path = entry->path();
    if (path.extension() == file.extension() && is_file(path))
      names.insert(prefix ? *prefix + path.filename().string() : path.stem().string());
  }
  return names;
}

std::string complaint(const ModelFile& named, const fs::path& config_folder) {
  const bool is_network = named.key == "network";
  ModelName model{config_folder, named.value, named.value};
  const fs::path file = is_network ? model.network_file() : model.weights_file();
  if (is_file(file)) return {};
  if (const auto slash = named.value.rfind('/'); slash != named.value.npos)
    return fmt::format(
        "'{}': there is no file {}{}", named.key, file.lexically_normal().string(),
        did_you_mean(named.value, names_beside(file, named.value.substr(0, slash + 1))));
  const std::string what = is_network ? "network" : "weights file";
  for (const std::string& name : {named.value, named.value + file.extension().string()})
    if (is_file(config_folder / name))
      return fmt::format("'{}': opgrade has no {} '{}'; for the file beside the config, write ./{}",
                         named.key, what, named.value, name);
  return fmt::format("'{}': opgrade has no {} '{}'{}; a file of your own is ./NAME{}", named.key,
                     what, named.value, did_you_mean(named.value, names_beside(file, {})),
                     file.extension().string());
}

}  // namespace

std::vector<ConfigProblem> missing_model_files(const LoadedConfig& loaded) {
  std::vector<ConfigProblem> problems;
  for (const ModelFile& named : loaded.model_files) {
    ConfigProblem problem = named.place;
    problem.text = printable_line(complaint(named, loaded.config.folder), 1000);
    if (!problem.text.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace opgrade
