/// Where a task's buffers lie in the memory that the grader shares with a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/task/folder/description.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// All outputs lie one after another in the first buffer, each from a multiple of 256 bytes on, as
/// cudaMalloc aligns, with a guard behind it: a write there is seen. That buffer holds bytes of any
/// types. Then each input has a buffer; that of an `inout` holds what the output is to hold before
/// the call.
inline constexpr std::size_t kOutputAlignment = 256;
inline constexpr std::size_t kGuardBytes = 64;  ///< at least

struct Slot {
  const BufferDescription* buffer;
  int shared = 0;             ///< number of the shared buffer
  std::size_t offset = 0;     ///< in bytes
  std::int64_t elements = 0;  ///< at least 0
  int initial = -1;           ///< the shared buffer with an inout's values before the call

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

  /// All of them but the values of an inout before the call, in one allocation on a device.
  const Problem::Arena& arena() const { return arena_; }

  /// Of the shared buffers; structs as bytes.
  const std::vector<BufferShape>& shared() const { return shared_; }

  /// The bytes that `values` hold of a slot; of an inout those after the call.
  static std::span<std::byte> bytes_of(const Slot& slot, const Values& values);
  /// Those behind an output that no call may write.
  std::span<std::byte> guard_of(const Slot& slot, const Values& values) const;
  /// Those that an input or an inout has before the call.
  static std::span<std::byte> given_bytes(const Slot& slot, const Values& values);

 private:
  std::vector<Slot> slots_;
  std::vector<BufferShape> shared_;
  Problem::Arena arena_;
};

/// Where the reference's results lie: for each checked output its elements as double or 64-bit
/// integer, for a float then their scales; structs as they are, without scales.
struct ExpectedSlot {
  std::size_t values = 0;  ///< index of the first, in units of eight bytes
  std::size_t scales = 0;  ///< likewise
  std::int64_t elements = 0;
};
struct ExpectedLayout {
  explicit ExpectedLayout(const Layout& layout);
  std::vector<ExpectedSlot> slots;  ///< of the checked outputs
  std::size_t bytes = 0;            ///< at least one number
};

}  // namespace opgrade
