#include "grader/build/compile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "grader/build/build_hint.hpp"
#include "grader/build/compile_command.hpp"
#include "grader/build/include_aliases.hpp"
#include "grader/build/limits.hpp"
#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/resources.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The objects of the sources beside the stage's own: in an archive, and their largest number.
constexpr const char* kBeside = "/out/beside.a";
constexpr std::size_t kMostBeside = 32;
/// A third of the share of a process that does not give way: a wall-clock limit stays fair.
constexpr int kBuildNiceness = 5;

void write_sources(const TakenFiles& taken, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& file : taken.files) {
    fs::create_directories((folder / file.name).parent_path());
    std::ofstream out(folder / file.name, std::ios::binary);
    out << file.bytes;
    if (!out.flush()) {
      throw Error(fmt::format("cannot write {}", (folder / file.name).string()),
                  "is the disk full?");
    }
  }
}

SandboxPolicy compile_policy(const CompileJob& job, const Toolchain& tools,
                             const fs::path& folder) {
  SandboxPolicy policy;
  for (const char* system : {"/usr", "/lib", "/lib64", "/bin", "/etc/alternatives"}) {
    policy.mounts.push_back({system, system, Mount::Access::read, true});
  }
  if (job.device == Device::cuda && tools.cuda_root &&
      !tools.cuda_root->string().starts_with("/usr/")) {
    policy.mounts.push_back({*tools.cuda_root, *tools.cuda_root});
  }
  if (job.device == Device::emulated) policy.mounts.push_back({*tools.emulator, kEmulator});
  policy.mounts.push_back({folder / "src", kSources});
  policy.mounts.push_back({folder / "adapters", kAdapters});
  policy.mounts.push_back({folder / "out", "/out", Mount::Access::write});
  if (has_adapter_object(job)) policy.mounts.push_back({job.adapter_object, kAdapterObject});
  policy.environment = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "HOME=/tmp", "LC_ALL=C.UTF-8"};
  policy.working_folder = kSources;
  // A class times one submission while it builds others: the timed one goes first.
  policy.niceness = kBuildNiceness;
  set_limits(policy, job.limits);
  return policy;
}

/// The student's text without the grader's own paths.
std::string student_view(std::string text) {
  const std::string aliases = std::string(kAliases) + "/";
  for (auto at = text.find(aliases); at != std::string::npos; at = text.find(aliases, at)) {
    text.erase(at, aliases.size());
    // The folders from which paths are followed, as many as the path did not leave.
    while (text.compare(at, 2, "d/") == 0) text.erase(at, 2);
  }
  for (const std::string& path : {std::string(kSources) + "/", std::string("/tmp/")}) {
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at))
      text.erase(at, path.size());
  }
  return printable(text);
}

/// opgrade-cucc's exit status for a source that uses more of CUDA than is emulated; its last such
/// line names it. The compiler runs nothing of the submission's, so the status is its own.
constexpr int kNotEmulated = 4;
constexpr std::string_view kNotEmulatedMark = ": not emulated: ";

bool is_not_emulated(const CompileJob& job, const SandboxReport& run) {
  const auto* const exited = std::get_if<Exited>(&run.process.end);
  return job.device == Device::emulated && run.limit_hit.empty() && exited != nullptr &&
         exited->code == kNotEmulated;
}

/// "new-forward.cu:3: the emulated device has no Thrust (thrust/device_vector.h)".
std::string not_emulated_reason(const std::string& shown) {
  const auto mark = shown.rfind(kNotEmulatedMark);
  if (mark == shown.npos) return "it uses what the emulated device lacks";
  auto begin = shown.rfind('\n', mark) + 1;  // npos + 1 is the start
  if (shown.compare(begin, 2, "./") == 0) begin += 2;
  const auto feature = mark + kNotEmulatedMark.size();
  return printable_line(fmt::format("{}: the emulated device lacks {}",
                                    shown.substr(begin, mark - begin),
                                    shown.substr(feature, shown.find('\n', feature) - feature)));
}

