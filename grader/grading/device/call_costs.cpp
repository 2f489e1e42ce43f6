#include "grader/grading/device/call_costs.hpp"

#include <algorithm>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/grading/run/call_cost.hpp"
#include "grader/grading/run/runtime_view.hpp"

namespace opgrade {
namespace {

/// These limits suffice for as long as a class takes.
SandboxPolicy device_policy(const std::string& uuid) {
  SandboxPolicy policy;
  add_runtime_view(policy, Device::cuda, {uuid});
  policy.wall = std::chrono::hours(1000);
  policy.cpu = std::chrono::hours(100);
  return policy;
}

[[noreturn]] void give_up(Session& session) {
  const auto report = session.finish();
  const auto failure = session.failure(report);
  throw Error("the grader's own process on the GPU failed: " + in_brief(failure),
              "run `opgrade doctor`; `nvidia-smi` tells whether another program uses the device");
}

/// The process that is kept for this device; a new one after a failure.
template <class Call, class Make>
Call& kept(std::map<std::string, std::unique_ptr<Call>>& all, const std::string& uuid,
           const Make& make) {
  auto& call = all[uuid];
  if (call && call->failed()) call.reset();
  if (!call) call = make();
  return *call;
}

}  // namespace

void DeviceGate::open() {
  opened_ = std::chrono::steady_clock::now();
  referee_.release();
}

void DeviceGate::look() {
  // A device takes some 130 us to switch to the submission's process. A proof that is asked for
  // before the switch has begun would run at once.
  constexpr std::chrono::microseconds kUnderWay{60};
  while (std::chrono::steady_clock::now() - opened_ < kUnderWay) {
  }
  referee_.prove_done();
}

EmptyCall::EmptyCall(const Sandbox& sandbox, const std::filesystem::path& harness,
                     const std::filesystem::path& library, Referee& referee)
    : referee_(referee),
      session_(sandbox, device_policy(referee.uuid()), {.prolog = true, .epilog = true}, harness,
               library),
      tensors_({64}, {64, 64}) {}

void EmptyCall::fail() {
  failed_ = true;
  give_up(session_);
}

std::chrono::nanoseconds EmptyCall::time(bool prompt) {
  using protocol::Kind;
  if (!ready_) ready_ = session_.map(tensors_) && session_.step(Kind::prolog).has_value();
  if (!ready_ || !session_.arm(Kind::forward, {.events = false, .prompt = prompt})) fail();
  referee_.hold();
  const auto time = session_.go(&gate_);
  if (!time) fail();
  return time->until_proven;
}

EmptyHostCall::EmptyHostCall(const Sandbox& sandbox, const std::filesystem::path& harness,
                             const std::filesystem::path& library, const std::string& uuid)
    : session_(sandbox, device_policy(uuid), {.prolog = false, .epilog = false}, harness, library),
      tensors_({1}, {1, 1}) {}

void EmptyHostCall::fail() {
  failed_ = true;
  give_up(session_);
}

std::chrono::nanoseconds EmptyHostCall::time(bool prompt, std::chrono::nanoseconds stopped) {
  using Clock = std::chrono::steady_clock;
  // After this time a core sleeps no deeper.
  constexpr std::chrono::milliseconds kLongestStop{10};
  if (!ready_) ready_ = session_.map(tensors_);
  if (!ready_ || !session_.arm(protocol::Kind::forward, {.events = false, .prompt = prompt}))
    fail();
  // Stays awake, as the grader does while it makes an input.
  const auto until = Clock::now() + std::min<std::chrono::nanoseconds>(stopped, kLongestStop);
  while (Clock::now() < until) {
  }
  const auto time = session_.go();
  if (!time) fail();
  return time->until_done;
}

CallCosts::CallCosts(const Sandbox& sandbox, std::filesystem::path harness,
                     std::filesystem::path empty_call)
    : sandbox_(sandbox), harness_(std::move(harness)), empty_call_(std::move(empty_call)) {}

std::chrono::nanoseconds CallCosts::of_host() {
  const std::scoped_lock lock(guard_);
  if (!host_) {
    SandboxPolicy policy;
    add_runtime_view(policy, Device::cpu);
    host_ = measure_call_cost(sandbox_, std::move(policy), harness_);
  }
  return *host_;
}

EmptyCall& CallCosts::on(Referee& referee) {
  const std::scoped_lock lock(guard_);
  return kept(on_, referee.uuid(), [&] {
    auto call = std::make_unique<EmptyCall>(sandbox_, harness_, empty_call_, referee);
    call->time(true);
    return call;
  });
}

EmptyHostCall& CallCosts::of_host_on(Referee& referee) {
  const std::scoped_lock lock(guard_);
  return kept(of_host_on_, referee.uuid(), [&] {
    auto call = std::make_unique<EmptyHostCall>(sandbox_, harness_, empty_call_, referee.uuid());
    call->time(true, {});
    return call;
  });
}

}  // namespace opgrade
