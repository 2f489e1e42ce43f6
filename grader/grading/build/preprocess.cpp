#include "grader/grading/build/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/grading/build/compile_command.hpp"
#include "grader/grading/build/compiler_end.hpp"
#include "grader/grading/build/compiler_run.hpp"
#include "grader/grading/build/line_markers.hpp"
#include "grader/grading/build/sources_beside.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The texts, one a line, as lines of a file with the name `mark`.
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
        // No source can name these files, so no source can tell this run from the build.
        mark_(fmt::format("{:016x}{:016x}", SystemRandom()(), SystemRandom()())) {}

  tl::expected<PreprocessedSources, BuildReport> run() {
    const TakenFiles files = with_texts([](const std::string& bytes) { return bytes; });
    const TakenFiles unmarked_files = with_texts(without_line_markers);
    const CompileJob job = job_with(files), unmarked = job_with(unmarked_files);
    const auto marker = first_marker();
    prepare_folder(job, sandbox_, folder_);
    if (marker) {
      fs::create_directory(folder_ / "unmarked");
      prepare_folder(unmarked, sandbox_, folder_ / "unmarked");
    }
    const auto own = job_.sources.size();
    const auto sources = sources_to_read(job_);
    PreprocessedSources all;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (const bool host : {false, true}) {
        if (host && job.device != Device::cuda) continue;
        const SandboxReport run = preprocessed(job, sources[i], host, folder_);
        if (!passed(run)) {
          if (i < own) return tl::unexpected(report_on(job, run));
          continue;
        }
        std::optional<std::string> text = output_in(folder_);
        if (text && marker) {
          const fs::path other = folder_ / "unmarked";
          const auto places = passed(preprocessed(unmarked, sources[i], host, other))
                                  ? output_in(other)
                                  : std::nullopt;
          text = places ? with_places_of(*text, *places) : std::nullopt;
          if (!text) return tl::unexpected(failed(why::HidesCode{"#line", *marker}));
        }
        auto one = text ? read(*text) : std::nullopt;
        if (!one)
          return tl::unexpected(
              failed(why::SourceTooLong{static_cast<std::int64_t>(TokenBudget().tokens)}));
        one->name = sources[i];
        all.push_back(std::move(*one));
      }
    }
    return all;
  }

 private:
  std::optional<Finding> first_marker() const {
    for (const TakenFile& file : job_.files.files) {
      const std::string unmarked = without_line_markers(file.bytes);
      const auto at = std::ranges::mismatch(file.bytes, unmarked).in1;
      if (at == file.bytes.end()) continue;
      const auto line = std::count(file.bytes.begin(), at, '\n') + 1;
      return Finding{.file = printable_line(file.name), .line = static_cast<int>(line)};
    }
    return std::nullopt;
  }

  CompileJob job_with(const TakenFiles& files) const {
    return {job_.interface, job_.device, job_.sources, job_.flags,
            job_.libraries, files,       job_.limits};
  }

  /// The job's files with the texts that are asked around each source.
  TakenFiles with_texts(const std::function<std::string(const std::string&)>& changed) const {
    TakenFiles files = job_.files;
    const auto sources = sources_to_read(job_);
    for (auto& file : files.files) {
      file.bytes = changed(file.bytes);
      const bool is_read = std::ranges::find(job_.sources, file.name) != job_.sources.end() ||
                           std::ranges::find(sources, "./" + file.name) != sources.end();
      if (is_read)
        file.bytes = fmt::format("{}# 1 \"{}\"\n{}\n{}", asked(mark_ + "<", texts_), file.name,
                                 file.bytes, asked(mark_ + ">", texts_));
    }
    return files;
  }

  SandboxReport preprocessed(const CompileJob& job, const std::string& source, bool host,
                             const fs::path& folder) const {
    auto command = one_source_command(job, tools_, "-E", source, "/out/" + mark_);
    if (host) command.emplace_back("-U__CUDA_ARCH__");
    const SandboxReport run = sandbox_.run(compile_policy(job, tools_, folder), command);
    interrupt::check();
    return run;
  }

  static bool passed(const SandboxReport& run) { return !run.limit && run.process.succeeded(); }

  std::optional<std::string> output_in(const fs::path& folder) const {
    // The output includes the headers of the system and of the toolkit, which have some megabytes.
    constexpr std::size_t kMost = 128 << 20;
    const fs::path output = folder / "out" / mark_;
    std::error_code missing;
    if (fs::file_size(output, missing) > kMost) return std::nullopt;
    std::ifstream in(output, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }

  std::optional<PreprocessedSource> read(const std::string& text) {
    const PreprocessedFiles files{.before = mark_ + "<",
                                  .behind = mark_ + ">",
                                  .texts = texts_.size(),
                                  .is_foreign = [this](const auto& f) { return is_foreign(f); },
                                  .is_adapter = [this](const auto& f) { return is_adapter(f); }};
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

  /// True for a header that no submission has. `file` is its path here or in the sandbox.
  bool is_foreign(const std::string& file) const {
    if (is_below(kAliases, file) || is_below(folder_ / "adapters/aliases", file)) return false;
    if (std::ranges::find(job_.files.files, file, &TakenFile::name) != job_.files.files.end())
      return false;
    return file.starts_with('<') || std::ranges::any_of(mounts_, [&](const Mount& mount) {
             return mount.inside != kSources &&
                    (is_below(mount.inside, file) || is_below(mount.host, file));
           });
  }

  bool is_adapter(const std::string& file) const {
    return is_below(kAdapters, file) || is_below(folder_ / "adapters", file);
  }

  static bool is_below(const fs::path& folder, const std::string& file) {
    return file.starts_with(folder.string() + "/");
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
