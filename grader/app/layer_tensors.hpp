/// The memory of one case's convolutions: one y for all of them, an input for each.
#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "grader/network/network.hpp"
#include "grader/run/session.hpp"

namespace opgrade {

class LayerTensors {
 public:
  /// `ahead`: other threads pre-fault the memory. For a device, which takes some tenths of a second
  /// to start for the submission's process. Else the memory is faulted when it is touched.
  LayerTensors(const std::vector<ConvLayer>& convs, bool ahead);

  /// Waits until y has all of its memory; the later inputs' comes next.
  void wait_for_y();

  /// The tensors of the current convolution, at first `convs.front()`. Its shape changes with
  /// go_on().
  CallTensors& now() { return *tensors_; }

  /// Input of the convolution after the current one.
  SharedTensor& next_x();

  /// On to the next convolution.
  void go_on();

 private:
  const std::vector<ConvLayer>& convs_;
  std::size_t current_ = 0;
  std::optional<CallTensors> tensors_;
  std::vector<std::optional<SharedTensor>> inputs_;  ///< of later and of earlier convolutions
  std::jthread finder_;                              ///< of memory
};

}  // namespace opgrade
