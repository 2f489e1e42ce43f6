#include "grader/cases/device_target.hpp"

#include <algorithm>
#include <utility>

#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

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
  if (options_.empty_call == nullptr) return std::nullopt;
  return options_.empty_call->time(may_be_prompt_);
}

bool DeviceTarget::prepare(Input input) {
  inputs_.choose(input);
  // Events lengthen a short call by 5 us: only the call that is not timed has them.
  const bool known = input == Input::known;
  prompt_ = may_be_prompt_ && !known;
  if (!session_.arm(Kind::forward, {.events = known, .prompt = prompt_})) return false;
  inputs_.write();
  referee_.hold();
  return true;
}

std::optional<CallSample> DeviceTarget::run() {
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

Proof DeviceTarget::check() {
  report_.check = inputs_.check();
  const bool stayed = referee_.output_stayed();
  const bool overtaken = prompt_ && !stayed;
  if (overtaken) may_be_prompt_ = false;
  if (report_.check.passed() && options_.memory != nullptr) options_.memory->call_done(session_);
  return {report_.check.passed(), stayed || overtaken, overtaken};
}

void add_steps_around(CallReport& report, const StepTime& prolog, const StepTime& epilog,
                      std::chrono::nanoseconds call_cost) {
  report.measurement.adjustments.push_back(
      {.reason = "prolog and epilog, which ran once",
       .layer_ms = std::max(to_ms(prolog.until_done + epilog.until_done - 2 * call_cost), 0.0)});
  set_times(report);
}

}  // namespace opgrade
