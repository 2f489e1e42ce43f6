/// A tensor in memory that the grader shares with a sandboxed process.
#pragma once

#include <cstdint>
#include <span>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/typed_bytes.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade {

/// Lives in a sealed memory file. The tensor ends at the file's last byte (up to 64-byte alignment
/// of its start). The harness can so put an unmapped page right behind it. The bytes of its first
/// page before it are a red zone.
class SharedTensor {
 public:
  enum class SubmissionMay { read, write };

  /// At least one element, all zero. `room`: bytes that its memory has at least. Throws Error when
  /// memory is short.
  SharedTensor(BufferSize size, SubmissionMay access, std::size_t room = 0);
  SharedTensor(SharedTensor&& other) noexcept;
  SharedTensor& operator=(SharedTensor&& other) noexcept;
  ~SharedTensor();

  std::span<std::byte> bytes() { return {data_, size_.bytes()}; }
  std::span<const std::byte> bytes() const { return {data_, size_.bytes()}; }
  TypedBytes values() { return {bytes(), size_.type}; }

  /// Throws std::logic_error if the elements are of another type.
  template <class T>
  std::span<T> as() {
    return values().template as<T>();
  }
  template <class T>
  std::span<const T> as() const {
    return TypedBytes({data_, size_.bytes()}, size_.type).as<T>();
  }

  /// Makes it a tensor of another size, in the same memory, which must have the room for it. Its
  /// values are whatever is there.
  void resize(BufferSize size);

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
  BufferSize size_;
  std::size_t file_bytes_ = 0;
  std::byte* mapping_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace opgrade
