/// A tensor in memory that the grader shares with a sandboxed process.
#pragma once

#include <cstdint>
#include <span>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/typed_bytes.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade {

/// Lives in a sealed memory file. The tensor ends at the file's last byte (up to 64-byte alignment
/// of its start), so that the harness can put an unmapped page right behind it. The bytes of its
/// first page that lie before the tensor are a red zone.
class SharedTensor {
 public:
  enum class SubmissionMay { read, write };

  /// Makes at least one element, all zero. The memory has at least `room` bytes. Throws Error if
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

  /// Gives the tensor another size in the same memory, which must have room for it. Its values are
  /// then whatever the memory holds.
  void resize(BufferSize size);

  /// Has the system find all of its memory now, instead of page by page at the first touch.
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
