#include "grader/grading/pipeline/grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fault_hint.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/pipeline/cache_folder.hpp"
#include "grader/grading/pipeline/constructs.hpp"
#include "grader/grading/pipeline/findings_run.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/grading/pipeline/reference_process.hpp"
#include "grader/grading/pipeline/skipped_case.hpp"
#include "grader/grading/pipeline/source_rules.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/grading/pipeline/stage_tools.hpp"
#include "grader/grading/pipeline/submission_path.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/grading/score/score_groups.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// False for a model's case, whose inputs are those of the data set.
bool is_random(const Case& c) { return !c.is<NetworkCase>(); }

void add_once(std::vector<Note>& notes, const Note& note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

/// Empty without a sandbox, because a submission could read and write the sets. A cache knows its
/// sets by sizes and seeds, so each task has its own cache.
auto shared_sets(const Config& config, const GraderOptions& options, const Machine& machine) {
  std::map<std::string, std::unique_ptr<SetCache>, std::less<>> sets;
  const fs::path folder = cache_folder();
  if (!options.handed_in || folder.empty() || machine.sandbox().support().tier == SandboxTier::none)
    return sets;
  for (const auto& task : folder_tasks(config))
    sets[std::string(task->id())] = std::make_unique<SetCache>(
        folder / "sets", fmt::format("{} {}", program_stamp(), task->id()), *options.handed_in);
  return sets;
}

References shared_or_started(References shared, const Config& config, const Machine& machine) {
  for (const auto& task : folder_tasks(config)) {
    auto& code = shared[std::string(task->id())];
    if (!code)
      code = start_reference(*task, config, machine.tools(), machine.sandbox(), machine.harness());
  }
  return shared;
}

std::unique_ptr<Models> models_of(const Config& config, const GraderOptions& options) {
  const Task* const task = task_with_networks(config);
  return task != nullptr ? task->models(options.data_folder, options.listen) : nullptr;
}

/// The ids of the cases that `had` lacks, and that run now.
std::vector<std::string> cases_to_run(const std::optional<StageReport>& had,
                                      const StageReport& report, const StageConfig& stage,
                                      GradedAt at) {
  std::vector<std::string> ids;
  for (const CaseReport& c : report.cases)
    if (!waits_for_deadline(at, case_of(stage, c.id)) &&
        (!had || std::ranges::find(had->cases, c.id, &CaseReport::id) == had->cases.end()))
      ids.push_back(c.id);
  return ids;
}

/// Runs the cases that `had` lacks. Each case keeps its place.
void run_others(StageCases& cases, const StageReport& had, StageReport& report) {
  const auto taken = [&](const CaseReport& c) {
    return std::ranges::find(had.cases, c.id, &CaseReport::id);
  };
  std::vector<CaseReport> all = report.cases;
  std::erase_if(report.cases, [&](const CaseReport& c) { return taken(c) != had.cases.end(); });
  cases.run(report);
  for (CaseReport& c : all) {
    const auto found = taken(c);
    c = found != had.cases.end() ? *found : *std::ranges::find(report.cases, c.id, &CaseReport::id);
  }
  report.cases = std::move(all);
}

}  // namespace

Grader::Grader(Config config, GraderOptions options, References references)
    : config_(std::move(config)),
      config_sha256_(sha256_of_text(dump_config(config_))),
      options_(std::move(options)),
      seed_(options_.seed ? *options_.seed : SystemRandom()()),
      selection_(config_, options_.only),
      machine_(config_, {.gpu = wants_gpu(),
                         .gpu_device = options_.gpu_device,
                         .unsafe = options_.unsafe,
                         .parallel_runs = options_.parallel_runs,
                         .whole_class = options_.whole_class}),
      models_(models_of(config_, options_)),
      sets_(shared_sets(config_, options_, machine_)),
      references_(shared_or_started(std::move(references), config_, machine_)),
      cores_(static_cast<int>(std::thread::hardware_concurrency()), options_.parallel_runs),
      bench_{config_,  options_, selection_, seed_,       machine_, models_.get(),
             control_, tensors_, cores_,     references_, ranked_} {
  load_models();
  phase_over("config, machine and models");
  machine_.get_ready();
}

Grader::~Grader() = default;

bool Grader::wants_gpu() const {
  return options_.gpu_device != Device::emulated &&
         std::ranges::any_of(config_.stages, [&](const StageConfig& stage) {
           return stage.device == Device::cuda && selection_.any_of(stage);
         });
}

SetCache* Grader::sets_for(const StageConfig& stage) const {
  const FolderTask* const task = folder_task_of(config_, stage);
  const auto found = task != nullptr ? sets_.find(task->id()) : sets_.end();
  return found != sets_.end() ? found->second.get() : nullptr;
}

