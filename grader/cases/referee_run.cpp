#include "grader/cases/referee_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "grader/core/keyed_sum.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/gpu/monitor.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::Kind;

/// Such a process may have queued work that begins when the grader writes the input, while every
/// process is stopped. No wait for the device by the harness would see it.
constexpr const char* kAccompanied =
    "another process of the submission lives beside its calls, and the device may work for it";

SharedDeviceTensor view(const opgrade_shared& shared) { return {shared.handle, shared.offset}; }

/// True if the prolog has already written the output, as prologs that copy and compute on several
/// streams do.
bool prolog_wrote_output(CallTensors& tensors, const Problem& problem, const RunOptions& options) {
  const auto y = tensors.output().values();
  if (is_poison(y.front()) || is_poison(y.back())) return false;
  std::vector<int> parts{0};
  for (const int part : {problem.parts() / 2, problem.parts() - 1})
    if (part > parts.back()) parts.push_back(part);
  return problem.check(tensors.values(), options.tolerance, parts, options.threads).passed();
}

/// Releases the submission's tensors, also where an exception ends the call. Opened memory of a
/// finished process would look like a device that keeps memory.
class Attachment {
 public:
  explicit Attachment(Referee& referee) : referee_(referee) {}
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  ~Attachment() {
    try {
      referee_.detach();
    } catch (const std::exception&) {
      // The device is broken, which the proof after the case finds.
    }
  }

 private:
  Referee& referee_;
};

bool attach(Session& session, Referee& referee) {
  const auto shared = session.share();
  return shared && referee.attach(view((*shared)[0]), view((*shared)[1]));
}

/// A call that is not timed.
bool call_with(Session& session, Referee& referee, std::uint64_t signs, Referee::Start start) {
  if (!session.arm(Kind::forward)) return false;
  referee.prepare(signs, start);
  referee.hold();
  DeviceGate gate(referee);
  return session.go(&gate).has_value();
}

/// After a wrong first call: the prolog's own work, if that is why the call failed with new
/// contents of the device tensors. Many copy, compute and copy back in the prolog, or unroll x
/// there. Empty when the call is wrong with the prolog's contents as well.
std::string work_of_prolog(Session& session, const CallTensors& tensors, Referee& referee,
                           double bound, std::uint64_t signs) {
  if (!session.map(tensors) || !session.step(Kind::prolog)) return {};
  std::string what;
  if (attach(session, referee)) {
    const Attachment attachment(referee);
    if (referee.check(bound, Referee::kAsLoaded).passed()) {
      what = "its prolog already computes the output";
    } else {
      referee.poison();
      bool right = session.step(Kind::forward) && referee.check(bound, Referee::kAsLoaded).passed();
      // Not by chance, as where threads race: with other contents it must be wrong again.
      if (right) {
        right = call_with(session, referee, signs, Referee::Start::poison) &&
                !referee.check(bound, signs).passed();
      }
      if (right) {
        what =
            "its prolog already works on the input: the conv call does not read x from the device "
            "tensor, or in another layout";
      }
    }
  }
  session.step(Kind::epilog);
  return what;
}

/// True if the epilog copied the output that the conv call left on the device.
bool same_as_checked(Referee& referee, const SharedTensor& y, std::uint64_t key, int threads) {
  referee.sum_checked(key);
  const std::uint64_t after_prolog = keyed_sum(y.values(), key, threads);
  return after_prolog == referee.sum_of_checked();
}

/// True if the device is slowed by heat or lack of power now.
bool look_at(const GpuMonitor& monitor, std::optional<DeviceState>& state) {
  const auto sample = monitor.sample();
  if (!sample) return false;
  if (!state) state = DeviceState{.sm_clock_mhz = sample->sm_clock_mhz};
  state->sm_clock_mhz = std::min(state->sm_clock_mhz, sample->sm_clock_mhz);
  state->temperature_c = std::max(state->temperature_c, sample->temperature_c);
  for (const auto& reason : sample->throttled_by) {
    if (std::ranges::find(state->throttle_reasons, reason) == state->throttle_reasons.end())
      state->throttle_reasons.push_back(reason);
  }
  return !sample->throttled_by.empty();
}

