#include "grader/app/grader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <thread>

#include "grader/app/device_trial.hpp"
#include "grader/app/device_turn.hpp"
#include "grader/app/gpu.hpp"
#include "grader/app/network_calls.hpp"
#include "grader/app/program_version.hpp"
#include "grader/app/random_batches.hpp"
#include "grader/app/result_names.hpp"
#include "grader/app/sanitize_run.hpp"
#include "grader/app/time_outs.hpp"
#include "grader/app/watched_run.hpp"
#include "grader/build/compile.hpp"
#include "grader/config/load.hpp"
#include "grader/core/error.hpp"
#include "grader/core/fault_hint.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/resources.hpp"
#include "grader/core/shell_word.hpp"
#include "grader/core/system_random.hpp"
#include "grader/data/checksum.hpp"
#include "grader/intake/intake.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/score/score.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/task/random_values.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string sha256_of(const std::string& text) {
  Sha256 sum;
  sum.add(std::as_bytes(std::span(text)));
  return sum.hex();
}

std::vector<std::string> sources_of(const Config& config, const StageConfig& stage) {
  if (!stage.sources.empty()) return stage.sources;
  return {std::string(find_interface(config.interface).source(stage.device))};
}

/// Throws Error for a shape that the interface cannot be asked for.
void check_strides(const Config& config) {
  if (find_interface(config.interface).stride) return;
  for (const auto& stage : config.stages) {
    for (const auto& shape : stage.fixed_shapes.shapes) {
      if (const auto stride = value_of(shape, "S"); stride > 1) {
        throw UsageError(
            fmt::format(
                "stage '{}' has a fixed shape with S={}, but the interface {} has no stride",
                stage.name, stride, config.interface),
            "leave S out, or use the interface minidnn-3s");
      }
    }
  }
}

SandboxTier weakest_allowed(const Config& config) {
  for (const auto tier : {SandboxTier::full, SandboxTier::no_cgroup, SandboxTier::no_userns}) {
    if (config.require_sandbox == name_of(tier)) return tier;
  }
  return SandboxTier::none;
}

SandboxSupport check_tier(SandboxSupport support, const Config& config, bool unsafe) {
  if (support.tier == SandboxTier::none && !unsafe) {
    throw Error(
        "no sandbox here: " + fmt::format("{}", fmt::join(support.notes, "; ")),
        "run `opgrade doctor`; --unsafe grades without one, on a machine you can throw away");
  }
  if (support.tier > weakest_allowed(config) && !unsafe) {
    throw Error(
        fmt::format("the config requires the sandbox tier '{}', this machine has '{}': {}",
                    config.require_sandbox, name_of(support.tier), fmt::join(support.notes, "; ")),
        "run `opgrade doctor`");
  }
  return support;
}

/// The report of a case that is not run.
CaseReport unrun(Outcome outcome, const std::string& reason, const std::string& hint) {
  CaseReport report;
  report.outcome = outcome;
  report.reason = reason;
  report.hint = hint;
  return report;
}

SandboxSupport sandbox_support(const GraderOptions& options) {
  SandboxSupport support = SandboxSupport::detect();
  support.parallel_runs = options.parallel_runs;
  return support;
}

}  // namespace

