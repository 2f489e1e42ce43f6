/// One problem of a case: its calls, times and checks, wherever its inputs come from.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <tl/expected.hpp>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/layer/memory_watch.hpp"
#include "grader/grading/device/call_costs.hpp"
#include "grader/grading/measure/measure.hpp"
#include "grader/grading/run/chain_tensors.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

struct RunOptions {
  Plan plan;
  bool warm_up = true;  ///< first a call on a few parts
  double tolerance = 1e-6;
  int threads = 1;
  /// The inputs are mapped anew for every call, because a GPU submission's process may have written
  /// to pages of an input, and would go on seeing its own.
  bool map_every_call = false;
  /// Parts (images) of the warm-up. Many GPU submissions cut the batch into a fixed number of
  /// pieces. With fewer images they launch nothing, which is an error. On a GPU the warm-up
  /// therefore has the course's smallest batch.
  int warm_up_parts = 8;
  bool host_output = true;  ///< the timed call itself writes the host's output
  Referee::Start start = Referee::Start::poison;  ///< of the output on the device
  EmptyCall* empty_call = nullptr;                ///< on the referee's device; null: an empty call
                                                  ///< costs nothing
  EmptyHostCall* empty_host_call = nullptr;  ///< of a function on host pointers; null: as planned
  /// On a GPU: the longest first call, including two switches of the device and its start, after
  /// which calls are prompt (run/session.hpp). Devices interrupt after 2 ms at the earliest.
  std::chrono::nanoseconds short_call = std::chrono::milliseconds(2);
  /// On a GPU: the timed function copies its output to the host. It is timed until it returns, if
  /// the device then has no work.
  bool returns_with_output = false;
  MemoryWatch* memory = nullptr;  ///< told of each right call; may be null
};

/// A problem, the process that solves it, and how. The inputs in `tensors` are filled and known to
/// `problem` (begin()).
struct Layer {
  Session& session;
  CallTensors& tensors;
  const Problem& problem;
  const RunOptions& options;
  /// Reads an output in `tensors` that may be the next layer's input.
  std::function<void()> use_output;
};

/// A layer's report, or why it was not timed with inputs on the device.
using LayerResult = tl::expected<CallReport, notes::NotOnDevice>;

/// Makes the inputs of a layer's calls, and judges the outputs.
class InputSupplier {
 public:
  virtual ~InputSupplier() = default;

  virtual Plan::Place place() const = 0;

  /// Gives the first input to the submission. Returns false if the submission has ended, and an
  /// error if its calls cannot be timed with these inputs.
  virtual tl::expected<bool, notes::NotOnDevice> hand_over() = 0;

  /// The calls with these inputs, whose checks go into `report`. Lives as long as the supplier.
  virtual Target& target(CallReport& report) = 0;

  /// Ends the layer after its calls: explains a wrong output, and sets the times. Returns why the
  /// calls do not count, or nullopt.
  virtual std::optional<notes::NotOnDevice> judge(CallReport& report, const Measured& measured) = 0;
};

/// If the session ended on the way, the report lacks times and check, and the caller asks the
/// session why.
LayerResult run_layer(const Layer& layer, InputSupplier& inputs);

/// Makes one whole call on the first few parts, with fresh inputs, so that first-call costs stay
/// out of the times. Returns false if the session ended.
bool warm_up(const Layer& layer, const std::function<void()>& meanwhile = {});

/// Hint for a submission that adds to the output's old content.
Hint needs_zeros_hint(const Problem& problem);

/// The sizes and buffers of a problem.
CallShape call_shape(const Problem& problem);

CallTensors tensors_of(const Problem& problem);

}  // namespace opgrade