/// Calls with inputs and outputs on the device, where the referee writes and checks them.
///
/// The grader asks for the proof when a short call's function has returned, not when its process
/// has waited for the device. An early reply so gains nothing: the proof runs when the call's work
/// is done, in both cases. A long call is waited for: the device would interrupt it after some ms
/// to run the proof. That adds the wait, 10 to 15 us on an H200: all that an early reply saves
/// there.
class DeviceTarget final : public Target {
 public:
  DeviceTarget(Session& session, Referee& referee, const RunOptions& options, double bound,
               CallReport& report)
      : session_(session),
        referee_(referee),
        options_(options),
        bound_(bound),
        report_(report),
        monitor_(referee.uuid()) {}

  std::chrono::nanoseconds now() override { return Clock::now().time_since_epoch(); }

  std::optional<std::chrono::nanoseconds> empty_call() override {
    if (options_.empty_call == nullptr) return std::nullopt;
    return options_.empty_call->time();
  }

  bool prepare(Input input) override {
    do signs_ = input == Input::known ? Referee::kAsLoaded : random_();
    while (input == Input::fresh && signs_ == Referee::kAsLoaded);
    // Events lengthen a short call by 5 us: only the call that is not timed has them.
    const bool known = input == Input::known;
    prompt_ = may_be_prompt_ && !known;
    if (!session_.arm(Kind::forward, {.events = known, .prompt = prompt_})) return false;
    referee_.prepare(signs_, options_.start);
    referee_.hold();
    return true;
  }

  std::optional<CallSample> run() override {
    const auto time = session_.go(&gate_);
    if (!time) return std::nullopt;
    accompanied_ = session_.stragglers() > 0;
    if (accompanied_) return std::nullopt;
    const auto intrusion = referee_.intrusion();
    if (std::exchange(first_, false)) may_be_prompt_ = time->until_proven < options_.short_call;
    const bool throttled = look_at(monitor_, report_.device_state);
    return CallSample{.use = throttled ? CallUse::throttled : CallUse::counts,
                      .done = time->until_done,
                      .proven = time->until_proven,
                      .layer = time->until_proven,
                      .until_stopped = time->until_stopped - time->until_done,
                      .busy = intrusion,
                      .harness = time->harness,
                      .device = time->device};
  }

  Proof check() override {
    report_.check = referee_.check(bound_, signs_);
    const bool stayed = referee_.output_stayed();
    const bool overtaken = prompt_ && !stayed;
    if (overtaken) may_be_prompt_ = false;
    if (report_.check.passed() && options_.memory != nullptr) options_.memory->call_done(session_);
    return {report_.check.passed(), stayed || overtaken, overtaken};
  }

  /// The seed of the last call's input.
  std::uint64_t signs() const { return signs_; }

  /// True if another process of the submission lived beside the last call.
  bool accompanied() const { return accompanied_; }

 private:
  Session& session_;
  Referee& referee_;
  const RunOptions& options_;
  const double bound_;
  CallReport& report_;
  const GpuMonitor monitor_;
  DeviceGate gate_{referee_};
  SystemRandom random_;
  std::uint64_t signs_ = Referee::kAsLoaded;
  bool accompanied_ = false, first_ = true;
  bool may_be_prompt_ = false;  ///< timed calls: see RunOptions::short_call
  bool prompt_ = false;         ///< this call
};

}  // namespace

