/// A float tensor in memory that the grader shares with a sandboxed process.
#pragma once

#include <cstdint>
#include <span>

#include "grader/core/fd.hpp"
#include "grader/harness/protocol.hpp"

namespace opgrade {

/// Lives in a sealed memory file. The tensor ends at the file's last byte (up to 64-byte alignment
/// of its start). The harness can so put an unmapped page right behind it. The bytes of its first
/// page before it are a red zone.
class SharedTensor {
 public:
  enum class SubmissionMay { read, write };

  /// `elements` >= 1 floats, zero. Throws Error when memory is short.
  SharedTensor(std::int64_t elements, SubmissionMay access);
  SharedTensor(SharedTensor&& other) noexcept;
  SharedTensor& operator=(SharedTensor&& other) noexcept;
  ~SharedTensor();

  std::span<float> values() { return {data_, static_cast<std::size_t>(elements_)}; }
  std::span<const float> values() const { return {data_, static_cast<std::size_t>(elements_)}; }

  /// Makes it a tensor of `elements`, at least 1 and at most those it was made with, in the same
  /// memory. Its values are whatever is there.
  void resize(std::int64_t elements);

  /// Has the system find all of its memory now, and not page by page when it is first touched.
  void populate(int threads);

  /// Fills the tensor with the poison of core/poison.hpp and the red zone with
  /// its pattern; `threads` of the grader share the work.
  void poison(int threads);
  /// True if the bytes before the tensor, and the up to 60 behind it, are as poison() left them.
  bool red_zone_intact() const;

  /// The descriptor to send; only with SubmissionMay::write can its receiver map it writable.
  int fd() const { return file_.get(); }
  protocol::TensorPlace place() const;

 private:
  std::size_t red_bytes() const;

  Fd file_;
  std::int64_t elements_ = 0;
  std::size_t file_bytes_ = 0;
  char* mapping_ = nullptr;
  float* data_ = nullptr;
};

}  // namespace opgrade
