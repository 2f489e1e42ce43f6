#include "grader/app/reference_build.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "grader/build/compile.hpp"
#include "grader/config/config_task.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/intake/intake.hpp"

namespace opgrade {

/// That of the task's folder, opgrade's own of the task, else one of those in reference/solution.
std::filesystem::path folder_of_solution(const Config& config) {
  if (config.task) return task_folder(config) / "solution";
  const auto share = resources::share_folder();
  const auto own = share / "solutions" / config.interface;
  return std::filesystem::exists(own) ? own : share / "reference_solution" / config.interface;
}

std::filesystem::path folder_of_serial(const Config& config) {
  return task_folder(config) / "serial";
}

std::filesystem::path build_reference(const std::filesystem::path& from, const Config& config,
                                      const StageConfig& stage, Device device, bool checks,
                                      const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder) {
  const Interface& interface = interface_of(config);
  const std::vector<std::string> sources{std::string(interface.source(stage.device))};
  const auto files = take_files(from, FilesConfig{}, sources);
  if (!files)
    throw Error("the reference solution is incomplete: " + files.error().reason,
                config.task ? fmt::format("the folder {}/ of the task has these files",
                                          from.filename().string())
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
