#include "grader/grading/cases/case_run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/grading/cases/layer/case_session.hpp"
#include "grader/grading/cases/layer/fresh_processes.hpp"
#include "grader/grading/cases/layer/memory_watch.hpp"
#include "grader/grading/cases/layer/prepared_run.hpp"
#include "grader/grading/cases/layer/problem_run.hpp"
#include "grader/grading/cases/layer/referee_run.hpp"
#include "grader/grading/cases/layer/stage_process.hpp"
#include "grader/grading/cases/rerun/case_profile.hpp"
#include "grader/grading/cases/verdict/case_end.hpp"
#include "grader/grading/cases/verdict/clock_notes.hpp"
#include "grader/grading/cases/verdict/kernel_time.hpp"
#include "grader/grading/cases/verdict/untimed_kernels.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/task/config/timing_budget.hpp"

namespace opgrade {
namespace {

/// Options for calls that are only checked.
RunOptions options_for(const StageContext& stage) {
  RunOptions options{.plan = {.calls = 0},
                     .warm_up = false,
                     .tolerance = stage.tolerance,
                     .threads = stage.threads};
  options.host_output = stage.device == Device::cpu;
  if (stage.interface.zeroed_output) options.start = Referee::Start::zeros;
  return options;
}

/// Options for the calls of a case.
RunOptions timed_options(const CaseContext& context, const TimingConfig& timing,
                         MemoryWatch& memory) {
  RunOptions options = options_for(context.stage);
  options.memory = &memory;
  if (context.stage.device == Device::emulated) return options;
  options.plan = {.warm_ups = timing.warm_ups,
                  .calls = timing.repetitions.value_or(1),
                  .budget = timing_budget(context.stage.config),
                  .abort_above = timing.abort_above};
  // Threads that wait for a core would be timed, too.
  if (context.wants.threads > static_cast<int>(context.wants.cores.size()))
    options.plan = {.calls = 0};
  // A process that has served others is warm.
  const bool is_warm = context.on.process != nullptr && context.on.process->has_served();
  // The process of a program is always new, and its memory is gone after its call.
  const bool is_program = context.stage.steps.ends_process;
  options.warm_up = timing.warm_up && options.plan.calls > 0 && !is_warm && !is_program;
  if (is_program) options.memory = nullptr;
  if (context.stage.device == Device::cuda) {
    options.map_every_call = true;
    options.warm_up_parts = kSmallestBatch;
    options.returns_with_output = !context.stage.steps.epilog;
  }
  if (options.plan.calls > 0 && context.stage.costs != nullptr) {
    CallCosts& costs = *context.stage.costs;
    if (context.on.referee == nullptr && context.on.gpu != nullptr) {
      options.empty_host_call = &costs.of_host_on(*context.on.gpu);
    } else {
      options.plan.empty_call = costs.of_host();
      if (context.on.referee != nullptr) options.empty_call = &costs.on(*context.on.referee);
    }
  }
  return options;
}

/// Uses the referee if there is one and the submission's memory allows it.
CallReport run_one(const CaseContext& context, const Layer& layer, std::vector<Note>& notes) {
  if (context.on.referee == nullptr) return run_problem(layer);
  LayerResult timed = layer.problem.on_device() ? run_with_referee(layer, *context.on.referee)
                      : layer.problem.arena()   ? run_prepared(layer, *context.on.referee)
                                              : tl::unexpected(notes::NotOnDevice::no_referee_code);
  if (timed) return *std::move(timed);
  const bool allowed = context.stage.config.timing.outside_work == OutsideWork::allow;
  const Note note =
      notes::TimedOnHost{timed.error(), std::string(context.stage.steps.operation), allowed};
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  // Inputs are fresh only before the prolog, so nothing bounds the timed call by itself.
  RunOptions options = layer.options;
  if (!allowed) options.plan.whole_layer = report::sentence_of(note);
  return run_problem({layer.session, layer.tensors, layer.problem, options, layer.use_output});
}

bool all_right(const CaseReport& report) {
  return std::all_of(report.calls.begin(), report.calls.end(),
                     [](const CallReport& call) { return call.check.passed(); });
}

/// The stage's session, or one of the case's own.
std::unique_ptr<Session> session_for(const CaseContext& context) {
  return context.on.process != nullptr ? context.on.process->take(context) : start_session(context);
}

/// Ends the case, and its process unless the stage's next case may have it.
void end_process(JudgedCase& c, std::unique_ptr<Session> session, const CaseContext& context) {
  if (context.on.process != nullptr && all_right(c) && end_case(c, *session)) {
    context.on.process->keep(std::move(session));
  } else {
    end_session(c, *session, context);
  }
  phase_over("end of the process");
}

/// A submission's processes: one for a whole case, or one after another.
class Processes {
 public:
  explicit Processes(const CaseContext& context) : context_(context) { start(); }
  Session& now() { return *session_; }
  std::unique_ptr<Session> last() { return std::move(session_); }

