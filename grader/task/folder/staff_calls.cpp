#include "grader/task/folder/staff_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ranges>
#include <span>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/task/folder/distribution.hpp"

namespace opgrade {

StaffCalls::Inputs StaffCalls::inputs_of(const Values& values) {
  Inputs inputs;
  for (const TypedBytes& input : values | std::views::drop(1)) inputs.emplace_back(input.bytes());
  return inputs;
}

StaffOutput StaffCalls::run(ReferenceCode::Step step, const Inputs& inputs,
                            std::size_t bytes) const {
  if (!code_)
    throw Error(fmt::format("the reference of {} was not started", task_.name),
                "this is a bug of opgrade: please report it");
  return code_->run(step, sizes_, inputs, bytes);
}

bool StaffCalls::is_generated(const Slot& slot) const {
  return slot.buffer->is_given() && values_of(*slot.buffer, sizes_) == kGenerated;
}

namespace {

/// Rounds to the values that an image file can hold, so that the reference computes with the values
/// that a program reads.
void round_to_levels(std::span<std::byte> floats) {
  for (std::size_t at = 0; at < floats.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, floats.data() + at, sizeof value);
    value = std::round(255 * std::clamp(value, 0.0F, 1.0F)) / 255;
    std::memcpy(floats.data() + at, &value, sizeof value);
  }
}

}  // namespace

void StaffCalls::make_inputs(const Values& values, std::mt19937_64& random, int threads) const {
  bool generated = false;
  for (const Slot& slot : layout_.slots()) {
    if (!slot.buffer->is_given() || slot.elements == 0) continue;
    if (is_generated(slot)) {
      generated = true;
      continue;
    }
    const auto bytes = Layout::given_bytes(slot, values);
    const auto fill = [&](const ElementType& type, std::span<std::byte> numbers) {
      Distribution(values_of(*slot.buffer, sizes_), sizes_, type).fill(numbers, random, threads);
    };
    if (!slot.buffer->record) {
      fill(*slot.buffer->type, bytes);
      continue;
    }
    for (const StructField& field : slot.buffer->record->fields) {
      auto column = column_of(bytes, *slot.buffer->record, field);
      fill(*field.type, column);
      set_column(bytes, *slot.buffer->record, field, column);
    }
  }
  if (generated) generate(values, random);
  if (!task_.program.empty())
    for (const Slot& slot : layout_.slots())
      if (slot.buffer->is_given() && slot.buffer->type->floating &&
          is_image(file_of(task_, *slot.buffer)))
        round_to_levels(Layout::given_bytes(slot, values));
  if (!task_.validates) return;
  if (const auto wrong = complaint(ReferenceCode::Step::validate, inputs_of(values));
      !wrong.empty())
    throw Error(fmt::format("the task {}: validate.cpp refuses the inputs at {}: {}", task_.name,
                            text_of(sizes_), wrong),
                "mend the task: its `values`, generate.cpp or validate.cpp");
}

/// Runs generate.cpp, which makes all buffers that it may fill.
void StaffCalls::generate(const Values& values, std::mt19937_64& random) const {
  const auto made_by_it = [](const Slot& slot) {
    return slot.buffer->is_given() &&
           std::ranges::find(slot.buffer->values, kGenerated) != slot.buffer->values.end();
  };
  const auto aligned = [](std::size_t count) {
    return (count + kOutputAlignment - 1) / kOutputAlignment * kOutputAlignment;
  };
  std::size_t bytes = 0;
  for (const Slot& slot : layout_.slots())
    if (made_by_it(slot)) bytes += aligned(slot.bytes());
  const std::array<std::uint64_t, 1> seed{random()};
  Inputs inputs = inputs_of(values);
  inputs.emplace_back(std::as_bytes(std::span(seed)));
  const StaffOutput made =
      run(ReferenceCode::Step::generate, inputs, std::max(bytes, kOutputAlignment));
  const auto* next = made.bytes.data();
  for (const Slot& slot : layout_.slots()) {
    if (!made_by_it(slot)) continue;
    if (is_generated(slot))
      std::memcpy(Layout::given_bytes(slot, values).data(), next, slot.bytes());
    next += aligned(slot.bytes());
  }
}

StaffOutput StaffCalls::compute(const Values& values) const {
  return run(ReferenceCode::Step::reference, inputs_of(values), bytes_);
}

std::string StaffCalls::complaint(ReferenceCode::Step step, const Inputs& inputs) const {
  const StaffOutput said = run(step, inputs, kStaffTextBytes);
  const auto* const text = reinterpret_cast<const char*>(said.bytes.data());
  return printable_line({text, strnlen(text, said.bytes.size())});
}

}  // namespace opgrade
