/// The buffers of one computation, shared with the submission.
#pragma once

#include <cstddef>
#include <vector>

#include "grader/grading/run/shared_tensor.hpp"

namespace opgrade {

/// The first buffer is the output, which the submission writes. The others are inputs, which it
/// only reads.
struct CallTensors {
  /// `sizes` are in the task's order. The output's memory has at least `room` bytes.
  CallTensors(std::vector<int> sizes, const std::vector<BufferSize>& buffers, std::size_t room = 0);

  SharedTensor& output() { return buffers.front(); }
  const SharedTensor& output() const { return buffers.front(); }
  SharedTensor& input(std::size_t number) { return buffers[number + 1]; }
  const SharedTensor& input(std::size_t number) const { return buffers[number + 1]; }

  /// The values of all buffers.
  std::vector<TypedBytes> values();

  std::vector<int> sizes;
  std::vector<SharedTensor> buffers;
};

}  // namespace opgrade
