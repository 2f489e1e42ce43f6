#include "grader/grading/build/compile_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/grading/build/include_aliases.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::string adapter_headers(const Interface& interface) {
  return fmt::format("{}/{}/include", kAdapters, interface.id);
}

/// True if the submission brings the interface header, which some terms' students changed.
bool brings_header(const TakenFiles& files, const Interface& interface) {
  const auto folder = resources::share_folder() / "adapters" / interface.id / "include";
  return std::ranges::any_of(files.files,
                             [&](const TakenFile& file) { return fs::exists(folder / file.name); });
}

/// Flags and folders of headers, for a compilation.
std::vector<std::string> header_arguments(const CompileJob& job) {
  std::vector<std::string> arguments = job.flags;
  // The submission's own headers come first. The harness is a program of its own, so nothing of the
  // grader can be shadowed.
  for (const std::string& folder : {std::string("-I."), "-I" + adapter_headers(job.interface),
                                    fmt::format("-I{}", kAdapters)}) {
    arguments.push_back(folder);
  }
  // Behind this declaration, a definition without extern "C" has C linkage, too.
  for (const GeneratedFile& file : job.interface.generated)
    if (file.path.ends_with(".h") && file.is_included)
      arguments.insert(arguments.end(), {"-include", fs::path(file.path).filename()});
  // The aliases come after the system's own headers: a path such as "sys/time.h" is the system's.
  const std::string aliases = alias_start(kAliases);
  if (job.device == Device::cpu) {
    arguments.insert(arguments.end(), {"-idirafter", aliases});
  } else {
    arguments.insert(arguments.end(), {"-Xcompiler", "-idirafter," + aliases});
  }
  return arguments;
}

/// For the emulated device, an adapter that includes nothing of the submission is compiled with the
/// grader, because it takes as long as most submissions.
std::string adapter(const CompileJob& job, const Toolchain& tools) {
  if (has_adapter_object(job)) return kAdapterObject;
  const std::string object = fmt::format("lib/opgrade/emulation/adapters/{}{}.o", job.interface.id,
                                         job.checks ? ".checked" : "");
  if (job.device == Device::emulated && !brings_header(job.files, job.interface) &&
      fs::exists(*tools.emulator / object))
    return fmt::format("{}/{}", kEmulator, object);
  return adapter_source(job.interface, job.device);
}

std::vector<std::string> common_arguments(const CompileJob& job, const Toolchain& tools) {
  std::vector<std::string> arguments = header_arguments(job);
  arguments.insert(arguments.end(), {"-shared", "-o", kOutput});
  if (&job.files == &control_files(job.device)) {
    arguments.push_back(job.files.files.front().name);
    return arguments;
  }
  const auto first = job.sources.begin() + (job.interface.included ? 1 : 0);
  arguments.insert(arguments.end(), first, job.sources.end());
  arguments.push_back(adapter(job, tools));
  if (job.races)
    arguments.insert(arguments.end(),
                     {std::string(kAdapters) + "/openmp_races.cc",
                      "-Wl,--wrap=__tsan_atomic32_load,--wrap=__tsan_atomic32_store,"
                      "--wrap=__tsan_atomic64_load,--wrap=__tsan_atomic64_store"});
  return arguments;
}

/// The compiler with the grader's own options.
std::vector<std::string> cpu_compiler(const CompileJob& job, const Toolchain& tools) {
  if (!tools.cxx) throw Error("no C++ compiler", "apt-get install g++");
  // The warnings are shown if a case fails, so those on style are off. -g1 keeps the code's lines.
  std::vector<std::string> command{tools.cxx->string(),
                                   "-std=c++17",
                                   "-fPIC",
                                   "-g1",
                                   "-Wall",
                                   "-Wno-unused",
                                   "-Wno-sign-compare",
                                   "-Wno-comment",
                                   "-fdiagnostics-color=never"};
#if !defined(__x86_64__)
  // As on x86-64, whose plain compiler neither fuses a product and a sum nor has unsigned chars.
  command.insert(command.end(), {"-ffp-contract=off", "-fsigned-char"});
#endif
  if (job.checks || job.races)
    command.insert(command.end(), {job.races ? "-fsanitize=thread" : "-fsanitize=address,undefined",
                                   "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"});
  // No macro tells one build from another. The library's own, which keeps std::shared_ptr from
  // false races, is on in all builds.
  command.insert(command.end(),
                 {"-U__SANITIZE_THREAD__", "-U__SANITIZE_ADDRESS__", "-D_GLIBCXX_TSAN=1"});
  return command;
}

