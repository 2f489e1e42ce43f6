#include "grader/grading/build/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/grading/build/build_hint.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_end.hpp"
#include "grader/grading/build/compiler_run.hpp"
#include "grader/grading/build/cuda_names.hpp"
#include "grader/grading/build/sources_beside.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// opgrade-cucc's exit status for a source that uses more of CUDA than is emulated; the last line
/// with kNotEmulatedMark names the feature. The compiler runs nothing of the submission's, so the
/// status is its own.
constexpr int kNotEmulated = 4;
constexpr std::string_view kNotEmulatedMark = ": not emulated: ";

bool is_not_emulated(const SandboxReport& run, Device device) {
  const auto* const exited = std::get_if<Exited>(&run.process.end);
  return device == Device::emulated && !run.limit && exited != nullptr &&
         exited->code == kNotEmulated;
}

/// Gives the place, "new-forward.cu:3", and what is missing: "Thrust (thrust/device_vector.h)".
Reason not_emulated(const std::string& shown) {
  const auto mark = shown.rfind(kNotEmulatedMark);
  if (mark == shown.npos) return why::NotEmulated{};
  auto begin = shown.rfind('\n', mark) + 1;  // npos + 1 is the start
  if (shown.compare(begin, 2, "./") == 0) begin += 2;
  const auto feature = mark + kNotEmulatedMark.size();
  return why::NotEmulated{
      .place = printable_line(shown.substr(begin, mark - begin)),
      .feature = printable_line(shown.substr(feature, shown.find('\n', feature) - feature))};
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
  return {.outcome = Outcome::build_failed,
          .reason = why::OtherEncoding{printable_line(file.name), file.encoding}};
}

/// A run whose sandbox started. Throws Error if it fails to start twice, because once may be due to
/// the machine's load.
CompilerRun started_run(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                        const fs::path& folder) {
  CompilerRun run = run_compiler(job, tools, sandbox, folder);
  if (run.report.started) return run;
  check_compiler(job, tools, sandbox, run.folder / "control");
  const fs::path again = run.folder / "again";
  fs::create_directory(again);
  run = run_compiler(job, tools, sandbox, again);
  if (run.report.started) return run;
  throw Error("the compiler's sandbox did not start, twice: " +
                  printable_line(run.report.process.standard_error),
              "run `opgrade doctor`, and grade again");
}

/// True if files beside the stage's sources may have what is missing. The interface's own functions
/// belong into the stage's sources, because another stage may be graded by files beside them.
bool may_lack_files_beside(const CompileJob& job, const std::string& messages) {
  const auto undefined = undefined_functions(messages);
  const auto is_own = [&](const std::string& function) {
    return is_interface_function(job.interface, function);
  };
  return !undefined.empty() && std::ranges::none_of(undefined, is_own) &&
         !sources_beside(job).empty();
}

}  // namespace

fs::path compile_adapter(const Interface& interface, const LimitConfig& limits,
                         const Toolchain& tools, const Sandbox& sandbox, const fs::path& folder) {
  if (interface.included || interface.has_caller || !tools.cuda_root) return {};
  const TakenFiles none;
  const CompileJob job{interface, Device::cuda, {}, {}, {}, none, limits};
  prepare_folder(job, sandbox, folder);
  const SandboxReport run = sandbox.run(compile_policy(job, tools, folder),
                                        adapter_command(job, tools, "/out/adapter.o"));
  const fs::path object = folder / "out/adapter.o";
  std::error_code missing;
  return run.process.succeeded() && !run.limit && fs::file_size(object, missing) > 0 && !missing
             ? object
             : fs::path();
}

Compiled compile(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                 const fs::path& folder) {
  Compiled compiled;
  BuildReport& report = compiled.report;
  const auto is_source = [&](const std::string& name) {
    return std::ranges::find(job.sources, name) != job.sources.end();
  };
  if (const auto wide = wide_file(job.files, is_source)) return {refused_encoding(*wide), {}};
  const CompilerRun tried = started_run(job, tools, sandbox, folder);
  const SandboxReport& run = tried.report;
  const fs::path& where = tried.folder;
  report.elapsed_s = std::chrono::duration<double>(run.process.elapsed).count();
  const std::string messages = tried.messages();
  report.compiler_output = student_view(without_reserved_suggestions(messages));
  compiled.submission = where / "out/submission.so";

  if (has_built(run, where)) {
    report.outcome = Outcome::passed;
    report.reason = why::Built{};
    return compiled;
  }
  if (is_not_emulated(run, job.device)) {
    report.outcome = Outcome::not_emulated;
    report.reason = not_emulated(report.compiler_output);
    report.compiler_output.clear();  // the compiler misses what is there on a GPU
    return compiled;
  }
  if (could_be_machine_fault(run, job.device, where))
    check_compiler(job, tools, sandbox, where / "control");
  report.outcome = Outcome::build_failed;
  if (const auto limit = compiler_limit(run, job.device, messages, job.limits)) {
    report.reason = why::CompilerLimit{limit};
    return compiled;
  }
  const auto is_blamed = [&](const std::string& name) {
    return messages.find(name + ":") != messages.npos || messages.find(name + "(") != messages.npos;
  };
  if (const auto wide = wide_file(job.files, is_blamed)) return {refused_encoding(*wide), {}};
  report.reason = build_reason(job.interface, job.device, job.files, job.sources, messages);
  report.compiler_output = without_adapter_lines(job.interface, report.compiler_output);
  if (!may_lack_files_beside(job, messages)) return compiled;
  const BuildBeside beside = build_with_beside(job, tools, sandbox, where / "beside");
  if (!beside.built) {
    if (auto* const names = std::get_if<why::UndefinedNames>(&report.reason.what)) {
      names->useless = printable_lines(beside.compiled);
      names->refused = printable_lines(beside.refused);
    }
    return compiled;
  }
  report.outcome = Outcome::passed;
  report.reason = why::BuiltWithOthers{printable_lines(beside.compiled)};
  report.compiler_output.clear();
  compiled.submission = beside.folder / "out/submission.so";
  return compiled;
}

}  // namespace opgrade
