#include "grader/grading/build/compiler_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_view.hpp"
#include "grader/grading/build/include_aliases.hpp"
#include "grader/grading/build/limits.hpp"
#include "grader/task/config/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// A third of the share of a process that does not give way, so that a wall-clock limit stays fair.
constexpr int kBuildNiceness = 5;

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error("cannot write " + file.string(), "is the disk full?");
}

/// Throws Error if an adapter is missing, because no submission builds then, and the compiler would
/// blame the submission.
void check_adapters(const fs::path& adapters) {
  for (const auto& name : adapter_files()) {
    std::error_code missing;
    const auto size = fs::file_size(adapters / name, missing);
    if (!missing && size > 0) continue;
    throw Error(
        fmt::format("opgrade's own file {} is missing or empty", (adapters / name).string()),
        "install opgrade again; if OPGRADE_SHARE is set, name a whole share/opgrade folder");
  }
}

}  // namespace

SandboxPolicy compile_policy(const CompileJob& job, const Toolchain& tools,
                             const fs::path& folder) {
  SandboxPolicy policy;
  add_system_view(policy);
  add_compilers(policy, tools, job.flags);
  if (job.device == Device::cuda && tools.cuda_root) add_toolkit(policy, *tools.cuda_root);
  if (job.device == Device::emulated) policy.mounts.push_back({*tools.emulator, kEmulator});
  policy.mounts.push_back({folder / "src", kSources});
  policy.mounts.push_back({folder / "adapters", kAdapters});
  policy.mounts.push_back({folder / "out", "/out", Mount::Access::write});
  if (has_adapter_object(job)) policy.mounts.push_back({job.adapter_object, kAdapterObject});
  policy.working_folder = kSources;
  // __DATE__ and __TIME__ are the same in every build of a submission.
  policy.environment.push_back("SOURCE_DATE_EPOCH=0");
  // A class times one submission while it builds others, so the timed one goes first.
  policy.niceness = kBuildNiceness;
  set_limits(policy, job.limits);
  return policy;
}

void prepare_folder(const CompileJob& job, const Sandbox& sandbox, const fs::path& folder) {
  const fs::path adapters = resources::share_folder() / "adapters";
  check_adapters(adapters);
  fs::create_directories(folder / "src");
  const std::set<std::string> headers = course_headers(job.interface);
  for (const auto& file : job.files.files) {
    write_text(folder / "src" / file.name, with_local_includes(file.bytes, job.files, headers));
    // __TIMESTAMP__ is the same in every build of a submission.
    fs::last_write_time(folder / "src" / file.name, fs::file_time_type());
  }
  fs::create_directory(folder / "out");
  fs::copy(adapters, folder / "adapters", fs::copy_options::recursive);
  for (const GeneratedFile& file : job.interface.generated)
    write_text(folder / "adapters" / file.path, file.text);
  write_include_aliases(job.files, headers, folder / "adapters" / "aliases");
  if (job.interface.included)
    write_text(folder / "adapters" / job.interface.id / kIncludedSource,
               fmt::format("#include <{}>\n", job.sources.front()));
  sandbox.hand_over(folder);
}

bool has_built(const SandboxReport& run, const fs::path& folder) {
  return run.process.succeeded() && fs::is_regular_file(folder / "out/submission.so");
}

CompilerRun run_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                         const fs::path& folder) {
  constexpr int kAttempts = 5;
  CompilerRun run{{}, folder};
  for (int attempt = 1;; ++attempt) {
    prepare_folder(job, sandbox, run.folder);
    run.report = sandbox.run(compile_policy(job, tools, run.folder), build_command(job, tools));
    if (has_built(run.report, run.folder) || run.report.limit || !run.report.processes_short ||
        attempt == kAttempts)
      return run;
    std::this_thread::sleep_for(std::chrono::milliseconds(250) * (1 << attempt));
    run.folder = folder / fmt::format("attempt{}", attempt + 1);
    fs::create_directory(run.folder);
  }
}

std::string student_view(std::string_view text) {
  constexpr std::string_view kFolders[] = {kAliases, kSources, "/tmp"};
  std::string shown;
  while (!text.empty()) {
    const auto slash = std::min(text.find('/'), text.size());
    shown += text.substr(0, slash);
    text.remove_prefix(slash);
    const auto* const own = std::ranges::find_if(kFolders, [&](std::string_view folder) {
      return text.starts_with(folder) && text.substr(folder.size()).starts_with('/');
    });
    if (own != std::end(kFolders)) {
      text.remove_prefix(own->size() + 1);
      // Drops the folders from which paths are followed, as many as the path did not leave.
      while (own == kFolders && text.starts_with("d/")) text.remove_prefix(2);
    } else if (!text.empty()) {
      shown += '/';
      text.remove_prefix(1);
    }
  }
  return printable(shown);
}

void check_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                    const fs::path& folder) {
  fs::create_directory(folder);
  const CompileJob control{job.interface, job.device,    job.sources,
                           job.flags,     job.libraries, control_files(job.device),
                           job.limits,    job.checks};
  const CompilerRun tried = run_compiler(control, tools, sandbox, folder);
  const SandboxReport& run = tried.report;
  if (has_built(run, tried.folder)) return;
  const std::string text = tried.messages();
  throw Error(fmt::format("the compiler fails on a source of the grader's own as well: {}",
                          run.limit ? "stopped at its limit, " + text_of(*run.limit)
                                    : printable_line(text)),
              "check the free space and memory, then `opgrade doctor`");
}

}  // namespace opgrade
