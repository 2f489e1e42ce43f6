#include "grader/app/referee_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "grader/check/conv_check.hpp"
#include "grader/check/mistake.hpp"
#include "grader/core/keyed_sum.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/gpu/monitor.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;
using protocol::Kind;

constexpr int kMostCalls = 200;

/// Subtracted from the cost of an empty call. A submission that replies early saves the wait for
/// the device, the reply and the launch of the proof. That is 10 to 17 us on an H200. An honest one
/// so shows 4 us more than it needs, and a dishonest one gains no more than the rest.
constexpr std::chrono::nanoseconds kAllowance = std::chrono::microseconds(4);

/// For a first timed call the budget may be overdrawn by this factor.
constexpr int kOverdraft = 3;
/// Enough once the reported median is known to half a percent: nvbench's number, which it holds
/// against the spread of the samples. That stops short calls never, however many there are, because
/// their spread is the clock's and the driver's.
constexpr double kSettled = 0.005;

/// Such a process may have queued work that begins when the grader writes the input, while every
/// process is stopped. No wait for the device by the harness would see it.
constexpr const char* kAccompanied =
    "another process of the submission lives beside its calls, and the device may work for it";

double ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

SharedDeviceTensor view(const opgrade_shared& shared) { return {shared.handle, shared.offset}; }

