#include "grader/tasks/folder/layout.hpp"

#include <algorithm>

namespace opgrade {
namespace {

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
}

std::int64_t words_of(std::int64_t bytes) { return std::max<std::int64_t>((bytes + 3) / 4, 1); }

}  // namespace

Layout::Layout(const TaskDescription& task, const Coordinates& sizes) {
  using enum BufferDescription::Role;
  std::int64_t output_bytes = 0;
  shared_.push_back({"", {1}});
  for (const auto& buffer : task.buffers) {
    Slot slot{.buffer = &buffer, .elements = elements_of(buffer, sizes)};
    const auto bytes = static_cast<std::int64_t>(slot.bytes());
    if (slot.is_output()) {
      slot.offset = output_bytes;
      output_bytes += aligned(bytes + kGuardBytes);
      shared_.front().name += (shared_.front().name.empty() ? "" : ", ") + buffer.name;
    }
    if (buffer.role == in || buffer.role == inout) {
      const int number = static_cast<int>(shared_.size());
      (buffer.role == in ? slot.shared : slot.initial) = number;
      shared_.push_back({buffer.name, {words_of(bytes)}});
    }
    slots_.push_back(slot);
  }
  // The last guard ends where the shared memory does, so that a write behind that shows.
  if (const auto last = std::ranges::find_if(slots_.rbegin(), slots_.rend(), &Slot::is_output);
      last != slots_.rend())
    output_bytes = last->offset + static_cast<std::int64_t>(last->bytes()) + kGuardBytes;
  shared_.front().extents = {words_of(output_bytes)};
  arena_ = {.words = aligned(output_bytes) / 4,
            .starts = std::vector<std::int64_t>(shared_.size(), -1)};
  arena_.starts.front() = 0;
  for (const Slot& slot : slots_) {
    const auto words = static_cast<std::size_t>(words_of(static_cast<std::int64_t>(slot.bytes())));
    if (slot.buffer->scalar && slot.is_output())
      arena_.host_output.emplace_back(static_cast<std::size_t>(slot.offset) / 4, words);
    if (slot.buffer->scalar && !slot.is_output())
      arena_.host_inputs.push_back(static_cast<std::size_t>(slot.shared));
    if (slot.is_output()) continue;
    arena_.starts[static_cast<std::size_t>(slot.shared)] = arena_.words;
    arena_.words += aligned(static_cast<std::int64_t>(slot.bytes())) / 4;
  }
  // An empty input has a word on the host.
  arena_.words += kOutputAlignment / 4;
}

std::span<std::byte> Layout::bytes_of(const Slot& slot, const Values& values) {
  const auto all = std::as_writable_bytes(values[static_cast<std::size_t>(slot.shared)]);
  return all.subspan(static_cast<std::size_t>(slot.offset), slot.bytes());
}

std::span<std::byte> Layout::guard_of(const Slot& slot, const Values& values) const {
  const auto begin = slot.offset + static_cast<std::int64_t>(slot.bytes());
  const auto end = slot.offset + aligned(static_cast<std::int64_t>(slot.bytes()) + kGuardBytes);
  const auto all = std::as_writable_bytes(values.front());
  return all.first(std::min(static_cast<std::size_t>(end), all.size()))
      .subspan(static_cast<std::size_t>(begin));
}

std::span<std::byte> Layout::given_bytes(const Slot& slot, const Values& values) {
  const int number = slot.initial >= 0 ? slot.initial : slot.shared;
  return std::as_writable_bytes(values[static_cast<std::size_t>(number)]).first(slot.bytes());
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
  words = std::max<std::int64_t>(2 * static_cast<std::int64_t>(next), 1);
}

}  // namespace opgrade
