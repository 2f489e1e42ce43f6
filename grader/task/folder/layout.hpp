/// Where a task's buffers lie in the memory that the grader shares with a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/task/folder/description.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// All outputs lie one after another in the first buffer, which holds elements of any types. Each
/// output begins at a multiple of 256 bytes, as cudaMalloc aligns, and is followed by a guard, so
/// that a write behind the output is seen. Each input has its own buffer; that of an `inout` holds
/// the values from before the call.
inline constexpr std::size_t kOutputAlignment = 256;
inline constexpr std::size_t kGuardBytes = 64;  ///< minimum

struct Slot {
  const BufferDescription* buffer;
  int shared = 0;             ///< number of the shared buffer
  std::size_t offset = 0;     ///< in bytes
  std::int64_t elements = 0;  ///< at least 0
  int initial = -1;           ///< the shared buffer with an inout's values from before the call

  bool is_output() const { return buffer->role != BufferDescription::Role::in; }
  bool is_checked() const {
    return is_output() && buffer->role != BufferDescription::Role::scratch;
  }
  std::size_t bytes() const {
    return static_cast<std::size_t>(elements / buffer->components) * buffer->element_bytes();
  }
};

class Layout {
 public:
  Layout(const TaskDescription& task, const Coordinates& sizes);

  const std::vector<Slot>& slots() const { return slots_; }  ///< in the function's order

  /// The allocation on a device for all buffers. An inout's values from before the call are not
  /// part of it.
  const Problem::Arena& arena() const { return arena_; }

  /// The shapes of the shared buffers; structs count as bytes.
  const std::vector<BufferShape>& shared() const { return shared_; }

  /// The bytes of a slot in `values`; for an inout, those after the call.
  static std::span<std::byte> bytes_of(const Slot& slot, const Values& values);
  /// The bytes behind an output, which no call may write.
  std::span<std::byte> guard_of(const Slot& slot, const Values& values) const;
  /// The bytes of an input or an inout from before the call.
  static std::span<std::byte> given_bytes(const Slot& slot, const Values& values);

 private:
  std::vector<Slot> slots_;
  std::vector<BufferShape> shared_;
  Problem::Arena arena_;
};

/// Where the reference's results lie. Each checked output has its elements as double or 64-bit
/// integer, and then, for floats, their scales. Structs lie as they are, without scales.
struct ExpectedSlot {
  std::size_t values = 0;  ///< index of the first, in units of eight bytes
  std::size_t scales = 0;  ///< index of the first scale, in units of eight bytes
  std::int64_t elements = 0;
};
struct ExpectedLayout {
  explicit ExpectedLayout(const Layout& layout);
  std::vector<ExpectedSlot> slots;  ///< one for each checked output
  std::size_t bytes = 0;            ///< at least those of one number
};

}  // namespace opgrade
