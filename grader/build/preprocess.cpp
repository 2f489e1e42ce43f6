#include "grader/build/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "grader/build/compile_command.hpp"
#include "grader/build/compiler_end.hpp"
#include "grader/build/compiler_run.hpp"
#include "grader/build/line_markers.hpp"
#include "grader/build/sources_beside.hpp"
#include "grader/core/system_random.hpp"
#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The texts a line each, as lines of a file of that name.
std::string asked(const std::string& mark, const std::vector<std::string>& texts) {
  std::string lines = fmt::format("\n# 1 \"{}\"\n", mark);
  for (std::string text : texts) {
    std::ranges::replace(text, '\n', ' ');
    lines += text + "\n";
  }
  return lines;
}

BuildReport failed(Reason reason) {
  return {.outcome = Outcome::build_failed, .reason = std::move(reason)};
}

class Preprocessor {
 public:
  Preprocessor(const CompileJob& job, const std::vector<std::string>& texts, const Toolchain& tools,
               const Sandbox& sandbox, const fs::path& folder)
      : job_(job),
        texts_(texts),
        tools_(tools),
        sandbox_(sandbox),
        folder_(folder),
        mounts_(compile_policy(job, tools, folder).mounts),
        // No source can name them, and so none can tell this run from the build.
        mark_(fmt::format("{:016x}{:016x}", SystemRandom()(), SystemRandom()())) {}

  tl::expected<PreprocessedSources, BuildReport> run() {
    TakenFiles files = job_.files;
    auto sources = job_.sources;
    const auto own = sources.size();
    const auto beside = sources_beside(job_);
    sources.insert(sources.end(), beside.begin(), beside.end());
    for (auto& file : files.files) {
      file.bytes = without_line_markers(std::move(file.bytes));
      if (std::ranges::find(sources, file.name) == sources.end()) continue;
      file.bytes = fmt::format("{}# 1 \"{}\"\n{}\n{}", asked(mark_ + "<", texts_), file.name,
                               file.bytes, asked(mark_ + ">", texts_));
    }
    CompileJob job{job_.interface, job_.device, job_.sources, job_.flags,
                   job_.libraries, files,       job_.limits};
    prepare_folder(job, sandbox_, folder_);
    PreprocessedSources all;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool included = job.interface.included && i == 0;
      const std::string source = included ? adapter_source(job) : "./" + sources[i];
      for (const bool host : {false, true}) {
        if (host && job.device != Device::cuda) continue;
        const SandboxReport run = preprocessed(job, source, host);
        if (passed(run)) {
          auto one = read();
          if (!one)
            return tl::unexpected(
                failed(why::SourceTooLong{static_cast<std::int64_t>(TokenBudget().tokens)}));
          all.push_back(std::move(*one));
        } else if (i < own) {
          return tl::unexpected(report_on(job, run));
        }
      }
    }
    return all;
  }

 private:
  SandboxReport preprocessed(const CompileJob& job, const std::string& source, bool host) const {
    auto command = one_source_command(job, tools_, "-E", source, "/out/" + mark_);
    if (host) command.emplace_back("-U__CUDA_ARCH__");
    const SandboxReport run = sandbox_.run(compile_policy(job, tools_, folder_), command);
    interrupt::check();
    return run;
  }

  static bool passed(const SandboxReport& run) { return !run.limit && run.process.succeeded(); }

  std::optional<PreprocessedSource> read() {
    // With the headers of the system and of the toolkit, which have some megabytes.
    constexpr std::size_t kMost = 128 << 20;
    const fs::path output = folder_ / "out" / mark_;
    std::error_code missing;
    if (fs::file_size(output, missing) > kMost) return std::nullopt;
    std::ifstream in(output, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const PreprocessedFiles files{.before = mark_ + "<",
                                  .behind = mark_ + ">",
                                  .texts = texts_.size(),
                                  .is_foreign = [this](const auto& f) { return is_foreign(f); }};
    return read_preprocessed(text, files, left_);
  }

  BuildReport report_on(const CompileJob& job, const SandboxReport& run) const {
    if (!run.started || could_be_machine_fault(run, job.device, folder_))
      check_compiler(job_, tools_, sandbox_, folder_ / "control");
    const std::string messages = run.process.standard_output + run.process.standard_error;
    if (const auto limit = compiler_limit(run, job.device, messages, job.limits))
      return failed(why::CompilerLimit{limit});
    BuildReport report = failed(why::PreprocessorError{});
    report.compiler_output = student_view(messages);
    return report;
  }

  /// A header that no submission has, with its path here or in the sandbox.
  bool is_foreign(const std::string& file) const {
    const auto below = [&](const fs::path& folder) {
      return file.starts_with(folder.string() + "/");
    };
    if (below(kAliases) || below(folder_ / "adapters/aliases")) return false;
    return file.starts_with('<') || std::ranges::any_of(mounts_, [&](const Mount& mount) {
             return mount.inside != kSources && (below(mount.inside) || below(mount.host));
           });
  }

  const CompileJob& job_;
  const std::vector<std::string>& texts_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  const fs::path& folder_;
  const std::vector<Mount> mounts_;  // a compiler's view
  const std::string mark_;
  TokenBudget left_;
};

}  // namespace

tl::expected<PreprocessedSources, BuildReport> preprocess(const CompileJob& job,
                                                          const std::vector<std::string>& texts,
                                                          const Toolchain& tools,
                                                          const Sandbox& sandbox,
                                                          const fs::path& folder) {
  return Preprocessor(job, texts, tools, sandbox, folder).run();
}

}  // namespace opgrade
