/// The memory of computations that feed one another: one output for all of them, inputs for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "grader/run/call_tensors.hpp"

namespace opgrade {

/// One computation's sizes, and the elements of each of its buffers.
struct CallShape {
  std::vector<int> sizes;
  std::vector<std::int64_t> elements;
};

class ChainTensors {
 public:
  /// `ahead`: other threads pre-fault the memory. For a device, which takes some tenths of a second
  /// to start for the submission's process. Else the memory is faulted when it is touched.
  ChainTensors(std::vector<CallShape> shapes, bool ahead);

  /// Waits until the output has all of its memory; the later first inputs' comes next.
  void wait_for_output();

  /// The tensors of the current computation, at first `shapes.front()`. They change with advance().
  CallTensors& now() { return *tensors_; }

  /// First input of the computation after the current one.
  SharedTensor& next_input();

  /// On to the next computation.
  void advance();

 private:
  const std::vector<CallShape> shapes_;
  std::size_t current_ = 0;
  std::optional<CallTensors> tensors_;
  std::vector<std::optional<SharedTensor>> inputs_;  ///< of later and of earlier computations
  std::jthread prefault_;
};

}  // namespace opgrade
