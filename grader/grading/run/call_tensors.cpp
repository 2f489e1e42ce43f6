#include "grader/grading/run/call_tensors.hpp"

#include <utility>

namespace opgrade {

CallTensors::CallTensors(std::vector<int> call_sizes, const std::vector<BufferSize>& wanted,
                         std::size_t room)
    : sizes(std::move(call_sizes)) {
  using May = SharedTensor::SubmissionMay;
  for (const BufferSize size : wanted) {
    if (buffers.empty())
      buffers.emplace_back(size, May::write, room);
    else
      buffers.emplace_back(size, May::read);
  }
}

std::vector<TypedBytes> CallTensors::values() {
  std::vector<TypedBytes> all;
  for (auto& buffer : buffers) all.push_back(buffer.values());
  return all;
}

}  // namespace opgrade
