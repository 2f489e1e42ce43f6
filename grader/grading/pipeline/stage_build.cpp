#include "grader/grading/pipeline/stage_build.hpp"

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/grading/build/read_tree.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/student_files.hpp"

namespace opgrade {

namespace fs = std::filesystem;

StageBuild::StageBuild(const Config& config, const StageConfig& stage, Device device,
                       const TakenFiles& files, const Machine& machine, const Listener& listen)
    : config_(config),
      stage_(stage),
      device_(device),
      files_(files),
      machine_(machine),
      listen_(listen),
      folder_("opgrade-build-") {
  fs::create_directory(submission().parent_path());
  machine_.sandbox().hand_over(folder_.path());
}

const Compiled& StageBuild::plain() {
  if (!plain_) {
    plain_ = build("plain", Kind::plain);
    if (plain_->report.outcome == Outcome::passed) {
      fs::rename(plain_->submission, submission());
      plain_->submission = submission();
    }
    phase_over("build");
    interrupt::check();
  }
  return *plain_;
}

const Compiled& StageBuild::watching() {
  if (!watching_) {
    phase_over("until the build with checks");
    watching_ = build("checked", Kind::checked);
    phase_over("build with checks");
    if (watching_->report.outcome != Outcome::passed) watching_->submission.clear();
  }
  return *watching_;
}

const Compiled& StageBuild::counting() { return extra(counting_, "counted", Kind::counted); }
const Compiled& StageBuild::racing() { return extra(racing_, "races", Kind::races); }

/// Grading goes on if this build fails.
const Compiled& StageBuild::extra(std::optional<Compiled>& built, const char* name, Kind kind) {
  if (!built) {
    try {
      built = build(name, kind);
      if (built->report.outcome != Outcome::passed) built->submission.clear();
    } catch (const Error& e) {
      built.emplace();
      built->report.reason = text_reason(e.what());
    }
    phase_over(std::string("build: ") + name);
  }
  return *built;
}

tl::expected<PreprocessedSources, BuildReport> StageBuild::preprocessed(
    const std::vector<std::string>& texts) const {
  return read("read", Kind::plain, texts);
}

std::optional<TreeUses> StageBuild::uses(const PreprocessedSources& read) const {
  fs::create_directory(folder_.path() / "uses");
  return tree_uses(job(Kind::plain), read, machine_.tools(), machine_.sandbox(),
                   folder_.path() / "uses");
}

tl::expected<PreprocessedSources, BuildReport> StageBuild::preprocessed_to_count() const {
  if (!machine_.tools().emulator) return PreprocessedSources();
  return read("read-to-count", Kind::counted, {});
}

tl::expected<PreprocessedSources, BuildReport> StageBuild::read(
    const char* name, Kind kind, const std::vector<std::string>& texts) const {
  fs::create_directory(folder_.path() / name);
  return preprocess(job(kind), texts, machine_.tools(), machine_.sandbox(), folder_.path() / name);
}

std::vector<std::string> StageBuild::sources() const {
  auto sources = sources_of(config_, stage_);
  // What the course hands out is built only for a submission that uses it.
  std::erase_if(sources, [&](const std::string& name) {
    return config_.files.find_handed_out(name) != nullptr &&
           std::ranges::find(files_.files, name, &TakenFile::name) == files_.files.end();
  });
  return sources;
}

CompileJob StageBuild::job(Kind kind) const {
  const Device device = kind == Kind::counted ? Device::emulated : device_;
  const Interface& interface = interface_of(config_, stage_);
  CompileJob job{interface,
                 device,
                 sources(),
                 stage_.flags,
                 stage_.libraries,
                 files_,
                 config_.build_limits,
                 kind == Kind::checked};
  job.counts = kind == Kind::counted;
  job.races = kind == Kind::races;
  if (device == Device::cuda) job.adapter_object = machine_.adapter_object(interface);
  return job;
}

Compiled StageBuild::build(const char* name, Kind kind) const {
  const CompileJob job = this->job(kind);
  // A build that decides nothing has no events.
  const bool decides = kind == Kind::plain || kind == Kind::checked;
  if (decides) listen_(events::BuildStarted{stage_.name, job.sources});
  fs::create_directory(folder_.path() / name);
  Compiled compiled = compile(job, machine_.tools(), machine_.sandbox(), folder_.path() / name);
  if (decides) listen_(events::BuildFinished{stage_.name, compiled.report.outcome});
  return compiled;
}

}  // namespace opgrade
