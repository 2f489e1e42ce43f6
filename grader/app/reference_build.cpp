#include "grader/app/reference_build.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "grader/build/compile.hpp"
#include "grader/config/config_task.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/intake/intake.hpp"
#include "grader/tasks/folder/folder_task.hpp"

namespace opgrade {

/// That of the task's folder, opgrade's own of the task, else one of those in reference/solution.
std::filesystem::path folder_of_solution(const Config& config, const StageConfig& stage) {
  if (const FolderTask* const task = folder_task_of(config, stage))
    return task->folder() / "solution";
  const std::string id(interface_of(config, stage).id);
  const auto share = resources::share_folder();
  const auto own = share / "solutions" / id;
  return std::filesystem::exists(own) ? own : share / "reference_solution" / id;
}

std::filesystem::path folder_of_serial(const Config& config, const StageConfig& stage) {
  const FolderTask* const task = folder_task_of(config, stage);
  return task != nullptr ? task->folder() / "serial" : std::filesystem::path();
}

WholeSolution::WholeSolution(const Config& config) {
  const auto exercises = exercises_of(config);
  const auto solution = [](const Exercise& one) {
    const StageConfig any;
    return folder_of_solution(one.config, one.config.stages.empty() ? any : one.config.stages[0]);
  };
  path_ = solution(exercises.front());
  if (exercises.size() == 1) return;
  copies_ = std::make_unique<TempDir>("opgrade-solutions-");
  path_ = copies_->path();
  for (const Exercise& one : exercises) {
    const auto folder = path_ / one.folder;
    std::filesystem::create_directories(folder);
    std::error_code missing;  // a published task has none
    std::filesystem::copy(
        solution(one), folder,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing,
        missing);
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
        "the reference solution is incomplete: " + files.error().reason,
        folder_task_of(config, stage) != nullptr
            ? fmt::format("the folder {}/ of the task has these files", from.filename().string())
            : "install opgrade again");
  const Compiled compiled = compile({interface, device, sources, stage.flags, stage.libraries,
                                     *files, config.build_limits, checks},
                                    tools, sandbox, folder);
  if (compiled.report.outcome != Outcome::passed) {
    throw Error("the reference solution does not build: " + compiled.report.compiler_output,
                "run `opgrade doctor`");
  }
  return compiled.submission;
}

}  // namespace opgrade
