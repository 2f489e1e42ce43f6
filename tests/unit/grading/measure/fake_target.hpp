/// A target without a process, on a clock that only its own calls move.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/grading/measure/measure.hpp"
#include "grader/grading/measure/times.hpp"

namespace opgrade::test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Events of one call.
struct FakeCall {
  CallSample sample;
  bool right = true;
  bool stayed = true;
  bool overtaken = false;
  bool ends = false;                 ///< the submission ends in it
  bool breaks = false;               ///< the grader's device breaks in it
  nanoseconds around{};              ///< of preparing and checking, which nobody times
  std::optional<nanoseconds> empty;  ///< what a call that does nothing takes, right before it
};

/// An honest call on the CPU, or on a device that is idle 20 us after the reply.
inline FakeCall host_call(nanoseconds time) {
  return {
      .sample = {.done = time, .layer = time, .until_stopped = microseconds(30), .harness = time}};
}
inline FakeCall device_call(nanoseconds time) {
  const nanoseconds proven = time + microseconds(20);
  return {.sample = {.done = time,
                     .proven = proven,
                     .layer = proven,
                     .until_stopped = microseconds(60),
                     .harness = time,
                     .device = time},
          .empty = microseconds(14)};
}

class FakeTarget final : public Target {
 public:
  /// `call` gives what happens in the call of that number, from 0.
  explicit FakeTarget(std::function<FakeCall(int)> call) : call_(std::move(call)) {}

  std::string did;  ///< e(mpty call), k(nown) or f(resh input), r(un), c(hecked): in order
  int calls = 0;

  nanoseconds now() override { return clock_; }

  std::optional<nanoseconds> empty_call() override {
    did += 'e';
    const auto empty = call_(calls).empty;
    clock_ += empty.value_or(nanoseconds());
    return empty;
  }

  bool prepare(Input input) override {
    did += input == Input::known ? 'k' : 'f';
    return true;
  }

  std::optional<CallSample> run() override {
    did += 'r';
    now_ = call_(calls++);
    if (now_.breaks) throw Error("the device is gone", "replace it");
    if (now_.ends) return std::nullopt;
    clock_ += now_.sample.layer + now_.around;
    return now_.sample;
  }

  Proof check() override {
    did += 'c';
    return {now_.right, now_.stayed, now_.overtaken};
  }

 private:
  std::function<FakeCall(int)> call_;
  FakeCall now_;
  nanoseconds clock_ = std::chrono::hours(1);
};

inline FakeTarget always(const FakeCall& call) {
  return FakeTarget([call](int) { return call; });
}

inline Plan host_plan(int calls = 3) { return {.calls = calls}; }
inline Plan device_plan(int calls = 3) { return {.place = Plan::Place::device, .calls = calls}; }

}  // namespace opgrade::test
