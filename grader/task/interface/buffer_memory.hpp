/// The grader's own memory for the buffers of a problem.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Memory that is zeroed, and aligned for every element type.
class BufferMemory {
 public:
  explicit BufferMemory(BufferSize size)
      : bytes_(size.bytes()), type_(size.type), memory_(bytes_ / sizeof(Unit) + 1) {}

  TypedBytes values() { return {std::as_writable_bytes(std::span(memory_)).first(bytes_), type_}; }

 private:
  using Unit = std::max_align_t;

  std::size_t bytes_;
  ElementType::Id type_;
  std::vector<Unit> memory_;
};

inline Values values_of(std::vector<BufferMemory>& memory) {
  Values values;
  for (BufferMemory& one : memory) values.push_back(one.values());
  return values;
}

/// Memory for all buffers of a problem.
inline std::vector<BufferMemory> memory_of(const Problem& problem) {
  std::vector<BufferMemory> memory;
  for (const auto& shape : problem.buffers()) memory.emplace_back(shape.size());
  return memory;
}

}  // namespace opgrade