Grader::Grader(Config config, GraderOptions options)
    : config_(std::move(config)),
      config_sha256_(sha256_of(dump_config(config_))),
      options_(std::move(options)),
      seed_(options_.seed ? *options_.seed : SystemRandom()()),
      selection_(config_, options_.only),
      gpus_(wants_gpu() ? GpuPool::Search(GpuPool::visible) : nullptr),
      architecture_(std::async(wants_gpu() ? std::launch::async : std::launch::deferred,
                               [] { return cuda_architecture(find_gpus()); })),
      sandbox_(check_tier(sandbox_support(options_), config_, options_.unsafe)),
      tools_(Toolchain::detect()),
      models_(options_.data_folder, options_.log),
      programs_("opgrade-programs-") {
  check_strides(config_);
  load_models();
  fs::copy_file(resources::helper_program("opgrade-harness"), programs_.path() / "opgrade-harness");
  if (wants_gpu() && tools_.cuda_root)
    fs::copy_file(resources::helper_program(kEmptyCallLibrary),
                  programs_.path() / kEmptyCallLibrary);
  tools_.move_emulator_to(programs_.path() / "emulation");
  if (tools_.cuda_root) profiler_ = find_profiler(*tools_.cuda_root, programs_.path());
  sandbox_.hand_over(programs_.path());
  phase_over("config, machine and models");
  if (wants_gpu())
    if (const auto architecture = architecture_.get()) tools_.build_for(*architecture);
  phase_over("what to build for");
  try_device();
  if (!options_.whole_class || !wants_gpu()) return;
  adapter_object_ = std::async(std::launch::async, [this] {
    const fs::path folder = programs_.path() / "adapter";
    fs::create_directory(folder);
    return compile_adapter(find_interface(config_.interface), config_.build_limits, tools_,
                           sandbox_, folder);
  });
}

Grader::~Grader() = default;

/// The full tier works on a device wherever bubblewrap does; the others show it before a class is
/// graded.
void Grader::try_device() {
  const auto& support = sandbox_.support();
  const auto gpus = find_gpus();
  if (!wants_gpu() || support.tier == SandboxTier::full || !tools_.cuda_root || gpus.empty())
    return;
  const auto why = why_no_device(sandbox_, programs_.path() / "opgrade-harness", gpus.front().uuid);
  phase_over("device tried in the sandbox");
  if (!why) return;
  throw Error(fmt::format("the GPU does not work in the sandbox tier '{}': {}",
                          name_of(support.tier), *why),
              "run `opgrade doctor`; a better tier needs user namespaces, and --device emulated "
              "grades without the GPU");
}

bool Grader::wants_gpu() const {
  return options_.gpu_device != Device::emulated &&
         std::ranges::any_of(config_.stages, [&](const StageConfig& stage) {
           return stage.device == Device::cuda && selection_.any_of(stage);
         });
}

bool Grader::is_profiled(const StageConfig& stage, const std::string& id, Device device) const {
  if (!options_.profile || device == Device::cpu) return false;
  const CaseConfig* best = nullptr;
  for (const CaseConfig& candidate : stage.cases) {
    if (!selection_.has(case_id(stage, candidate)) || candidate.hidden) continue;
    const bool better =
        best == nullptr || (device == Device::emulated ? candidate.batch < best->batch
                                                       : candidate.batch > best->batch);
    if (better) best = &candidate;
  }
  return best != nullptr && case_id(stage, *best) == id;
}

std::optional<Device> Grader::resolve(Device wanted, std::string& note) const {
  if (wanted == Device::cpu) return Device::cpu;
  Device device = wanted;
  if (wanted == Device::cuda) {
    const bool gpu = find_gpu() && tools_.cuda_root;
    device = options_.gpu_device.value_or(gpu ? Device::cuda : Device::emulated);
    if (device == Device::cuda && !gpu) {
      note = find_gpu() ? "there is no CUDA toolkit here" : "there is no GPU here";
      return std::nullopt;
    }
    if (device == Device::emulated && !options_.gpu_device) {
      note = "no GPU here: GPU stages run on the emulated device, which gives no Op Time";
    }
  }
  if (device == Device::emulated && !tools_.emulator) {
    note = fmt::format("{}: {}",
                       wanted == Device::cuda && !options_.gpu_device
                           ? "there is no GPU here and no emulated device"
                           : "there is no emulated device here",
                       tools_.no_emulator.what());
    return std::nullopt;
  }
  return device;
}

Grader::Intake Grader::take_all(const fs::path& submission) const {
  std::vector<std::string> sources;
  for (const auto& stage : config_.stages) {
    const auto own = sources_of(config_, stage);
    sources.insert(sources.end(), own.begin(), own.end());
  }
  Intake intake;
  auto opened = Submission::open(submission, config_.files, sources);
  std::vector<TakenFiles> all;
  for (const auto& stage : config_.stages) {
    if (opened) {
      intake.stages.push_back(opened->take(sources_of(config_, stage)));
    } else {
      intake.stages.push_back(tl::unexpected(opened.error()));
    }
    if (intake.stages.back()) all.push_back(*intake.stages.back());
  }
  if (!all.empty()) intake.sha256 = fingerprint(all);
  return intake;
}

