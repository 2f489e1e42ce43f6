#include "grader/cases/problem_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "grader/core/phases.hpp"
#include "grader/core/system_random.hpp"
#include "grader/measure/times.hpp"
#include "grader/run/output_witness.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampledParts = 32;

/// Empty, which stands for all, when that many are.
std::vector<int> sample(int parts, int count) {
  if (count >= parts) return {};
  std::vector<int> all(static_cast<std::size_t>(parts));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count,
              std::mt19937_64(SystemRandom()()));
  return chosen;
}

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// New inputs, and an output without content.
void refresh(CallTensors& tensors, const Problem& problem, const RunOptions& options) {
  const bool zeros = options.start == Referee::Start::zeros;
  problem.refresh(tensors.values(), options.threads);
  tensors.output().poison(options.threads);
  if (zeros) std::ranges::fill(tensors.output().values(), 0.0F);
  problem.set_output(tensors.values(), zeros, options.threads);
}

/// A wrong output with NaN in it: whether it is right when it holds zeros before the call.
bool needs_zeros(Session& session, CallTensors& tensors, const Problem& problem,
                 const RunOptions& options) {
  if (!problem.poisons_output()) return false;
  std::ranges::fill(tensors.output().values(), 0.0F);
  problem.set_output(tensors.values(), true, options.threads);
  return session.call() &&
         problem.check(tensors.values(), options.tolerance, {}, options.threads).passed();
}

/// Calls in the submission's process, with inputs and outputs in memory that the grader shares.
class HostTarget final : public Target {
 public:
  HostTarget(Session& session, CallTensors& tensors, const Problem& problem,
             const RunOptions& options, const std::function<void()>& use_output,
             CheckReport& report)
      : session_(session),
        tensors_(tensors),
        problem_(problem),
        options_(options),
        use_output_(use_output),
        report_(report),
        may_be_prompt_(options.returns_with_output && !options.plan.single) {}

  std::chrono::nanoseconds now() override { return Clock::now().time_since_epoch(); }

  bool prepare(Input input) override {
    fresh_ = input == Input::fresh;
    prompt_ = fresh_ && may_be_prompt_;
    if (!fresh_) return session_.arm_call();
    // The process runs while it maps: what it sees there is the input of the call before.
    if (options_.map_every_call && !session_.map(tensors_)) return false;
    witness_.emplace(tensors_.output().values(), random_());
    // Events lengthen a short call by some 10 us.
    if (!session_.arm_call({.events = false, .prompt = prompt_})) return false;
    refresh(tensors_, problem_, options_);
    phase_over("host call: fresh input");
    return true;
  }

  std::optional<CallSample> run() override {
    const auto times = session_.run_call(fresh_ ? &*witness_ : nullptr);
    phase_over("host call");
    if (!times) return std::nullopt;
    stayed_ = !fresh_ || !witness_->changed();
    call_ = times->op.until_done;
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
      const int parts = parts_to_check(problem_.parts(), call_, whole_check_);
      report_ = check_parts(sample(problem_.parts(), parts));
      if (!report_.passed()) {
        report_ = check_parts({});
      } else if (whole_.checked > 0) {
        report_ = whole_;  // of all elements, not of the few of a later call
      }
    }
    phase_over("host call: check");
    if (report_.passed() && options_.memory != nullptr) options_.memory->call_done(session_);
    // Its function returned before its copies had ended: the calls that follow are waited for.
    const bool overtaken = prompt_ && !stayed_;
    if (overtaken) may_be_prompt_ = false;
    return {report_.passed(), stayed_ || overtaken, overtaken};
  }

  /// True if the output with the known input was finite.
  bool was_finite() const { return finite_; }

 private:
  CheckReport check_parts(const std::vector<int>& parts) const {
    return problem_.check(tensors_.values(), options_.tolerance, parts, options_.threads);
  }

  void check_known() {
    const auto begin = Clock::now();
    report_ = whole_ = check_parts({});
    whole_check_ = Clock::now() - begin;
    finite_ = finite(tensors_.output().values());
    if (report_.passed() || finite_) use_output_();
  }

  Session& session_;
  CallTensors& tensors_;
  const Problem& problem_;
  const RunOptions& options_;
  const std::function<void()>& use_output_;
  CheckReport& report_;
  CheckReport whole_;
  SystemRandom random_;
  std::optional<OutputWitness> witness_;
  std::chrono::nanoseconds call_{}, whole_check_{};
  bool fresh_ = false;
  bool stayed_ = true;
  bool finite_ = true;
  bool may_be_prompt_;   ///< fresh calls
  bool prompt_ = false;  ///< this call
};

}  // namespace