std::vector<std::string> nvcc(const std::vector<std::string>& flags, const Toolchain& tools) {
  if (!tools.cuda_root)
    throw Error("no CUDA toolkit", "install one, or grade with --device emulated");
  std::vector<std::string> command{(*tools.cuda_root / "bin/nvcc").string(), "-std=c++17",
                                   "-arch=" + tools.cuda_architecture, "-lineinfo",
                                   "-Xcompiler=-fPIC"};
  // Compiles several sources at a time. Device code that calls none of another needs no linking.
  const bool relocatable = std::ranges::any_of(flags, [](const std::string& flag) {
    return flag.find("rdc") != flag.npos || flag.find("relocatable") != flag.npos ||
           flag == "-dc" || flag.find("device-c") != flag.npos;
  });
  command.push_back("--threads=4");
  if (!relocatable) command.push_back("-nodlink");
  return command;
}

std::vector<std::string> emulated_compiler(const CompileJob& job, const Toolchain& tools) {
  if (!tools.emulator) throw tools.no_emulator;
  std::vector<std::string> command{fmt::format("{}/bin/opgrade-cucc", kEmulator), "-std=c++17",
                                   "-DOPGRADE_EMULATED",
                                   job.counts   ? "--count"
                                   : job.checks ? "--check"
                                                : "--no-check"};
  if (tools.cxx) command.push_back("--compiler=" + tools.cxx->string());
  return command;
}

std::vector<std::string> compiler(const CompileJob& job, const Toolchain& tools) {
  return job.device == Device::cpu    ? cpu_compiler(job, tools)
         : job.device == Device::cuda ? nvcc(job.flags, tools)
                                      : emulated_compiler(job, tools);
}

}  // namespace

std::string adapter_source(const Interface& interface, Device device) {
  return fmt::format("{}/{}/{}", kAdapters, interface.id, interface.adapter(device));
}

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

std::set<std::string> course_headers(const Interface& interface) {
  const fs::path adapters = resources::share_folder() / "adapters";
  const fs::path folder = adapters / interface.id / "include";
  std::set<std::string> headers;
  // The headers of every course, such as wb.h, lie in the folder of the adapters.
  for (const auto& entry : fs::directory_iterator(adapters))
    if (entry.is_regular_file() && entry.path().extension() == ".h")
      headers.insert(entry.path().filename().string());
  for (const GeneratedFile& file : interface.generated)
    if (file.path.ends_with(".h")) headers.insert(fs::path(file.path).filename().string());
  if (!fs::exists(folder)) return headers;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) headers.insert(entry.path().lexically_relative(folder).string());
  return headers;
}

bool has_adapter_object(const CompileJob& job) {
  return !job.adapter_object.empty() && !brings_header(job.files, job.interface);
}

std::vector<std::string> build_command(const CompileJob& job, const Toolchain& tools,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> command = compiler(job, tools);
  // -z defs: a missing function is found now, with its name, instead of at the first call.
  command.push_back(job.device == Device::cuda ? "-Xlinker=-z,defs" : "-Wl,-z,defs");
  const auto rest = common_arguments(job, tools);
  command.insert(command.end(), rest.begin(), rest.end());
  command.insert(command.end(), more.begin(), more.end());
  // The emulated device has only cublas, and its compiler would find a toolkit's other libraries.
  for (const auto& library : job.libraries)
    if (job.device == Device::cuda || (job.device == Device::emulated && library == "cublas"))
      command.push_back("-l" + library);
  return command;
}

std::vector<std::string> one_source_command(const CompileJob& job, const Toolchain& tools,
                                            const std::string& step, const std::string& source,
                                            const std::string& output) {
  std::vector<std::string> command = compiler(job, tools);
  const auto headers = header_arguments(job);
  command.insert(command.end(), headers.begin(), headers.end());
  command.insert(command.end(), {step, source, "-o", output});
  return command;
}

std::vector<std::string> uses_command(const CompileJob& job, const Toolchain& tools,
                                      const std::string& text, const std::string& output) {
  std::vector<std::string> command = compiler(job, tools);
  command.insert(command.end(), job.flags.begin(), job.flags.end());
  command.insert(command.end(), {"--uses", text, "-o", output});
  return command;
}

std::vector<std::string> adapter_command(const CompileJob& job, const Toolchain& tools,
                                         const std::string& object) {
  std::vector<std::string> command = compiler(job, tools);
  for (const std::string& argument :
       {"-I" + adapter_headers(job.interface), fmt::format("-I{}", kAdapters), std::string("-c"),
        adapter_source(job.interface, job.device), std::string("-o"), object})
    command.push_back(argument);
  return command;
}

}  // namespace opgrade
