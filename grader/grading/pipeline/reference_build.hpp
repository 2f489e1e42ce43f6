/// Builds the reference solution as a submission to a stage is built.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "grader/base/core/device.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Staff's solution in a folder as messages name it: "the serial solution".
std::string name_of_solution(const std::filesystem::path& folder);

/// The reference solution of a stage's task, as a submission.
std::filesystem::path folder_of_solution(const Config& config, const StageConfig& stage);
/// The folder of staff's serial solution, in a lecturer's task.
std::filesystem::path folder_of_serial(const Config& config, const StageConfig& stage);

/// The reference solution as a hand-in for a whole config; for several exercises, those of all
/// tasks.
class WholeSolution {
 public:
  explicit WholeSolution(const Config& config);
  const std::filesystem::path& path() const { return path_; }
  /// False if one of the exercises has none, as in the tasks that students get.
  bool exists() const { return exists_; }

 private:
  bool exists_ = true;
  std::unique_ptr<TempDir> copies_;  ///< if there are several
  std::filesystem::path path_;
};

/// Builds the solution in `from`, inside `folder`, which must be empty, and returns the shared
/// object. `checks`: see CompileJob. Throws Error if the solution is missing or does not build.
std::filesystem::path build_reference(const std::filesystem::path& from, const Config& config,
                                      const StageConfig& stage, Device device, bool checks,
                                      const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder);

}  // namespace opgrade
