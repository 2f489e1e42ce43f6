#include "grader/grading/pipeline/reference_build.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {

namespace {

constexpr const char* kSerial = "serial";

}  // namespace

/// The solution in the task's folder, else opgrade's own of the task, else one of those in
/// reference/solution.
std::filesystem::path folder_of_solution(const Config& config, const StageConfig& stage) {
  if (const FolderTask* const task = folder_task_of(config, stage))
    return task->folder() / "solution";
  const std::string id(interface_of(config, stage).id);
  const auto share = resources::share_folder();
  const auto own = share / "solutions" / id;
  return std::filesystem::exists(own) ? own : share / "reference_solution" / id;
}

std::string name_of_solution(const std::filesystem::path& folder) {
  return folder.filename() == kSerial ? "the serial solution" : "the reference solution";
}

std::filesystem::path folder_of_serial(const Config& config, const StageConfig& stage) {
  const FolderTask* const task = folder_task_of(config, stage);
  return task != nullptr ? task->folder() / kSerial : std::filesystem::path();
}

WholeSolution::WholeSolution(const Config& config) {
  const auto exercises = exercises_of(config);
  std::vector<std::filesystem::path> solutions;
  std::error_code ignored;
  for (const Exercise& one : exercises) {
    const StageConfig any;
    solutions.push_back(
        folder_of_solution(one.config, one.config.stages.empty() ? any : one.config.stages[0]));
    exists_ = exists_ && std::filesystem::exists(solutions.back(), ignored);
  }
  path_ = solutions.front();
  if (exercises.size() == 1 || !exists_) return;
  copies_ = std::make_unique<TempDir>("opgrade-solutions-");
  path_ = copies_->path();
  for (std::size_t i = 0; i < exercises.size(); ++i) {
    const auto folder = path_ / exercises[i].folder;
    std::filesystem::create_directories(folder);
    std::filesystem::copy(
        solutions[i], folder,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  }
}

std::filesystem::path build_reference(const std::filesystem::path& from, const Config& config,
                                      const StageConfig& stage, Device device, bool checks,
                                      const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder) {
  const Interface& interface = interface_of(config, stage);
  const std::vector<std::string> sources{std::string(interface.source(stage.device))};
  const auto files = take_files(from, FilesConfig{}, sources);
  if (!files)
    throw Error(
        name_of_solution(from) + " is incomplete: " + files.error().reason,
        folder_task_of(config, stage) != nullptr
            ? fmt::format("the folder {}/ of the task has these files", from.filename().string())
            : "install opgrade again");
  const Compiled compiled = compile({interface, device, sources, stage.flags, stage.libraries,
                                     *files, config.build_limits, checks},
                                    tools, sandbox, folder);
  if (compiled.report.outcome != Outcome::passed) {
    throw Error(name_of_solution(from) + " does not build: " + compiled.report.compiler_output,
                "run `opgrade doctor`");
  }
  return compiled.submission;
}

}  // namespace opgrade
