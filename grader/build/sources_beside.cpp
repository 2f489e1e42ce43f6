#include "grader/build/sources_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "grader/build/compile_command.hpp"
#include "grader/build/compiler_run.hpp"
#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

/// The objects of the sources beside the stage's own: in an archive, and their largest number.
constexpr const char* kBeside = "/out/beside.a";
constexpr std::size_t kMostBeside = 32;
}  // namespace

namespace fs = std::filesystem;

std::vector<std::string> sources_beside(const CompileJob& job) {
  std::vector<std::string> beside;
  for (const auto& file : job.files.files) {
    const auto ending = fs::path(file.name).extension();
    const bool source = ending == ".cc" || ending == ".cpp" || ending == ".cxx" ||
                        (ending == ".cu" && job.device != Device::cpu);
    if (source && std::ranges::find(job.sources, file.name) == job.sources.end())
      beside.push_back(file.name);
  }
  beside.resize(std::min(beside.size(), kMostBeside));
  return beside;
}

BuildBeside build_with_beside(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                              const fs::path& folder) {
  BuildBeside result;
  result.folder = folder;
  fs::create_directory(folder);
  prepare_folder(job, sandbox, folder);
  CompileJob limited = job;
  // By the time on the clocks of the runs, which leaves out what they wait for a core.
  std::chrono::nanoseconds left = job.limits.wall;
  const auto run = [&](const std::vector<std::string>& command) {
    limited.limits.wall = std::chrono::duration_cast<std::chrono::milliseconds>(left);
    if (limited.limits.wall.count() <= 0) return false;
    const SandboxReport report = sandbox.run(compile_policy(limited, tools, folder), command);
    interrupt::check();
    left -= report.process.elapsed;
    return report.process.succeeded();
  };
  std::vector<std::string> archive{"/usr/bin/ar", "rcs", kBeside};
  for (const auto& source : sources_beside(job)) {
    const std::string object = fmt::format("/out/beside{}.o", result.compiled.size());
    // "./": a name may begin with a dash.
    if (run(one_source_command(job, tools, "-c", "./" + source, object))) {
      result.compiled.push_back(source);
      archive.push_back(object);
    } else {
      result.refused.push_back(source);
    }
  }
  result.built = !result.compiled.empty() && run(archive) &&
                 run(build_command(job, tools, {kBeside})) &&
                 fs::is_regular_file(folder / "out/submission.so");
  return result;
}

}  // namespace opgrade
