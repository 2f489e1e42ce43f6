/// The memory of computations that feed one another: one output for all of them, inputs for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "grader/grading/run/call_tensors.hpp"

namespace opgrade {

/// One computation's sizes, and those of its buffers.
struct CallShape {
  std::vector<int> sizes;
  std::vector<BufferSize> buffers;
  bool operator==(const CallShape&) const = default;
};

class ChainTensors {
 public:
  enum class Memory {
    when_touched,
    ahead,  ///< other threads begin to find it now
  };
  ChainTensors(std::vector<CallShape> shapes, Memory memory);

  const std::vector<CallShape>& shapes() const { return shapes_; }

  /// Waits until such threads have done their work.
  void wait_for_memory();

  /// The tensors of the current computation, at first `shapes.front()`. They change with advance().
  CallTensors& now() { return *tensors_; }

  /// First input of the computation after the current one.
  SharedTensor& next_input();

  /// On to the next computation.
  void advance();

  /// Back to the first one, in the same memory. Other threads begin to poison the output: the next
  /// submission is not to see this one's.
  void rewind();

 private:
  void make_other_inputs();

  const std::vector<CallShape> shapes_;
  std::size_t current_ = 0;
  std::optional<CallTensors> tensors_;
  std::vector<std::optional<SharedTensor>> inputs_;  ///< of later and of earlier computations
  std::jthread others_;
};

}  // namespace opgrade
