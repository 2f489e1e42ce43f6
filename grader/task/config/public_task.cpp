#include "grader/task/config/public_task.hpp"

#include <yaml-cpp/yaml.h>

#include <set>

namespace opgrade {
namespace {

bool is_hidden(const YAML::Node& check) {
  if (!check.IsMap()) return false;
  const YAML::Node hidden = check["hidden"], visibility = check["visibility"];
  const std::string seen = visibility && visibility.IsScalar() ? visibility.Scalar() : "";
  return (hidden && hidden.as<bool>(false)) || seen == "hidden" || seen == "after deadline";
}

std::string word_in(const YAML::Node& map, const char* key) {
  const YAML::Node value = map.IsMap() ? map[key] : YAML::Node();
  return value.IsDefined() && value.IsScalar() ? value.Scalar() : "";
}

void keep_items(YAML::Node map, const char* key, const auto& keeps) {
  if (!map[key] || !map[key].IsSequence()) return;
  YAML::Node kept(YAML::NodeType::Sequence);
  kept.SetStyle(map[key].Style());
  for (const YAML::Node& one : map[key])
    if (keeps(one)) kept.push_back(one);
  if (kept.size() == map[key].size()) return;
  if (kept.size() == 0)
    map.remove(key);
  else
    map[key] = kept;
}

/// Adds those of the stage's groups to `gone` that have no case left.
void publish_stage(YAML::Node stage, std::set<std::string>& gone) {
  std::set<std::string> hidden, kept_groups;
  for (const char* key : {"random_shapes", "fixed_shapes"}) {
    if (is_hidden(stage[key]))
      stage.remove(key);
    else if (stage[key])
      kept_groups.insert(word_in(stage[key], "group"));
  }
  keep_items(stage, "cases", [&](const YAML::Node& one) {
    if (is_hidden(one))
      hidden.insert(word_in(one, "name"));
    else
      kept_groups.insert(word_in(one, "group"));
    return !is_hidden(one);
  });
  for (const char* key : {"constructs", "counts", "op_times"})
    keep_items(stage, key, [&](const YAML::Node& one) {
      bool shown = !hidden.contains(word_in(one, "case"));
      for (const YAML::Node& name : one["cases"])
        shown = shown && !hidden.contains(name.as<std::string>(""));
      return shown && !measures_solution(YAML::Dump(one));
    });
  keep_items(stage, "groups", [&](const YAML::Node& one) {
    const std::string name = word_in(one, "name");
    if (!kept_groups.contains(name)) gone.insert(name);
    return kept_groups.contains(name);
  });
}

}  // namespace

bool measures_solution(const std::string& yaml) {
  return yaml.find("x reference") != std::string::npos ||
         yaml.find("x serial") != std::string::npos;
}

std::string public_task(const std::string& text, double pass_mark) {
  YAML::Node root = YAML::Load(text);
  std::set<std::string> gone_groups;
  for (YAML::Node stage : root["stages"]) publish_stage(stage, gone_groups);
  for (YAML::Node stage : root["stages"])
    for (YAML::Node group : stage["groups"])
      if (gone_groups.contains(word_in(group, "requires"))) group.remove("requires");
  if (root["pass_mark"]) root["pass_mark"] = pass_mark;
  return YAML::Dump(root) + "\n";
}

}  // namespace opgrade
