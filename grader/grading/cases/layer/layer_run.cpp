#include "grader/grading/cases/layer/layer_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grader/grading/measure/times.hpp"

namespace opgrade {

LayerResult run_layer(const Layer& layer, InputSupplier& inputs) {
  CallReport report;
  report.shape = layer.problem.sizes();
  report.check.place = layer.problem.place_of(-1);
  const auto ready = inputs.hand_over();
  if (!ready) return tl::unexpected(ready.error());
  if (!*ready) return report;
  if (layer.options.memory != nullptr) layer.options.memory->begin_layer(layer.session);
  Plan plan = layer.options.plan;
  plan.place = inputs.place();
  Measured measured = measure_calls(inputs.target(report), plan);
  report.measurement = std::move(measured.measurement);
  report.too_slow = measured.too_slow;
  set_times(report);
  if (const auto why = inputs.judge(report, measured)) return tl::unexpected(*why);
  return report;
}

bool warm_up(const Layer& layer, const std::function<void()>& meanwhile) {
  const auto small = layer.problem.first_parts(layer.options.warm_up_parts);
  CallTensors few = tensors_of(*small);
  for (std::size_t i = 1; i < few.buffers.size(); ++i) {
    const auto own = few.buffers[i].bytes();
    std::ranges::copy(layer.tensors.buffers[i].bytes().first(own.size()), own.begin());
  }
  small->refresh(few.values(), 1);
  small->set_output(few.values(), false, 1);
  return layer.session.map(few, meanwhile) && layer.session.call();
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
  for (const auto& buffer : problem.buffers()) shape.buffers.push_back(buffer.size());
  return shape;
}

CallTensors tensors_of(const Problem& problem) {
  const CallShape shape = call_shape(problem);
  return {shape.sizes, shape.buffers};
}

}  // namespace opgrade
