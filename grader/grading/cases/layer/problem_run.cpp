#include "grader/grading/cases/layer/problem_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "grader/base/core/phases.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/grading/measure/times.hpp"
#include "grader/grading/run/output_witness.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampledParts = 32;

/// The longest wait for a device without work. A process with cold caches takes 25 us on an H100.
constexpr std::chrono::microseconds kLongestWait{100};

/// A random choice of `count` parts; empty, which stands for all, if there are no more parts.
std::vector<int> sample(int parts, int count) {
  if (count >= parts) return {};
  std::vector<int> all(static_cast<std::size_t>(parts));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count,
              std::mt19937_64(SystemRandom()()));
  return chosen;
}

/// False for an output of other types than float, of which nothing is known.
bool finite(TypedBytes output) {
  return output.type() == ElementType::Id::f32 &&
         std::ranges::all_of(output.as<float>(), [](float v) { return std::isfinite(v); });
}

/// Calls in the submission's process, with inputs and outputs in memory that the grader shares.
class HostTarget final : public Target {
 public:
  HostTarget(const Layer& layer, CheckReport& report)
      : layer_(layer),
        report_(report),
        may_be_prompt_(layer.options.returns_with_output && !layer.options.plan.single) {}

  std::chrono::nanoseconds now() override { return Clock::now().time_since_epoch(); }

  std::optional<std::chrono::nanoseconds> empty_call() override {
    if (layer_.options.empty_host_call == nullptr) return std::nullopt;
    return layer_.options.empty_host_call->time(may_be_prompt_, was_stopped_);
  }

  bool prepare(Input input) override {
    fresh_ = input == Input::fresh;
    prompt_ = fresh_ && may_be_prompt_;
    // Events lengthen a short call by some 10 us.
    const Arming how{.events = !may_be_prompt_, .prompt = prompt_};
    if (!fresh_) return layer_.session.arm_call(how);
    // The process runs while it maps, but it sees only the input of the call before.
    if (layer_.options.map_every_call && !layer_.session.map(layer_.tensors)) return false;
    witness_.emplace(layer_.tensors.output().bytes(), random_());
    if (!layer_.session.arm_call(how)) return false;
    const auto stopped = Clock::now();
    refresh();
    was_stopped_ = Clock::now() - stopped;
    phase_over("host call: fresh input");
    return true;
  }

  std::optional<CallSample> run() override {
    const auto times = layer_.session.run_call(fresh_ ? &*witness_ : nullptr);
    phase_over("host call");
    if (!times) return std::nullopt;
    stayed_ = !fresh_ || !witness_->changed();
    call_ = times->op.until_done;
    waited_ = times->last.until_finished - times->last.until_done;
    return CallSample{.done = times->op.until_done,
                      .layer = times->layer.until_done,
                      .steps = times->steps,
                      .until_stopped = times->last.until_stopped - times->last.until_done,
                      .harness = times->op.harness,
                      .device = times->op.device};
  }

  Proof check() override {
    if (!fresh_) {
      check_known();
    } else {
      // A single call is checked whole.
      const int parts = parts_to_check(layer_.problem.parts(), call_, whole_check_);
      report_ = check_parts(sample(layer_.problem.parts(), parts));
      if (!report_.passed()) {
        report_ = check_parts({});
      } else if (whole_.checked > 0) {
        report_ = whole_;  // of all elements, not of the few of a later call
      }
    }
    phase_over("host call: check");
    if (report_.passed() && layer_.options.memory != nullptr)
      layer_.options.memory->call_done(layer_.session);
    // The device still worked when the function had returned, so the next calls wait for it.
    const bool overtaken = prompt_ && (!stayed_ || waited_ > kLongestWait);
    if (overtaken) may_be_prompt_ = false;
    return {report_.passed(), stayed_ || overtaken, overtaken};
  }

  /// True if the output with the known input was finite.
  bool was_finite() const { return finite_; }

 private:
  CheckReport check_parts(const std::vector<int>& parts) const {
    return layer_.problem.check(layer_.tensors.values(), layer_.options.tolerance, parts,
                                layer_.options.threads);
  }

