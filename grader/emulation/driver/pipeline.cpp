#include "grader/emulation/driver/pipeline.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/pipe.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/emulation/driver/child.hpp"
#include "grader/emulation/driver/front_end.hpp"
#include "grader/emulation/driver/missing_feature.hpp"
#include "grader/emulation/driver/options.hpp"
#include "grader/emulation/driver/toolkit_header.hpp"
#include "grader/emulation/translator/merge_sides.hpp"
#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {
namespace {

/// Passes on the text as it comes, and keeps its start.
void relay(const Fd& from, std::string& messages, bool passes_on) {
  constexpr std::size_t kKept = 1 << 18;
  std::array<char, 1 << 12> part;
  for (;;) {
    const ssize_t n = ::read(from.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    const auto bytes = static_cast<std::size_t>(n);
    messages.append(part.data(), std::min(bytes, kKept - std::min(kKept, messages.size())));
    if (passes_on) std::fwrite(part.data(), 1, bytes, stderr);
  }
}

/// Returns wait_for(). `output_file`, if not empty, gets the command's stdout. `messages` gets the
/// start of its stderr, which is passed on too if `passes_on`. Throws Error if the command cannot
/// be started.
int run_command(const std::vector<std::string>& command, const std::string& output_file,
                std::string& messages, bool passes_on = true) {
  const Fd file = output_file.empty() ? Fd() : open_to_write(output_file);
  Pipe errors = make_pipe();
  const pid_t child = start_child(command, file ? file.get() : STDOUT_FILENO, errors.write.get());
  errors.write.reset();
  relay(errors.read, messages, passes_on);
  return wait_for(child);
}

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

void append(Arguments& to, const Arguments& more) { to.insert(to.end(), more.begin(), more.end()); }

bool is_cuda(const fs::path& source) { return source.extension() == ".cu"; }
bool is_object(const fs::path& source) {
  return source.extension() == ".o" || source.extension() == ".a" || source.extension() == ".so";
}

/// On ARM char is unsigned, but its programs are graded on x86-64, where char is signed.
constexpr const char* kSignedChar = "-fsigned-char";

/// The features of x86-64-v3, by names that compilers before g++ 11 and Clang 12 know. The oldest
/// processors still in use have them, and their FMA fuses a product and a sum as a GPU does.
/// -march=native is not used, so that every machine gets the same machine code.
Arguments processor_flags() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c"))
    return {"-mavx2",  "-mfma",   "-mf16c",   "-mbmi",  "-mbmi2",
            "-mlzcnt", "-mmovbe", "-mpopcnt", "-mcx16", "-msahf"};
#endif
  return {};
}

bool is_clang(const std::string& compiler) {
  return fs::path(compiler).filename().string().find("clang") != std::string::npos;
}

/// Warns of the one mistake that compilers see and the checks do not: uninitialized registers have
/// no marks.
Arguments warning_flags(const DriverOptions& options) {
  return is_clang(options.compiler) ? Arguments{"-Wuninitialized"}
                                    : Arguments{"-Wuninitialized", "-Wmaybe-uninitialized"};
}

Arguments code_flags(const DriverOptions& options) {
  const bool clang = is_clang(options.compiler);
  Arguments flags = options.any_processor ? Arguments() : processor_flags();
  // Findings name the innermost of inlined functions, so they need the line of a call at a
  // function's end.
  append(flags, {kSignedChar, "-fPIC", "-g", "-fno-optimize-sibling-calls"});
  if (clang) {
    flags.push_back("-ffp-contract=fast");  // as g++ and nvcc do
  } else {
    append(flags, {"-fno-var-tracking", "-fno-var-tracking-assignments"});
    // Keeps one copy of each call, because lanes that wait at two copies of one call, such as
    // __activemask(), would wait apart.
    append(flags, {"-fno-thread-jumps", "-fno-split-paths", "-fno-unswitch-loops"});
  }
  if (options.count) {
    // Gives each access in the source exactly one hook, with every compiler.
    append(flags, {"-O0", "-ffp-contract=off", "-fsanitize=thread"});
    // Lets g++ put values into registers, but keeps it from changing or removing an access.
    if (!clang)
      append(flags, {"-Og", "-fno-inline", "-fno-tree-ccp", "-fno-tree-copy-prop", "-fno-tree-dce",
                     "-fno-optimize-strlen", "-fdisable-tree-early_optimizations",
                     "-fdisable-rtl-loop2_unroll"});
    return flags;
  }
  if (!options.check) return flags;
  append(flags, {"-fsanitize=thread,alignment,bounds", "-fsanitize-recover=alignment,bounds",
                 "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"});
#if !defined(__x86_64__)
  // On x86-64 the processor detects a division by zero in the optimised code.
  append(flags, {"-fsanitize=integer-divide-by-zero", "-fsanitize-recover=integer-divide-by-zero"});
#endif
  if (clang) {
    append(flags, {"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
                   "-tsan-distinguish-volatile=1"});
  } else {
    // g++ would know the functions of an object that a kernel gets, while a GPU reads the object's
    // table.
    append(flags, {"-fno-devirtualize", "--param", "tsan-instrument-func-entry-exit=0", "--param",
                   "tsan-distinguish-volatile=1"});
  }
  return flags;
}

/// Defines the words of CUDA's headers as themselves: #ifdef sees them, and they reach the
/// translator unchanged.
Arguments cuda_definitions() {
  Arguments flags;
  for (const char* word :
       {"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__",
        "__forceinline__", "__launch_bounds__", "__grid_constant__"})
    flags.push_back(std::string("-D") + word + "=" + word);
  append(flags,
         {"-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
          "-D__CUDACC_VER_BUILD__=0", "-D__CUDA_ARCH_LIST__=900"});
  return flags;
}

/// Adds the places of "a.cu:7:3: error: ..."; returns false if all were known already.
bool add_lines_of_errors(const std::string& messages,
                         std::set<std::pair<std::string, int>>& lines) {
  static const std::regex kPlace(R"re((?:.*/)?([^/:]+):(\d+):\d+:(?: fatal)?)re");
  bool added = false;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    std::smatch place;
    const std::string before = line.substr(0, line.find(" error: "));
    if (before != line && std::regex_match(before, place, kPlace))
      added = lines.insert({place[1].str(), std::atoi(place[2].str().c_str())}).second || added;
  }
  return added;
}