/// True if the machine may have hindered a compiler that ended like this. A plain error message
/// about the source is the submission's own.
bool may_be_the_machine(const SandboxReport& run, const std::string& messages) {
  if (!run.limit_hit.empty() || !std::holds_alternative<Exited>(run.process.end)) return true;
  for (const char* trouble :
       {"No space left on device", "Resource temporarily unavailable", "Cannot allocate memory",
        "out of memory", "Input/output error", "internal compiler error", "Killed"}) {
    if (messages.find(trouble) != std::string::npos) return true;
  }
  return messages.find("error: ") == std::string::npos &&
         messages.find("undefined reference") == std::string::npos;
}

/// Throws Error: without them no submission builds, and its compiler would name it as the cause.
void check_adapters(const Interface& interface, const fs::path& adapters) {
  for (const auto& name : adapter_files(interface)) {
    std::error_code missing;
    const auto size = fs::file_size(adapters / name, missing);
    if (!missing && size > 0) continue;
    throw Error(
        fmt::format("opgrade's own file {} is missing or empty", (adapters / name).string()),
        "install opgrade again; if OPGRADE_SHARE is set, name a whole share/opgrade folder");
  }
}

void prepare_folder(const CompileJob& job, const Sandbox& sandbox, const fs::path& folder) {
  write_sources(job.files, folder / "src");
  fs::create_directory(folder / "out");
  const fs::path adapters = resources::share_folder() / "adapters";
  check_adapters(job.interface, adapters);
  fs::copy(adapters, folder / "adapters", fs::copy_options::recursive);
  write_include_aliases(job.files, course_headers(job.interface), folder / "adapters" / "aliases");
  if (job.interface.included) {
    std::ofstream header(folder / "adapters" / job.interface.id / kIncludedSource);
    header << fmt::format("#include <{}>\n", job.sources.front());
    if (!header.flush())
      throw Error(fmt::format("cannot write {}", kIncludedSource), "is the disk full?");
  }
  sandbox.hand_over(folder);
}

bool has_built(const SandboxReport& run, const fs::path& folder) {
  const auto* const exited = std::get_if<Exited>(&run.process.end);
  return exited != nullptr && exited->code == 0 &&
         fs::is_regular_file(folder / "out/submission.so");
}

/// True if a part of the compiler could not be started: the user's processes were used up, for
/// instance by other submissions of the class.
bool processes_ran_out(const std::string& messages) {
  for (const char* trouble : {"Resource temporarily unavailable", "Cannot fork", "cannot fork"}) {
    if (messages.find(trouble) != std::string::npos) return true;
  }
  return false;
}

struct CompilerRun {
  SandboxReport report;
  fs::path folder;

  std::string messages() const {
    return report.process.standard_output + report.process.standard_error;
  }
};

/// Runs again while processes are short, after a pause. A source that prints such words gets some
/// more attempts, and nothing else.
CompilerRun run_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                         const fs::path& folder) {
  constexpr int kAttempts = 5;
  CompilerRun run{{}, folder};
  for (int attempt = 1;; ++attempt) {
    prepare_folder(job, sandbox, run.folder);
    run.report = sandbox.run(compile_policy(job, tools, run.folder), build_command(job, tools));
    if (has_built(run.report, run.folder) || !run.report.limit_hit.empty() ||
        !processes_ran_out(run.messages()) || attempt == kAttempts)
      return run;
    std::this_thread::sleep_for(std::chrono::milliseconds(250) * (1 << attempt));
    run.folder = folder / fmt::format("attempt{}", attempt + 1);
    fs::create_directory(run.folder);
  }
}