std::shared_ptr<ReferenceCode> Grader::reference_with_poison(const FolderTask& task) const try {
  return start_reference(task, config_, machine_.tools(), machine_.sandbox(), machine_.harness(),
                         UnsetMemory::poisoned);
} catch (const UsageError&) {
  return nullptr;  // the plain build succeeded: the compiler lacks an option
}

/// Loads all models that will be needed, so that their faults show before the first submission.
void Grader::load_models() {
  const auto model = [&](const auto& config) -> const Model& {
    return model_of(models_.get(), config_, config.model);
  };
  for (const auto& stage : config_.stages)
    for (const Case& c : selection_.cases(stage)) {
      if (const auto* const batches = std::get_if<RandomBatchesCase>(&c.kind))
        model(*batches->config);
      if (const auto* const network = std::get_if<NetworkCase>(&c.kind))
        if (const auto complaint = model(*network->config).complaint(network->config->batch);
            !complaint.empty())
          throw UsageError(fmt::format("{}: {}", c.id, complaint), "lower the batch in the config");
    }
}

Grader::Begun Grader::begin(const fs::path& submission, const std::string& name) const {
  Begun begun;
  Grade& grade = begun.grade;
  grade.submission = printable_line(name);
  grade.submission_path = owner_of(submission);
  grade.config_name = config_.name;
  grade.config_title = config_.title;
  grade.config_sha256 = config_sha256_;
  grade.machine = machine_.report();
  grade.seed = seed();
  grade.by_author = !options_.for_class;
  const auto tier = machine_.sandbox().support().tier;
  if (tier != SandboxTier::full)
    grade.notes.push_back(notes::WeakSandbox{std::string(name_of(tier))});
  try {
    begun.files = take_stage_files(submission, config_);
  } catch (const Error&) {
    begun.unread = std::current_exception();
  }
  grade.submission_sha256 = begun.files.sha256;
  return begun;
}

/// False if the options ask for a profile or a tool, which run anew.
bool Grader::may_take(const EarlierRun& earlier, const Grade& now) const {
  return selection_.is_all() && !options_.profile && !options_.sanitize &&
         options_.tool.tool == nullptr && is_same_but_config(earlier.grade, now);
}

bool Grader::only_scores(const fs::path& submission, const EarlierRun& earlier) {
  const Begun begun = begin(submission, "");
  if (begun.unread || !may_take(earlier, begun.grade)) return false;
  for (std::size_t i = 0; i < config_.stages.size(); ++i) {
    const StageConfig& stage = config_.stages[i];
    std::vector<Note> notes;
    const auto device = machine_.resolve(stage);
    if (!device || !begun.files.stages[i]) return false;
    const auto had = stage_taken_from(earlier, stage, *device, notes);
    if (!had || had->cases.size() != selection_.ids(stage).size()) return false;
  }
  return true;
}

Grade Grader::grade(const fs::path& submission, const std::string& name,
                    const std::optional<EarlierRun>& earlier, const std::optional<Grade>& finished,
                    GradedAt at) {
  const auto start = Clock::now();
  auto [grade, files, unread] = begin(submission, name);
  const std::string named = grade.by_author ? submission.string() : grade.submission_path;
  const bool takes = earlier && may_take(*earlier, grade);
  const bool goes_on =
      finished && finished->config_sha256 == config_sha256_ &&
      is_same_but_config(*finished, grade) &&
      (finished->machine.gpu.empty() || finished->machine.gpu == machine_.gpus().model());
  if (goes_on)
    for (const Note& note : finished->notes) add_once(grade.notes, note);
  for (std::size_t i = 0; i < config_.stages.size(); ++i) {
    const StageConfig& stage = config_.stages[i];
    if (!selection_.any_of(stage)) continue;
    try {
      if (unread) std::rethrow_exception(unread);
      FinishedCases of_stage;
      if (options_.keep_finished)
        of_stage.keep = [&](const StageReport& report, const std::vector<Note>& notes) {
          Grade partial = grade;
          partial.machine.gpu = machine_.gpus().model();
          partial.stages.push_back(report);
          for (const Note& note : notes) add_once(partial.notes, note);
          options_.keep_finished(partial);
        };
      if (goes_on && i < finished->stages.size() && finished->stages[i].name == stage.name) {
        of_stage.had = &finished->stages[i];
        of_stage.is_whole = i + 1 < finished->stages.size() &&
                            std::ranges::find(of_stage.had->cases, Outcome::grader_fault,
                                              &CaseReport::outcome) == of_stage.had->cases.end();
      }
      grade.stages.push_back(grade_stage(stage, files.stages[i], named, at,
                                         takes ? &*earlier : nullptr, of_stage, grade.notes));
    } catch (const interrupt::Interrupted&) {
      throw;
    } catch (const std::exception& e) {  // also of the standard library: no memory, a full disk
      interrupt::check();
      grade.stages.push_back(fault_of(stage, e));
    }
  }
  if (const auto model = machine_.gpus().model(); !model.empty()) grade.machine.gpu = model;
  score_groups(config_, grade);
  finish_grade(grade, config_.pass_mark,
               selection_.is_all() ? std::nullopt : std::optional(config_.max_points()));
  grade.elapsed_s = seconds_since(start);
  if (options_.whole_class && config_.ranking) ranked_.add(grade, *config_.ranking);
  return grade;
}

