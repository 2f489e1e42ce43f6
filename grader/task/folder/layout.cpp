#include "grader/task/folder/layout.hpp"

#include <algorithm>

namespace opgrade {
namespace {

constexpr auto kBytes = ElementType::Id::u8;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
}

/// An empty buffer still has one element on the host.
BufferShape shape_of(const Slot& slot) {
  const BufferDescription& buffer = *slot.buffer;
  if (buffer.record)
    return {
        buffer.name, {std::max(static_cast<std::int64_t>(slot.bytes()), std::int64_t{1})}, kBytes};
  return {buffer.name, {std::max<std::int64_t>(slot.elements, 1)}, buffer.type->id};
}

}  // namespace

Layout::Layout(const TaskDescription& task, const Coordinates& sizes) {
  using enum BufferDescription::Role;
  std::size_t output_bytes = 0;
  shared_.push_back({"", {1}, kBytes});
  for (const auto& buffer : task.buffers) {
    Slot slot{.buffer = &buffer, .elements = elements_of(buffer, sizes)};
    if (slot.is_output()) {
      slot.offset = output_bytes;
      output_bytes += aligned(slot.bytes() + kGuardBytes);
      shared_.front().name += (shared_.front().name.empty() ? "" : ", ") + buffer.name;
    }
    if (buffer.role == in || buffer.role == inout) {
      const int number = static_cast<int>(shared_.size());
      (buffer.role == in ? slot.shared : slot.initial) = number;
      shared_.push_back(shape_of(slot));
    }
    slots_.push_back(slot);
  }
  // The last guard ends where the shared memory ends, so that a write behind it is seen.
  if (const auto last = std::ranges::find_if(slots_.rbegin(), slots_.rend(), &Slot::is_output);
      last != slots_.rend())
    output_bytes = last->offset + last->bytes() + kGuardBytes;
  output_bytes = std::max<std::size_t>(output_bytes, 1);
  shared_.front().extents = {static_cast<std::int64_t>(output_bytes)};
  arena_.bytes = aligned(output_bytes);
  arena_.starts.resize(shared_.size());
  arena_.starts.front() = 0;
  for (const Slot& slot : slots_) {
    if (slot.buffer->scalar && slot.is_output())
      arena_.host_output.emplace_back(slot.offset, slot.bytes());
    if (slot.buffer->scalar && !slot.is_output())
      arena_.host_inputs.push_back(static_cast<std::size_t>(slot.shared));
    if (slot.is_output()) continue;
    arena_.starts[static_cast<std::size_t>(slot.shared)] = arena_.bytes;
    arena_.bytes += aligned(slot.bytes());
  }
  // An empty input still has one element on the host.
  arena_.bytes += kOutputAlignment;
}

std::span<std::byte> Layout::bytes_of(const Slot& slot, const Values& values) {
  const auto all = values[static_cast<std::size_t>(slot.shared)].bytes();
  return all.subspan(slot.offset, slot.bytes());
}

std::span<std::byte> Layout::guard_of(const Slot& slot, const Values& values) const {
  const auto begin = slot.offset + slot.bytes();
  const auto end = slot.offset + aligned(slot.bytes() + kGuardBytes);
  const auto all = values.front().bytes();
  return all.first(std::min(end, all.size())).subspan(begin);
}

std::span<std::byte> Layout::given_bytes(const Slot& slot, const Values& values) {
  const int number = slot.initial >= 0 ? slot.initial : slot.shared;
  return values[static_cast<std::size_t>(number)].bytes().first(slot.bytes());
}

ExpectedLayout::ExpectedLayout(const Layout& layout) {
  std::size_t next = 0;
  for (const auto& slot : layout.slots()) {
    if (!slot.is_checked()) continue;
    ExpectedSlot expected{.values = next, .elements = slot.elements};
    next += slot.buffer->record ? (slot.bytes() + 7) / 8 : static_cast<std::size_t>(slot.elements);
    expected.scales = next;
    if (!slot.buffer->record && slot.buffer->type->floating)
      next += static_cast<std::size_t>(slot.elements);
    slots.push_back(expected);
  }
  bytes = 8 * std::max<std::size_t>(next, 1);
}

}  // namespace opgrade
