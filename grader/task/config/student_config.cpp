#include "grader/task/config/student_config.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/public_task.hpp"

namespace opgrade {

std::optional<std::string> student_config(const Config& config) {
  if (!folder_tasks(config).empty()) return std::nullopt;
  const auto is_path = [](const std::string& name) { return name.find('/') != name.npos; };
  for (const auto& [name, model] : config.models)
    if (is_path(model.network) || is_path(model.weights)) return std::nullopt;
  const std::string text = public_task(dump_config(config), 0);
  const LoadedConfig read = parse_config(text, "config.yaml");
  if (!read.problems.empty()) return std::nullopt;
  return public_task(text, std::min(config.pass_mark, read.config.max_points()));
}

}  // namespace opgrade