StageReport Grader::grade_stage(const StageConfig& stage,
                                const tl::expected<TakenFiles, Refusal>& files,
                                const std::string& submission, GradedAt at,
                                const EarlierRun* earlier, const FinishedCases& finished,
                                std::vector<Note>& notes) {
  StageReport report{.name = stage.name, .title = stage.title};
  const auto device = machine_.resolve(stage);
  report.device = device.value_or(stage.device);
  if (!device)
    add_once(notes, notes::StageNotRun{device.error()});
  else if (stage.device == Device::cuda && machine_.emulates_unasked())
    add_once(notes, notes::EmulatedInstead{});
  const bool goes_on = finished.had != nullptr && finished.had->device == report.device;
  if (goes_on && finished.is_whole) return *finished.had;
  if (options_.sanitize && device == Device::emulated) add_once(notes, notes::SanitizerNeedsGpu{});

  const std::optional<StageReport> had = earlier != nullptr && device
                                             ? stage_taken_from(*earlier, stage, *device, notes)
                                             : std::nullopt;
  std::optional<StageBuild> build;
  if (device && files) build.emplace(config_, stage, *device, *files, machine_, options_.listen);
  SourceRules rules;
  if (build)
    rules = apply_source_rules(stage, *device, build->sources(),
                               {[&](const auto& texts) { return build->preprocessed(texts); },
                                [&] { return build->preprocessed_to_count(); },
                                [&](const auto& read) { return build->uses(read); }});
  if (rules.by_words) add_once(notes, notes::WordsDecided{});
  const auto score_all = [&] {
    score(stage, submission, report);
    score_constructs(stage, rules.broken, report);
  };
  const auto refused = rules.hidden ? rules.hidden : refused_construct(stage, rules.broken);
  if (!rules.unread && !refused && had && had->cases.size() == selection_.ids(stage).size()) {
    report = *had;
    score_all();
    return report;
  }
  SetCache* const cache = sets_for(stage);
  const auto sets = cache != nullptr ? cache->for_submission(stage.name) : nullptr;
  std::optional<StageDevice> on;
  std::optional<CaseReport> not_run;  // why no case runs
  if (!device) {
    report.build.reason = device.error();
    not_run = skipped_case(Outcome::not_run, device.error());
  } else if (!files) {
    const Reason why = text_reason(files.error().reason, files.error().hint);
    report.build = {.outcome = Outcome::refused, .reason = why};
    not_run = skipped_case(Outcome::refused, why);
  } else if (refused) {
    const bool is_open = refused->is<why::ByStaff>();
    report.build = {.outcome = is_open ? Outcome::not_run : Outcome::refused, .reason = *refused};
    not_run = skipped_case(report.build.outcome, *refused);
  } else {
    report.folder = path_of(*files);
    for (const auto& file : files->files) report.files.push_back(printable_line(file.name));
    prepare_tensors(bench_, stage, *device);
    on.emplace(bench_, stage, *build);
    // In a class, other submissions are timed meanwhile, so no process starts ahead.
    if (!options_.whole_class) on->start_process();
    report.build = build->plain().report;
    // If the compiler refuses the sources as well, its own report is the better one.
    if (report.build.outcome == Outcome::passed && rules.unread) report.build = *rules.unread;
    if (report.build.outcome != Outcome::passed)
      not_run = skipped_case(report.build.outcome, report.build.reason);
  }
  list_cases(stage, not_run.value_or(CaseReport{}), report);
  if (not_run) {
    score_all();
    return report;
  }
  const auto role = findings_on_gpu(*device, config_);
  std::optional<FindingsRun> findings;
  if (role) findings.emplace(bench_, stage, *files, cases_to_run(had, report, stage, at)).start();
  {
    StageCases cases(bench_, stage, *build, *on, sets.get(), at, notes);
    if (had)
      run_others(cases, *had, report);
    else
      cases.run(report, goes_on ? finished : FinishedCases{.keep = finished.keep});
  }
  on.reset();  // frees its device before points are counted: the reference solution may want one
  if (findings)
    for (const CaseReport* const c : add_found(report, findings->end(), *role, notes))
      options_.listen(events::CaseFinished{c->id, c->hidden, c->outcome, std::nullopt});
  score_all();
  return report;
}

