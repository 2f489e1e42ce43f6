#include "grader/cases/prepared_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grader/cases/device_target.hpp"
#include "grader/core/phases.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

using protocol::Kind;

/// In memory that no process of the submission has.
class PreparedInputs final : public DeviceInputs {
 public:
  PreparedInputs(Referee& referee, const Problem& problem, CallTensors& tensors,
                 const RunOptions& options)
      : referee_(referee),
        problem_(problem),
        tensors_(tensors),
        options_(options),
        arena_(problem.arena().value()) {
    for (const auto& buffer : problem.buffers())
      memory_.emplace_back(static_cast<std::size_t>(buffer.elements()));
    values_.assign(memory_.begin(), memory_.end());
    referee_.load_arena(arena_.words, static_cast<std::int64_t>(values_.front().size()));
  }

  /// What the submission may know are the inputs of the call before.
  void choose(Input input) override {
    const bool fresh = !std::exchange(made_, true) || input == Input::fresh;
    if (fresh) problem_.refresh(values_, options_.threads);
    problem_.set_output(values_, false, options_.threads);
    for (std::size_t i = 0; i < (fresh ? values_.size() : 1); ++i)
      if (arena_.starts[i] >= 0) referee_.set(arena_.starts[i], values_[i]);
  }

  void write() override {
    for (const std::size_t i : arena_.host_inputs)
      std::ranges::copy(values_[i], tensors_.buffers[i].values().begin());
    copy_host_output(values_.front(), tensors_.output().values());
    referee_.prepare(Referee::kAsLoaded, Referee::Start::poison);
  }

  CheckReport check() override {
    referee_.read_output(values_.front());
    copy_host_output(tensors_.output().values(), values_.front());
    return problem_.check(values_, options_.tolerance, {}, options_.threads);
  }

  /// The same input once more, with zeros in the output before the call.
  void start_from_zeros() {
    problem_.set_output(values_, true, options_.threads);
    referee_.set(arena_.starts.front(), values_.front());
  }

  const Values& values() const { return values_; }

 private:
  void copy_host_output(std::span<const float> from, std::span<float> to) const {
    for (const auto& [word, count] : arena_.host_output)
      std::ranges::copy(from.subspan(word, count), to.subspan(word, count).begin());
  }

  Referee& referee_;
  const Problem& problem_;
  CallTensors& tensors_;
  const RunOptions& options_;
  const Problem::Arena arena_;
  std::vector<std::vector<float>> memory_;
  Values values_;
  bool made_ = false;
};

/// A wrong output: whether it is right when the output holds zeros before the call.
bool needs_zeros(Session& session, Referee& referee, PreparedInputs& inputs) {
  inputs.start_from_zeros();
  if (!session.arm(Kind::forward)) return false;
  inputs.write();
  referee.hold();
  DeviceGate gate(referee);
  return session.go(&gate) && inputs.check().passed();
}

}  // namespace

std::optional<CallReport> run_prepared(Session& session, CallTensors& tensors,
                                       const Problem& problem, Referee& referee,
                                       const RunOptions& options,
                                       const std::function<void()>& use_output, std::string& note) {
  CallReport report;
  report.shape = problem.sizes();
  report.check.place = problem.place_of(-1);
  if (options.warm_up && !warm_up(session, problem, tensors, options.warm_up_parts)) return report;
  tensors.output().poison(options.threads);
  problem.set_output(tensors.values(), false, options.threads);
  if (!session.map(tensors)) return report;
  PreparedInputs inputs(referee, problem, tensors, options);
  phase_over("input on both sides");
  const auto prolog = session.step(Kind::prolog);
  if (!prolog) return report;
  const auto decline = [&](const char* why) {
    session.step(Kind::epilog);
    note = why;
    return std::nullopt;
  };
  if (session.stragglers() > 0) return decline(kAccompanied);
  if (!attach(session, referee)) return decline("the grader cannot open its buffers on the device");

  const Attachment attachment(referee);
  if (options.memory != nullptr) options.memory->begin_layer(session);
  // No proof covers what is written on the host: the grader waits for such a call, and stops it at
  // once.
  RunOptions calls = options;
  if (!problem.arena()->host_output.empty()) calls.short_call = {};
  DeviceTarget target(session, referee, inputs, calls, report);
  Measured measured = measure_calls(target, plan_of(options, Plan::Place::device));
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  set_times(report);
  if (target.accompanied()) return decline(kAccompanied);
  if (measured.end == Measured::End::over) return report;
  if (!report.check.passed()) {
    if (report.check.hint.empty()) report.check.set(problem.explain(inputs.values(), report.check));
    if (problem.poisons_output() && needs_zeros(session, referee, inputs))
      report.check.set(needs_zeros_hint(problem));
  }
  phase_over("calls, each checked");
  const auto epilog = session.step(Kind::epilog);
  referee.detach();
  if (!epilog) return report;
  if (!report.check.passed()) return report;
  use_output();
  report.timed = measured.credible;
  add_steps_around(report, *prolog, *epilog, options.plan.empty_call);
  return report;
}

}  // namespace opgrade