class Build {
 public:
  Build(const DriverOptions& options, const Installation& installation)
      : options_(options), installation_(installation), folder_("opgrade-cucc") {}

  int run() {
    Arguments objects;
    for (const fs::path source : options_.sources) {
      if (is_object(source)) {
        objects.push_back(source);
        continue;
      }
      std::error_code ignored;
      if (!fs::exists(source, ignored)) {
        std::fprintf(stderr, "opgrade-cucc: error: no such file: %s\n", source.c_str());
        return 1;
      }
      if (options_.uses_only) return print_uses(source);
      if (options_.preprocess_only) return preprocess_only(source);
      const fs::path object = options_.compile_only
                                  ? fs::path(options_.output)
                                  : folder_.path() / (std::to_string(objects.size()) + "-" +
                                                      source.stem().string() + ".o");
      const int status =
          is_cuda(source) ? compile_cuda(source, object) : compile_host(source, object);
      if (status != 0) return status;
      objects.push_back(object);
    }
    return options_.compile_only ? 0 : link(objects);
  }

 private:
  /// The same in every build, checked, counted or plain, because a differing macro would tell the
  /// submission which build is made. `device`: preprocess for the device.
  Arguments preprocess_command(const fs::path& source, bool device = false) const {
    Arguments preprocess{options_.compiler, "-E", kSignedChar};
    if (is_cuda(source)) append(preprocess, cuda_definitions());
    if (!options_.any_processor) append(preprocess, processor_flags());
    if (device) preprocess.push_back("-D__CUDA_ARCH__=900");
    if (is_cuda(source)) append(preprocess, {"-x", "c++"});
    append(preprocess, {"-isystem", installation_.headers});
    if (is_cuda(source)) append(preprocess, {"-include", installation_.headers / "cuda_runtime.h"});
    append(preprocess, options_.compiler_flags);
    preprocess.push_back(source);
    return preprocess;
  }

  /// Writes `file` and `text`. A header of the toolkit may already stop the compiler here.
  int preprocess(const fs::path& source, const fs::path& file, std::string& text,
                 bool device = false) const {
    const int status = compile_step(preprocess_command(source, device), file);
    text = read_text(file);
    const auto header = find_toolkit_header(text, installation_.headers.string());
    return header ? not_emulated(header->file, header->line, header->feature) : status;
  }

