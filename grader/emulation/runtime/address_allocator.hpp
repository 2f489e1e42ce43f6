/// Which addresses of the device's range are taken, and which are open to access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace opgrade_emulation {

/// Gives out addresses as CUDA's allocator does: small allocations share pieces of 2 MiB, larger
/// ones take whole pieces, and pieces follow each other. Reading a little past the end of an
/// allocation therefore finds its neighbour, as on a GPU, or `fill`, and leaving the last piece
/// faults. With `exact`, no address is used twice and every allocation has closed room behind it.
class AddressAllocator {
 public:
  static constexpr std::size_t kPiece = 2 * 1024 * 1024;
  static constexpr std::size_t kAlignment = 512;

  void open(std::uintptr_t begin, std::uintptr_t end, bool exact, unsigned char fill);
  /// Readable and writable memory of at least that size, full of `fill`, or 0.
  std::uintptr_t take(std::size_t bytes);
  void give_back(std::uintptr_t address, std::size_t bytes);

 private:
  static std::size_t size_taken(std::size_t bytes);
  bool map(std::uintptr_t begin, std::size_t bytes);
  void unmap(std::uintptr_t begin, std::size_t bytes);

  std::uintptr_t begin_ = 0;
  bool exact_ = false;
  unsigned char fill_ = 0;
  std::map<std::uintptr_t, std::size_t> free_;  // address -> bytes, neighbours joined
  std::vector<std::uint32_t> users_;            // of each piece
};

}  // namespace opgrade_emulation
