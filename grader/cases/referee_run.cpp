#include "grader/cases/referee_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "grader/cases/device_target.hpp"
#include "grader/core/keyed_sum.hpp"
#include "grader/core/phases.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

using protocol::Kind;

/// True if the prolog has already written the output, as prologs that copy and compute on several
/// streams do.
bool prolog_wrote_output(CallTensors& tensors, const Problem& problem, const RunOptions& options) {
  const auto output = tensors.output().values();
  if (is_poison(output.front()) || is_poison(output.back())) return false;
  std::vector<int> parts{0};
  for (const int part : {problem.parts() / 2, problem.parts() - 1})
    if (part > parts.back()) parts.push_back(part);
  return problem.check(tensors.values(), options.tolerance, parts, options.threads).passed();
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
/// contents of the device tensors. Many copy, compute and copy back in the prolog, or unroll the
/// input there. Empty when the call is wrong with the prolog's contents as well.
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
            "its prolog already works on the input: the timed call does not read it from the "
            "device "
            "tensor, or in another layout";
      }
    }
  }
  session.step(Kind::epilog);
  return what;
}

/// True if the epilog copied the output that the timed call left on the device.
bool same_as_checked(Referee& referee, const SharedTensor& output, std::uint64_t key, int threads) {
  referee.sum_checked(key);
  const std::uint64_t after_prolog = keyed_sum(output.values(), key, threads);
  return after_prolog == referee.sum_of_checked();
}

/// The loaded input with fresh signs in each call; the device checks the output.
class SignedInputs final : public DeviceInputs {
 public:
  SignedInputs(Referee& referee, Referee::Start start, double bound)
      : referee_(referee), start_(start), bound_(bound) {}

  void choose(Input input) override {
    do signs_ = input == Input::known ? Referee::kAsLoaded : random_();
    while (input == Input::fresh && signs_ == Referee::kAsLoaded);
  }
  void write() override { referee_.prepare(signs_, start_); }
  CheckReport check() override { return referee_.check(bound_, signs_); }

  /// The seed of the last call's input.
  std::uint64_t signs() const { return signs_; }

 private:
  Referee& referee_;
  const Referee::Start start_;
  const double bound_;
  SystemRandom random_;
  std::uint64_t signs_ = Referee::kAsLoaded;
};

/// One problem of a submission whose tensors are on a device.
struct DeviceLayer {
  Session& session;
  CallTensors& tensors;
  const Problem& problem;
  Referee& referee;
  const RunOptions& options;
  const Problem::OnDevice on_device = problem.on_device().value();
  const double bound = options.tolerance * std::sqrt(on_device.terms);

  std::span<float> input() const { return tensors.buffers[on_device.inputs.front()].values(); }

  /// Twice with the same signs: the input as it was loaded.
  void turn(std::uint64_t signs) const {
    if (signs != Referee::kAsLoaded) flip_signs(input(), signs, options.threads);
  }
};

/// The input, for the submission and the referee. False when the session ended.
bool hand_over(const DeviceLayer& layer) {
  // While the process has other work: 1 GiB takes 15 ms.
  const auto poison = [&] { layer.tensors.output().poison(layer.options.threads); };
  const bool warm = layer.options.warm_up;
  if (warm &&
      !warm_up(layer.session, layer.problem, layer.tensors, layer.options.warm_up_parts, poison))
    return false;
  phase_over("warm-up");
  const bool mapped = layer.session.map(layer.tensors, [&] {
    if (!warm) poison();
    std::vector<std::span<const float>> buffers{layer.tensors.output().values()};
    for (const std::size_t input : layer.on_device.inputs)
      buffers.push_back(layer.tensors.buffers[input].values());
    layer.referee.load({layer.on_device.truth, layer.on_device.sizes, std::move(buffers)});
  });
  phase_over("input on both sides");
  return mapped;
}

/// A wrong output with NaN in it: whether it is right if the output holds zeros before the call.
bool needs_zeros(const DeviceLayer& layer, const CheckReport& check, std::uint64_t signs) {
  return !check.passed() && std::isnan(check.worst_error) &&
         layer.options.start == Referee::Start::poison &&
         call_with(layer.session, layer.referee, signs, Referee::Start::zeros) &&
         layer.referee.check(layer.bound, signs).passed();
}

/// The output that the epilog copied: what the call left on the device, or else checked as well.
void check_copied(const DeviceLayer& layer, CheckReport& check) {
  SystemRandom random;
  const int threads = layer.options.threads;
  if (same_as_checked(layer.referee, layer.tensors.output(), random(), threads)) return;
  check = layer.problem.check(layer.tensors.values(), layer.options.tolerance, {}, threads);
  if (!check.passed()) return;
  check.mismatches = 1;
  check.hint = "the epilog's output differs from the timed call's output on the device";
}

}  // namespace

std::optional<CallReport> run_with_referee(Session& session, CallTensors& tensors,
                                           const Problem& problem, Referee& referee,
                                           const RunOptions& options,
                                           const std::function<void()>& use_output,
                                           std::string& note) {
  const DeviceLayer layer{session, tensors, problem, referee, options};
  CallReport report;
  report.shape = problem.sizes();
  report.check.place = problem.place_of(-1);
  if (!hand_over(layer)) return report;
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
        "the grader cannot open its output and input on the device: not memory of cudaMalloc's, or "
        "smaller than they are in single precision");
  }

  const Attachment attachment(referee);
  if (options.memory != nullptr) options.memory->begin_layer(session);
  phase_over("prolog");
  SignedInputs inputs(referee, options.start, layer.bound);
  DeviceTarget target(session, referee, inputs, options, report);
  Measured measured = measure_calls(target, plan_of(options, Plan::Place::device));
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  report.check.place = problem.place_of(report.check.first);
  set_times(report);
  if (target.accompanied()) return decline(kAccompanied);
  if (measured.end == Measured::End::over) return report;
  const std::uint64_t signs = inputs.signs();
  const bool wants_zeros = needs_zeros(layer, report.check, signs);
  phase_over("calls, each checked");
  const auto epilog = session.step(Kind::epilog);
  referee.detach();
  if (!epilog) return report;
  phase_over("epilog");

  // The report's values and the search for a pattern are of the input that the call had.
  layer.turn(signs);
  if (report.check.passed()) check_copied(layer, report.check);
  if (!report.check.passed() && report.check.hint.empty())
    report.check.set(problem.explain(tensors.values(), report.check));
  const bool first = report.measurement.calls.size() == 1;
  if (!report.check.passed() && first && wants_zeros) {
    report.check.set(needs_zeros_hint(problem));
  } else if (!report.check.passed() && first) {
    layer.turn(signs);
    note = work_of_prolog(session, tensors, referee, layer.bound, signs);
    if (!note.empty()) return std::nullopt;
  }
  phase_over("output as it was checked");
  if (report.check.passed()) {
    layer.turn(signs);  // the next process has the same tensors
    use_output();
  }
  phase_over("layers in between");
  report.timed = measured.credible && report.check.passed();
  add_steps_around(report, *prolog, *epilog, options.plan.empty_call);
  return report;
}

}  // namespace opgrade
