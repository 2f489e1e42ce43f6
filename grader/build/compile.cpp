#include "grader/build/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "grader/build/limits.hpp"
#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/resources.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSources = "/submission";
constexpr const char* kAdapters = "/opgrade/adapters";
constexpr const char* kEmulator = "/opgrade/emulation";
/// What an adapter includes where the interface's source is a header.
constexpr const char* kIncludedSource = "opgrade_submission.h";
constexpr const char* kOutput = "/out/submission.so";
constexpr const char* kAdapterObject = "/opgrade/adapter.o";
/// A third of the share of a process that does not give way: a wall-clock limit stays fair.
constexpr int kBuildNiceness = 5;

void write_sources(const TakenFiles& taken, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& file : taken.files) {
    std::ofstream out(folder / file.name, std::ios::binary);
    out << file.bytes;
    if (!out.flush()) {
      throw Error(fmt::format("cannot write {}", (folder / file.name).string()),
                  "is the disk full?");
    }
  }
}

/// A source of the grader's own, which every compiler that works accepts.
const TakenFiles& control_files(Device device) {
  static const std::string host =
      "#include <cmath>\n#include <vector>\n"
      "float opgrade_control(float x) { return std::sqrt(std::vector<float>(3, x)[1]); }\n";
  static const TakenFiles cpu{".", {{"control.cc", host}}};
  static const TakenFiles gpu{
      ".",
      {{"control.cu",
        host + "__global__ void opgrade_control(float* y) { y[threadIdx.x] = 1; }\n"}}};
  return device == Device::cpu ? cpu : gpu;
}

std::string adapter_headers(const Interface& interface) {
  return fmt::format("{}/{}/include", kAdapters, interface.id);
}

std::string adapter_source(const CompileJob& job) {
  return fmt::format("{}/{}/{}", kAdapters, job.interface.id, job.interface.adapter(job.device));
}

/// Some terms' students changed the interface header.
bool brings_header(const CompileJob& job) {
  const auto folder = resources::share_folder() / "adapters" / job.interface.id / "include";
  return std::ranges::any_of(job.files.files,
                             [&](const TakenFile& file) { return fs::exists(folder / file.name); });
}

bool has_adapter_object(const CompileJob& job) {
  return !job.adapter_object.empty() && !brings_header(job);
}

std::vector<std::string> common_arguments(const CompileJob& job) {
  const std::string include = adapter_headers(job.interface);
  std::vector<std::string> arguments = job.flags;
  // The submission's own headers come first. The harness is a program of its own, so nothing of the
  // grader can be shadowed.
  for (const std::string& folder :
       {std::string("-I."), "-I" + include, fmt::format("-I{}", kAdapters)}) {
    arguments.push_back(folder);
  }
  arguments.insert(arguments.end(), {"-shared", "-o", kOutput});
  if (&job.files == &control_files(job.device)) {
    arguments.push_back(job.files.files.front().name);
    return arguments;
  }
  const auto first = job.sources.begin() + (job.interface.included ? 1 : 0);
  arguments.insert(arguments.end(), first, job.sources.end());
  arguments.push_back(has_adapter_object(job) ? kAdapterObject : adapter_source(job));
  return arguments;
}

std::vector<std::string> cpu_command(const CompileJob& job, const Toolchain& tools) {
  if (!tools.cxx) throw Error("no C++ compiler", "apt-get install g++");
  // -z defs: a function that is missing is found now, with its name, and not at the first call.
  std::vector<std::string> command{tools.cxx->string(), "-std=c++17", "-fPIC", "-Wl,-z,defs",
                                   "-fdiagnostics-color=never"};
  const auto rest = common_arguments(job);
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

std::vector<std::string> nvcc(const CompileJob& job, const Toolchain& tools) {
  if (!tools.cuda_root)
    throw Error("no CUDA toolkit", "install one, or grade with --device emulated");
  std::vector<std::string> command{(*tools.cuda_root / "bin/nvcc").string(), "-std=c++17",
                                   "-arch=" + tools.cuda_architecture, "-lineinfo",
                                   "-Xcompiler=-fPIC"};
  // Several sources at a time. Device code that calls none of another source needs no linking.
  const bool relocatable = std::ranges::any_of(job.flags, [](const std::string& flag) {
    return flag.find("rdc") != flag.npos || flag.find("relocatable") != flag.npos ||
           flag == "-dc" || flag.find("device-c") != flag.npos;
  });
  command.push_back("--threads=4");
  if (!relocatable) command.push_back("-nodlink");
  return command;
}

std::vector<std::string> cuda_command(const CompileJob& job, const Toolchain& tools) {
  std::vector<std::string> command = nvcc(job, tools);
  command.push_back("-Xlinker=-z,defs");
  const auto rest = common_arguments(job);
  command.insert(command.end(), rest.begin(), rest.end());
  for (const auto& library : job.libraries) command.push_back("-l" + library);
  return command;
}

std::vector<std::string> emulated_command(const CompileJob& job, const Toolchain& tools) {
  if (!tools.emulator) throw tools.no_emulator;
  std::vector<std::string> command{fmt::format("{}/bin/opgrade-cucc", kEmulator), "-std=c++17",
                                   "-DOPGRADE_EMULATED", job.checks ? "--check" : "--no-check",
                                   "-Wl,-z,defs"};
  const auto rest = common_arguments(job);
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
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
  // Of a class one submission is timed while others are built: the timed one goes first.
  policy.niceness = kBuildNiceness;
  set_limits(policy, job.limits);
  return policy;
}

/// The student's text without the grader's own paths.
std::string student_view(std::string text) {
  for (const std::string& path : {std::string(kSources) + "/", std::string("/tmp/")}) {
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at))
      text.erase(at, path.size());
  }
  return printable(text);
}

