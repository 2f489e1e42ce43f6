#include "grader/grading/cases/layer/referee_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "grader/base/core/keyed_sum.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/base/core/poison.hpp"
#include "grader/base/core/sign_flips.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/grading/cases/layer/device_target.hpp"

namespace opgrade {
namespace {

using notes::NotOnDevice;
using protocol::Kind;

/// The loaded input with fresh signs in each call; the device checks the output.
class SignedInputs final : public DeviceInputs {
 public:
  SignedInputs(const Layer& layer, Referee& referee)
      : DeviceInputs(layer, referee),
        on_device_(layer.problem.on_device().value()),
        bound_(layer.options.tolerance * std::sqrt(on_device_.terms)) {}

  void choose(Input input) override {
    do signs_ = input == Input::known ? Referee::kAsLoaded : random_();
    while (input == Input::fresh && signs_ == Referee::kAsLoaded);
  }
  void write() override { referee_.prepare(signs_, layer_.options.start); }
  CheckReport check() override {
    CheckReport report = referee_.check(bound_, signs_);
    report.place = layer_.problem.place_of(report.first);
    return report;
  }

 private:
  /// Poisons the output while the process has other work, because 1 GiB takes 15 ms.
  bool give() override {
    const auto poison = [&] { layer_.tensors.output().poison(layer_.options.threads); };
    const bool warm = layer_.options.warm_up;
    if (warm && !warm_up(layer_, poison)) return false;
    phase_over("warm-up");
    return layer_.session.map(layer_.tensors, [&] {
      if (!warm) poison();
      std::vector<std::span<const float>> buffers{layer_.tensors.output().as<float>()};
      for (const std::size_t input : on_device_.inputs)
        buffers.push_back(layer_.tensors.buffers[input].as<float>());
      referee_.load({on_device_.truth, on_device_.sizes, std::move(buffers)});
    });
  }

  /// Finds prologs that write the output, as those do that copy and compute on several streams.
  std::optional<NotOnDevice> spoiled() const override {
    const auto& [session, tensors, problem, options, use_output] = layer_;
    const auto output = tensors.output().as<float>();
    if (is_poison(output.front()) || is_poison(output.back())) return {};
    std::vector<int> parts{0};
    for (const int part : {problem.parts() / 2, problem.parts() - 1})
      if (part > parts.back()) parts.push_back(part);
    const bool wrote =
        problem.check(tensors.values(), options.tolerance, parts, options.threads).passed();
    return wrote ? std::optional(NotOnDevice::prolog_writes_output) : std::nullopt;
  }

  NotOnDevice cannot_open() const override { return NotOnDevice::output_not_opened; }

  /// Tries whether a wrong output with NaN in it is right if it holds zeros before the call.
  void examine(CallReport& report) override {
    wants_zeros_ = !report.check.passed() && std::isnan(report.check.worst_error) &&
                   layer_.options.start == Referee::Start::poison &&
                   call_again(Referee::Start::zeros) && is_right(signs_);
  }

  std::optional<NotOnDevice> conclude(CallReport& report) override {
    CheckReport& check = report.check;
    // The report's values and the search for a pattern refer to the input that the call had.
    turn();
    if (check.passed()) check_copied(check);
    if (!check.passed() && check.hint.empty())
      check.set(layer_.problem.explain(layer_.tensors.values(), check));
    std::optional<NotOnDevice> why;
    if (!check.passed() && report.measurement.calls.size() == 1) {
      if (wants_zeros_) {
        check.set(needs_zeros_hint(layer_.problem));
      } else {
        turn();
        why = work_of_prolog();
      }
    }
    phase_over("output as it was checked");
    if (check.passed()) turn();  // the next process has the same tensors
    return why;
  }

  /// Flips the input's signs. A second call gives the input as it was loaded.
  void turn() const {
    if (signs_ != Referee::kAsLoaded)
      flip_signs(layer_.tensors.buffers[on_device_.inputs.front()].as<float>(), signs_,
                 layer_.options.threads);
  }

  /// Compares the output that the epilog copied with what the call left on the device. If they
  /// differ, the copied output is checked as well.
  void check_copied(CheckReport& check) {
    const auto& [session, tensors, problem, options, use_output] = layer_;
    const std::uint64_t key = random_();
    referee_.sum_checked(key);  // meanwhile the host adds up its own
    const std::uint64_t copied = keyed_sum(tensors.output().as<float>(), key, options.threads);
    if (copied == referee_.sum_of_checked()) return;
    check = problem.check(tensors.values(), options.tolerance, {}, options.threads);
    if (!check.passed()) return;
    check.mismatches = 1;
    check.hint = "the epilog's output differs from the timed call's output on the device";
  }

  /// One more call, which is not timed, with the input of the last one.
  bool call_again(Referee::Start start) {
    if (!layer_.session.arm(Kind::forward)) return false;
    referee_.prepare(signs_, start);
    referee_.hold();
    DeviceGate gate(referee_);
    return layer_.session.go(&gate).has_value();
  }

  bool is_right(std::uint64_t signs) { return referee_.check(bound_, signs).passed(); }

  /// After a wrong first call: the prolog's own work, if the call failed because the device tensors
  /// had new contents. Many prologs copy, compute and copy back, or unroll the input. Returns
  /// nullopt if the call is wrong with the prolog's contents as well.
  std::optional<NotOnDevice> work_of_prolog() {
    Session& session = layer_.session;
    if (!session.map(layer_.tensors) || !session.step(Kind::prolog)) return {};
    std::optional<NotOnDevice> what;
    if (attach(session, referee_)) {
      const Attachment attachment(referee_);
      if (is_right(Referee::kAsLoaded)) {
        what = NotOnDevice::prolog_computes;
      } else {
        referee_.poison();
        // It must not be right by chance, as if threads race: with other contents it must be wrong
        // again.
        if (session.step(Kind::forward) && is_right(Referee::kAsLoaded) &&
            call_again(Referee::Start::poison) && !is_right(signs_))
          what = NotOnDevice::prolog_works_on_input;
      }
    }
    session.step(Kind::epilog);
    return what;
  }

  const Problem::OnDevice on_device_;
  const double bound_;
  SystemRandom random_;
  std::uint64_t signs_ = Referee::kAsLoaded;  ///< the seed of the last call's input
  bool wants_zeros_ = false;
};

}  // namespace

LayerResult run_with_referee(const Layer& layer, Referee& referee) {
  SignedInputs inputs(layer, referee);
  return run_layer(layer, inputs);
}

}  // namespace opgrade