  /// Ends the current process and starts another.
  Session& next() {
    session_->finish();
    session_.reset();
    if (context_.on.gpu != nullptr) context_.on.gpu->prove_usable();  // waits for its memory, too
    start();
    return *session_;
  }

 private:
  void start() { session_ = session_for(context_); }

  const CaseContext& context_;
  std::unique_ptr<Session> session_;
};

/// How many processes a case has.
enum class ProcessEach {
  run,   ///< one
  call,  ///< one for each call on the whole batch
};

/// Runs one problem after another. Returns true if each has an output that is used.
bool run_each(const CaseContext& context, RunOptions options, CaseCalls& calls,
              Processes& processes, ProcessEach process_each, JudgedCase& report,
              std::vector<Note>& notes) {
  bool used = false;  // the output of the current problem
  for (std::size_t i = 0; i < calls.count(); ++i) {
    if (i > 0) calls.advance();
    limit_times(options.plan, context.wants.limits, report.calls);
    used = false;
    const auto use_output = [&] {
      calls.use_output();
      used = true;
    };
    const auto layer_of = [&](Session& session, const RunOptions& how,
                              const std::function<void()>& use) {
      return Layer{session, calls.tensors(), calls.problem(), how, use};
    };
    bool started = i == 0;
    const FreshRun fresh{[&](const RunOptions& how, const std::function<void()>& use) {
                           Session& session =
                               std::exchange(started, false) ? processes.now() : processes.next();
                           return run_one(context, layer_of(session, how, use), notes);
                         },
                         [&] { return processes.now().over(); }};
    CallReport call = process_each == ProcessEach::call
                          ? run_in_fresh_processes(fresh, options, use_output)
                          : run_one(context, layer_of(processes.now(), options, use_output), notes);
    call.layer = calls.name();
    report.calls.push_back(call);
    phase_over(call.layer + ": all");
    // Without a finite output, the next problem's input would mean nothing.
    if (!used || processes.now().over()) break;
  }
  return used && report.calls.size() == calls.count();
}

/// Adds what the profile of a case that passed says of its times and its work.
void add_profile(const CaseContext& context, const CaseCalls& calls,
                 std::optional<ProfileReport> profile, JudgedCase& report,
                 std::vector<Note>& notes) {
  if (std::ranges::any_of(report.calls, &CallReport::too_slow))
    profile.reset();
  else
    for (Note& note : clock_notes(report)) notes.push_back(std::move(note));
  if (profile && copies_in_op_time(context.on)) add_kernel_times(report, *profile);
  if (profile && context.stage.device == Device::cuda) {
    const std::string operation(context.stage.steps.operation);
    const auto outside = apply_untimed_kernels(report, *profile,
                                               context.stage.config.timing.outside_work, operation);
    if (!profile->problem.empty())
      notes.push_back(notes::LaunchesUnknown{operation, profile->problem});
    else if (outside)
      notes.push_back(*outside);
    judge(report);
  }
  if (context.wants.profile) report.profile = std::move(profile);
  add_counts(context, calls, report);
}

JudgedCase run_calls(const CaseContext& context, CaseCalls& calls, const CaseConfig& listed,
                     const TimingConfig& timing, ProcessEach process_each, MemoryWatch& memory,
                     std::vector<Note>& notes) {
  JudgedCase report = new_case(context.stage);
  report.model = listed.model;
  report.batch = listed.batch;
  report.hidden = listed.hidden;
  report.required_accuracy = listed.accuracy;

  const RunOptions options = timed_options(context, timing, memory);
  Processes processes(context);
  processes.now().pause_clock();
  calls.begin();
  const bool whole = run_each(context, options, calls, processes, process_each, report, notes);
  std::optional<ProfileReport> profile;
  if (whole && all_right(report)) {
    if (process_each == ProcessEach::call && context.stage.device == Device::cuda &&
        !processes.now().over())
      processes.next();
    profile = profile_case(context, report, processes.now(), calls,
                           [&] { return start_session(context); });
  }
  phase_over("profile of outside work");
  end_process(report, processes.last(), context);

  if (!whole) return report;
  const bool passed = report.outcome == Outcome::passed;
  report.accuracy = calls.accuracy();
  report.evidence.needs_times = options.plan.calls > 0;
  report.evidence.abort_above =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.plan.abort_above);
  judge(report);
  if (passed) add_profile(context, calls, std::move(profile), report, notes);
  return report;
}

}  // namespace

InterfaceSteps steps_of(const Task& task, const Interface& interface, Device device) {
  return {interface.prolog(device), interface.epilog(device), task.operation(), task.buffer_names(),
          interface.program};
}

