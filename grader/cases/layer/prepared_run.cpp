#include "grader/cases/layer/prepared_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grader/cases/layer/device_target.hpp"

namespace opgrade {
namespace {

using protocol::Kind;

/// In memory that no process of the submission has.
class PreparedInputs final : public DeviceInputs {
 public:
  PreparedInputs(const Layer& layer, Referee& referee)
      : DeviceInputs(layer, referee), arena_(layer.problem.arena().value()) {}

  /// What the submission may know are the inputs of the call before.
  void choose(Input input) override {
    const bool fresh = !std::exchange(made_, true) || input == Input::fresh;
    if (fresh) layer_.problem.refresh(values_, layer_.options.threads);
    layer_.problem.set_output(values_, false, layer_.options.threads);
    for (std::size_t i = 0; i < (fresh ? values_.size() : 1); ++i)
      if (arena_.starts[i] >= 0) referee_.set(arena_.starts[i], values_[i]);
  }

  void write() override {
    for (const std::size_t i : arena_.host_inputs)
      std::ranges::copy(values_[i], layer_.tensors.buffers[i].values().begin());
    copy_host_output(values_.front(), layer_.tensors.output().values());
    referee_.prepare(Referee::kAsLoaded, Referee::Start::poison);
  }

  CheckReport check() override {
    referee_.read_output(values_.front());
    copy_host_output(layer_.tensors.output().values(), values_.front());
    return layer_.problem.check(values_, layer_.options.tolerance, {}, layer_.options.threads);
  }

  bool are_proven() const override { return arena_.host_output.empty(); }

 private:
  bool give() override {
    const auto& [session, tensors, problem, options, use_output] = layer_;
    if (options.warm_up && !warm_up(layer_)) return false;
    tensors.output().poison(options.threads);
    problem.set_output(tensors.values(), false, options.threads);
    if (!session.map(tensors)) return false;
    for (const auto& buffer : problem.buffers())
      memory_.emplace_back(static_cast<std::size_t>(buffer.elements()));
    values_.assign(memory_.begin(), memory_.end());
    referee_.load_arena(arena_.words, static_cast<std::int64_t>(values_.front().size()));
    return true;
  }

  notes::NotOnDevice cannot_open() const override { return notes::NotOnDevice::buffers_not_opened; }

  void examine(CallReport& report) override {
    CheckReport& check = report.check;
    if (check.passed()) return;
    if (check.hint.empty()) check.set(layer_.problem.explain(values_, check));
    if (layer_.problem.poisons_output() && needs_zeros())
      check.set(needs_zeros_hint(layer_.problem));
  }

  /// Whether the output is right if it holds zeros before the same call.
  bool needs_zeros() {
    layer_.problem.set_output(values_, true, layer_.options.threads);
    referee_.set(arena_.starts.front(), values_.front());
    if (!layer_.session.arm(Kind::forward)) return false;
    write();
    referee_.hold();
    DeviceGate gate(referee_);
    return layer_.session.go(&gate) && check().passed();
  }

  void copy_host_output(std::span<const float> from, std::span<float> to) const {
    for (const auto& [word, count] : arena_.host_output)
      std::ranges::copy(from.subspan(word, count), to.subspan(word, count).begin());
  }

  const Problem::Arena arena_;
  std::vector<std::vector<float>> memory_;
  Values values_;
  bool made_ = false;
};

}  // namespace

LayerResult run_prepared(const Layer& layer, Referee& referee) {
  PreparedInputs inputs(layer, referee);
  return run_layer(layer, inputs);
}

}  // namespace opgrade
