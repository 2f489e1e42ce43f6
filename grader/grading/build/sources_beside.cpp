#include "grader/grading/build/sources_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "grader/base/core/system_random.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_run.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kMostBeside = 32;

/// No source can name a file of this build. So no source can tell by __has_include that it is built
/// after others, or tell this build from the reading for `constructs`.
std::string unknown_name() {
  SystemRandom random;
  return fmt::format("/out/{:016x}{:016x}", random(), random());
}

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

std::vector<std::string> sources_to_read(const CompileJob& job) {
  auto sources = job.sources;
  if (job.interface.included) sources.front() = adapter_source(job.interface, job.device);
  for (const auto& source : sources_beside(job)) sources.push_back("./" + source);
  return sources;
}

BuildBeside build_with_beside(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                              const fs::path& folder) {
  BuildBeside result;
  result.folder = folder;
  fs::create_directory(folder);
  prepare_folder(job, sandbox, folder);
  CompileJob limited = job;
  // The limit is on the time by the clocks of the runs, which leaves out their waits for a core.
  std::chrono::nanoseconds left = job.limits.wall;
  const auto run = [&](const std::vector<std::string>& command) {
    limited.limits.wall = std::chrono::duration_cast<std::chrono::milliseconds>(left);
    if (limited.limits.wall.count() <= 0) return false;
    const SandboxReport report = sandbox.run(compile_policy(limited, tools, folder), command);
    interrupt::check();
    left -= report.process.elapsed;
    return report.process.succeeded();
  };
  const std::string beside = unknown_name() + ".a";
  std::vector<std::string> archive{"/usr/bin/ar", "rcs", beside};
  for (const auto& source : sources_beside(job)) {
    const std::string object = unknown_name() + ".o";
    // "./": a name may begin with a dash.
    if (run(one_source_command(job, tools, "-c", "./" + source, object))) {
      result.compiled.push_back(source);
      archive.push_back(object);
    } else {
      result.refused.push_back(source);
    }
  }
  result.built = !result.compiled.empty() && run(archive) &&
                 run(build_command(job, tools, {beside})) &&
                 fs::is_regular_file(folder / "out/submission.so");
  return result;
}

}  // namespace opgrade
