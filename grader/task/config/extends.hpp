/// A config that contains only its differences: `extends: other.yaml` takes the rest from that
/// file.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade {

/// Merges the document of `text` over the file that its `extends` names, which is merged over the
/// file that it extends, and so on. Mappings are merged key by key, stages by their names. Any
/// other value replaces the one below it; an empty value (`ranking: ~`) removes the key. `problems`
/// learns the files, so that each complaint names its file. Returns nullopt, with a problem, if a
/// file cannot be read or the files extend each other in a circle.
std::optional<YAML::Node> read_extended(const std::string& text, const std::filesystem::path& file,
                                        ProblemList& problems);

/// Whether two files lie in one folder, however their paths are written.
bool in_one_folder(const std::filesystem::path& one, const std::filesystem::path& other);

/// The text of a config file, or the error with the next action.
tl::expected<std::string, std::string> read_config_text(const std::filesystem::path& file);

}  // namespace opgrade
