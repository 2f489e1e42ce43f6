#include "grader/emulation/runtime/check/shadow.hpp"

#include <algorithm>

namespace opgrade_emulation {
namespace {

void mark_part(const Shadow& shadow, std::uintptr_t address, std::size_t bytes, Cell state) {
  Cell& word = shadow.word(address);
  const std::uintptr_t first = address & ~std::uintptr_t{3};
  if (word != kSplit) {
    std::fill_n(shadow.byte(first), 4, word);
    word = kSplit;
  }
  std::fill_n(shadow.byte(address), bytes, state);
}

}  // namespace

void mark(const Shadow& shadow, std::uintptr_t address, std::size_t bytes, Cell state) {
  const std::size_t head = std::min<std::size_t>((4 - address % 4) % 4, bytes);
  if (head > 0) mark_part(shadow, address, head, state);
  address += head;
  bytes -= head;
  std::fill_n(&shadow.word(address), bytes / 4, state);
  if (bytes % 4 > 0) mark_part(shadow, address + bytes / 4 * 4, bytes % 4, state);
}

}  // namespace opgrade_emulation