  void check_known() {
    const auto begin = Clock::now();
    report_ = whole_ = check_parts({});
    whole_check_ = Clock::now() - begin;
    finite_ = finite(layer_.tensors.output().values());
    if (report_.passed() || finite_) layer_.use_output();
  }

  /// Makes new inputs, and an output without content.
  void refresh() const {
    const auto& [session, tensors, problem, options, use_output] = layer_;
    const bool zeros = options.start == Referee::Start::zeros;
    problem.refresh(tensors.values(), options.threads);
    tensors.output().poison(options.threads);
    if (zeros) std::ranges::fill(tensors.output().bytes(), std::byte{0});
    problem.set_output(tensors.values(), zeros, options.threads);
  }

  const Layer& layer_;
  CheckReport& report_;
  CheckReport whole_;
  SystemRandom random_;
  std::optional<OutputWitness> witness_;
  std::chrono::nanoseconds call_{}, whole_check_{};
  /// How long the process was stopped before the last call with a fresh input; before the first one
  /// as long as matters.
  std::chrono::nanoseconds was_stopped_ = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds waited_{};  ///< for the device, when the function had returned
  bool fresh_ = false;
  bool stayed_ = true;
  bool finite_ = true;
  bool may_be_prompt_;   ///< fresh calls
  bool prompt_ = false;  ///< this call
};

/// The inputs that the host's tensors hold.
class HostInputs final : public InputSupplier {
 public:
  explicit HostInputs(const Layer& layer) : layer_(layer) {}

  Plan::Place place() const override { return Plan::Place::host; }

  tl::expected<bool, notes::NotOnDevice> hand_over() override {
    const RunOptions& options = layer_.options;
    if (options.plan.calls > 0 && options.warm_up && !warm_up(layer_)) return false;
    layer_.tensors.output().poison(options.threads);
    layer_.problem.set_output(layer_.tensors.values(), false, options.threads);
    return layer_.session.map(layer_.tensors);
  }

  Target& target(CallReport& report) override { return target_.emplace(layer_, report.check); }

  std::optional<notes::NotOnDevice> judge(CallReport& report, const Measured& measured) override {
    if (measured.end == Measured::End::over) return {};
    CheckReport& check = report.check;
    if (check.passed() && !layer_.tensors.output().red_zone_intact()) {
      check.mismatches = 1;
      check.hint = fmt::format("memory right outside {} was overwritten",
                               layer_.problem.buffers().front().name);
    } else if (!check.passed() && check.hint.empty()) {
      check.set(layer_.problem.explain(layer_.tensors.values(), check));
    }
    const bool first = report.measurement.calls.size() == 1;
    if (first && !target_->was_finite() && !check.passed() && layer_.options.host_output &&
        needs_zeros())
      check.set(needs_zeros_hint(layer_.problem));
    report.timed = measured.credible && check.passed();
    set_times(report);
    return {};
  }

 private:
  /// True if a wrong output with NaN in it becomes right if it holds zeros before the call.
  bool needs_zeros() const {
    const auto& [session, tensors, problem, options, use_output] = layer_;
    if (!problem.poisons_output()) return false;
    std::ranges::fill(tensors.output().bytes(), std::byte{0});
    problem.set_output(tensors.values(), true, options.threads);
    return session.call() &&
           problem.check(tensors.values(), options.tolerance, {}, options.threads).passed();
  }

  const Layer& layer_;
  std::optional<HostTarget> target_;
};

}  // namespace

int parts_to_check(int parts, std::chrono::nanoseconds call, std::chrono::nanoseconds whole_check) {
  constexpr std::chrono::nanoseconds kLeast = std::chrono::milliseconds(100);
  const auto time = std::max(call, kLeast);
  if (time >= whole_check) return parts;
  const auto share = static_cast<double>(time.count()) / static_cast<double>(whole_check.count());
  return std::min(parts, std::max(kSampledParts, static_cast<int>(share * parts)));
}

CallReport run_problem(const Layer& layer) {
  HostInputs inputs(layer);
  return run_layer(layer, inputs).value();  // HostInputs time every layer
}

}  // namespace opgrade
