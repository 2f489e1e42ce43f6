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

  /// Waits until the threads that Memory::ahead or rewind() started have done their work.
  void wait_for_memory();

  /// The tensors of the current computation, at first `shapes.front()`. They change with advance().
  CallTensors& now() { return *tensors_; }

  /// The first input of the computation after the current one.
  SharedTensor& next_input();

  /// Goes on to the next computation.
  void advance();

  /// Goes back to the first computation, in the same memory. Other threads begin to poison the
  /// output, so that the next submission does not see the output of this one.
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
