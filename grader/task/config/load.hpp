/// Reads a grading config from YAML.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// A file that a model names.
struct ModelFile {
  std::string key, value;  ///< "network" or "weights", and the config's value
  ConfigProblem place;     ///< without a text
};

struct LoadedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  ///< all of them; the config is usable only when empty
  std::vector<ConfigProblem> notes;     ///< old names of keys
  std::vector<ModelFile> model_files;
};

/// Never throws for what the file says; a file that cannot be read is a problem too. A folder
/// stands for its task.yaml.
LoadedConfig load_config(const std::filesystem::path& file);
/// The model files that are not there, with the nearest names. The data sets are not looked for:
/// they are made when they are needed.
std::vector<ConfigProblem> missing_model_files(const LoadedConfig& loaded);
/// `kept`: the tasks of a config that dump_config() wrote, which has the tasks' ids alone.
LoadedConfig parse_config(const std::string& text, const std::string& file_name,
                          const std::vector<std::shared_ptr<const FolderTask>>& kept = {});

/// The effective config as YAML that load_config reads back to the same value.
std::string dump_config(const Config& config);

}  // namespace opgrade
