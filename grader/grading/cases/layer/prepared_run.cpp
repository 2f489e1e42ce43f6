#include "grader/grading/cases/layer/prepared_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grader/grading/cases/layer/device_target.hpp"
#include "grader/task/interface/buffer_memory.hpp"

namespace opgrade {
namespace {

using protocol::Kind;

/// Inputs in memory that no process of the submission has.
class PreparedInputs final : public DeviceInputs {
 public:
  PreparedInputs(const Layer& layer, Referee& referee)
      : DeviceInputs(layer, referee), arena_(layer.problem.arena().value()) {}

  /// A known input is the input of the call before.
  void choose(Input input) override {
    const bool fresh = !std::exchange(made_, true) || input == Input::fresh;
    if (fresh) layer_.problem.refresh(values_, layer_.options.threads);
    layer_.problem.set_output(values_, false, layer_.options.threads);
    for (std::size_t i = 0; i < (fresh ? values_.size() : 1); ++i)
      if (arena_.starts[i]) referee_.set(*arena_.starts[i], values_[i].bytes());
  }

  void write() override {
    for (const std::size_t i : arena_.host_inputs)
      std::ranges::copy(values_[i].bytes(), layer_.tensors.buffers[i].bytes().begin());
    copy_host_output(values_.front().bytes(), layer_.tensors.output().bytes());
    referee_.prepare(Referee::kAsLoaded, Referee::Start::poison);
  }

  CheckReport check() override {
    referee_.read_output(values_.front().bytes());
    copy_host_output(layer_.tensors.output().bytes(), values_.front().bytes());
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
    memory_ = memory_of(problem);
    values_ = values_of(memory_);
    referee_.load_arena(arena_.bytes, values_.front().bytes().size());
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

  /// True if the output is right after the same call on an output that holds zeros.
  bool needs_zeros() {
    layer_.problem.set_output(values_, true, layer_.options.threads);
    referee_.set(arena_.starts.front().value(), values_.front().bytes());
    if (!layer_.session.arm(Kind::forward)) return false;
    write();
    referee_.hold();
    DeviceGate gate(referee_);
    return layer_.session.go(&gate) && check().passed();
  }

  void copy_host_output(std::span<const std::byte> from, std::span<std::byte> to) const {
    for (const auto& [at, count] : arena_.host_output)
      std::ranges::copy(from.subspan(at, count), to.subspan(at, count).begin());
  }

  const Problem::Arena arena_;
  std::vector<BufferMemory> memory_;
  Values values_;
  bool made_ = false;
};

}  // namespace

LayerResult run_prepared(const Layer& layer, Referee& referee) {
  PreparedInputs inputs(layer, referee);
  return run_layer(layer, inputs);
}

}  // namespace opgrade
