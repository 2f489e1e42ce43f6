#include "grader/platform/process/output_capture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opgrade {

void OutputCapture::append(std::string_view bytes) {
  total_ += static_cast<std::int64_t>(bytes.size());
  const std::size_t to_head = std::min(bytes.size(), half_ - head_.size());
  head_ += bytes.substr(0, to_head);
  tail_ += bytes.substr(to_head);
  // Trimmed only at twice the size, so that a byte-by-byte writer does not cost quadratic copying.
  if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);
}

std::string OutputCapture::text() const {
  const std::string_view end =
      std::string_view(tail_).substr(tail_.size() - std::min(tail_.size(), half_));
  const auto missing = total_ - static_cast<std::int64_t>(head_.size() + end.size());
  if (missing == 0) return head_ + std::string(end);
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", head_, missing, end);
}

}  // namespace opgrade