std::string Grader::fingerprint_of(const fs::path& submission) const {
  return take_all(submission).sha256;
}

/// All that will be needed, so that what is wrong with them shows before the first submission.
void Grader::load_models() {
  for (const auto& stage : config_.stages) {
    if (stage.random_batches.count > 0 && selection_.has(batches_id(stage)))
      models_.get(config_, stage.random_batches.model);
    for (const auto& wanted : stage.cases) {
      if (!selection_.has(case_id(stage, wanted)) || !wanted.sizes.empty()) continue;
      const Model& model = models_.get(config_, wanted.model);
      if (wanted.batch > model.data->images()) {
        throw UsageError(fmt::format("{}: batch {} is larger than the data set {} with {} images",
                                     case_id(stage, wanted), wanted.batch,
                                     model.data->path().string(), model.data->images()),
                         "lower the batch in the config");
      }
    }
  }
}

bool Grader::matches(const Grade& grade) const {
  if (grade.config_sha256 != config_sha256_ || grade.machine.opgrade_version != program_version() ||
      grade.seed != seed()) {
    return false;
  }
  std::string ignored;
  auto had = grade.stages.begin();
  for (const auto& stage : config_.stages) {
    if (!selection_.any_of(stage)) continue;
    if (had == grade.stages.end() || had->name != stage.name ||
        had->device != resolve(stage.device, ignored).value_or(stage.device)) {
      return false;
    }
    const auto ids = selection_.ids(stage);
    const bool same = std::ranges::equal(ids, had->cases, {}, {}, &CaseReport::id);
    if (!same) return false;
    const bool unprofiled = std::ranges::any_of(had->cases, [&](const CaseReport& c) {
      return c.outcome == Outcome::passed && !c.profile && is_profiled(stage, c.id, had->device);
    });
    if (unprofiled) return false;
    ++had;
  }
  return had == grade.stages.end();
}

std::optional<std::uint64_t> Grader::seed() const {
  const bool any = std::ranges::any_of(config_.stages, [&](const StageConfig& stage) {
    return std::ranges::any_of(selection_.ids(stage), [&](const std::string& id) {
      const CaseConfig* const wanted = model_case(stage, id);
      return wanted == nullptr || !wanted->sizes.empty();
    });
  });
  return any ? std::optional(seed_) : std::nullopt;
}

std::vector<NamedProblem> Grader::problems_of_case(const StageConfig& stage, const std::string& id,
                                                   Device device, std::mt19937_64& random) {
  if (id == batches_id(stage)) {
    const Network& network = models_.get(config_, stage.random_batches.model).network;
    // About a second of plain loops on a CPU, some seconds on the emulated device, which watches
    // every access.
    const double flops = device == Device::cuda ? 1e10 : device == Device::cpu ? 2e9 : 4e8;
    return problems_of(
        random_batches(conv_layers(network, 1), stage.random_batches.count, flops, random));
  }
  const bool fixed = id == fixed_id(stage);
  const Interface& interface = find_interface(config_.interface);
  const Task& task = task_of(interface);
  std::vector<NamedProblem> problems;
  for (const Coordinates& sizes :
       fixed ? stage.fixed_shapes.shapes
             : task.random_sizes(stage.random_shapes.count, interface, random))
    problems.push_back({fixed ? "fixed shape" : "random shape", task.problem(sizes)});
  return problems;
}

double Grader::work_of_case(const CaseConfig& wanted) {
  if (wanted.sizes.empty())
    return work_of(models_.get(config_, wanted.model).network, wanted.batch);
  return task_of(find_interface(config_.interface)).problem(wanted.sizes)->flops();
}

