#include "grader/run/call_tensors.hpp"

#include <algorithm>
#include <utility>

namespace opgrade {

CallTensors::CallTensors(std::vector<int> call_sizes, const std::vector<std::int64_t>& elements,
                         std::int64_t room)
    : sizes(std::move(call_sizes)) {
  using May = SharedTensor::SubmissionMay;
  for (const std::int64_t count : elements) {
    if (buffers.empty()) {
      buffers.emplace_back(std::max(count, room), May::write);
      buffers.front().resize(count);
    } else {
      buffers.emplace_back(count, May::read);
    }
  }
}

std::vector<std::span<float>> CallTensors::values() {
  std::vector<std::span<float>> all;
  for (auto& buffer : buffers) all.push_back(buffer.values());
  return all;
}

}  // namespace opgrade
