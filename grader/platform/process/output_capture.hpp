/// Keeps the head and the tail of a stream whose middle may be endless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opgrade {

class OutputCapture {
 public:
  /// Keeps at most `kept_bytes`, half from the start and half from the end.
  explicit OutputCapture(std::int64_t kept_bytes)
      : half_(static_cast<std::size_t>(kept_bytes / 2)) {}

  void append(std::string_view bytes);
  std::int64_t total_bytes() const { return total_; }

  /// The kept text; a line in the middle says how many bytes are missing.
  std::string text() const;

 private:
  std::size_t half_;
  std::int64_t total_ = 0;
  std::string head_;
  std::string tail_;
};

}  // namespace opgrade