std::optional<StageReport> Grader::stage_taken_from(const EarlierRun& earlier,
                                                    const StageConfig& stage, Device device,
                                                    std::vector<Note>& notes) {
  // is_same_but_config() compared the versions of both, if they are known.
  if (device == Device::cuda &&
      (machine_.gpus().model() != earlier.grade.machine.gpu || machine_.cuda_version().empty()))
    return {};
  auto had = taken_stage(earlier, config_, stage, device);
  if (!had) return had;
  notes.push_back(notes::NotRunAgain{.stage = stage.name,
                                     .cases = static_cast<std::int64_t>(had->cases.size()),
                                     .of = static_cast<std::int64_t>(selection_.ids(stage).size()),
                                     .made = earlier.grade.machine.started});
  return had;
}

StageReport Grader::fault_of(const StageConfig& stage, const std::exception& fault) const {
  const Reason why = text_reason(fault.what(), hint_for(fault));
  StageReport report{.name = stage.name, .title = stage.title, .device = stage.device};
  report.build = {.outcome = Outcome::grader_fault, .reason = why};
  CaseReport c = skipped_case(Outcome::grader_fault, why);
  c.id = stage.name;
  c.points.push_back(score_case(graded_points(stage), c, stage.device, config_.accept_emulated));
  report.cases.push_back(std::move(c));
  return report;
}

void Grader::list_cases(const StageConfig& stage, const CaseReport& prototype,
                        StageReport& report) const {
  for (const Case& c : selection_.cases(stage))
    describe_case(c, report.cases.emplace_back(prototype));
}

void Grader::score(const StageConfig& stage, const std::string& submission, StageReport& report) {
  const BoundSources sources{
      [&](const OpTimeRule& rule) { return reference_times_.of(stage, report.device, rule); },
      [&](const OpTimeRule& rule) {
        return work_of(models_.get(), config_, stage, rule, machine_.gpus());
      },
      [&](const OpTimeRule& rule) {
        return reference_times_.of_serial(stage, report.device, rule);
      }};
  score_stage(stage, report, config_.accept_emulated, sources);
  const bool ran = report.build.outcome == Outcome::passed;
  for (auto& c : report.cases) {
    c.take = statistic_of(config_, stage, c);
    c.repeat = {
        .path = submission,
        .config = options_.config_argument,
        .device = options_.gpu_device,
        .seed = ran && is_random(case_of(stage, c.id)) ? std::optional(seed_) : std::nullopt};
  }
}

bool Grader::is_current(const Grade& grade, const fs::path& submission) const {
  if (grade.outcome == Outcome::grader_fault || grade.config_sha256 != config_sha256_ ||
      grade.machine.opgrade_version != program_version() || grade.seed != seed()) {
    return false;
  }
  auto had = grade.stages.begin();
  for (const auto& stage : config_.stages) {
    if (!selection_.any_of(stage)) continue;
    if (had == grade.stages.end() || had->name != stage.name ||
        had->device != machine_.resolve(stage).value_or(stage.device)) {
      return false;
    }
    const auto ids = selection_.ids(stage);
    const bool same = std::ranges::equal(ids, had->cases, {}, {}, &CaseReport::id);
    if (!same) return false;
    const std::string profiled =
        options_.profile ? selection_.to_profile(stage, had->device) : std::string();
    const bool unprofiled = std::ranges::any_of(had->cases, [&](const CaseReport& c) {
      return c.outcome == Outcome::passed && !c.profile && c.id == profiled;
    });
    if (unprofiled) return false;
    ++had;
  }
  return had == grade.stages.end() &&
         grade.submission_sha256 == take_stage_files(submission, config_).sha256;
}

std::string Grader::files_of(const fs::path& submission) const try {
  return content_of(take_stage_files(submission, config_));
} catch (const Error&) {
  return "";  // its grading says what the disk did
}

std::vector<std::string> Grader::tool_files() const {
  std::vector<std::string> names;
  if (const DeviceTool* const tool = options_.tool.tool; tool != nullptr && tool->runs_around())
    for (const auto& [stage, name] : opgrade::tool_files(config_, selection_, *tool))
      names.push_back(name);
  return names;
}

std::optional<std::uint64_t> Grader::seed() const {
  const bool any = std::ranges::any_of(config_.stages, [&](const StageConfig& stage) {
    return std::ranges::any_of(selection_.cases(stage), is_random);
  });
  return any ? std::optional(seed_) : std::nullopt;
}

}  // namespace opgrade