/// In words, or empty. A compiler's driver outlives its stopped part, and ends as if the source
/// were at fault. Then its messages show that, or the time used. The kernel's count and its limit
/// differ by some clock ticks, on a busy machine by more.
std::string limit_hit(const SandboxReport& run, const std::string& messages,
                      const LimitConfig& limits) {
  if (!run.limit_hit.empty()) return run.limit_hit;
  // The messages of the g++ and nvcc drivers for a part that SIGXFSZ (25) or SIGXCPU (24) ended.
  const auto says = [&](const char* words) { return messages.find(words) != std::string::npos; };
  if (says("File size limit exceeded") || says("died due to signal 25"))
    return fmt::format("file size {} MiB", limits.file_bytes >> 20);
  // Without a control group the limit is a refusal to allocate, of which compilers speak
  // themselves.
  for (const char* words : {"out of memory allocating", "virtual memory exhausted",
                            "LLVM ERROR: out of memory", "Cannot allocate memory"}) {
    if (says(words)) return fmt::format("memory {} MiB", limits.memory_bytes >> 20);
  }
  const bool in_words = says("CPU time limit exceeded") || says("died due to signal 24");
  if (!in_words && run.process.user + run.process.system < limits.cpu * 95 / 100) return {};
  return fmt::format("CPU time {:g} s", std::chrono::duration<double>(limits.cpu).count());
}

/// Sources that were taken and are not the stage's own.
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

struct BuildBeside {
  bool built = false;
  fs::path folder;                    ///< where, when built
  std::vector<std::string> compiled;  ///< sources
  std::vector<std::string> refused;   ///< sources that do not compile
};

/// Builds once more with the sources beside the stage's own. They go into an archive: the linker
/// takes from it what is missing, so that a variant of the same functions does no harm.
BuildBeside build_with_beside(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                              const fs::path& folder) {
  BuildBeside result;
  result.folder = folder;
  fs::create_directory(folder);
  prepare_folder(job, sandbox, folder);
  CompileJob limited = job;
  const auto give_up = std::chrono::steady_clock::now() + job.limits.wall;
  const auto run = [&](const std::vector<std::string>& command) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        give_up - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    limited.limits.wall = left;
    const auto report = sandbox.run(compile_policy(limited, tools, folder), command);
    const auto* const exited = std::get_if<Exited>(&report.process.end);
    return exited != nullptr && exited->code == 0;
  };
  std::vector<std::string> archive{"/usr/bin/ar", "rcs", kBeside};
  for (const auto& source : sources_beside(job)) {
    const std::string object = fmt::format("/out/beside{}.o", result.compiled.size());
    if (run(object_command(job, tools, source, object))) {
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

/// The fate of the sources beside, for the hint of a build that failed for a function.
std::string beside_in_words(const BuildBeside& beside) {
  std::string text;
  if (!beside.compiled.empty())
    text +=
        fmt::format(" Compiled beside it, without effect: {}.", fmt::join(beside.compiled, ", "));
  if (!beside.refused.empty())
    text +=
        fmt::format(" Left out, because it does not compile: {}.", fmt::join(beside.refused, ", "));
  return printable_line(text, 1000);
}

/// The first of the taken files that is saved in an encoding no compiler reads.
struct WideFile {
  std::string name, encoding;
};
std::optional<WideFile> wide_file(const TakenFiles& taken,
                                  const std::function<bool(const std::string&)>& concerns) {
  for (const auto& file : taken.files) {
    if (!concerns(file.name)) continue;
    if (const auto encoding = wide_encoding(file.bytes); !encoding.empty())
      return WideFile{file.name, encoding};
  }
  return std::nullopt;
}

BuildReport refused_encoding(const WideFile& file) {
  BuildReport report;
  report.outcome = Outcome::build_failed;
  report.reason = fmt::format("{} is saved as {}", printable_line(file.name), file.encoding);
  report.hint = fmt::format(
      "Save it as UTF-8: in your editor, or by `iconv -f {} -t UTF-8`. Compilers read nothing "
      "else.",
      file.encoding);
  return report;
}

/// Throws Error when the compiler fails on the control as well.
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
                          run.limit_hit.empty() ? printable_line(text)
                                                : "stopped at its limit, " + run.limit_hit),
              "check the free space and memory, then `opgrade doctor`");
}

}  // namespace