void Grader::run_case(CaseReport& report, const StageConfig& stage, CaseContext& context,
                      const fs::path& watched, GpuPool::Lease& lease,
                      std::vector<std::string>& notes) {
  const std::string id = report.id;
  const CaseConfig* const wanted = model_case(stage, id);
  const bool timed = wanted != nullptr && context.device != Device::emulated;
  context.sharing = timed || context.device == Device::cuda ? 1 : options_.parallel_runs;
  interrupt::check();
  // It may be minutes where another grades on this machine.
  if (timed || context.device == Device::cuda)
    options_.log(fmt::format("{}: waiting for its turn, one timed run at a time", id));
  std::optional<GpuId> gpu;
  try {
    const auto log = [&](const std::string& text) { options_.log(id + ": " + text); };
    use_device(context, gpus_, lease, log);
    if (lease.referee() != nullptr) gpu = lease.gpu();
    phase_over(id + ": device");
    const auto turn = take_turn(lease, timed, log);
    if (const auto why = disturbed(lease, turn); !why.empty()) notes.push_back(id + ": " + why);
    options_.log(fmt::format("{}: running", id));
    const auto work = [&] {
      if (wanted != nullptr) {
        std::vector<std::string> own;
        report = run_timed_case(
            context, calls_of(context, *wanted, models_, case_random(seed_, id)), *wanted, own);
        if (!watched.empty()) {
          CaseContext watching = context;
          watching.submission = watched;
          watching.watched = true;
          watch_layers(watching, models_.get(config_, wanted->model).network,
                       case_random(seed_, id), report, own);
        }
        if (!wanted->sizes.empty()) report.repeat_command = fmt::format(" --seed {}", seed_);
        for (const auto& note : own) notes.push_back(id + ": " + note);
      } else {
        std::mt19937_64 random = case_random(seed_, id);
        const auto problems = problems_of_case(stage, id, context.device, random);
        report = run_problems_case(context, problems, random);
        report.repeat_command = fmt::format(" --seed {}", seed_);
      }
      return report.outcome == Outcome::passed;
    };
    run_on(lease, work, [&] {
      if (may_be_the_device(report, context.device)) control_.check(stage, context);
    });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    interrupt::check();
    report = unrun(Outcome::grader_fault, e.what(), hint_for(e));
    if (gpu && lease.referee() == nullptr) {
      notes.push_back(fmt::format("{}: {} ({}) failed and is not used any more; devices left: {}",
                                  id, gpu->name, gpu->uuid, gpus_.count()));
    }
  }
  report.id = id;
  const CaseWeight weight = weight_of(stage, id);
  report.hidden = weight.hidden;
  report.advice = weight.advice;
  report.gpu = std::move(gpu);
}

void Grader::run_sanitizer(StageReport& report, CaseContext& context, GpuPool::Lease& lease,
                           std::vector<std::string>& notes) {
  const auto sanitizer = find_sanitizer(*tools_.cuda_root);
  if (!sanitizer) {
    notes.push_back("the CUDA toolkit has no compute-sanitizer: its tools were not run");
    return;
  }
  options_.log(fmt::format("{}: compute-sanitizer", report.name));
  use_device(context, gpus_, lease);
  SanitizeResult result;
  run_on(lease, [&] {
    result = sanitize(context, *sanitizer);
    return result.problems.empty() && result.findings.empty();
  });
  for (const auto& problem : result.problems) notes.push_back(problem);
  if (result.problems.empty() && result.findings.empty()) {
    notes.push_back(report.name + ": compute-sanitizer found nothing");
  }
  add_findings(report.cases.front(), result.findings);
}

