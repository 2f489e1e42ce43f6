#include "grader/app/reference_build.hpp"

#include <string>
#include <vector>

#include "grader/build/compile.hpp"
#include "grader/build/interface.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/intake/intake.hpp"

namespace opgrade {

std::filesystem::path build_reference(const Config& config, const StageConfig& stage, Device device,
                                      bool checks, const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder) {
  const Interface& interface = find_interface(config.interface);
  const std::vector<std::string> sources{std::string(interface.source(stage.device))};
  const auto files = take_files(resources::share_folder() / "reference_solution" / interface.id,
                                FilesConfig{}, sources);
  if (!files)
    throw Error("the reference solution is incomplete: " + files.error().reason,
                "install opgrade again");
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
