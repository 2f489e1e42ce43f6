/// A config of several exercises: `exercises: [scan, saxpy]` stands for the stages of these tasks.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade {

/// Gathers the stages of tasks, each with its `task`, as a document that others are merged over. So
/// the readers of a config know stages alone.
class ExerciseStages {
 public:
  explicit ExerciseStages(ProblemList& problems) : problems_(problems) {}

  /// `root` is the whole config of the task in `file`, and `named` the word that names it. Its only
  /// stage gets the task's name, several have it in front of theirs. What the task says of all its
  /// stages becomes the stages' own if stages can say it.
  void add(const YAML::Node& root, const std::filesystem::path& file, const YAML::Node& named);

  /// With the keys that a config has once, if the tasks agree about them. Complains about the
  /// others, unless `own`, the config with the exercises, says what holds.
  YAML::Node document(const YAML::Node& own);

 private:
  void add_stage(const YAML::Node& root, const YAML::Node& stage, const std::string& name,
                 const std::string& task, const YAML::Node& named);

  ProblemList& problems_;
  YAML::Node stages_{YAML::NodeType::Sequence};
  std::vector<std::pair<std::string, YAML::Node>> roots_;  ///< by the names of the tasks
};

}  // namespace opgrade