std::optional<CallReport> run_with_referee(Session& session, CallTensors& tensors,
                                           const Problem& problem, Referee& referee,
                                           const RunOptions& options,
                                           const std::function<void()>& use_output,
                                           std::string& note) {
  const Problem::OnDevice on_device = problem.on_device().value();
  const auto x = tensors.buffers[on_device.inputs.front()].values();
  CallReport report;
  report.shape = problem.sizes();
  report.check.place = problem.place_of(-1);
  SystemRandom random;
  // While the process has other work: 1 GiB takes 15 ms.
  const auto poison = [&] { tensors.output().poison(options.threads); };
  const bool warm = options.timing.warm_up;
  if (warm && !warm_up(session, problem, tensors, options.warm_up_parts, poison)) return report;
  phase_over("warm-up");
  const bool mapped = session.map(tensors, [&] {
    if (!warm) poison();
    std::vector<std::span<const float>> buffers{tensors.output().values()};
    for (const std::size_t input : on_device.inputs)
      buffers.push_back(tensors.buffers[input].values());
    referee.load({on_device.truth, on_device.sizes, std::move(buffers)});
  });
  if (!mapped) return report;
  phase_over("input on both sides");
  if (options.before_timed_steps) options.before_timed_steps();
  const auto prolog = session.step(Kind::prolog);
  if (!prolog) return report;
  const auto decline = [&](const char* why) {
    session.step(Kind::epilog);
    note = why;
    return std::nullopt;
  };
  if (prolog_wrote_output(tensors, problem, options))
    return decline("its prolog already wrote the output");
  if (session.stragglers() > 0) return decline(kAccompanied);
  if (!attach(session, referee)) {
    return decline(
        "the grader cannot open its y and x on the device: not memory of cudaMalloc's, or smaller "
        "than they are in single precision");
  }

  const Attachment attachment(referee);
  if (options.memory != nullptr) options.memory->begin_layer(session);
  phase_over("prolog");
  const double bound = options.tolerance * std::sqrt(on_device.terms);
  DeviceTarget target(session, referee, options, bound, report);
  Measured measured = measure_calls(target, plan_of(options, Plan::Place::device));
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  report.check.place = problem.place_of(report.check.first);
  set_times(report);
  if (target.accompanied()) return decline(kAccompanied);
  if (measured.end == Measured::End::over) return report;
  const std::uint64_t signs = target.signs();
  const bool first = report.measurement.calls.size() == 1;
  // A wrong output with NaN in it: is it right when y holds zeros before the call?
  bool needs_zeros = false;
  if (!report.check.passed() && std::isnan(report.check.worst_error) &&
      options.start == Referee::Start::poison) {
    needs_zeros = call_with(session, referee, signs, Referee::Start::zeros) &&
                  referee.check(bound, signs).passed();
  }
  phase_over("calls, each checked");
  const auto epilog = session.step(Kind::epilog);
  referee.detach();
  if (!epilog) return report;
  phase_over("epilog");
  if (options.after_timed_steps && report.check.passed()) options.after_timed_steps();

  // The report's values and the search for a pattern are of the input that the call had.
  if (signs != Referee::kAsLoaded) flip_signs(x, signs, options.threads);
  if (report.check.passed() &&
      !same_as_checked(referee, tensors.output(), random(), options.threads)) {
    report.check = problem.check(tensors.values(), options.tolerance, {}, options.threads);
    if (report.check.passed()) {
      report.check.mismatches = 1;
      report.check.hint = "the epilog's output differs from the conv call's output on the device";
    }
  }
  if (!report.check.passed() && report.check.hint.empty()) {
    report.check.set(problem.explain(tensors.values(), report.check));
  }
  if (!report.check.passed() && first && needs_zeros) report.check.set(needs_zeros_hint(problem));
  if (!report.check.passed() && first && !needs_zeros) {
    if (signs != Referee::kAsLoaded) flip_signs(x, signs, options.threads);
    note = work_of_prolog(session, tensors, referee, bound, signs);
    if (!note.empty()) return std::nullopt;
  }
  phase_over("output as it was checked");
  // The next process has the same tensors.
  if (report.check.passed() && signs != Referee::kAsLoaded) flip_signs(x, signs, options.threads);
  if (report.check.passed()) use_output();
  phase_over("layers in between");
  report.timed = measured.credible && report.check.passed();
  // Prolog and epilog ran once: each call counts with the same ones.
  report.measurement.adjustments.push_back(
      {.reason = "prolog and epilog, which ran once",
       .layer_ms =
           std::max(to_ms(prolog->until_done + epilog->until_done - 2 * options.call_cost), 0.0)});
  set_times(report);
  return report;
}

}  // namespace opgrade
