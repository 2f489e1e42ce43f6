#include "grader/app/case_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "grader/app/conv_run.hpp"
#include "grader/app/fresh_processes.hpp"
#include "grader/app/kernel_time.hpp"
#include "grader/app/layer_tensors.hpp"
#include "grader/app/memory_watch.hpp"
#include "grader/app/outside_work.hpp"
#include "grader/app/random_shapes.hpp"
#include "grader/app/referee_run.hpp"
#include "grader/app/untimed.hpp"
#include "grader/build/interface.hpp"
#include "grader/build/limits.hpp"
#include "grader/core/error.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/printable.hpp"
#include "grader/gpu/ceilings.hpp"
#include "grader/measure/times.hpp"
#include "grader/network/accuracy.hpp"
#include "grader/network/forward.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/units.hpp"
#include "grader/run/answer.hpp"
#include "grader/run/runtime_view.hpp"
#include "grader/run/session.hpp"

namespace opgrade {
namespace {

/// The course's smallest batch: submissions that cut a batch into pieces can cut this one.
constexpr int kCourseBatch = 100;

ConvRunOptions options_for(const CaseContext& context, const TimingConfig& timing) {
  ConvRunOptions options{timing, context.tolerance, context.threads, false};
  const Interface& interface = find_interface(context.config.interface);
  options.host_output = context.device == Device::cpu;
  if (interface.zeroed_output) options.start = Referee::Start::zeros;
  return options;
}

/// Memory of the emulated device's checks, beside the memory that they watch. Four bytes of it need
/// a cell of eight and a place of four. At most what the machine can give.
std::int64_t watcher_bytes(std::int64_t watched) {
  const auto machine =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(3 * watched, machine / 2);
}

SandboxPolicy run_policy(const CaseContext& context) {
  SandboxPolicy policy;
  add_runtime_view(policy, context.device, context.gpu != nullptr ? context.gpu->uuid() : "");
  for (const auto& library : context.libraries) add_library(policy, library);
  if (context.device == Device::cuda) add_profiler(policy, context.profiler);
  LimitConfig limits = context.config.run_limits;
  // As long as they would take one after another.
  limits.wall = std::min(limits.wall * context.sharing, context.wall);
  set_limits(policy, limits);
  if (context.watched) policy.watcher_bytes = watcher_bytes(policy.memory_bytes);
  return policy;
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

UsageReport usage_of(const SandboxReport& run) {
  UsageReport usage;
  usage.elapsed_s = seconds(run.process.elapsed);
  usage.user_s = seconds(run.process.user);
  usage.system_s = seconds(run.process.system);
  usage.peak_memory_bytes = run.peak_memory_bytes;
  usage.stdout_bytes = run.process.stdout_bytes;
  usage.stderr_bytes = run.process.stderr_bytes;
  if (const auto* exited = std::get_if<Exited>(&run.process.end)) {
    // bubblewrap passes the end of its child on as shells do: above 128 it is a signal.
    if (exited->code > 128 && exited->code <= 128 + 64) {
      usage.signal = exited->code - 128;
    } else {
      usage.exit_code = exited->code;
    }
  }
  if (const auto* signalled = std::get_if<Signalled>(&run.process.end))
    usage.signal = signalled->number;
  usage.limit_hit = run.limit_hit;
  usage.out_of_memory_kill = run.memory_limit_hit;
  usage.voluntary_switches = run.process.voluntary_switches;
  usage.involuntary_switches = run.process.involuntary_switches;
  return usage;
}

std::string wrong_text(const ConvReport& conv) {
  if (conv.check.first < 0) return fmt::format("{}: {}", conv.layer, conv.check.hint);
  return fmt::format("{}: {} of {} elements are wrong", conv.layer, conv.check.mismatches,
                     conv.check.checked);
}

/// The finding that explains best why something failed, or null: one that decides, else a note.
const Finding* explanation(const std::vector<Finding>& findings) {
  for (const auto weight : {FindingWeight::decides, FindingWeight::explains}) {
    const auto found = std::ranges::find(
        findings, weight, [](const Finding& finding) { return weight_of(finding.kind); });
    if (found != findings.end()) return &*found;
  }
  return nullptr;
}

/// The hint for a crash with almost all memory used. Without control groups an allocation above the
/// limit fails, and the program continues with a null pointer. Else empty.
std::string hint_on_memory(const UsageReport& usage, std::int64_t limit) {
  if (usage.signal == 0 || usage.peak_memory_bytes < limit / 8 * 7) return {};
  return fmt::format(
      "It held {} of the {} that it may have. Check that all is freed that a call allocates.",
      report::show_bytes(usage.peak_memory_bytes), report::show_bytes(limit));
}

/// Decides a case's outcome from its convolutions and from how its process ended.
void conclude(CaseReport& report, Session& session, const CaseContext& context) {
  bool muted = false;
  if (context.device == Device::emulated) {
    const ToldFindings told = session.findings();
    report.findings = parse_findings(told.packets);
    muted = !told.complete && !session.over();
  }
  const SandboxReport run = session.finish();
  interrupt::check();
  report.usage = usage_of(run);
  std::string printed = run.process.standard_output;
  if (!run.process.standard_error.empty())
    printed += (printed.empty() ? "" : "\n") + run.process.standard_error;
  report.student_output = printable(printed);

  // Its word is enough for this: it earns nothing, and a GPU decides.
  if (const auto missing = std::ranges::find(report.findings, "not_emulated", &Finding::kind);
      missing != report.findings.end()) {
    report.outcome = Outcome::not_emulated;
    report.reason = text_of(*missing);
    return;
  }
  const Finding* const reason = explanation(report.findings);
  const Finding* const mistake = reason != nullptr && decides(*reason) ? reason : nullptr;
  for (const ConvReport& conv : report.convs) {
    if (conv.check.checked == 0 || conv.check.passed()) continue;
    report.outcome = Outcome::wrong_output;
    report.reason = wrong_text(conv);
    // A line of the source says more than a pattern in the output.
    report.hint = reason != nullptr      ? text_of(*reason)
                  : conv.check.first < 0 ? ""
                                         : conv.check.hint;
    return;
  }
  if (const auto failure = session.failure(run)) {
    report.outcome = failure->outcome;
    report.reason = failure->reason;
    if (!report.convs.empty() && report.convs.back().check.checked > 0)
      report.reason += ", after a call whose output was right";
    report.hint = failure->hint;
    const auto limit = context.config.run_limits.memory_bytes;
    if (const auto hint = hint_on_memory(report.usage, limit); !hint.empty())
      report.hint = hint + (report.hint.empty() ? "" : " ") + report.hint;
    if (reason != nullptr) report.hint = text_of(*reason);
    // How the process ended follows from what was found: the submission saw the error and left.
    const bool ended =
        report.outcome == Outcome::crashed || report.outcome == Outcome::exited_early;
    if (mistake != nullptr && ended)
      report.reason = fmt::format("{} Then: {}", text_of(*mistake), report.reason);
    return;
  }
  if (muted) {
    report.outcome = Outcome::exited_early;
    report.reason = "the emulated device's findings did not arrive: their channel was closed";
    report.hint = "Close no descriptors that you did not open, and end no process of the grader's.";
    return;
  }
  report.outcome = Outcome::passed;
  report.reason = "every output element is right";
  if (const int left = session.stragglers(); left > 0) {
    report.reason += fmt::format("; it left {} process{} behind", left, left == 1 ? "" : "es");
    report.hint = "They were ended. Wait for what you start: it takes time from other calls.";
  }
  if (mistake != nullptr) {
    report.outcome = Outcome::mistake_found;
    report.reason = text_of(*mistake);
    report.hint = on_a_gpu(mistake->kind);
  }
}

/// With the referee where there is one and the submission's memory allows it.
ConvReport run_one(const CaseContext& context, Session& session, ConvTensors& tensors,
                   const FastConv<double>& reference, const ConvRunOptions& options,
                   const std::function<void()>& use_output, std::vector<std::string>& notes) {
  if (context.referee != nullptr) {
    std::string note;
    if (auto report = run_conv_with_referee(session, tensors, reference, *context.referee, options,
                                            use_output, note)) {
      return *std::move(report);
    }
    const bool allowed = context.config.timing.outside_work == OutsideWork::allow;
    note += allowed ? "; the config allows that, and Op Time lacks prolog and epilog"
                    : ": prolog and epilog count into its Op Time";
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    // Inputs are fresh before the prolog only, so that nothing bounds the conv call by itself.
    ConvReport report = run_conv(session, tensors, reference, options, use_output);
    if (allowed) return report;
    report.measurement.whole_layer = note;
    set_times(report);
    return report;
  }
  return run_conv(session, tensors, reference, options, use_output);
}

/// Observations of the timing that change no points.
void note_on_clocks(const CaseReport& report, std::vector<std::string>& notes) {
  for (const ConvReport& conv : report.convs) {
    const auto calls = conv.process_time.samples_ms.size();
    const auto say = [&](int count, std::string_view what) {
      if (count > 0)
        notes.push_back(
            fmt::format("{}: in {} of {} timed calls {}", conv.layer, count, calls, what));
    };
    say(conv.disagreeing_calls,
        "the clock of the submission's process disagrees with the grader's, which counts");
    say(conv.busy_calls,
        "something else had the device between the fresh input and the call; its time counts");
    if (conv.timed)
      say(conv.late_calls,
          "the output still changed after the call was reported done; the time until the process "
          "was stopped counts");
  }
}

bool all_right(const CaseReport& report) {
  return std::all_of(report.convs.begin(), report.convs.end(),
                     [](const ConvReport& conv) { return conv.check.passed(); });
}

/// The same convolutions on few images, so that watching one call of each is cheap. The last one is
/// in full, so that its size does not show a submission that it is watched.
std::vector<ConvLayer> probes(std::vector<ConvLayer> convs) {
  for (auto conv = convs.begin(); conv + 1 != convs.end(); ++conv)
    conv->shape.B = std::min(conv->shape.B, kCourseBatch);
  return convs;
}

/// True if Op Time includes copies that only a record of the device distinguishes from kernels.
bool copies_in_op_time(const CaseContext& context) {
  return context.gpu != nullptr && context.referee == nullptr;
}

/// The device's activity: for the report on request, for the policy on outside work, and for the
/// kernels' own time.
std::optional<ProfileReport> watch(const CaseContext& context, Session& session,
                                   const std::vector<ConvLayer>& convs) {
  if (!context.profile && !copies_in_op_time(context)) {
    if (context.device != Device::cuda) return std::nullopt;
    auto probe = profile_layers(session, probes(convs), context.device);
    // Only how long it takes at the full size counts.
    if (!probe.problem.empty() || outside_launches(probe) == 0) return probe;
  }
  auto profile = profile_layers(session, convs, context.device);
  if (context.profile && context.device == Device::cuda) profile.ceilings = device_ceilings();
  return profile;
}

/// A submission's processes: one for a whole case, or one after another.
class Processes {
 public:
  explicit Processes(const CaseContext& context) : context_(context) { start(); }
  Session& now() { return *session_; }

  /// Ends the one there is and starts another.
  Session& next() {
    session_->finish();
    session_.reset();
    if (context_.gpu != nullptr) context_.gpu->prove_usable();  // waits for its memory, too
    start();
    return *session_;
  }

 private:
  void start() {
    session_.emplace(context_.sandbox, run_policy(context_), context_.steps, context_.harness,
                     context_.submission);
  }

  const CaseContext& context_;
  std::optional<Session> session_;
};

/// How many processes a case has.
enum class ProcessEach {
  run,   ///< one
  call,  ///< one for each call on the whole batch
};

CaseReport run_layers(const CaseContext& context, const Model& model, const CaseConfig& wanted,
                      ProcessEach process_each, MemoryWatch& memory,
                      std::vector<std::string>& notes) {
  CaseReport report;
  report.model = wanted.model;
  report.batch = wanted.batch;
  report.hidden = wanted.hidden;
  report.required_accuracy = wanted.accuracy;
  const int B = wanted.batch;
  if (B > model.data->images()) {
    throw Error(fmt::format("batch {} is larger than the data set {} with {} images", B,
                            model.data->path().string(), model.data->images()),
                "lower the batch in the config");
  }
  const Network& network = model.network;
  const auto convs = conv_layers(network, B);
  if (convs.empty() || convs.front().index != 0) {
    throw Error(fmt::format("network {} does not start with a convolution", network.name),
                "put the first conv at the top of its layer list");
  }

  ConvRunOptions options = options_for(context, wanted.timing.value_or(context.config.timing));
  options.timed = context.device != Device::emulated;
  if (options.timed && context.costs != nullptr) {
    options.call_cost = context.costs->of_host();
    if (context.referee != nullptr) options.empty_call = &context.costs->on(*context.referee);
  }
  if (context.device == Device::cuda) {
    options.map_every_call = true;
    options.warm_up_images = kCourseBatch;
  }

  options.memory = &memory;

  // The submission's process takes a while to start: meanwhile its tensors are made.
  Processes processes(context);
  auto layers = std::make_unique<LayerTensors>(convs, context.device == Device::cuda);
  ConvTensors& tensors = layers->now();
  model.data->read_pixels(0, B, tensors.x.values(), context.threads);
  phase_over("input");
  layers->wait_for_y();
  phase_over("memory of the outputs");
  std::vector<float> logits;
  for (std::size_t i = 0; i < convs.size(); ++i) {
    const auto& k = model.weights.find(convs[i].name)->weights.values;
    std::ranges::copy(k, tensors.k.values().begin());
    const FastConv<double> reference(convs[i].shape, k.data());
    const bool last = i + 1 == convs.size();
    const int next = last ? network.logits_end() : convs[i + 1].index;
    bool used = false;
    const auto go_on = [&] {
      if (last) {
        logits.resize(
            static_cast<std::size_t>(B * network.shapes[static_cast<std::size_t>(next)].size()));
      }
      forward_layers(network, model.weights, convs[i].index + 1, next, B, tensors.y.values(),
                     last ? std::span<float>(logits) : layers->next_x().values(), context.threads);
      used = true;
    };
    bool started = i == 0;
    const FreshRun fresh{
        [&](const ConvRunOptions& how, const std::function<void()>& use_output) {
          Session& session = std::exchange(started, false) ? processes.now() : processes.next();
          return run_one(context, session, tensors, reference, how, use_output, notes);
        },
        [&] { return processes.now().over(); }};
    ConvReport conv =
        process_each == ProcessEach::call
            ? run_in_fresh_processes(fresh, options, go_on)
            : run_one(context, processes.now(), tensors, reference, options, go_on, notes);
    conv.layer = convs[i].name;
    report.convs.push_back(conv);
    phase_over(conv.layer + ": all");
    // Without an output, or one that is not finite, the next one's input would mean nothing.
    if (!used || processes.now().over()) break;
    if (!last) layers->go_on();
  }
  std::optional<ProfileReport> profile;
  if (!logits.empty() && all_right(report)) {
    if (process_each == ProcessEach::call && context.device == Device::cuda &&
        !processes.now().over())
      processes.next().map(tensors);
    profile = watch(context, processes.now(), convs);
  }
  phase_over("profile of outside work");
  if (context.leftovers != nullptr) context.leftovers->take(std::move(layers));
  conclude(report, processes.now(), context);
  phase_over("end of the process");

  if (logits.empty()) return report;
  const auto right = count_correct(logits, model.data->read_labels(0, B));
  report.accuracy = static_cast<double>(right) / B;
  if (report.outcome != Outcome::passed) return report;
  if (wanted.accuracy && right != std::llround(*wanted.accuracy * B)) {
    report.outcome = Outcome::wrong_accuracy;
    report.reason =
        fmt::format("accuracy {:.6g}, but {:.6g} is required", *report.accuracy, *wanted.accuracy);
    report.hint =
        context.tolerance > Config{}.tolerance
            ? "Every output is within this stage's wide tolerance. Reduced precision changed some "
              "predictions: use more precision for this batch."
            : "Every output is within tolerance, so the submission did not cause this: tell the "
              "staff.";
  }
  if (std::ranges::any_of(report.convs, &ConvReport::too_slow)) {
    report.reason += fmt::format("; not timed, for its first warm-up took longer than {} ms",
                                 options.timing.abort_above.count());
    return report;
  }
  const bool untimed = std::any_of(report.convs.begin(), report.convs.end(),
                                   [](const ConvReport& conv) { return !conv.timed; });
  if (options.timed && untimed) leave_untimed(report);
  note_on_clocks(report, notes);
  if (!profile) return report;
  if (copies_in_op_time(context)) add_kernel_times(report, *profile);
  if (context.device == Device::cuda) {
    auto note = apply_outside_work(report, *profile, context.config.timing.outside_work);
    if (!profile->problem.empty())
      note = "work outside the convolution call could not be recorded: " + profile->problem;
    if (!note.empty()) notes.push_back(std::move(note));
  }
  if (context.profile) report.profile = std::move(profile);
  return report;
}

}  // namespace

CaseReport run_model_case(const CaseContext& context, const Model& model, const CaseConfig& wanted,
                          std::vector<std::string>& notes) {
  const auto run = [&](ProcessEach process_each, MemoryWatch& memory) {
    std::vector<std::string> own;
    CaseReport report = run_layers(context, model, wanted, process_each, memory, own);
    return std::pair(std::move(report), std::move(own));
  };
  MemoryWatch memory(context.config.run_limits.memory_bytes, context.gpu);
  auto [report, own] = run(ProcessEach::run, memory);
  if (context.device != Device::emulated && memory.ran_short(report)) {
    if (context.gpu != nullptr) context.gpu->prove_usable();  // waits for its memory
    MemoryWatch ignored(context.config.run_limits.memory_bytes, context.gpu);
    std::tie(report, own) = run(ProcessEach::call, ignored);
    const std::string leak = fmt::format(
        "each call leaves {} behind, so each had a process of its own", memory.per_call());
    constexpr const char* kAdvice = "Free in each call what it allocates.";
    own.push_back(fmt::format("the submission leaks: {}. {}", leak, kAdvice));
    report.reason += "; " + leak;
    report.hint += fmt::format("{}{}", report.hint.empty() ? "" : " ", kAdvice);
  }
  notes.insert(notes.end(), own.begin(), own.end());
  return std::move(report);
}

CaseReport run_shapes_case(const CaseContext& context, const std::vector<ConvLayer>& convs,
                           std::mt19937_64& random) {
  CaseReport report;
  ConvRunOptions options = options_for(context, context.config.timing);
  options.timing.warm_up = false;  // nothing is timed
  std::vector<std::string> ignored;
  const auto unused = [] {};
  Session session(context.sandbox, run_policy(context), context.steps, context.harness,
                  context.submission);
  for (const auto& [index, name, shape] : convs) {
    ConvTensors tensors(shape);
    fill_random(tensors.x.values(), random);
    fill_random(tensors.k.values(), random);
    const FastConv<double> reference(shape, tensors.k.values().data());
    // With the referee, which poisons the device's y, too.
    ConvReport conv = run_one(context, session, tensors, reference, options, unused, ignored);
    conv.layer = name;
    report.convs.push_back(std::move(conv));
    if (!report.convs.back().check.passed()) break;
  }
  conclude(report, session, context);
  if (report.outcome != Outcome::passed && report.outcome != Outcome::wrong_output &&
      !report.convs.empty()) {
    const ConvShape& s = report.convs.back().shape;
    if (report.reason.ends_with('.')) report.reason.pop_back();  // of a finding
    report.reason +=
        fmt::format("; shape: B={} M={} C={} H={} W={} K={}", s.B, s.M, s.C, s.H, s.W, s.K);
    if (s.S != 1) report.reason += fmt::format(" S={}", s.S);
  }
  return report;
}

}  // namespace opgrade
