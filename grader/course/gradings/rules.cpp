#include "grader/course/gradings/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "grader/base/core/error.hpp"
#include "grader/base/core/yaml_document.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 12;  // digits of a hash in messages

bool differ(const std::string& then, const std::string& now) {
  return !then.empty() && !now.empty() && then != now;
}

fs::path config_file(const fs::path& folder, const std::string& sha256) {
  return folder / kResults / "configs" / (sha256 + ".yaml");
}

/// Collects values by their path in the config. An item of a list is named by its `name`, or by its
/// number.
void collect(const YAML::Node& node, const std::string& place,
             std::map<std::string, std::string>& values) {
  const auto below = [&](const std::string& key) {
    return place.empty() ? key : place + "." + key;
  };
  if (node.IsMap()) {
    for (const auto& entry : node) collect(entry.second, below(entry.first.Scalar()), values);
  } else if (node.IsSequence()) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      const bool named = node[i].IsMap() && node[i]["name"];
      collect(node[i], below(named ? node[i]["name"].Scalar() : fmt::format("{}", i + 1)), values);
    }
  } else {
    values[place] = node.IsNull() ? "~" : node.Scalar();
  }
}

std::map<std::string, std::string> values_of(const std::string& text) {
  std::map<std::string, std::string> values;
  if (const auto document = read_yaml(text); document.root) collect(*document.root, "", values);
  return values;
}

}  // namespace

Rules rules_of(const Attempt& attempt) { return {attempt.config_sha256, attempt.version}; }

RulesChange change_between(const Rules& then, const Rules& now) {
  const VersionParts before = parts_of(then.version), after = parts_of(now.version);
  RulesChange change;
  change.config = differ(then.config_sha256, now.config_sha256);
  change.task = differ(before.task, after.task);
  change.release = differ(before.minor(), after.minor());
  change.program = differ(then.version, now.version) && !change.task;
  return change;
}

std::string change_text(const Rules& then, const Rules& now) {
  const RulesChange change = change_between(then, now);
  std::vector<std::string> before, after;
  const auto add = [&](bool differs, const char* what, const std::string& a, const std::string& b) {
    if (!differs) return;
    before.push_back(fmt::format("{} {}", what, a));
    after.push_back(fmt::format("{} {}", what, b));
  };
  add(change.config, "config", then.config_sha256.substr(0, kDigits),
      now.config_sha256.substr(0, kDigits));
  add(change.task, "task", parts_of(then.version).task, parts_of(now.version).task);
  add(change.release || change.program, "opgrade", then.version, now.version);
  if (before.empty()) return "";
  return fmt::format("graded by {}, now {}", fmt::join(before, " and "), fmt::join(after, " and "));
}

void keep_config(const fs::path& folder, const std::string& config_text) {
  const fs::path file = config_file(folder, sha256_of_text(config_text));
  std::error_code ignored;
  // Usually the file exists. It is not written again, so that no half-written file is left for
  // another process to clean up.
  if (!fs::exists(file, ignored)) write_new_file(file, config_text, folder);
}

void keep_task(const fs::path& folder, const Config& config) {
  for (const auto& task : folder_tasks(config)) {
    const fs::path kept = folder / kResults / "configs" / task->id();
    std::error_code ignored;
    // task.yaml is written last: a folder with this file is complete.
    if (fs::exists(kept / kTaskFile, ignored)) continue;
    auto files = travelling_files(*task, kept);
    const auto last = files.extract(kept / kTaskFile);
    for (const auto& [file, source] : files) write_new_file(file, text_of_file(source), folder);
    if (!last.empty()) write_new_file(last.key(), text_of_file(last.mapped()), folder);
  }
}

std::vector<fs::path> kept_tasks(const fs::path& folder, const std::string& config_text) {
  const auto document = read_yaml(config_text);
  std::vector<fs::path> kept;
  const auto add = [&](const YAML::Node& grades) {
    const YAML::Node interface = grades.IsMap() ? grades["interface"] : YAML::Node();
    if (!interface.IsDefined() || !interface.IsScalar()) return;
    const fs::path task = folder / kResults / "configs" / interface.Scalar();
    std::error_code ignored;
    if (fs::exists(task / kTaskFile, ignored) && std::ranges::find(kept, task) == kept.end())
      kept.push_back(task);
  };
  if (!document.root || !document.root->IsMap()) return kept;
  const YAML::Node& root = *document.root;
  add(root);
  if (root["stages"].IsDefined())
    for (const YAML::Node& stage : root["stages"]) add(stage);
  return kept;
}

std::string kept_config(const fs::path& folder, const std::string& config_sha256) {
  return read_text_file(config_file(folder, config_sha256)).value_or("");
}

std::vector<std::string> changed_keys(const std::string& before, const std::string& after) {
  std::map<std::string, std::pair<std::string, std::string>> values;
  const std::pair<std::string, std::string> none("none", "none");
  for (const auto& [place, value] : values_of(before))
    values.try_emplace(place, none).first->second.first = value;
  for (const auto& [place, value] : values_of(after))
    values.try_emplace(place, none).first->second.second = value;
  std::vector<std::string> lines;
  for (const auto& [place, value] : values)
    if (value.first != value.second)
      lines.push_back(fmt::format("{}: {} -> {}", place, value.first, value.second));
  return lines;
}

}  // namespace opgrade::course