std::string build_hint(const CompileJob& job, const std::string& messages) {
  const bool gpu = job.device != Device::cpu;
  if (messages.find("undefined reference") != std::string::npos ||
      messages.find("undefined symbol") != std::string::npos) {
    return fmt::format("A function is missing or has other parameters. Expected: {}.",
                       gpu ? job.interface.gpu_signature : job.interface.cpu_signature);
  }
  // Permission denied: where there are no mounts, a file that is not let through is seen to be
  // there.
  if (messages.find("No such file or directory") != std::string::npos ||
      messages.find("Permission denied") != std::string::npos) {
    return "An included file was not handed in, or is not allowed here.";
  }
  return "The first error in the compiler's output is the one to mend.";
}

/// opgrade-cucc's exit status for a source that uses more of CUDA than is emulated; its last such
/// line then tells where. The compiler runs nothing of the submission's, so the status is its own.
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

/// Whether a compiler that ended like this may have been hindered by its machine. A plain error
/// message about the source is the submission's own.
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

void prepare_folder(const CompileJob& job, const Sandbox& sandbox, const fs::path& folder) {
  write_sources(job.files, folder / "src");
  fs::create_directory(folder / "out");
  fs::copy(resources::share_folder() / "adapters", folder / "adapters",
           fs::copy_options::recursive);
  if (job.interface.included) {
    std::ofstream header(folder / "adapters" / job.interface.id / kIncludedSource);
    header << fmt::format("#include <{}>\n", job.sources.front());
    if (!header.flush())
      throw Error(fmt::format("cannot write {}", kIncludedSource), "is the disk full?");
  }
  sandbox.hand_over(folder);
}

SandboxReport run_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                           const fs::path& folder) {
  prepare_folder(job, sandbox, folder);
  const auto command = job.device == Device::cpu    ? cpu_command(job, tools)
                       : job.device == Device::cuda ? cuda_command(job, tools)
                                                    : emulated_command(job, tools);
  return sandbox.run(compile_policy(job, tools, folder), command);
}

bool has_built(const SandboxReport& run, const fs::path& folder) {
  const auto* const exited = std::get_if<Exited>(&run.process.end);
  return exited != nullptr && exited->code == 0 &&
         fs::is_regular_file(folder / "out/submission.so");
}

/// In words, or empty. A compiler's driver outlives the part of it that was stopped, and ends as if
/// the source were at fault: then its own words tell, or the time used up. The kernel's count and
/// its limit differ by some clock ticks, on a busy machine by more.
std::string limit_hit(const SandboxReport& run, const std::string& messages,
                      const LimitConfig& limits) {
  if (!run.limit_hit.empty()) return run.limit_hit;
  // What the drivers of g++ and nvcc say of a part that SIGXFSZ (25) or SIGXCPU (24) ended.
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

/// Throws Error when the compiler fails on the control as well.
void check_compiler(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                    const fs::path& folder) {
  fs::create_directory(folder);
  const CompileJob control{job.interface, job.device,    job.sources,
                           job.flags,     job.libraries, control_files(job.device),
                           job.limits,    job.checks};
  const SandboxReport run = run_compiler(control, tools, sandbox, folder);
  if (has_built(run, folder)) return;
  const std::string text = run.process.standard_output + run.process.standard_error;
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
  auto command = nvcc(job, tools);
  for (const std::string& argument :
       {"-I" + adapter_headers(interface), fmt::format("-I{}", kAdapters), std::string("-c"),
        adapter_source(job), std::string("-o"), std::string("/out/adapter.o")}) {
    command.push_back(argument);
  }
  sandbox.run(compile_policy(job, tools, folder), command);
  const fs::path object = folder / "out/adapter.o";
  return fs::is_regular_file(object) ? object : fs::path();
}

Compiled compile(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                 const fs::path& folder) {
  fs::path where = folder;
  SandboxReport run = run_compiler(job, tools, sandbox, where);
  // A source can have these words printed too (#line): then they come again.
  if (!has_built(run, where) && run.process.standard_error.starts_with("bwrap: ")) {
    check_compiler(job, tools, sandbox, where / "control");
    where /= "again";
    fs::create_directory(where);
    run = run_compiler(job, tools, sandbox, where);
  }
  Compiled compiled;
  BuildReport& report = compiled.report;
  report.elapsed_s = std::chrono::duration<double>(run.process.elapsed).count();
  const std::string messages = run.process.standard_output + run.process.standard_error;
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
  } else {
    report.reason = "the compiler refused it";
    report.hint = build_hint(job, messages);
  }
  return compiled;
}

}  // namespace opgrade
