/// The rules that a grading was made by, and whether those of now differ.
#pragma once

#include <string>
#include <vector>

#include "grader/course/store/store.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

struct Rules {
  std::string config_sha256;  ///< of the effective config
  std::string version;        ///< program_version(): release, program and task
};
Rules rules_of(const Attempt& attempt);

/// What differs. A part that an older report lacks is unknown, and counts as the same.
struct RulesChange {
  bool config = false;
  bool task = false;     ///< the reference solution, a model or a network
  bool release = false;  ///< the major or the minor number
  bool program = false;  ///< another build of that release: the same points by its promise

  bool any() const { return may_move_points() || program; }
  /// Points of then and now may not stand in one column unnoticed.
  bool may_move_points() const { return config || task || release; }
};
RulesChange change_between(const Rules& then, const Rules& now);

/// "graded by config 1a2b3c4d5e6f, now 6f5e4d3c2b1a"; empty where nothing differs.
std::string change_text(const Rules& then, const Rules& now);

/// Keeps the text of an effective config below results/configs/, for changed_keys() of later.
void keep_config(const std::filesystem::path& folder, const std::string& config_text);
/// Keeps the files of the config's tasks that are folders next to it.
void keep_task(const std::filesystem::path& folder, const Config& config);
/// The folders that keep_task() made for a config of that text, in the order of its stages.
std::vector<std::filesystem::path> kept_tasks(const std::filesystem::path& folder,
                                              const std::string& config_text);
/// The text of a config that a grading was made by; empty for one of an older opgrade.
std::string kept_config(const std::filesystem::path& folder, const std::string& config_sha256);

/// Each value that differs between two effective configs:
/// "stages.cpu.random_shapes.points: 5 -> 50".
std::vector<std::string> changed_keys(const std::string& before, const std::string& after);

}  // namespace opgrade::course