fs::path compile_adapter(const Interface& interface, const LimitConfig& limits,
                         const Toolchain& tools, const Sandbox& sandbox, const fs::path& folder) {
  if (interface.included || !tools.cuda_root) return {};
  const TakenFiles none;
  const CompileJob job{interface, Device::cuda, {}, {}, {}, none, limits};
  prepare_folder(job, sandbox, folder);
  sandbox.run(compile_policy(job, tools, folder), adapter_command(job, tools, "/out/adapter.o"));
  const fs::path object = folder / "out/adapter.o";
  return fs::is_regular_file(object) ? object : fs::path();
}

Compiled compile(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                 const fs::path& folder) {
  Compiled compiled;
  BuildReport& report = compiled.report;
  const auto is_source = [&](const std::string& name) {
    return std::ranges::find(job.sources, name) != job.sources.end();
  };
  if (const auto wide = wide_file(job.files, is_source)) {
    report = refused_encoding(*wide);
    return compiled;
  }
  CompilerRun tried = run_compiler(job, tools, sandbox, folder);
  if (!tried.report.started) {
    // Once may be the machine's load.
    check_compiler(job, tools, sandbox, tried.folder / "control");
    const fs::path again = tried.folder / "again";
    fs::create_directory(again);
    tried = run_compiler(job, tools, sandbox, again);
    if (!tried.report.started) {
      throw Error("the compiler's sandbox did not start, twice: " +
                      printable_line(tried.report.process.standard_error),
                  "run `opgrade doctor`, and grade again");
    }
  }
  const SandboxReport& run = tried.report;
  const fs::path& where = tried.folder;
  report.elapsed_s = std::chrono::duration<double>(run.process.elapsed).count();
  const std::string messages = tried.messages();
  report.compiler_output = student_view(messages);
  compiled.submission = where / "out/submission.so";

  if (has_built(run, where)) {
    report.outcome = Outcome::passed;
    report.reason = "built";
    return compiled;
  }
  if (is_not_emulated(job, run)) {
    report.outcome = Outcome::not_emulated;
    report.reason = not_emulated_reason(report.compiler_output);
    report.compiler_output.clear();  // the compiler misses what is there on a GPU
    return compiled;
  }
  if (may_be_the_machine(run, messages)) check_compiler(job, tools, sandbox, where / "control");
  report.outcome = Outcome::build_failed;
  if (const std::string limit = limit_hit(run, messages, job.limits); !limit.empty()) {
    report.reason = "the compiler was stopped at its limit: " + limit;
    report.hint =
        "A source that includes itself, expands without end or includes a device does this.";
    return compiled;
  }
  const auto is_blamed = [&](const std::string& name) {
    return messages.find(name + ":") != messages.npos || messages.find(name + "(") != messages.npos;
  };
  if (const auto wide = wide_file(job.files, is_blamed)) {
    report = refused_encoding(*wide);
    return compiled;
  }
  report.reason = build_reason(job.interface, messages);
  report.compiler_output = without_adapter_lines(job.interface, report.compiler_output);
  report.hint = build_hint(job.interface, job.device, job.files, job.sources, messages);
  const auto undefined = undefined_functions(messages);
  // The interface's own functions belong into the stage's sources: another stage may be graded by
  // files beside them.
  if (undefined.empty() ||
      std::ranges::any_of(undefined,
                          [&](const std::string& function) {
                            return is_interface_function(job.interface, function);
                          }) ||
      sources_beside(job).empty())
    return compiled;
  const BuildBeside beside = build_with_beside(job, tools, sandbox, where / "beside");
  if (!beside.built) {
    report.hint += beside_in_words(beside);
    return compiled;
  }
  report.outcome = Outcome::passed;
  report.reason = printable_line(
      fmt::format("built with the sources beside: {}", fmt::join(beside.compiled, ", ")), 1000);
  report.hint.clear();
  report.compiler_output.clear();
  compiled.submission = beside.folder / "out/submission.so";
  return compiled;
}

}  // namespace opgrade