  /// Merges the texts for host and device into one. Returns the compiler's status.
  int preprocess_cuda(const fs::path& source, MergedText& merged) const {
    const fs::path file = folder_.path() / (source.stem().string() + ".pre.ii");
    if (const int status = preprocess(source, file, merged.text); status != 0) return status;
    const std::string own_headers = installation_.headers.string();
    if (!depends_on_side(merged.text, own_headers)) return 0;
    std::string device;
    if (const int status = preprocess(source, file, device, true); status != 0) return status;
    merged = merge_sides(merged.text, device, own_headers);
    return 0;
  }

  int preprocess_only(const fs::path& source) const {
    if (!is_cuda(source)) return compile_step(preprocess_command(source), options_.output);
    MergedText merged;
    const int status = preprocess_cuda(source, merged);
    if (status == 0) std::ofstream(options_.output, std::ios::binary) << merged.text;
    return status;
  }

  /// Prints what the code uses. Fails if no front end reads the source.
  int print_uses(const fs::path& source) const {
    FrontEnd front_end(options_, installation_, source, folder_.path());
    if (front_end.result() == FrontEnd::Result::read) {
      std::ofstream(options_.output, std::ios::binary) << front_end.output();
      return 0;
    }
    std::fprintf(stderr, "opgrade-cucc: error: not read by a front end: %s\n",
                 front_end.messages().c_str());
    return kWrongSource;
  }

  int compile_cuda(const fs::path& source, const fs::path& object) {
    const fs::path translated =
        options_.keep ? fs::path(options_.output + "." + source.stem().string() + ".ii")
                      : folder_.path() / (object.stem().string() + ".ii");
    FrontEnd front_end(options_, installation_, source, folder_.path());
    MergedText merged;
    if (const int status = preprocess_cuda(source, merged); status != 0) return status;
    const FrontEnd::Result reading = front_end.result();
    if (reading == FrontEnd::Result::refused) {
      std::fputs(front_end.messages().c_str(), stderr);
      return kWrongSource;
    }
    if (reading == FrontEnd::Result::read) std::fputs(front_end.messages().c_str(), stderr);

    Arguments compile = compile_command(translated, object);
    append(compile, {"-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-unused-value"});

    TranslateOptions how{installation_.headers.string(), options_.check, options_.count};
    how.facts = front_end.facts();
    how.for_clang = is_clang(options_.compiler);
    for (;;) {
      Translation translation = translate(merged.text, how);
      translation.remarks.insert(translation.remarks.end(), merged.remarks.begin(),
                                 merged.remarks.end());
      bool refused = false;
      const Remark* missing = nullptr;
      for (const Remark& remark : translation.remarks) {
        if (remark.kind == Remark::Kind::not_emulated) {
          missing = &remark;
          continue;
        }
        const bool error = remark.kind == Remark::Kind::error;
        std::fprintf(stderr, "%s:%d:%d: %s: %s\n", remark.file.c_str(), remark.line, remark.column,
                     error ? "error" : "warning", remark.text.c_str());
        refused = refused || error;
      }
      if (refused) return kWrongSource;
      write(translated, translation.text);
      // Lines that the counting translator breaks stay unchanged, and the record says so.
      std::string messages;
      const bool broken = options_.count && run_command(compile, "", messages, false) != 0;
      if (broken && add_lines_of_errors(messages, how.uncounted)) continue;
      const int status = options_.count && !broken ? 0 : compile_step(compile, "", merged.text);
      if (status == 0 && front_end.is_puzzled())
        std::fprintf(stderr,
                     "%s:1:1: warning: not checked for what nvcc refuses, because Clang stops: %s",
                     source.c_str(), front_end.messages().c_str());
      return status == 0 && missing != nullptr
                 ? not_emulated(missing->file, missing->line, missing->text)
                 : status;
    }
  }

  int compile_host(const fs::path& source, const fs::path& object) {
    const std::string name = object.stem().string();
    const fs::path preprocessed = folder_.path() / (name + ".pre.ii"),
                   prepared = folder_.path() / (name + ".ii");
    std::string text;
    if (const int status = preprocess(source, preprocessed, text); status != 0) return status;
    write(prepared, text);
    return compile_step(compile_command(prepared, object), "", text);
  }

