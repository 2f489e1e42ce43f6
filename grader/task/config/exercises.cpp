#include "grader/task/config/exercises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "grader/task/config/task_reader.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Keys that are not merged: they belong to one task, or become a stage's.
constexpr std::array<std::string_view, 10> kOfTheTask{
    "opgrade",   "name",      "title",   "task", "stages",
    "pass_mark", "tolerance", "ranking", "only", "extends"};

bool has(const YAML::Node& map, const char* key) { return map[key].IsDefined(); }

std::string text_at(const YAML::Node& map, const char* key) {
  const YAML::Node value = map[key];
  return value.IsDefined() && value.IsScalar() ? value.Scalar() : "";
}

}  // namespace

void ExerciseStages::add(const YAML::Node& root, const fs::path& file, const YAML::Node& named) {
  if (!root.IsMap() || !has(root, "task") || !has(root, "stages") || !root["stages"].IsSequence())
    return problems_.add(named,
                         "'exercises' names {}, which is no task: it has no 'task' or no "
                         "'stages'",
                         file.string());
  const std::string name = text_at(root, "name");
  std::error_code ignored;
  const fs::path task = fs::absolute(file_of_task(root, file, problems_), ignored);
  const YAML::Node stages = root["stages"];
  for (const YAML::Node& stage : stages)
    if (stage.IsMap())
      add_stage(root, stage, stages.size() == 1 ? name : name + "-" + text_at(stage, "name"),
                task.string(), named);
  roots_.emplace_back(name, root);
}

void ExerciseStages::add_stage(const YAML::Node& root, const YAML::Node& stage,
                               const std::string& name, const std::string& task,
                               const YAML::Node& named) {
  YAML::Node own(YAML::NodeType::Map);
  problems_.stands_for(own, stage);
  const auto add = [&](const char* key, const std::string& text) {
    const YAML::Node value(text);
    problems_.stands_for(value, named);
    own.force_insert(YAML::Node(key), value);
  };
  add("name", name);
  add("task", task);
  if (!has(stage, "title")) add("title", has(root, "title") ? text_at(root, "title") : name);
  if (!has(stage, "tolerance") && has(root, "tolerance"))
    own.force_insert(YAML::Node("tolerance"), root["tolerance"]);
  for (const auto& entry : stage)
    if (!entry.first.IsScalar() || entry.first.Scalar() != "name")
      own.force_insert(entry.first, entry.second);
  stages_.push_back(own);
}

YAML::Node ExerciseStages::document(const YAML::Node& own) {
  YAML::Node whole(YAML::NodeType::Map);
  problems_.stands_for(whole, own);
  whole.force_insert(YAML::Node("stages"), stages_);
  problems_.stands_for(stages_, own["exercises"]);
  std::vector<std::string> seen;
  for (const auto& [name, root] : roots_) {
    for (const auto& entry : root) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (std::ranges::find(kOfTheTask, key) != kOfTheTask.end() || has(own, key.c_str()) ||
          std::ranges::find(seen, key) != seen.end())
        continue;
      seen.push_back(key);
      const std::string text = YAML::Dump(entry.second);
      const auto other = std::ranges::find_if(roots_, [&](const auto& one) {
        return !has(one.second, key.c_str()) || YAML::Dump(one.second[key]) != text;
      });
      if (other == roots_.end())
        whole.force_insert(entry.first, entry.second);
      else
        problems_.add(
            own["exercises"],
            "{} and {} have different '{}', which holds for all exercises: say it in this "
            "config, too",
            name, other->first, key);
    }
  }
  return whole;
}

}  // namespace opgrade