StageReport Grader::run_stage(const StageConfig& stage,
                              const tl::expected<TakenFiles, Refusal>& files,
                              const std::string& argument, std::vector<std::string>& notes) {
  StageReport report;
  report.name = stage.name;
  report.title = stage.title;
  const auto say_once = [&](const std::string& what) {
    if (!what.empty() && std::ranges::find(notes, what) == notes.end()) notes.push_back(what);
  };
  std::string note;
  const auto device = resolve(stage.device, note);
  report.device = device.value_or(stage.device);
  say_once(note);
  if (options_.sanitize && device == Device::emulated) {
    say_once(
        "compute-sanitizer needs a GPU: its tools were not run; the emulated device looks for the "
        "same mistakes in small convolutions");
  }

  const auto list_cases = [&](const CaseReport& prototype) {
    for (const std::string& id : selection_.ids(stage)) {
      CaseReport c = prototype;
      c.id = id;
      if (const CaseConfig* const wanted = model_case(stage, id)) {
        c.model = wanted->model;
        c.batch = wanted->batch;
        c.required_accuracy = wanted->accuracy;
      }
      const CaseWeight weight = weight_of(stage, id);
      c.hidden = weight.hidden;
      c.advice = weight.advice;
      report.cases.push_back(std::move(c));
    }
  };
  const auto give_points = [&] {
    const std::string on_device =
        options_.gpu_device ? fmt::format(" --device {}", name_of(*options_.gpu_device)) : "";
    score_stage(stage, report, config_.accept_emulated, [&](const OpTimeRule& rule) {
      return reference_times_.of(stage, report.device, rule);
    });
    for (auto& c : report.cases) {
      c.take = statistic_of(config_, stage, c);
      c.repeat_command = fmt::format("opgrade check {} --config {} --only {}{}{}",
                                     shell_path(argument), shell_word(options_.config_argument),
                                     shell_word(c.id), on_device, c.repeat_command);
    }
  };

  if (!device) {
    report.build.reason = note;
    list_cases(unrun(Outcome::not_run, note, {}));
    give_points();
    return report;
  }
  const auto sources = sources_of(config_, stage);
  if (!files) {
    report.build = {
        .outcome = Outcome::refused, .reason = files.error().reason, .hint = files.error().hint};
    list_cases(unrun(Outcome::refused, files.error().reason, files.error().hint));
    give_points();
    return report;
  }
  report.folder = files->folder;
  for (const auto& file : files->files) report.files.push_back(printable_line(file.name));
  const TempDir folder("opgrade-build-");
  sandbox_.hand_over(folder.path());
  const auto build = [&](const char* name, bool checks) {
    options_.log(fmt::format("{}: building {}", stage.name, fmt::join(sources, ", ")));
    fs::create_directory(folder.path() / name);
    CompileJob job{find_interface(config_.interface),
                   *device,
                   sources,
                   stage.flags,
                   stage.libraries,
                   *files,
                   config_.build_limits,
                   checks};
    // Compiled along meanwhile: waiting would take longer.
    if (*device == Device::cuda && adapter_object_.valid() &&
        adapter_object_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      job.adapter_object = adapter_object_.get();
    }
    return compile(job, tools_, sandbox_, folder.path() / name);
  };
  Compiled compiled = build("plain", false);
  phase_over("build");
  interrupt::check();
  report.build = compiled.report;
  if (compiled.report.outcome != Outcome::passed) {
    list_cases(unrun(compiled.report.outcome, compiled.report.reason, compiled.report.hint));
    give_points();
    return report;
  }
  list_cases({});
  CaseContext context{config_,
                      sandbox_,
                      programs_.path() / "opgrade-harness",
                      compiled.submission,
                      *device,
                      static_cast<int>(std::thread::hardware_concurrency()),
                      stage.tolerance.value_or(config_.tolerance)};
  if (*device == Device::cuda) {
    for (const auto& library : stage.libraries) {
      const auto found = tools_.cuda_library_files(library);
      context.libraries.insert(context.libraries.end(), found.begin(), found.end());
    }
  }
  context.steps = steps_of(find_interface(config_.interface), *device);
  context.profiler = profiler_;
  context.leftovers = &leftovers_;
  context.costs = &costs_;
  // All cases of a submission on the same device, so that their times belong together.
  GpuPool::Lease lease;
  if (*device == Device::cuda) {
    // As many submissions as there are devices run at once.
    context.threads /= std::clamp(gpus_.count(), 1, options_.parallel_runs);
    context.threads = std::max(context.threads, 1);
    say_once(gpus_.note());
  }
  TimeOuts time_outs;
  std::optional<fs::path> watching;
  const auto watching_build = [&] {
    if (!watching) {
      const Compiled checked = build("checked", true);
      watching = checked.report.outcome == Outcome::passed ? checked.submission : fs::path();
    }
    return *watching;
  };
  const auto network_of = [&](const std::string& model) {
    return config_.models.at(model).network;
  };
  std::set<std::string> watched_networks;
  if (selection_.has(batches_id(stage)) && stage.random_batches.count > 0)
    watched_networks.insert(network_of(stage.random_batches.model));
  for (auto& c : report.cases) {
    context.submission = compiled.submission;
    context.watched = false;
    context.profile = is_profiled(stage, c.id, *device);
    const CaseConfig* const wanted = model_case(stage, c.id);
    const double work = wanted != nullptr ? work_of_case(*wanted) : 0;
    if (wanted != nullptr && !config_.run_after_timeout && time_outs.skips(c, work)) continue;
    fs::path watched;
    // Small convolutions: the emulated device checks every access there.
    if (*device == Device::emulated) {
      const bool batches = c.id == batches_id(stage);
      if ((batches || c.id == random_id(stage)) && !watching_build().empty()) {
        context.submission = watching_build();
        context.watched = true;
      }
      const bool network = wanted != nullptr && wanted->sizes.empty();
      if (network && watched_networks.insert(network_of(c.model)).second)
        watched = watching_build();
    }
    run_case(c, stage, context, watched, lease, notes);
    if (wanted != nullptr) time_outs.add(c, work);
  }
  if (options_.sanitize && *device == Device::cuda && !report.cases.empty()) {
    context.submission = compiled.submission;
    run_sanitizer(report, context, lease, notes);
  }
  lease = {};  // the reference solution may want one, and so may others while points are counted
  give_points();
  return report;
}

