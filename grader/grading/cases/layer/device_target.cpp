#include "grader/grading/cases/layer/device_target.hpp"

#include <algorithm>
#include <utility>

#include "grader/base/core/phases.hpp"
#include "grader/grading/measure/times.hpp"

namespace opgrade {
namespace {

using notes::NotOnDevice;
using protocol::Kind;

SharedDeviceTensor view(const opgrade_shared& shared) { return {shared.handle, shared.offset}; }

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

}  // namespace

bool attach(Session& session, Referee& referee) {
  const auto shared = session.share();
  return shared && referee.attach(view((*shared)[0]), view((*shared)[1]));
}

Attachment::~Attachment() {
  try {
    referee_.detach();
  } catch (const std::exception&) {
    // The device is broken, which the proof after the case finds.
  }
}

std::chrono::nanoseconds DeviceTarget::now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::optional<std::chrono::nanoseconds> DeviceTarget::empty_call() {
  if (layer_.options.empty_call == nullptr) return std::nullopt;
  return layer_.options.empty_call->time(may_be_prompt_);
}

bool DeviceTarget::prepare(Input input) {
  inputs_.choose(input);
  // Events lengthen a short call by 5 us, so only the call that is not timed has them.
  const bool known = input == Input::known;
  prompt_ = may_be_prompt_ && !known;
  if (!layer_.session.arm(Kind::forward, {.events = known, .prompt = prompt_})) return false;
  inputs_.write();
  referee_.hold();
  return true;
}

std::optional<CallSample> DeviceTarget::run() {
  const auto time = layer_.session.go(&gate_);
  if (!time) return std::nullopt;
  accompanied_ = layer_.session.stragglers() > 0;
  if (accompanied_) return std::nullopt;
  const auto intrusion = referee_.intrusion();
  // If no proof covers a call, the grader waits for it, and then stops the submission at once.
  if (std::exchange(first_, false))
    may_be_prompt_ = inputs_.are_proven() && time->until_proven < layer_.options.short_call;
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

Proof DeviceTarget::check() {
  report_.check = inputs_.check();
  const bool stayed = referee_.output_stayed();
  const bool overtaken = prompt_ && !stayed;
  if (overtaken) may_be_prompt_ = false;
  if (report_.check.passed() && layer_.options.memory != nullptr)
    layer_.options.memory->call_done(layer_.session);
  return {report_.check.passed(), stayed || overtaken, overtaken};
}

tl::expected<bool, NotOnDevice> DeviceInputs::hand_over() {
  Session& session = layer_.session;
  if (!give()) return false;
  phase_over("input on both sides");
  prolog_ = session.step(Kind::prolog);
  if (!prolog_) return false;
  std::optional<NotOnDevice> why = spoiled();
  // Another process may have queued work that begins when the grader writes the input, while every
  // process is stopped. The harness's wait for the device would not see that work.
  if (!why && session.stragglers() > 0) why = NotOnDevice::accompanied;
  if (!why && !attach(session, referee_)) why = cannot_open();
  if (why) {
    session.step(Kind::epilog);
    return tl::unexpected(*why);
  }
  attachment_.emplace(referee_);
  phase_over("prolog");
  return true;
}

Target& DeviceInputs::target(CallReport& report) {
  return target_.emplace(layer_, referee_, *this, report);
}

std::optional<NotOnDevice> DeviceInputs::judge(CallReport& report, const Measured& measured) {
  if (target_->accompanied()) {
    layer_.session.step(Kind::epilog);
    return NotOnDevice::accompanied;
  }
  if (measured.end == Measured::End::over) return {};
  examine(report);
  phase_over("calls, each checked");
  const auto epilog = layer_.session.step(Kind::epilog);
  referee_.detach();
  if (!epilog) return {};
  phase_over("epilog");
  if (const auto why = conclude(report); why || !report.check.passed()) return why;
  layer_.use_output();
  phase_over("layers in between");
  report.timed = measured.credible;
  // Prolog and epilog ran once: each call counts with the same ones.
  const auto around = prolog_->until_done + epilog->until_done - 2 * layer_.options.plan.empty_call;
  report.measurement.adjustments.push_back(
      {.reason = "prolog and epilog, which ran once", .layer_ms = std::max(to_ms(around), 0.0)});
  set_times(report);
  return {};
}

}  // namespace opgrade