JudgedCase run_timed_case(const CaseContext& context, const MakeCalls& make_calls,
                          const CaseConfig& listed, const TimingConfig& timing,
                          std::vector<Note>& notes) {
  std::vector<Note> own;
  const auto run = [&](const CaseContext& with, ProcessEach process_each, MemoryWatch& memory) {
    own.clear();
    auto calls = make_calls();
    JudgedCase report = run_calls(with, *calls, listed, timing, process_each, memory, own);
    if (with.on.process != nullptr && with.on.process->has_served()) {
      with.on.process->keep(std::move(calls));
    } else {
      calls->release(context.stage.tensors);
    }
    return report;
  };
  JudgedCase report = in_stage_process(context.on, [&](bool last) {
    MemoryWatch memory(context.stage.config.run_limits.memory_bytes, context.on.gpu);
    JudgedCase usual = run(context, ProcessEach::run, memory);
    if (!last || context.stage.device == Device::emulated || !memory.ran_short(usual)) return usual;
    if (context.on.gpu != nullptr) context.on.gpu->prove_usable();  // waits for its memory
    MemoryWatch ignored(context.stage.config.run_limits.memory_bytes, context.on.gpu);
    JudgedCase fresh = run(context.apart(), ProcessEach::call, ignored);
    fresh.evidence.leaked = memory.per_call();
    own.push_back(
        notes::LeakedMemory{fresh.evidence.leaked.bytes, fresh.evidence.leaked.on_device});
    judge(fresh);
    return fresh;
  });
  notes.insert(notes.end(), own.begin(), own.end());
  return report;
}

namespace {

/// `from` is the first problem that is run; earlier ones only draw their numbers.
JudgedCase run_problems(const CaseContext& context, std::span<const NamedProblem> problems,
                        std::mt19937_64 random, Until until, std::size_t from = 0) {
  JudgedCase report = new_case(context.stage);
  const RunOptions options = options_for(context.stage);
  std::vector<Note> ignored;
  auto session = session_for(context);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto& [name, problem] = problems[i];
    CallTensors tensors = tensors_of(*problem);
    session->pause_clock();
    const Values values = tensors.values();
    problem->fill(values, random);
    if (i < from) continue;
    problem->begin(values);
    phase_over("input");
    // run_one() uses the referee, if there is one, which poisons the device's output, too.
    CallReport call = run_one(context, {*session, tensors, *problem, options, [] {}}, ignored);
    call.layer = name;
    report.calls.push_back(std::move(call));
    if (context.stage.device == Device::emulated)
      for (Finding& finding : parse_findings(session->new_findings()))
        report.evidence.found_in.push_back({std::move(finding), problem->label()});
    if (session->over() || (until == Until::first_wrong && !report.calls.back().check.passed()))
      break;
  }
  if (!report.calls.empty())
    report.evidence.problem = problems[from + report.calls.size() - 1].problem->label();
  end_process(report, std::move(session), context);
  return report;
}

CaseContext in_own_process(const CaseContext& context) {
  return {.stage = context.stage,
          .built = context.built,
          .on = context.on.without_process(),
          .wants = {.wall = std::chrono::seconds(20)}};
}

/// Tries whether the last output, which is wrong, is right as the first one of a process, and says
/// so in `report`. It must be right twice, with the whole sequence wrong once more in between,
/// because a race is wrong now and then.
bool is_right_alone(const CaseContext& context, std::span<const NamedProblem> problems,
                    const std::mt19937_64& random, JudgedCase& report) {
  const std::size_t wrong = report.calls.size() - 1;
  if (wrong == 0 || !report.findings.empty()) return false;
  const auto until_wrong = problems.first(wrong + 1);
  const auto is_right = [&](std::size_t from) {
    const JudgedCase again =
        run_problems(in_own_process(context), until_wrong, random, Until::first_wrong, from);
    return again.outcome == Outcome::passed;
  };
  try {
    if (!is_right(wrong) || is_right(0) || !is_right(wrong)) return false;
  } catch (const Error&) {
    return false;
  }
  report.calls.back().check.set(
      {"right when it is the first call of a process: something stays from an "
       "earlier call, such "
       "as a static variable, or memory that is not cleared again"});
  judge(report);
  return true;
}

/// Drops a guess at the mistake behind the last output of `report`, if one of the shapes that come
/// `next` is wrong in another way.
void confirm_guess(const CaseContext& context, std::span<const NamedProblem> next,
                   const std::mt19937_64& random, JudgedCase& report) {
  JudgedCase more;
  try {
    more = run_problems(in_own_process(context), next, random, Until::end);
  } catch (const Error&) {
    return;  // the verdict stands
  }
  std::string& guess = report.calls.back().check.hint;
  const bool holds = std::ranges::all_of(more.calls, [&](const CallReport& call) {
    return call.check.checked == 0 || call.check.passed() || call.check.hint == guess;
  });
  if (holds) return;
  guess.clear();
  judge(report);
}

}  // namespace

JudgedCase run_problems_case(const CaseContext& context, std::span<const NamedProblem> problems,
                             std::mt19937_64 random, Until until) {
  JudgedCase report = in_stage_process(
      context.on, [&](bool) { return run_problems(context, problems, random, until); });
  if (until == Until::first_wrong && report.outcome == Outcome::wrong_output &&
      !is_right_alone(context, problems, random, report) &&
      report.calls.back().check.hint_kind == Hint::Kind::guess)
    confirm_guess(context, problems.subspan(report.calls.size()), random, report);
  return report;
}

}  // namespace opgrade
