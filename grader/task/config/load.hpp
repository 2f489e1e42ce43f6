/// Reads a grading config from YAML.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// A file that a model of the config names.
struct ModelFile {
  std::string key, value;  ///< "network" or "weights", and the config's value
  ConfigProblem place;     ///< position in the config; its text is empty
};

struct LoadedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  ///< all of them; the config is usable only if empty
  std::vector<ConfigProblem> notes;     ///< old names of keys that the file uses
  std::vector<ModelFile> model_files;
};

/// Never throws because of what the file says; a file that cannot be read is a problem, too. A
/// folder stands for its task.yaml.
LoadedConfig load_config(const std::filesystem::path& file);
/// The missing model files, with the nearest existing names. Data sets are not checked, because
/// they are made when they are needed.
std::vector<ConfigProblem> missing_model_files(const LoadedConfig& loaded);
/// Reads a config that dump_config() wrote, too: it has only the ids of its tasks, which `kept`
/// contains.
LoadedConfig parse_config(const std::string& text, const std::string& file_name,
                          const std::vector<std::shared_ptr<const FolderTask>>& kept = {});

/// The effective config as YAML that load_config reads back to the same value.
std::string dump_config(const Config& config);

}  // namespace opgrade