Plan plan_of(const RunOptions& options, Plan::Place place) {
  Plan plan = options.plan;
  plan.place = place;
  return plan;
}

Hint needs_zeros_hint(const Problem& problem) {
  return {fmt::format("{0} is not cleared by your code: its memory happens to be zero in a fresh "
                      "process, and need "
                      "not be. Set {0} to 0 first, or add up in a local variable and store it once",
                      problem.buffers().front().name),
          Hint::Kind::unwritten};
}

CallShape call_shape(const Problem& problem) {
  CallShape shape;
  for (const auto& size : problem.sizes()) shape.sizes.push_back(static_cast<int>(size.value));
  for (const auto& buffer : problem.buffers()) shape.elements.push_back(buffer.elements());
  return shape;
}

CallTensors tensors_of(const Problem& problem, std::int64_t room) {
  const CallShape shape = call_shape(problem);
  return {shape.sizes, shape.elements, room};
}

int parts_to_check(int parts, std::chrono::nanoseconds call, std::chrono::nanoseconds whole_check) {
  constexpr std::chrono::nanoseconds kLeast = std::chrono::milliseconds(100);
  const auto time = std::max(call, kLeast);
  if (time >= whole_check) return parts;
  const auto share = static_cast<double>(time.count()) / static_cast<double>(whole_check.count());
  return std::min(parts, std::max(kSampledParts, static_cast<int>(share * parts)));
}

bool warm_up(Session& session, const Problem& problem, CallTensors& tensors, int parts,
             const std::function<void()>& meanwhile) {
  const auto small = problem.first_parts(parts);
  CallTensors few = tensors_of(*small);
  for (std::size_t i = 1; i < few.buffers.size(); ++i) {
    const auto own = few.buffers[i].values();
    std::ranges::copy(tensors.buffers[i].values().first(own.size()), own.begin());
  }
  small->refresh(few.values(), 1);
  small->set_output(few.values(), false, 1);
  return session.map(few, meanwhile) && session.call();
}

CallReport run_problem(Session& session, CallTensors& tensors, const Problem& problem,
                       const RunOptions& options, const std::function<void()>& use_output) {
  CallReport report;
  report.shape = problem.sizes();
  report.check.place = problem.place_of(-1);
  if (options.plan.calls > 0 && options.warm_up &&
      !warm_up(session, problem, tensors, options.warm_up_parts))
    return report;
  tensors.output().poison(options.threads);
  problem.set_output(tensors.values(), false, options.threads);
  if (!session.map(tensors)) return report;
  if (options.memory != nullptr) options.memory->begin_layer(session);

  HostTarget target(session, tensors, problem, options, use_output, report.check);
  Measured measured = measure_calls(target, plan_of(options, Plan::Place::host));
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  if (measured.end != Measured::End::over) {
    if (report.check.passed() && !tensors.output().red_zone_intact()) {
      report.check.mismatches = 1;
      report.check.hint =
          fmt::format("memory right outside {} was overwritten", problem.buffers().front().name);
    } else if (!report.check.passed() && report.check.hint.empty()) {
      report.check.set(problem.explain(tensors.values(), report.check));
    }
    const bool first = report.measurement.calls.size() == 1;
    if (first && !target.was_finite() && !report.check.passed() && options.host_output &&
        needs_zeros(session, tensors, problem, options))
      report.check.set(needs_zeros_hint(problem));
    report.timed = measured.credible && report.check.passed();
  }
  set_times(report);
  return report;
}

}  // namespace opgrade