Grade Grader::grade(const fs::path& submission, const std::string& name) {
  const auto begin = Clock::now();
  Grade grade;
  grade.submission = printable_line(name);
  grade.config_name = config_.name;
  grade.config_title = config_.title;
  grade.config_sha256 = config_sha256_;
  grade.submission_path = owner_of(submission);
  Intake intake;
  std::exception_ptr unread;
  try {
    intake = take_all(submission);
  } catch (const Error&) {
    unread = std::current_exception();
  }
  grade.submission_sha256 = intake.sha256;
  grade.machine = describe_machine(sandbox_, tools_);
  grade.seed = seed();
  if (sandbox_.support().tier != SandboxTier::full) {
    grade.notes.push_back(fmt::format("sandbox tier '{}'", name_of(sandbox_.support().tier)));
  }
  for (std::size_t i = 0; i < config_.stages.size(); ++i) {
    const StageConfig& stage = config_.stages[i];
    if (!selection_.any_of(stage)) continue;
    try {
      if (unread) std::rethrow_exception(unread);
      grade.stages.push_back(run_stage(stage, intake.stages[i], submission.string(), grade.notes));
    } catch (const interrupt::Interrupted&) {
      throw;
    } catch (const std::exception& e) {  // also of the standard library: no memory, a full disk
      interrupt::check();
      const std::string hint = hint_for(e);
      StageReport report{.name = stage.name, .title = stage.title, .device = stage.device};
      report.build = {.outcome = Outcome::grader_fault, .reason = e.what(), .hint = hint};
      CaseReport fault = unrun(Outcome::grader_fault, e.what(), hint);
      fault.id = stage.name;
      fault.points.push_back(
          score_case(graded_points(stage), fault, stage.device, config_.accept_emulated));
      report.cases.push_back(std::move(fault));
      grade.stages.push_back(std::move(report));
    }
  }
  if (const auto model = gpus_.model(); !model.empty()) grade.machine.gpu = model;
  finish_grade(grade, config_.pass_mark,
               selection_.is_all() ? std::nullopt : std::optional(config_.max_points()));
  grade.elapsed_s = seconds_since(begin);
  return grade;
}

}  // namespace opgrade
