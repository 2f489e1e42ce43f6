/// The cases of a config that run: all, or those that `--only` names.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

class Selection {
 public:
  /// `only` has ids of cases, or what stands before an id's slash; empty: all. Throws UsageError
  /// for an id that `config` does not have.
  Selection(const Config& config, std::set<std::string> only);

  bool is_all() const { return only_.empty(); }
  bool has(const std::string& id) const;
  bool any_of(const StageConfig& stage) const;

  /// The selected cases. The shapes come first: they are small, so a mistake there is the easiest
  /// to debug. Advice comes last.
  std::vector<Case> cases(const StageConfig& stage) const;
  std::vector<std::string> ids(const StageConfig& stage) const;

  /// Id of the case that a profile shows: the largest on a GPU, the smallest on an emulated device,
  /// a network's case if there is one, and never a hidden one. Empty on a CPU.
  std::string to_profile(const StageConfig& stage, Device device) const;

 private:
  std::set<std::string> only_;
  const Config& config_;  ///< must outlive this
};

}  // namespace opgrade