/// True if the prolog has already written the output, as prologs that copy and compute on several
/// streams do.
bool handed_over(const ConvTensors& tensors, const FastConv<double>& reference,
                 const ConvRunOptions& options) {
  const auto y = tensors.y.values();
  if (is_poison(y.front()) || is_poison(y.back())) return false;
  std::vector<int> images{0};
  for (const int image : {tensors.shape.B / 2, tensors.shape.B - 1})
    if (image > images.back()) images.push_back(image);
  const ConvOutput output{tensors.shape, tensors.x.values(), y, tensors.k.values()};
  return check_conv(reference, output, options.tolerance, images, options.threads).passed();
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
std::string work_of_prolog(Session& session, const ConvTensors& tensors, Referee& referee,
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
  const std::uint64_t handed_over = keyed_sum(y.values(), key, threads);
  return handed_over == referee.sum_of_checked();
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

/// Times of one layer's calls on a device, each from the opening of the gate to its proof.
class DeviceTimes {
 public:
  void add(std::chrono::nanoseconds proven, std::chrono::nanoseconds empty) {
    proven_.push_back(ms(proven));
    empty_.push_back(ms(empty));
  }
  bool empty() const { return proven_.empty(); }
  int count() const { return static_cast<int>(proven_.size()); }

  /// Less what a call costs that does nothing: its median over the same time, since clocks and
  /// drivers drift by some us within a minute.
  TimeSummary op_times() const {
    const double cost = std::max(summarize(empty_).median_ms - ms(kAllowance), 0.0);
    std::vector<double> op;
    for (const double proven : proven_) op.push_back(std::max(proven - cost, 0.0));
    return summarize(std::move(op));
  }

 private:
  std::vector<double> proven_, empty_;
};

}  // namespace

std::optional<ConvReport> run_conv_with_referee(Session& session, ConvTensors& tensors,
                                                const FastConv<double>& reference, Referee& referee,
                                                const ConvRunOptions& options,
                                                const std::function<void()>& use_output,
                                                std::string& note) {
  ConvReport report;
  report.shape = tensors.shape;
  SystemRandom random;
  const auto poison = [&] { tensors.y.poison(options.threads); };
  if (!options.timing.warm_up) {
    poison();
  } else if (!warm_up(session, tensors, options.warm_up_images, poison)) {
    return report;
  }
  phase_over("warm-up");
  const bool mapped = session.map(tensors, [&] {
    referee.load(tensors.shape, tensors.x.values().data(), tensors.k.values().data());
  });
  if (!mapped) return report;
  phase_over("input on both sides");
  const auto prolog = session.step(Kind::prolog);
  if (!prolog) return report;
  const auto decline = [&](const char* why) {
    session.step(Kind::epilog);
    note = why;
    return std::nullopt;
  };
  if (handed_over(tensors, reference, options))
    return decline("its prolog already hands over the output");
  if (session.stragglers() > 0) return decline(kAccompanied);
  if (!attach(session, referee)) {
    return decline(
        "the grader cannot open its y and x on the device: not memory of cudaMalloc's, or smaller "
        "than they are in single precision");
  }

  const Attachment attachment(referee);
  if (options.memory != nullptr) options.memory->begin_layer(session);
  phase_over("prolog");
  const double bound = relative_bound(tensors.shape, options.tolerance);
  const GpuMonitor monitor(referee.uuid());
  DeviceGate gate(referee);
  DeviceTimes times;
  std::vector<double> process;
  std::uint64_t signs = Referee::kAsLoaded;
  const auto begin = Clock::now();
  bool enough = !options.timed;
  int calls = 0;
  for (;; ++calls) {
    // Every call other signs; the first call is the warm-up and is checked like the others. The
    // last one has the input as it is, for the layers that follow, and is not timed.
    do signs = enough ? Referee::kAsLoaded : random();
    while (!enough && signs == Referee::kAsLoaded);
    // Before the step is armed, so that nothing that it begins makes the empty call slow.
    const bool timed = !enough && (options.single || calls >= std::max(options.timing.warm_ups, 1));
    const auto empty = timed && options.empty_call != nullptr ? options.empty_call->time()
                                                              : std::chrono::nanoseconds{};
    if (!session.arm(Kind::forward)) return report;
    referee.prepare(signs, options.start);
    referee.hold();
    const auto time = session.go(&gate);
    if (!time) return report;
    if (session.stragglers() > 0) return decline(kAccompanied);
    const auto intrusion = referee.intrusion();
    const bool throttled = look_at(monitor, report.device_state);
    report.check = referee.check(bound, signs);
    if (!referee.output_stayed()) ++report.late_calls;
    if (report.check.passed() && options.memory != nullptr) options.memory->call_done(session);
    if (!report.check.passed() || enough) break;
    if (calls == 0 && options.timing.warm_ups > 0)
      report.too_slow = is_too_slow(time->done, options.timing);
    if (timed) {
      // Work that ran on the device before the call counts into it.
      if (!throttled) times.add(time->proven + intrusion, empty);
      process.push_back(ms(time->claimed()));
      if (throttled) ++report.device_state->throttled_calls;
      if (intrusion.count() > 0) ++report.busy_calls;
      if (!agrees(time->harness, time->done)) ++report.disagreeing_calls;
    }
    if (options.single) break;
    const bool settled = times.count() >= options.timing.repetitions &&
                         (!options.timing.settle || times.op_times().uncertainty() < kSettled);
    // One timed call in any case.
    const bool spent =
        Clock::now() - begin > options.timing.budget * (times.empty() ? kOverdraft : 1);
    enough = settled || report.too_slow || calls >= options.timing.warm_ups + kMostCalls ||
             (spent && !process.empty());
  }
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

  // The report's values and the search for a pattern are of the input that the call had.
  if (signs != Referee::kAsLoaded) flip_signs(tensors.x.values(), signs, options.threads);
  const ConvOutput output{tensors.shape, tensors.x.values(), tensors.y.values(),
                          tensors.k.values()};
  if (report.check.passed() && !same_as_checked(referee, tensors.y, random(), options.threads)) {
    report.check = check_conv(reference, output, options.tolerance, {}, options.threads);
    if (report.check.passed()) {
      report.check.mismatches = 1;
      report.check.hint =
          "the epilog hands over another output than the conv call left on the device";
    }
  }
  if (!report.check.passed() && report.check.hint.empty()) {
    report.check.hint = explain_mistake(output, tensors.k.values(), report.check);
  }
  if (!report.check.passed() && calls == 0 && needs_zeros) report.check.hint = kNeedsZeros;
  if (!report.check.passed() && calls == 0 && !needs_zeros) {
    flip_signs(tensors.x.values(), signs, options.threads);
    note = work_of_prolog(session, tensors, referee, bound, signs);
    if (!note.empty()) return std::nullopt;
  }
  phase_over("output as it was checked");
  // The next process has the same tensors.
  if (report.check.passed() && signs != Referee::kAsLoaded)
    flip_signs(tensors.x.values(), signs, options.threads);
  if (report.check.passed()) use_output();
  phase_over("layers in between");
  report.process_time = summarize(std::move(process));
  if (report.check.passed() && !times.empty() && report.late_calls == 0) {
    report.timed = true;
    report.op_time = times.op_times();
    // Prolog and epilog ran once: each call counts with the same ones.
    const double around = std::max(ms(prolog->done + epilog->done - 2 * options.call_cost), 0.0);
    std::vector<double> layer = report.op_time.samples_ms;
    for (double& time : layer) time += around;
    report.layer_time = summarize(std::move(layer));
  }
  return report;
}

}  // namespace opgrade
