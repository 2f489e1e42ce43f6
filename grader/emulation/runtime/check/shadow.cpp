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

/// The range must lie within one page.
void mark_cells(const Shadow& shadow, std::uintptr_t address, std::size_t bytes, Cell state) {
  shadow.use(address);
  const std::size_t head = std::min<std::size_t>((4 - address % 4) % 4, bytes);
  if (head > 0) mark_part(shadow, address, head, state);
  address += head;
  bytes -= head;
  std::fill_n(&shadow.word(address), bytes / 4, state);
  if (bytes % 4 > 0) mark_part(shadow, address + bytes / 4 * 4, bytes % 4, state);
}

}  // namespace

void Shadow::fill_cells(std::uintptr_t address) const {
  unsigned char& state = page(address);
  if (state != kClosed)
    std::fill_n(words + (address - begin) / kPage * (kPage / 4), kPage / 4, Cell{state});
  state = kInUse;
}

void mark(const Shadow& shadow, std::uintptr_t address, std::size_t bytes, Cell state) {
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPage - (address - shadow.begin) % kPage);
    if (part == kPage && shadow.page(address) != kInUse) {
      shadow.page(address) = static_cast<unsigned char>(state);
    } else {
      mark_cells(shadow, address, part, state);
    }
    address += part;
    bytes -= part;
  }
}

}  // namespace opgrade_emulation