  Arguments compile_command(const fs::path& prepared, const fs::path& object) const {
    const bool clang = is_clang(options_.compiler);
    Arguments compile{options_.compiler, "-c", "-x", "c++-cpp-output"};
    if (!clang) compile.push_back("-fpreprocessed");
    append(compile, options_.compiler_flags);
    append(compile, code_flags(options_));
    append(compile, warning_flags(options_));
    if (clang)
      append(compile,
             {"-Wno-unknown-warning-option", "-Wno-c++2b-extensions", "-Wno-c++23-extensions"});
    append(compile, {prepared, "-o", object});
    return compile;
  }

  /// Writes the text, and what this build adds to every source behind the line that names the
  /// source.
  void write(const fs::path& prepared, const std::string& text) const {
    std::ofstream out(prepared, std::ios::binary);
    const auto first_line = std::min(text.find('\n'), text.size() - 1) + 1;
    out << with_mapped_paths(text.substr(0, first_line), options_.compiler_flags);
    if (options_.check || options_.count) {
      out << "# 1 \"<opgrade>\"\n";
      std::istringstream copies(
          read_text(installation_.headers / "opgrade_emulation/checked_copies.hpp"));
      for (std::string line; std::getline(copies, line);)
        if (!line.starts_with('#')) out << line << '\n';
    }
    if (options_.count) out << "namespace opgrade_emulation { struct CountingBuild {}; }\n";
    out << with_mapped_paths(text.substr(first_line), options_.compiler_flags);
  }

  /// Returns 0; kNotEmulated if the compiler's first error is about a missing feature; else
  /// kWrongSource. Returns kBroken if the compiler ended as it does for no wrong source: g++ does
  /// so if a part of it was killed. `source` is the preprocessed text, which may define new names
  /// for CUDA's namespaces.
  static int compile_step(const Arguments& command, const std::string& output_file = "",
                          std::string_view source = {}) {
    std::string messages;
    const int status = run_command(command, output_file, messages);
    if (status == 0) return 0;
    const auto missing = find_missing_feature(messages, aliases_of_cuda(source));
    if (!missing) return status == 1 ? kWrongSource : kBroken;
    return not_emulated(missing->file, missing->line, missing->feature);
  }

  static int not_emulated(const std::string& file, int line, const std::string& feature) {
    std::fprintf(stderr, "%s:%d: not emulated: %s\n", file.c_str(), line, feature.c_str());
    return kNotEmulated;
  }

  std::string archive(const char* name) const {
    return installation_.runtime / (std::string("libopgrade_emulation_") + name + ".a");
  }

  int link(const Arguments& objects) {
    Arguments command{options_.compiler};
    if (options_.shared) command.push_back("-shared");
    append(command, objects);
    for (const char* symbol : {"opgrade_emulation_synchronize", "opgrade_emulation_findings"})
      command.push_back(std::string("-Wl,-u,") + symbol);
    append(command, {"-Wl,--wrap=__assert_fail"});
    // clang before 15 calls these functions to copy structures; the counting runtime wraps them.
    if (options_.count)
      append(command,
             {"-Wl,--wrap=memcpy", "-Wl,--wrap=memmove", "-Wl,--wrap=memset", archive("counting")});
    if (options_.check && !options_.count) command.push_back(archive("checks"));
    if (options_.cublas) command.push_back(archive("cublas"));
    command.push_back(archive("runtime"));
    append(command, options_.link_flags);
    append(command, {"-lpthread", "-ldl", "-o", options_.output});
    const int status = wait_for(start_child(command));
    return status == 0 ? 0 : status == 1 ? kWrongSource : kBroken;
  }

  const DriverOptions& options_;
  const Installation& installation_;
  TempDir folder_;
};

}  // namespace

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Installation find_installation(const fs::path& executable) {
  const fs::path folder = executable.parent_path();
  const Installation found{(folder / OPGRADE_EMULATION_HEADERS).lexically_normal(),
                           (folder / OPGRADE_EMULATION_RUNTIME).lexically_normal()};
  if (!fs::exists(found.headers / "cuda_runtime.h") ||
      !fs::exists(found.runtime / "libopgrade_emulation_runtime.a"))
    throw Error("the emulated device's headers or runtime are not where they belong: " +
                    found.headers.string() + ", " + found.runtime.string(),
                "install opgrade again, or run opgrade-cucc from its own folder");
  return found;
}

int run_pipeline(const DriverOptions& options, const Installation& installation) {
  return Build(options, installation).run();
}

}  // namespace opgrade::emulation
