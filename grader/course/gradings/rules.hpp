/// The rules by which a grading was made, and how they differ from the current ones.
#pragma once

#include <string>
#include <vector>

#include "grader/course/store/store.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

struct Rules {
  std::string config_sha256;  ///< SHA-256 of the effective config
  std::string version;        ///< program_version(): release, program and task
};
Rules rules_of(const Attempt& attempt);

/// The parts of the rules that differ. A part that an older report lacks counts as equal.
struct RulesChange {
  bool config = false;
  bool task = false;     ///< the reference solution, a model or a network
  bool release = false;  ///< the major or the minor number
  bool program = false;  ///< another build of the release, which promises the same points

  bool any() const { return may_move_points() || program; }
  /// True if earlier and current points may differ, so that staff must be told.
  bool may_move_points() const { return config || task || release; }
};
RulesChange change_between(const Rules& then, const Rules& now);

/// "graded by config 1a2b3c4d5e6f, now 6f5e4d3c2b1a"; empty if nothing differs.
std::string change_text(const Rules& then, const Rules& now);

/// Stores the text of an effective config below results/configs/, for later calls of
/// changed_keys().
void keep_config(const std::filesystem::path& folder, const std::string& config_text);
/// Stores the files of the config's tasks that are folders, next to the config's text.
void keep_task(const std::filesystem::path& folder, const Config& config);
/// The folders that keep_task() made for a config with this text, in the order of its stages.
std::vector<std::filesystem::path> kept_tasks(const std::filesystem::path& folder,
                                              const std::string& config_text);
/// The stored text of the config by which a grading was made; empty if an older opgrade made the
/// grading.
std::string kept_config(const std::filesystem::path& folder, const std::string& config_sha256);

/// Each value that differs between two effective configs:
/// "stages.cpu.random_shapes.points: 5 -> 50".
std::vector<std::string> changed_keys(const std::string& before, const std::string& after);

}  // namespace opgrade::course
