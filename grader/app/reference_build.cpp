#include "grader/app/reference_build.hpp"

#include <string>
#include <vector>

#include "grader/build/compile.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/intake/intake.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {

/// That of the task's folder, opgrade's own of the task, else one of those in reference/solution.
std::filesystem::path folder_of_solution(const Interface& interface) {
  if (const auto folder = task_of(interface).folder(); !folder.empty()) return folder / "solution";
  const auto share = resources::share_folder();
  const auto own = share / "solutions" / interface.id;
  return std::filesystem::exists(own) ? own : share / "reference_solution" / interface.id;
}

std::filesystem::path build_reference(const Config& config, const StageConfig& stage, Device device,
                                      bool checks, const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder) {
  const Interface& interface = find_interface(config.interface);
  const std::vector<std::string> sources{std::string(interface.source(stage.device))};
  const auto files = take_files(folder_of_solution(interface), FilesConfig{}, sources);
  if (!files)
    throw Error("the reference solution is incomplete: " + files.error().reason,
                task_of(interface).folder().empty()
                    ? "install opgrade again"
                    : "the folder solution/ of the task has these files");
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
