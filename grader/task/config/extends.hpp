/// A config that says only what is its own: `extends: other.yaml` takes the rest from there.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade {

/// The document of `text`, merged over the file that its `extends` names, and that file's over its
/// own. Mappings are merged key by key, stages by their names. Any other value replaces the one
/// below it. An empty one (`ranking: ~`) takes the key away. `problems` learns the files, so
/// that each complaint names the file it is about. Nothing, with a problem, where a file cannot be
/// read or the files go in a circle.
std::optional<YAML::Node> read_extended(const std::string& text, const std::filesystem::path& file,
                                        ProblemList& problems);

/// Whether two files lie in one folder, however their paths are written.
bool in_one_folder(const std::filesystem::path& one, const std::filesystem::path& other);

/// The text of a config file, or what to do about it.
tl::expected<std::string, std::string> read_config_text(const std::filesystem::path& file);

}  // namespace opgrade
