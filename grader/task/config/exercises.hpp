/// A config of several exercises: `exercises: [scan, saxpy]` stands for the stages of these tasks.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade {

/// Gathers the stages of tasks, each with its `task`, as a document over which other documents are
/// merged. The readers of a config therefore only know stages.
class ExerciseStages {
 public:
  explicit ExerciseStages(ProblemList& problems) : problems_(problems) {}

  /// `root` is the whole config of the task in `file`, and `named` the YAML node that names the
  /// task. A task's only stage gets the task's name; several stages get it as a prefix. Settings of
  /// the task for all its stages become the stages' own if a stage can have them.
  void add(const YAML::Node& root, const std::filesystem::path& file, const YAML::Node& named);

  /// Includes the keys that a config has once, if the tasks agree about them. Complains if they
  /// differ, unless `own`, the config with the exercises, sets the key.
  YAML::Node document(const YAML::Node& own);

 private:
  void add_stage(const YAML::Node& root, const YAML::Node& stage, const std::string& name,
                 const std::string& task, const YAML::Node& named);

  ProblemList& problems_;
  YAML::Node stages_{YAML::NodeType::Sequence};
  std::vector<std::pair<std::string, YAML::Node>> roots_;  ///< with the names of the tasks
};

}  // namespace opgrade
